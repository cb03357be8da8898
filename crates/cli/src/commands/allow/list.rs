//! The list of allowed drivers in the kernel module.

use std::io;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use outboard_catalog::families;
use outboard_console::advice;
use outboard_drivers::allow_list::{self, AllowedDriver};
use outboard_drivers::root::Root;
use outboard_inventory::system;
use outboard_uapi::SYSFS;

/// Reads the list. An error if the module is not loaded.
pub fn read() -> Result<Vec<AllowedDriver>> {
    read_if_loaded()?.ok_or_else(|| anyhow!(not_loaded()))
}

pub fn not_loaded() -> String {
    let step = system::here().module_step();
    format!("the outboard module is not loaded: {step}")
}

pub fn read_if_loaded() -> Result<Option<Vec<AllowedDriver>>> {
    match allow_list::read(&Root::live()) {
        Ok(list) => Ok(Some(list)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(anyhow!(error).context(format!("{SYSFS}/allow"))),
    }
}

/// Adds a driver to the list, with what must not be passed to it.
pub fn add(driver: &str) -> Result<()> {
    write("allow", driver, &families::bounds(driver).words())
}

pub fn remove(driver: &str) -> Result<()> {
    write("disallow", driver, "")
}

fn write(file: &str, driver: &str, bounds: &str) -> Result<()> {
    let path = PathBuf::from(SYSFS).join(file);
    std::fs::write(&path, format!("{driver}{bounds}")).map_err(|error| {
        let advice = match (error.raw_os_error(), file) {
            // Another process was first.
            (Some(libc::EEXIST), _) => "another process has just allowed it",
            (Some(libc::ENOENT), "disallow") => "it is not allowed (outboard allow --list)",
            (Some(libc::EINVAL), _) => {
                "the module takes no templates, no internal drivers, and none whose self-test has not passed"
            }
            (Some(libc::ENOSPC), _) => "the list is full: disallow another one",
            (Some(libc::EACCES | libc::EPERM), _) => &advice(&error, None),
            _ => "the module refused it (see dmesg)",
        };
        anyhow!("{driver}: {advice} ({error})")
    })
}
