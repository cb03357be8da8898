//! A network of its own, which the kernel takes away with the last descriptor and the last process in it.

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

/// What takes a moment, and loads modules meanwhile.
const LIMIT: Duration = Duration::from_secs(60);

/// The namespace.
pub struct Namespace(File);

impl Namespace {
    /// Makes one, in a thread that ends at once; it has no name, so nobody can keep it by mistake.
    pub fn new() -> Result<Namespace> {
        let made = thread::spawn(|| {
            // SAFETY: no pointer; what is left is this thread's alone.
            if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
                return Err(io::Error::last_os_error());
            }
            File::open("/proc/thread-self/ns/net")
        });
        let made = made.join().map_err(|_| anyhow!("a thread panicked"))?;
        made.map(Namespace)
            .context("no network namespace can be made (CONFIG_NET_NS, and root of this container)")
    }

    /// Whose path other programs can open while this process lives.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }

    /// Has the command run in it.
    pub fn enter(&self, command: &mut Command) {
        let descriptor: RawFd = self.0.as_raw_fd();
        // SAFETY: an async-signal-safe system call without pointers; the descriptor is open until the command is started.
        unsafe {
            command.pre_exec(move || match libc::setns(descriptor, libc::CLONE_NEWNET) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
    }

    /// Lets ip(8) do this in it, a line each; keys are in no command line.
    pub fn ip(&self, lines: &str) -> Result<()> {
        let mut command = Command::new(IP.name);
        command.args(["-batch", "-"]);
        self.enter(&mut command);
        let said = IP.run(command, lines, LIMIT).and_then(|said| said.checked("ip"));
        said.map(|_| ()).map_err(|error| anyhow!(error))
    }
}
