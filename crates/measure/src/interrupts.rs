//! Interrupts of the accelerators: what shows that hardware did the work.

use std::io;

use outboard_catalog::families::Completion;
use outboard_drivers::interrupts::{Line, Snapshot, parse, snapshot_of};
use outboard_drivers::root::Root;

use crate::behind::Behind;
use crate::evidence::{Evidence, weigh};
use crate::meter::snapshot;

/// The lines of /proc/interrupts that belong to accelerators.
pub struct Interrupts {
    root: Root,
    lines: Vec<String>,
    completions: Vec<Completion>,
    /// There is an accelerator whose requests end without interrupts of its own, and what it is.
    pub silent: Option<String>,
}

impl Interrupts {
    /// Finds those of all accelerators; there may be none.
    pub fn find() -> io::Result<Interrupts> {
        let root = Root::live();
        let now = snapshot(&root, &Behind::now(&root))?;
        Ok(Interrupts::of_devices(root, now))
    }

    /// Those of the devices that a driver of /proc/crypto works with, or the drivers in it:
    /// `essiv(sim-cbc-aes,sha256-lib)`. Of all accelerators where nobody knows them.
    pub fn of(driver: &str) -> io::Result<Interrupts> {
        let root = Root::live();
        match snapshot_of(&root, Behind::now(&root).of(driver)) {
            Ok(now) if !now.devices.is_empty() => Ok(Interrupts::of_devices(root, now)),
            Err(error) => Err(error),
            Ok(_) => Interrupts::find(),
        }
    }

    fn of_devices(root: Root, now: Snapshot) -> Interrupts {
        let completions: Vec<_> = now.devices.iter().map(|device| device.completion).collect();
        let silent = now.devices.iter().find(|device| device.completion != Completion::OwnInterrupt);
        let silent = silent.map(|device| device.chip.unwrap_or(&device.driver).to_owned());
        let lines = now.devices.into_iter().flat_map(|device| device.lines).collect();
        Interrupts { root, lines, completions, silent }
    }

    /// Lines that somebody else has found: to be counted here, and to be weighed there.
    pub fn told(lines: Vec<String>) -> Interrupts {
        Interrupts { root: Root::live(), lines, completions: Vec::new(), silent: None }
    }

    /// Their labels in /proc/interrupts.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Whether no accelerator has any.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// All of them since boot.
    pub fn count(&self) -> io::Result<u64> {
        let text = self.root.read("proc/interrupts")?;
        let text = String::from_utf8_lossy(&text);
        let is_ours = |line: &&Line| self.lines.iter().any(|label| label == line.label);
        Ok(parse(&text).0.iter().filter(is_ours).map(|line| line.total).sum())
    }

    /// What so many of them say of work that these accelerators are said to have done.
    pub fn evidence(&self, interrupts: u64, lost: bool) -> Evidence {
        weigh(interrupts, lost, self.completions.iter().copied())
    }
}
