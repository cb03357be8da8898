//! udev's daemon, which a test machine does not run.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::command::{status_and_output, succeeded};
use crate::time_limit::wait_until;

const DAEMON: &str = "/usr/lib/systemd/systemd-udevd";

/// A running daemon with the rules of the machine. It is ended when this value is dropped.
pub struct Udev(Child);

impl Udev {
    /// The part that the machine lacks, if any.
    pub fn missing() -> Option<String> {
        (!Path::new(DAEMON).exists()).then(|| format!("udev ({DAEMON})"))
    }

    /// Starts the daemon and waits until it receives events.
    #[track_caller]
    pub fn start() -> Udev {
        let child = Command::new(DAEMON).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let udev = Udev(child.expect("the daemon starts"));
        wait_until("udev answers", || {
            let ping = Command::new("udevadm").args(["control", "--ping"]).output().expect("udevadm runs");
            ping.status.success()
        });
        udev
    }

    /// Repeats the event of a device being added, as at boot, and waits for the rules.
    #[track_caller]
    pub fn repeat_add(&self, device: &str) {
        udevadm(&["trigger", "--action=add", device]);
        udevadm(&["settle"]);
    }

    /// Reads the rules again, as a new daemon. udevd 252 ignores a `udevadm control --reload` now and
    /// then: what is sent before it accepts the connection has no credentials ("Invalid sender uid
    /// 65534").
    #[track_caller]
    pub fn restart(self) -> Udev {
        drop(self);
        Udev::start()
    }

    /// Waits until all events were handled.
    #[track_caller]
    pub fn settle(&self) {
        udevadm(&["settle"]);
    }
}

#[track_caller]
fn udevadm(arguments: &[&str]) {
    let output = Command::new("udevadm").args(arguments).output().expect("udevadm runs");
    succeeded(&output, arguments);
    assert!(output.stderr.is_empty(), "{}", status_and_output(&output));
}

impl Drop for Udev {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
