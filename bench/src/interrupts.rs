//! Interrupts of the accelerators: what shows that hardware did the work.

use anyhow::{Context, Result, ensure};
use outboard_drivers::interrupts::{accelerator_interrupts, parse};
use outboard_drivers::root::Root;

/// The lines of /proc/interrupts that belong to accelerators.
pub struct Interrupts {
    root: Root,
    lines: Vec<String>,
}

impl Interrupts {
    /// Finds them; there must be some.
    pub fn find() -> Result<Interrupts> {
        let root = Root::live();
        let now = accelerator_interrupts(&root).context("/proc/interrupts")?;
        let lines: Vec<String> = now.devices.into_iter().flat_map(|device| device.lines).collect();
        ensure!(
            !lines.is_empty(),
            "no accelerator on this machine has interrupts of its own: see outboard status"
        );
        Ok(Interrupts { root, lines })
    }

    /// All of them since boot.
    pub fn count(&self) -> Result<u64> {
        let (lines, _) = parse(&self.root.read("proc/interrupts").context("/proc/interrupts")?);
        Ok(lines.iter().filter(|line| self.lines.contains(&line.label)).map(|line| line.total()).sum())
    }
}
