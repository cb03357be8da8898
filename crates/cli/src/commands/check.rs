//! `outboard check`: whether drivers compute what they should, for as long as one wants to know.

mod answer;
mod text;
mod work;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use outboard_measure::stop;
use outboard_report::check::Check;

use self::answer::{Answer, SCHEMA};
use crate::checkable::any_seed;

/// Ended by ^C.
const INTERRUPTED: u8 = 130;

/// Compare what accelerators compute with plain code of outboard's own, byte for byte.
///
/// Each driver gets published examples, then random requests of 0 bytes to 64 KiB with every key length, in both directions, alone
/// and up to 64 at a time, from two threads of two processes. Drivers of GCM and CCM must refuse what was forged; those of digests
/// and HMAC get messages whole, in pieces, and cloned in the middle. Nothing that it shares with OpenSSL or the kernel could be wrong in
/// the same way. A driver is reached as programs reach it: over /dev/outboard root allows it first.
///
/// Exit code 0 when all results were right, 1 when one was wrong or did not come, or no driver could be reached.
#[derive(Args)]
pub struct Options {
    /// Exact driver names, as /proc/crypto shows them; all accelerators without any
    #[arg(value_name = "DRIVER")]
    drivers: Vec<String>,
    /// How long, all drivers together: 90s, 10m, 2h; each is checked once at least
    #[arg(long = "for", value_name = "TIME", default_value = "10s", value_parser = duration)]
    time: Duration,
    /// Make the same requests as an earlier run did
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print JSON (schema outboard-check/1)
    #[arg(long)]
    json: bool,
    /// In this process alone: what the command starts for its second process
    #[arg(long, hide = true)]
    alone: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    check(options).unwrap_or_else(|error| {
        // A closed stderr leaves nothing to say it on.
        let _ = writeln!(io::stderr(), "outboard check: {error:#}");
        ExitCode::FAILURE
    })
}

fn check(options: &Options) -> Result<ExitCode> {
    stop::listen();
    let candidates = work::candidates(&options.drivers)?;
    if candidates.is_empty() {
        bail!(
            "this machine has no accelerator whose algorithm can be checked: outboard status shows what it has"
        );
    }
    let seed = options.seed.unwrap_or_else(any_seed);
    let mut check = Check { seed, drivers: Vec::new(), interrupted: false };
    let each = options.time / candidates.len() as u32;
    for candidate in candidates {
        progress(options, &format!("checking {}, about {} s each", candidate.name, each.as_secs().max(1)));
        check.drivers.push(work::check(&candidate, each, seed, !options.alone));
        progress(options, "");
        if stop::asked() {
            check.interrupted = true;
            break;
        }
    }
    let answer = Answer { schema: SCHEMA, check };
    let report =
        if options.json { serde_json::to_string_pretty(&answer)? + "\n" } else { text::report(&answer) };
    match io::stdout().write_all(report.as_bytes()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        other => other?,
    }
    Ok(match (answer.is_right(), answer.check.interrupted) {
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::SUCCESS,
    })
}

/// What is being done, for whoever watches; taken away by the next.
fn progress(options: &Options, text: &str) {
    if !options.alone && io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
    }
}

/// `90s`, `10m`, `2h`, or seconds.
fn duration(text: &str) -> Result<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        other => bail!("\"{other}\" is no unit of time: write 90s, 10m or 2h"),
    };
    let number: u32 = digits.parse().context("it is not a time: write 90s, 10m or 2h")?;
    Ok(Duration::from_secs(u64::from(number) * unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("7", 7), ("90s", 90), ("10m", 600), ("2h", 7200), ("0", 0)] {
            assert_eq!(duration(text).unwrap(), Duration::from_secs(seconds), "{text}");
        }
        for wrong in ["", "m", "10d", "-1", "1.5h", "10 m"] {
            assert!(duration(wrong).unwrap_err().to_string().contains("10m"), "{wrong}");
        }
    }
}
