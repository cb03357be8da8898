//! `outboard allow`: the drivers that programs may use through /dev/outboard, now and after each
//! boot.

mod candidate;
mod candidates;
mod grant;
pub mod list;
pub mod memory;
mod restore;
mod show;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use outboard_console::{answer, ended, progress};

use self::memory::Memory;
use super::change;
use crate::signals;

/// Let programs use a driver through /dev/outboard, once its results were found right.
///
/// The driver is checked with published answers (NIST, IEEE) and with requests of many lengths, while only this command can use
/// it. A driver that passes is allowed, and saved in /etc/outboard/allowed: whenever the module is loaded again, `outboard allow
/// --restore` checks it anew and allows it. Order is preference.
///
/// Without a driver, the accelerators that can be allowed are listed, as the commands that allow them.
///
/// Exit code 1 when a driver was refused, or could not be allowed or saved; those named before it stay allowed. --list
/// without the module shows what is saved, with exit code 1.
#[derive(Args)]
pub struct Options {
    /// Exact driver names, as `outboard status` and /proc/crypto show them
    #[arg(value_name = "DRIVER", group = "subject", conflicts_with_all = ["list", "restore"])]
    drivers: Vec<String>,
    /// Show what is allowed now, and what is saved
    #[arg(long, group = "subject", conflicts_with = "restore")]
    list: bool,
    /// Print JSON: with --list the schema outboard-allow/1, with drivers outboard-change/1
    #[arg(long, requires = "subject", conflicts_with = "restore")]
    json: bool,
    /// With --json: print each step as a line (schema outboard-progress/1), and the document as the last line
    #[arg(long, requires = "json")]
    progress: bool,
    /// Check all saved drivers again, and allow those that pass, as at boot
    #[arg(long)]
    restore: bool,
    /// With --restore: how long to wait for drivers that are not registered yet, in seconds
    #[arg(
        long, value_name = "SECONDS", requires = "restore", conflicts_with = "drivers",
        default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=3600)
    )]
    wait: u64,
    /// Do not save it: allowed until the module is unloaded
    #[arg(long, requires = "drivers", conflicts_with_all = ["list", "restore"])]
    now: bool,
    /// Also allow what is judged to be software; a driver that fails the check is refused nevertheless
    #[arg(long, requires = "drivers", conflicts_with_all = ["list", "restore"])]
    force: bool,
}

pub fn run(options: &Options) -> ExitCode {
    if options.list {
        return ended("allow", show::show(options.json));
    }
    if options.restore {
        return ended("allow --restore", restore::restore(Duration::from_secs(options.wait)));
    }
    if options.drivers.is_empty() {
        return ended("allow", candidates::offer());
    }
    if options.progress {
        outboard_documents::print_steps();
    }
    let allowed = |driver: &str| {
        progress(&format!("checking {driver}"));
        let allowed = allow(driver, options.force, options.now);
        progress("");
        allowed
    };
    ended("allow", change::each(&options.drivers, options.json, allowed))
}

/// Checks a driver, allows it, and without `now` saves that. Returns what was done.
pub fn allow(driver: &str, force: bool, now: bool) -> Result<String> {
    list::read()?;
    let candidate = candidate::judge(driver, force)?;
    if now {
        return grant::grant(&candidate, || Ok(()), |()| Ok(()));
    }
    // First, so that a list that cannot be saved is reported before the check. The lock is released
    // at once: a signal ends the check, and no other command waits for it.
    drop(Memory::to_change()?);
    signals::check()?;
    grant::grant(&candidate, Memory::to_change, |mut memory| {
        memory.add(driver, force);
        memory.store()
    })
}

fn warn(command: &str, error: &anyhow::Error) {
    outboard_console::say(&format!("outboard {command}: {error:#}"));
}

pub fn say(text: &str) -> Result<()> {
    Ok(answer(&format!("{text}\n"))?)
}
