//! A network of its own, which is no more when its holder has ended.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

use super::super::servant::end_with_us;

/// A network namespace without a name.
pub struct Namespace {
    holder: Child,
    file: File,
}

impl Namespace {
    /// Has nothing in it but a loopback interface that is down.
    pub fn new() -> Result<Namespace> {
        // It waits for what never comes: the end of a pipe that this process holds open.
        let mut holder = Command::new("cat");
        holder.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        end_with_us(&mut holder, libc::SIGTERM);
        // SAFETY: an async-signal-safe system call without pointers.
        unsafe {
            holder.pre_exec(|| match libc::unshare(libc::CLONE_NEWNET) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
        let why = "no network namespace: only root may make one, in a kernel with CONFIG_NET_NS";
        let holder = holder.spawn().context(why)?;
        let place = format!("/proc/{}/ns/net", holder.id());
        let file = File::open(&place).context(place)?;
        Ok(Namespace { holder, file })
    }

    /// Whose network it is.
    pub fn pid(&self) -> u32 {
        self.holder.id()
    }

    /// The command will run in it.
    pub fn enter(&self, command: &mut Command) -> Result<()> {
        let file = self.file.try_clone()?;
        // SAFETY: an async-signal-safe system call without pointers; the closure owns the descriptor.
        unsafe {
            command.pre_exec(move || match libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
        Ok(())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        // It ends by itself, and there is nobody to tell if it does not.
        let _ = self.holder.wait();
    }
}
