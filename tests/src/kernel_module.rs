//! The kernel modules under test, loaded and unloaded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::status_and_output;
use crate::time_limit::wait_until;

/// Names the directory of the modules that `kmod/build` made.
const DIRECTORY: &str = "OUTBOARD_KMOD";

/// A module's file, or which part is missing.
pub fn file(name: &str) -> Result<PathBuf, String> {
    let directory = std::env::var_os(DIRECTORY).map(PathBuf::from);
    let missing = || format!("{name}.ko (kmod/build LEG; {DIRECTORY} names the directory)");
    directory
        .map(|directory| directory.join(format!("{name}.ko")))
        .filter(|file| file.is_file())
        .ok_or_else(missing)
}

/// Loads a module.
#[track_caller]
pub fn load(file: &Path) {
    load_with(file, &[]);
}

/// Loads a module with parameters such as `priority=50`.
#[track_caller]
pub fn load_with(file: &Path, parameters: &[&str]) {
    let file = file.display().to_string();
    run("insmod", &[&[file.as_str()], parameters].concat());
}

/// Unloads a module as soon as it is not in use.
#[track_caller]
pub fn unload(name: &str) {
    wait_until_unused(name);
    run("rmmod", &[name]);
}

/// Waits until a module has no user. It has one while the kernel tests its drivers.
#[track_caller]
pub fn wait_until_unused(name: &str) {
    let file = format!("/sys/module/{name}/refcnt");
    wait_until("out of use", || fs::read_to_string(&file).map_or(true, |count| count.trim() == "0"));
}

/// Whether it is loaded.
pub fn is_loaded(name: &str) -> bool {
    Path::new("/sys/module").join(name).exists()
}

#[track_caller]
fn run(command: &str, arguments: &[&str]) {
    let output =
        Command::new(command).args(arguments).output().unwrap_or_else(|error| panic!("{command}: {error}"));
    assert!(output.status.success(), "{command} {arguments:?}: {}", status_and_output(&output));
}
