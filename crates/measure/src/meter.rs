//! What a run cost: wall time, CPU time of the whole system, interrupts of the accelerators.

use outboard_catalog::families;
use outboard_drivers::interrupts::{Difference, Snapshot, snapshot_of};
use outboard_drivers::module::{DeviceDriver, hardware};
use outboard_drivers::root::Root;
use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use crate::behind::Behind;
use crate::cpu::Cpu;

/// One reading.
pub struct Meter {
    at: Instant,
    cpu: Option<Cpu>,
    interrupts: Result<Snapshot, String>,
    behind: Behind,
}

/// The difference of two readings.
pub struct Spent {
    /// Wall clock.
    pub wall: Duration,
    /// CPU time of all processors and processes together; `None` without /proc/stat.
    pub cpu: Option<Cpu>,
    /// Each accelerator device's interrupts, or why they cannot be read.
    pub interrupts: Result<Vec<Difference>, String>,
    /// Which of these devices a driver works with.
    pub behind: Behind,
}

impl Meter {
    /// Reads all of it now.
    pub fn read() -> Self {
        let behind = Behind::now(&Root::live());
        let interrupts = snapshot(&Root::live(), &behind).map_err(|e| format!("/proc/interrupts: {e}"));
        Self { at: Instant::now(), cpu: Cpu::read(), interrupts, behind }
    }

    /// What was spent since an earlier reading.
    pub fn since(self, earlier: &Self) -> Spent {
        let interrupts = match (&earlier.interrupts, &self.interrupts) {
            (Ok(before), Ok(after)) => Ok(after.since(before)),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        let cpu = self.cpu.zip(earlier.cpu).map(|(now, then)| now.since(then));
        let behind = self.behind.and(&earlier.behind);
        Spent { wall: self.at.duration_since(earlier.at), cpu, interrupts, behind }
    }
}

/// The interrupts of every device that a driver of a known accelerator is bound to, or one that is
/// judged to be no software.
pub fn snapshot(root: &Root, behind: &Behind) -> io::Result<Snapshot> {
    let known = families::accelerators().flat_map(|family| {
        let drivers = hardware(root, "kernel", family.bound).drivers;
        drivers.into_iter().map(move |driver| (Some(family), Cow::<DeviceDriver>::Owned(driver)))
    });
    snapshot_of(root, known.chain(behind.hardware().map(|(family, driver)| (family, Cow::Borrowed(driver)))))
}
