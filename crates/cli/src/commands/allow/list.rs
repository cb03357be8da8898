//! Root's list, in the module.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use outboard_accel::device::Allowed;
use outboard_uapi::SYSFS;
use serde::Serialize;

use super::{allowed, say};

/// The list.
pub fn read() -> Result<Vec<Allowed>> {
    allowed().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow!("the outboard module is not loaded: modprobe outboard"),
        _ => anyhow!(error).context(format!("{SYSFS}/allow")),
    })
}

/// Allows a driver.
pub fn add(driver: &str) -> Result<()> {
    write("allow", driver)
}

/// Takes a driver off the list.
pub fn remove(driver: &str) -> Result<()> {
    read()?;
    write("disallow", driver)
}

fn write(file: &str, driver: &str) -> Result<()> {
    let path = PathBuf::from(SYSFS).join(file);
    std::fs::write(&path, driver).map_err(|error| {
        let advice = match (error.raw_os_error(), file) {
            (Some(libc::EACCES | libc::EPERM), _) => "only root decides that: try again with sudo",
            // Somebody else was first.
            (Some(libc::EEXIST), _) => "it was allowed by somebody else just now",
            (Some(libc::ENOENT), "disallow") => "it is not allowed (outboard allow --list)",
            (Some(libc::EINVAL), _) => {
                "the module takes no templates, no internal drivers, and none whose self-test has not passed"
            }
            (Some(libc::ENOSPC), _) => "the list is full: disallow another one",
            _ => "the module refused it (see dmesg)",
        };
        anyhow!("{driver}: {advice} ({error})")
    })
}

/// The document of `--list --json`.
#[derive(Serialize)]
struct List<'a> {
    schema: &'static str,
    drivers: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    number: u16,
    /// The kernel's name; null until a driver of this name has been seen.
    algorithm: Option<&'a str>,
    driver: &'a str,
}

/// Prints the list.
pub fn show(json: bool) -> Result<()> {
    let list = read()?;
    if json {
        let drivers = list
            .iter()
            .map(|known| Entry {
                number: known.number,
                algorithm: known.algorithm.as_deref(),
                driver: &known.driver,
            })
            .collect();
        let document = List { schema: "outboard-allow/1", drivers };
        return say(&serde_json::to_string_pretty(&document).context("JSON")?);
    }
    if list.is_empty() {
        return say(
            "No driver is allowed: outboard status shows which there are, outboard allow DRIVER allows one.",
        );
    }
    let width = list.iter().map(|entry| entry.driver.len()).max().unwrap_or(0);
    list.iter().try_for_each(|entry| {
        let algorithm = entry.algorithm.as_deref().unwrap_or("not there yet");
        say(&format!("{:width$}  {algorithm}", entry.driver))
    })
}
