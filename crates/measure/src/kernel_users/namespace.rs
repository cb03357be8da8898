//! A network namespace without a name, which the kernel removes with the last descriptor and the
//! last process in it.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result, anyhow, bail};

pub struct Namespace(File);

impl Namespace {
    /// Creates a namespace in a thread that ends at once. It has no name, so no other program can
    /// keep it by mistake.
    pub fn new() -> Result<Namespace> {
        let made = thread::spawn(|| {
            // SAFETY: no pointer is passed; only this thread changes its namespace.
            if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
                return Err(io::Error::last_os_error());
            }
            File::open("/proc/thread-self/ns/net")
        });
        let made = made.join().map_err(|_| anyhow!("a thread panicked"))?;
        made.map(Namespace)
            .context("no network namespace can be made (CONFIG_NET_NS, and root of this container)")
    }

    /// Path of the namespace, which other programs can open while this process runs.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }

    pub fn enter(&self, command: &mut Command) {
        let descriptor: RawFd = self.0.as_raw_fd();
        // SAFETY: an async-signal-safe system call without pointers; the descriptor is open until
        // the command has started.
        unsafe {
            command.pre_exec(move || enter(descriptor));
        }
    }

    /// Runs `work` in a thread in the namespace. What it opens stays there.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let enter_and_work = || {
            enter(self.0.as_raw_fd()).context("the namespace")?;
            work()
        };
        let done = thread::scope(|scope| scope.spawn(enter_and_work).join());
        done.map_err(|_| anyhow!("a thread panicked"))?
    }

    /// Runs the lines as commands of ip(8) in the namespace. They are passed on standard input, so
    /// that no command line contains a key.
    pub fn ip(&self, lines: &str) -> Result<()> {
        let mut command = Command::new("ip");
        command.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        self.enter(&mut command);
        let mut child = command.spawn().context(
            "the command ip cannot be run: is the package iproute2 (on OpenWrt ip-full) installed?",
        )?;
        if let Some(mut input) = child.stdin.take() {
            // A program that does not read its input reports why.
            let _ = input.write_all(lines.as_bytes());
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("ip failed ({}): {}", output.status, errors.trim().replace('\n', "; "));
        }
        Ok(())
    }
}

fn enter(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: no pointer is passed; the call fails for what is not a namespace.
    match unsafe { libc::setns(descriptor, libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
