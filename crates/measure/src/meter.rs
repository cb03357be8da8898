//! The cost of a run: wall time, CPU time of the whole system, interrupts of the accelerators.

use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use outboard_catalog::families;
use outboard_drivers::interrupts::{Difference, Snapshot, snapshot_of};
use outboard_drivers::module::{DeviceDriver, hardware};
use outboard_drivers::root::Root;

use crate::cpu::Cpu;
use crate::driver_devices::DriverDevices;

pub struct Meter {
    at: Instant,
    cpu: Option<Cpu>,
    interrupts: Result<Snapshot, String>,
    behind: DriverDevices,
}

pub struct Spent {
    pub wall: Duration,
    /// CPU time of all processors and processes together; `None` without /proc/stat.
    pub cpu: Option<Cpu>,
    /// The interrupts of each accelerator device, or why they cannot be read.
    pub interrupts: Result<Vec<Difference>, String>,
    pub behind: DriverDevices,
}

impl Meter {
    pub fn read() -> Self {
        let behind = DriverDevices::now(&Root::live());
        let interrupts = snapshot(&Root::live(), &behind).map_err(|e| format!("/proc/interrupts: {e}"));
        Self { at: Instant::now(), cpu: Cpu::read(), interrupts, behind }
    }

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

/// The interrupts of every device that a known accelerator's driver, or a driver that is not judged
/// to be software, is bound to.
pub fn snapshot(root: &Root, behind: &DriverDevices) -> io::Result<Snapshot> {
    let known = families::accelerators().flat_map(|family| {
        let drivers = hardware(root, "kernel", family.bound).drivers;
        drivers.into_iter().map(move |driver| (Some(family), Cow::<DeviceDriver>::Owned(driver)))
    });
    snapshot_of(root, known.chain(behind.hardware().map(|(family, driver)| (family, Cow::Borrowed(driver)))))
}
