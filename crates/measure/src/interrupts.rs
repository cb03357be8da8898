//! Interrupts of the accelerators: what shows that hardware did the work.

use std::io;

use outboard_drivers::families::Completion;
use outboard_drivers::interrupts::parse;
use outboard_drivers::root::Root;

use crate::meter::snapshot;

/// The lines of /proc/interrupts that belong to accelerators.
pub struct Interrupts {
    root: Root,
    lines: Vec<String>,
    /// There is an accelerator whose requests end without interrupts of its own, and what it is.
    pub silent: Option<String>,
}

impl Interrupts {
    /// Finds them; there may be none.
    pub fn find() -> io::Result<Interrupts> {
        let root = Root::live();
        let now = snapshot(&root)?;
        let silent = now.devices.iter().find(|device| device.completion != Completion::OwnInterrupt);
        let silent = silent.map(|device| device.chip.unwrap_or(&device.driver).to_owned());
        let lines = now.devices.into_iter().flat_map(|device| device.lines).collect();
        Ok(Interrupts { root, lines, silent })
    }

    /// Whether no accelerator has any.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// All of them since boot.
    pub fn count(&self) -> io::Result<u64> {
        let (lines, _) = parse(&self.root.read("proc/interrupts")?);
        Ok(lines.iter().filter(|line| self.lines.contains(&line.label)).map(|line| line.total()).sum())
    }
}
