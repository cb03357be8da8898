//! `outboard allow` and `outboard disallow`: which drivers programs may use through /dev/outboard.

mod candidate;
mod list;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use outboard_accel::Algorithm;
use outboard_accel::check::{Checked, Fault, check};
use outboard_accel::device::{Device, allowed};

/// Let programs use a driver through /dev/outboard, once its results were found right.
///
/// The driver is allowed, checked with known answers (NIST SP 800-38A) and with requests of many lengths, and disallowed
/// again if a result is wrong or does not come. It stays allowed until the module is unloaded; what is to be allowed at each
/// boot, a boot script has to allow.
///
/// Exit code 1 when a driver was refused or could not be allowed; those named before it stay allowed.
#[derive(Args)]
pub struct Options {
    /// Exact driver names, as `outboard status` and /proc/crypto show them
    #[arg(value_name = "DRIVER", required_unless_present = "list", conflicts_with = "list")]
    drivers: Vec<String>,
    /// Show what is allowed
    #[arg(long)]
    list: bool,
    /// With --list: print JSON (schema outboard-allow/1)
    #[arg(long, requires = "list")]
    json: bool,
    /// Also allow what is judged to be software; a driver that fails the check is refused all the same
    #[arg(long)]
    force: bool,
}

/// Stop programs from using a driver through /dev/outboard. Requests that need it fail from now on, and applications go on
/// in software.
#[derive(Args)]
pub struct Disallow {
    /// Exact driver names, as `outboard allow --list` shows them
    #[arg(value_name = "DRIVER", required = true)]
    drivers: Vec<String>,
}

/// Runs `outboard allow`.
pub fn run(options: &Options) -> ExitCode {
    if options.list {
        return ended("allow", list::show(options.json));
    }
    let tries = options.drivers.iter().map(|driver| allow(driver, options.force));
    ended("allow", tries.collect())
}

/// Runs `outboard disallow`.
pub fn disallow(options: &Disallow) -> ExitCode {
    let tries = options.drivers.iter().map(|driver| {
        list::remove(driver)?;
        say(&format!("{driver} is no longer allowed"))
    });
    ended("disallow", tries.collect())
}

fn allow(driver: &str, force: bool) -> Result<()> {
    let known = list::read()?.iter().any(|entry| entry.driver == driver);
    let algorithm = candidate::judge(driver, force)?;
    if !known {
        list::add(driver)?;
    }
    let why = match tried(driver, algorithm) {
        Ok(Checked { requests, bytes }) => {
            return say(&format!(
                "{driver} is allowed: {requests} requests, {bytes} bytes, every result right"
            ));
        }
        Err(why) => why,
    };
    // That others use up its key memory is no reason to take it from them.
    if known && matches!(&why, Fault::Failed { error, .. } if error.is_scarcity()) {
        bail!("{driver} could not be checked now, and stays allowed: {why}");
    }
    list::remove(driver)
        .with_context(|| format!("{driver} failed its check ({why}), and is still allowed"))?;
    bail!("{driver} is not allowed: {why}")
}

fn tried(driver: &str, algorithm: Algorithm) -> Result<Checked, Fault> {
    let reached = Device::reach(driver, algorithm);
    check(&reached.map_err(|error| Fault::Failed { doing: "to reach it".to_owned(), error })?)
}

fn ended(command: &str, result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stderr leaves nothing to say it on.
            let _ = writeln!(io::stderr(), "outboard {command}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn say(text: &str) -> Result<()> {
    match writeln!(io::stdout(), "{text}") {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
