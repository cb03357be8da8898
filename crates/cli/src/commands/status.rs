//! `outboard status`: shows the crypto hardware of this machine and the interfaces that reach it.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use outboard_console::{answer, answer_line, answer_styled, interval, say};
use outboard_documents::{json, json_line};
use outboard_drivers::root::Root;
use outboard_inventory::bundle::{self, Source};
use outboard_inventory::collect_from;
use outboard_inventory::text::Style;
use outboard_measure::stop;

use crate::laboratory;

/// Show whether programs reach an accelerator, and what keeps it from being used.
///
/// Nothing is changed and no network connection is opened.
///
/// Exit code 1 when the kernel's list of drivers cannot be read, or nothing is recognised in what --from names.
#[derive(Args)]
pub struct Options {
    /// Print JSON (schema outboard-status/1)
    #[arg(long)]
    json: bool,
    /// Read a bundle, a copied tree, or pasted text (- for standard input) instead of this machine
    #[arg(long, value_name = "BUNDLE|DIR|FILE|-")]
    from: Option<PathBuf>,
    /// Show everything: reasons, evidence, notes, and every driver with the verdict on it
    #[arg(long, short)]
    verbose: bool,
    /// Show for each driver of an accelerator which consumers get it on this kernel, and why
    #[arg(long, conflicts_with_all = ["verbose", "json"])]
    reach: bool,
    /// With --json: print a line with the status, then at each interval a line with the counters (schema outboard-live/1), until ^C
    #[arg(long, value_name = "TIME", value_parser = interval, requires = "json", conflicts_with = "from")]
    every: Option<Duration>,
}

pub fn run(options: &Options) -> ExitCode {
    match report(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("outboard status: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn report(options: &Options) -> anyhow::Result<()> {
    let mut tree = None;
    let status = match &options.from {
        None => outboard_inventory::collect(&Root::live())?,
        Some(path) => match bundle::open(path)? {
            Source::Tree(root) => outboard_inventory::collect(tree.insert(root))?,
            Source::Text(path, bytes) => {
                let found = laboratory::recognise(&bytes);
                let found = found.map_err(|error| anyhow!("--from {}: {error:#}", path.display()))?;
                collect_from(&bundle::root_of_text(&path, &found.files), Some(found.text))?
            }
        },
    };
    for warning in &status.warnings {
        say(&format!("outboard status: warning: {warning}"));
    }
    if let Some(interval) = options.every {
        if answer_line(&json_line(&status)?)? {
            follow(interval)?;
        }
    } else if options.json {
        answer(&json(&status)?)?;
    } else {
        let is_terminal = io::stdout().is_terminal();
        let color = is_terminal && may_be_coloured(|name| std::env::var_os(name));
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        // 0: the terminal does not report its size, such as a serial line.
        let columns = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        let render = match (options.verbose, options.reach) {
            (true, _) => outboard_inventory::text::verbose,
            (_, true) => outboard_inventory::text::reach,
            _ => outboard_inventory::text::status,
        };
        let style = Style { color, columns };
        let trial = tree.and_then(|root| outboard_inventory::text::trial(&root, style));
        let text = render(&status, style) + &trial.unwrap_or_default();
        if color { answer_styled(&text)? } else { answer(&text)? }
    }
    Ok(())
}

/// Whether the environment of a terminal permits colours: no-color.org, and terminals without them.
fn may_be_coloured(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    variable("NO_COLOR").is_none_or(|value| value.is_empty())
        && variable("TERM").is_none_or(|term| term != "dumb")
}

/// Prints the counters at each interval, until a signal comes or the reader is gone.
fn follow(interval: Duration) -> anyhow::Result<()> {
    stop::listen();
    let root = Root::live();
    while !stop::asked() && answer_line(&json_line(&outboard_monitor::live(&root))?)? {
        let end = Instant::now() + interval;
        while !stop::asked() && Instant::now() < end {
            thread::sleep(end.saturating_duration_since(Instant::now()).min(Duration::from_millis(100)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_may_forbid_colours() {
        let may = |term: Option<&str>, no_color: Option<&str>| {
            may_be_coloured(|name| if name == "TERM" { term } else { no_color }.map(OsString::from))
        };
        assert!(may(None, None) && may(Some("xterm"), Some("")));
        assert!(!may(Some("dumb"), None) && !may(Some("xterm"), Some("1")));
    }
}
