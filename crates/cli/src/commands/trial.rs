//! `outboard trial`: what the kit (packaging/kit/try) starts its steps with.

use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::ptr::null;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use outboard_console::ended;

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
    // SAFETY: both calls only change what this process, which has one thread, is a part of.
    if unsafe { libc::unshare(libc::CLONE_NEWNS) } != 0 {
        return Err(io::Error::last_os_error()).context("a namespace of mounts cannot be made");
    }
    // SAFETY: as above. It fails for the leader of a group, which the caller has in hand already.
    unsafe { libc::setsid() };
    mount(None, Path::new("/"), libc::MS_REC | libc::MS_PRIVATE)?;
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
        mount(Some(&from), &to, libc::MS_BIND | libc::MS_REC)?;
        mount(None, &to, libc::MS_BIND | libc::MS_REMOUNT | libc::MS_RDONLY)?;
    }
    mount(Some(&etc), Path::new("/etc"), libc::MS_BIND | libc::MS_REC)?;
    let (program, arguments) = options.command.split_first().context("no command is given")?;
    Err(anyhow!(Command::new(program).args(arguments).exec()))
        .with_context(|| Path::new(program).display().to_string())
}

fn mount(from: Option<&Path>, to: &Path, flags: libc::c_ulong) -> Result<()> {
    let named = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let (from, target) = (from.map(named).transpose()?, named(to)?);
    let source = from.as_ref().map_or(null(), |from| from.as_ptr());
    // SAFETY: the pointers are null or texts that end with 0.
    match unsafe { libc::mount(source, target.as_ptr(), null(), flags, null()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()).with_context(|| to.display().to_string()),
    }
}
