//! `outboard disallow`: removes a driver from the list of those that programs may use through
//! /dev/outboard.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use outboard_console::ended;

use super::allow::list;
use super::allow::memory::Memory;
use super::change;

/// Stop programs from using a driver through /dev/outboard, now and after each boot
///
/// Requests that need it fail from now on, and applications continue in software.
#[derive(Args)]
pub struct Options {
    /// Exact driver names, as `outboard allow --list` shows them
    #[arg(value_name = "DRIVER", required = true)]
    drivers: Vec<String>,
    /// Only now: a driver in the saved list is allowed again at the next boot
    #[arg(long)]
    now: bool,
    /// Print JSON (schema outboard-change/1)
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> ExitCode {
    let disallowed = |driver: &str| disallow(driver, options.now);
    ended("disallow", change::each(&options.drivers, options.json, disallowed))
}

/// Takes a driver off the list of the module, and without `now` off the saved one. Returns what was
/// done.
pub fn disallow(driver: &str, now: bool) -> Result<String> {
    let allowed = list::read_if_loaded()?.is_some_and(|list| list.iter().any(|entry| entry.driver == driver));
    let saved = Memory::read()?.has(driver);
    if now && !allowed {
        list::read()?;
        bail!("{driver} is not allowed now (outboard allow --list)");
    }
    if !allowed && !saved {
        bail!("{driver} is neither allowed nor saved (outboard allow --list)");
    }
    // First remove the driver from the module's list, so that no program can use it.
    if allowed {
        list::remove(driver)?;
    }
    if saved && !now {
        forget(driver).with_context(|| match allowed {
            true => format!(
                "{driver} is no longer allowed, but could not be forgotten: the next boot allows it again"
            ),
            false => format!("{driver} could not be forgotten"),
        })?;
    }
    Ok(match (allowed, saved, now) {
        (true, true, true) => format!("{driver} is no longer allowed; it is saved for the next boot"),
        (true, true, false) => format!("{driver} is no longer allowed, and forgotten"),
        (true, false, _) => format!("{driver} is no longer allowed"),
        (false, ..) => format!("{driver} is forgotten; it was not allowed now"),
    })
}

pub fn forget(driver: &str) -> Result<()> {
    let mut memory = Memory::to_change()?;
    memory.remove(driver);
    memory.store()
}
