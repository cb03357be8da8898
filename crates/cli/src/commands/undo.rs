//! `outboard undo`: takes back all that outboard changed on this system.

mod parts;

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use outboard_console::{aligned, answer, exit_code, say};
use serde::Serialize;

use self::parts::Part;
use crate::consent::{is_agreed, only_root};
use crate::signals::{self, SignalGuard};

/// Take back all that outboard changed
///
/// Shows the changes first (services, preferences, allowed drivers, the generator, the policy, findings), and asks on a
/// terminal. Without a terminal and without --yes it only shows them. /etc is then as it was before, byte for byte;
/// packages and the kernel module stay. A part that cannot be undone does not keep the others: it is named at the end.
/// Running processes keep what they have opened until they are restarted, and go on in software.
///
/// Exit code 0 if nothing is left, and if the changes are only shown; 1 if something remains.
#[derive(Args)]
pub struct Options {
    /// Show what would change; change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Replace or remove files of outboard's that were edited; each is kept as FILE.outboard-old
    #[arg(long)]
    overwrite: bool,
    /// Print JSON (schema outboard-undo/1); without --yes it only shows
    #[arg(long)]
    json: bool,
}

/// The document of `--json`. Fields are only added within a version.
#[derive(Serialize)]
struct Undone<'a> {
    schema: &'static str,
    /// Whether anything was to be undone now, or was only shown.
    acted: bool,
    /// What outboard had changed, in the order in which it is undone.
    parts: Vec<UndonePart<'a>>,
}

#[derive(Serialize)]
struct UndonePart<'a> {
    /// `service`, `preference`, `driver`, `list`, `generator`, `policy` or `findings`.
    kind: &'static str,
    name: &'a str,
    /// `present`, `undone` or `remains`.
    state: &'static str,
    error: Option<String>,
    kept: Vec<String>,
}

pub fn run(options: &Options) -> ExitCode {
    exit_code("undo", undo(options))
}

fn undo(options: &Options) -> Result<ExitCode> {
    let parts = parts::all()?;
    if !options.json {
        answer(&shown(&parts))?;
    }
    if parts.is_empty() && !options.dry_run {
        parts::tidy();
    }
    if options.dry_run || parts.is_empty() || !is_agreed(options.yes, options.json, "Take all of this back?")
    {
        return not_acted(options, &parts);
    }
    only_root()?;
    let guard = SignalGuard::hold();
    let results = parts.iter().map(|part| {
        let result = signals::check().and_then(|()| part.undo(options.overwrite));
        if let (false, Err(error)) = (options.json, &result) {
            say(&format!("outboard undo: {}: {error:#}", part.name()));
        }
        result
    });
    let results: Vec<Result<Vec<String>>> = results.collect();
    let remaining = results.iter().filter(|result| result.is_err()).count();
    parts::tidy();
    drop(guard);
    if options.json {
        let both = parts.iter().zip(results);
        let both = both.map(|(part, result)| match result {
            Ok(kept) => document(part, "undone", None, kept),
            Err(error) => document(part, "remains", Some(format!("{error:#}")), Vec::new()),
        });
        print(true, both.collect())?;
    } else {
        results
            .iter()
            .flatten()
            .flatten()
            .try_for_each(|kept| answer(&format!("the edited file is {kept}\n")))?;
        answer(&ended(&parts, remaining))?;
    }
    Ok(if remaining == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn not_acted(options: &Options, parts: &[Part]) -> Result<ExitCode> {
    if options.json {
        let parts = parts.iter().map(|part| document(part, "present", None, Vec::new())).collect();
        print(false, parts)?;
    } else if !parts.is_empty() {
        answer("Nothing was changed: outboard undo --yes takes it back.\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn document<'a>(
    part: &'a Part,
    state: &'static str,
    error: Option<String>,
    kept: Vec<String>,
) -> UndonePart<'a> {
    UndonePart { kind: part.kind(), name: part.name(), state, error, kept }
}

fn print(acted: bool, parts: Vec<UndonePart<'_>>) -> Result<()> {
    let document = Undone { schema: "outboard-undo/1", acted, parts };
    Ok(answer(&outboard_documents::pretty(&document)?)?)
}

fn shown(parts: &[Part]) -> String {
    if parts.is_empty() {
        return "There is nothing to undo: outboard has changed nothing on this system.\n".to_owned();
    }
    let rows: Vec<_> = parts.iter().map(|part| [part.kind(), part.name()].map(str::to_owned)).collect();
    format!("What outboard has changed on this system:\n{}", aligned(&rows, 0..0, "  "))
}

fn ended(parts: &[Part], remaining: usize) -> String {
    if remaining > 0 {
        return format!("{remaining} of {} could not be undone; the reasons are above.\n", parts.len());
    }
    let restart = match parts.iter().any(|part| part.kind() == "service") {
        true => " Restart the services, so that running processes change too.",
        false => "",
    };
    format!("All of it is undone; packages stay.{restart}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_parts_are_counted_and_a_service_is_to_be_restarted() {
        let parts = [Part::Service("nginx".to_owned()), Part::Driver("cbc-aes-x".to_owned())];
        assert_eq!(
            shown(&parts),
            "What outboard has changed on this system:\n  service  nginx\n  driver   cbc-aes-x\n"
        );
        assert!(ended(&parts, 0).contains("Restart the services"));
        assert!(!ended(&parts[1..], 0).contains("Restart"));
        assert!(ended(&parts, 1).starts_with("1 of 2 could not be undone"));
        assert!(shown(&[]).contains("nothing to undo"));
    }
}
