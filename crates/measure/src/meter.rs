//! What a run cost: wall time, CPU time of the whole system, interrupts of the accelerators.

use outboard_drivers::interrupts::{Difference, Snapshot, snapshot_of};
use outboard_drivers::judge::Verdict;
use outboard_drivers::module::hardware;
use outboard_drivers::root::Root;
use outboard_drivers::{families, survey};
use std::io;
use std::time::{Duration, Instant};

use crate::cpu::Cpu;

/// One reading.
pub struct Meter {
    at: Instant,
    cpu: Option<Cpu>,
    interrupts: Result<Snapshot, String>,
}

/// The difference of two readings.
pub struct Spent {
    /// Wall clock.
    pub wall: Duration,
    /// CPU time of all processors and processes together; `None` without /proc/stat.
    pub cpu: Option<Cpu>,
    /// Each accelerator device's interrupts, or why they cannot be read.
    pub interrupts: Result<Vec<Difference>, String>,
    /// A device counted fewer interrupts at the end than before: it was unbound and bound again.
    pub restarted: bool,
}

impl Meter {
    /// Reads all of it now.
    pub fn read() -> Self {
        let interrupts = snapshot(&Root::live()).map_err(|e| format!("/proc/interrupts: {e}"));
        Self { at: Instant::now(), cpu: Cpu::read(), interrupts }
    }

    /// What was spent since an earlier reading.
    pub fn since(self, earlier: &Self) -> Spent {
        let restarted = match (&earlier.interrupts, &self.interrupts) {
            (Ok(before), Ok(after)) => before.devices.iter().any(|b| {
                let same = after.devices.iter().find(|a| (&a.bus, &a.device) == (&b.bus, &b.device));
                same.is_some_and(|a| a.total < b.total)
            }),
            _ => false,
        };
        let interrupts = match (&earlier.interrupts, &self.interrupts) {
            (Ok(before), Ok(after)) => Ok(after.since(before)),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        let cpu = self.cpu.zip(earlier.cpu).map(|(now, then)| now.since(then));
        Spent { wall: self.at.duration_since(earlier.at), cpu, interrupts, restarted }
    }
}

/// The interrupts of every device that a driver of a known accelerator is bound to, or one that is judged to be no
/// software.
pub fn snapshot(root: &Root) -> io::Result<Snapshot> {
    let known = families::accelerators().flat_map(|family| {
        hardware(root, "kernel", family.bound).drivers.into_iter().map(move |driver| (Some(family), driver))
    });
    let drivers = survey(root).map(|s| s.drivers).unwrap_or_default();
    let judged = drivers
        .into_iter()
        .filter(|d| matches!(d.judgement.verdict, Verdict::Accelerator | Verdict::Unknown))
        .flat_map(|d| {
            d.hardware.drivers.clone().into_iter().map(move |driver| (d.judgement.family(), driver))
        });
    snapshot_of(root, known.chain(judged))
}
