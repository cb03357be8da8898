//! What a run cost: wall time, CPU time of the whole system, interrupts of the accelerators.

use outboard_drivers::interrupts::{Difference, Snapshot, snapshot_of};
use outboard_drivers::judge::Verdict;
use outboard_drivers::module::hardware;
use outboard_drivers::root::Root;
use outboard_drivers::{families, survey};
use std::io;
use std::time::{Duration, Instant};

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

/// The first line of /proc/stat, in clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// user + nice + system + irq + softirq of all CPUs: softirqs and kernel threads that a driver works in are there.
    /// Guests' time is part of user's.
    pub busy: u64,
    /// Time that a hypervisor gave to others while something was ready to run here.
    pub steal: u64,
}

/// Ticks of /proc/stat in seconds.
pub fn seconds(ticks: u64) -> f64 {
    ticks as f64 / rustix::param::clock_ticks_per_second().max(1) as f64
}

impl Meter {
    /// Reads all of it now.
    pub fn read() -> Self {
        let interrupts = snapshot(&Root::live()).map_err(|e| format!("/proc/interrupts: {e}"));
        let cpu = std::fs::read_to_string("/proc/stat").ok().and_then(|text| Cpu::parse(&text));
        Self { at: Instant::now(), cpu, interrupts }
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
fn snapshot(root: &Root) -> io::Result<Snapshot> {
    let known = families::accelerators().flat_map(|family| {
        hardware(root, "kernel", Some(family)).drivers.into_iter().map(move |driver| (Some(family), driver))
    });
    let drivers = survey(root).map(|s| s.drivers).unwrap_or_default();
    let judged = drivers
        .into_iter()
        .filter(|d| matches!(d.judgement.verdict, Verdict::Accelerator | Verdict::Unknown))
        .flat_map(|d| d.hardware.drivers.into_iter().map(move |driver| (d.judgement.family, driver)));
    snapshot_of(root, known.chain(judged))
}

impl Cpu {
    fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().find_map(|l| l.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|w| w.parse().ok()).collect();
        // proc_stat(5): user nice system idle iowait irq softirq steal guest guest_nice.
        let [user, nice, system, _idle, _iowait, irq, softirq, steal] = *ticks.first_chunk::<8>()?;
        let busy = [user, nice, system, irq, softirq].into_iter().fold(0, u64::saturating_add);
        Some(Self { busy, steal })
    }

    /// Never below zero: on some kernels these counters go back a little.
    fn since(self, then: Self) -> Self {
        Self { busy: self.busy.saturating_sub(then.busy), steal: self.steal.saturating_sub(then.steal) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_proc_stat_is_summed() {
        let line = "cpu  1 2 3 900 900 4 5 6 7 7\ncpu0 1 1 1\n";
        assert_eq!(Cpu::parse(line), Some(Cpu { busy: 15, steal: 6 }));
        for damaged in ["", "cpu", "cpu  1 2 3", "cpu  a b c d e f g h", "cpu  -1 2 3 4 5 6 7 8"] {
            assert_eq!(Cpu::parse(damaged), None);
        }
        let more = Cpu { busy: 20, steal: 0 };
        assert_eq!(more.since(Cpu { busy: 15, steal: 6 }), Cpu { busy: 5, steal: 0 });
        assert_eq!(seconds(rustix::param::clock_ticks_per_second()), 1.0);
    }
}
