//! A network namespace without a name, which the kernel removes with the last descriptor and the
//! last process in it.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};

use super::tool::Tool;

pub const IP: Tool = Tool { name: "ip", debian: "iproute2", openwrt: "ip-full" };

/// Time limit for ip(8), which can load modules.
const LIMIT: Duration = Duration::from_secs(60);

/// The namespace.
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

    /// Makes the command run in the namespace.
    pub fn enter(&self, command: &mut Command) {
        let descriptor: RawFd = self.0.as_raw_fd();
        // SAFETY: an async-signal-safe system call without pointers; the descriptor is open until
        // the command has started.
        unsafe {
            command.pre_exec(move || match libc::setns(descriptor, libc::CLONE_NEWNET) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
    }

    /// Runs the lines as commands of ip(8) in the namespace. They are passed on standard input, so
    /// that no command line contains a key.
    pub fn ip(&self, lines: &str) -> Result<()> {
        let mut command = Command::new(IP.name);
        command.args(["-batch", "-"]);
        self.enter(&mut command);
        let result = IP.run(command, lines, LIMIT).and_then(|output| output.checked("ip"));
        result.map(|_| ()).map_err(|error| anyhow!(error))
    }
}
