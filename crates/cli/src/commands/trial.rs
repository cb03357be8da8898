//! `outboard trial`: what the kit (packaging/kit/try) starts its steps with.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use outboard_console::ended;
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind_recursive, mount_change, mount_remount};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// The directory of /etc that the command may write to.
const OWN: &str = "outboard";

/// Run a command in a session and with an /etc of its own
///
/// Its /etc has the files of the system, which it cannot change, and outboard/ of DIR. All of that is gone with the
/// last process of the command.
#[derive(Args)]
pub struct Options {
    /// An existing directory, for etc/outboard
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub fn run(options: &Options) -> ExitCode {
    ended("trial", trial(options))
}

fn trial(options: &Options) -> Result<()> {
    let directory = fs::canonicalize(&options.directory);
    let etc = directory.with_context(|| options.directory.display().to_string())?.join("etc");
    fs::create_dir_all(etc.join(OWN)).with_context(|| etc.display().to_string())?;
    // SAFETY: no descriptor is affected, and this process has one thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.context("a mount namespace cannot be created")?;
    // Fails for the leader of a process group, which the caller can signal as it is.
    let _ = rustix::process::setsid();
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).context("/")?;
    for entry in fs::read_dir("/etc").context("/etc")? {
        let entry = entry?;
        let (from, to, kind) = (entry.path(), etc.join(entry.file_name()), entry.file_type()?);
        if entry.file_name() == OWN {
            continue;
        } else if kind.is_symlink() {
            let _ = fs::remove_file(&to);
            std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
            continue;
        } else if kind.is_dir() {
            fs::create_dir_all(&to)?;
        } else {
            File::create(&to)?;
        }
        mount_bind_recursive(&from, &to).with_context(|| to.display().to_string())?;
        mount_remount(&to, MountFlags::BIND | MountFlags::RDONLY, "")
            .with_context(|| to.display().to_string())?;
    }
    mount_bind_recursive(&etc, "/etc").context("/etc")?;
    let (program, arguments) = options.command.split_first().context("no command is given")?;
    Err(anyhow!(Command::new(program).args(arguments).exec()))
        .with_context(|| Path::new(program).display().to_string())
}
