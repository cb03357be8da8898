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
    /// CPU time of all processors and processes together, in seconds; `None` without /proc/stat.
    pub cpu: Option<Cpu>,
    /// Each accelerator device's interrupts, or why they cannot be read.
    pub interrupts: Result<Vec<Difference>, String>,
    /// A device counted fewer interrupts at the end than before: it was unbound and bound again.
    pub restarted: bool,
}

/// The first line of /proc/stat, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cpu {
    /// user + nice + system + irq + softirq of all CPUs: softirqs and kernel threads that a driver works in are there.
    /// Guests' time is part of user's.
    pub busy: f64,
    /// Time that a hypervisor gave to others while something was ready to run here.
    pub steal: f64,
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
        let ticks: Vec<f64> = line.split_whitespace().map_while(|w| w.parse().ok()).collect();
        let second = rustix::param::clock_ticks_per_second() as f64;
        // proc_stat(5): user nice system idle iowait irq softirq steal guest guest_nice.
        let [user, nice, system, _idle, _iowait, irq, softirq, steal] = *ticks.first_chunk::<8>()?;
        Some(Self { busy: (user + nice + system + irq + softirq) / second, steal: steal / second })
    }

    /// Never below zero: on some kernels these counters go back a little.
    fn since(self, then: Self) -> Self {
        Self { busy: (self.busy - then.busy).max(0.0), steal: (self.steal - then.steal).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_proc_stat_is_summed() {
        let hz = rustix::param::clock_ticks_per_second();
        let line = format!("cpu  {hz} {hz} {hz} 900 900 {hz} {hz} {} 7 7\ncpu0 1 1 1\n", 3 * hz);
        assert_eq!(Cpu::parse(&line), Some(Cpu { busy: 5.0, steal: 3.0 }));
        for damaged in ["", "cpu", "cpu  1 2 3", "cpu  a b c d e f g h"] {
            assert_eq!(Cpu::parse(damaged), None);
        }
        let more = Cpu { busy: 7.5, steal: 0.0 };
        assert_eq!(more.since(Cpu { busy: 5.0, steal: 3.0 }), Cpu { busy: 2.5, steal: 0.0 });
    }
}
