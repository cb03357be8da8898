//! The CPU time of the whole system, including softirqs, interrupt threads and kworkers of all
//! processes.

use std::time::Duration;

use rustix::param::clock_ticks_per_second;

/// From /proc/stat: its first line, in clock ticks, and context switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// user + nice + system + irq + softirq of all CPUs, which includes softirqs and kernel threads
    /// that a driver uses. The time of guests is part of user.
    pub busy: u64,
    /// user + nice of all CPUs; part of `busy`.
    pub user: u64,
    /// idle + iowait of all CPUs.
    pub idle: u64,
    /// Time that a hypervisor gave to other guests while a task was ready to run here.
    pub steal: u64,
    /// Context switches of all CPUs, between any processes or kernel threads.
    pub switches: u64,
}

/// Converts ticks of /proc/stat to seconds.
pub fn seconds(ticks: u64) -> f64 {
    ticks as f64 / clock_ticks_per_second().max(1) as f64
}

impl Cpu {
    /// The current counters; `None` without /proc/stat.
    pub fn read() -> Option<Self> {
        std::fs::read_to_string("/proc/stat").ok().and_then(|text| Self::parse(&text))
    }

    fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().find_map(|l| l.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|w| w.parse().ok()).collect();
        // proc_stat(5): user nice system idle iowait irq softirq steal guest guest_nice.
        let [user, nice, system, idle, iowait, irq, softirq, steal] = *ticks.first_chunk::<8>()?;
        let sum = |parts: &[u64]| parts.iter().copied().fold(0, u64::saturating_add);
        let switches = stat.lines().find_map(|line| line.strip_prefix("ctxt ")?.trim().parse().ok());
        Some(Self {
            busy: sum(&[user, nice, system, irq, softirq]),
            user: sum(&[user, nice]),
            idle: sum(&[idle, iowait]),
            steal,
            switches: switches.unwrap_or(0),
        })
    }

    /// The difference from an earlier reading. Never negative: on some kernels these counters
    /// decrease slightly.
    pub fn since(self, then: Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(then.busy),
            user: self.user.saturating_sub(then.user),
            idle: self.idle.saturating_sub(then.idle),
            steal: self.steal.saturating_sub(then.steal),
            switches: self.switches.saturating_sub(then.switches),
        }
    }

    /// The seconds of CPU time in `wall` in which CPUs were not idle. The kernel measures the idle
    /// time of a tickless CPU in nanoseconds, without the interrupts in between (tick-sched.c), and
    /// reports it in ticks. It only samples `busy` at each tick, which misses activity that is
    /// shorter and starts with the tick. It can be negative by a tick per CPU: only the sum of many
    /// differences is exact.
    pub fn awake(self, wall: Duration) -> f64 {
        wall.as_secs_f64() * cpus() as f64 - seconds(self.idle) - seconds(self.steal)
    }
}

/// CPUs online.
pub fn cpus() -> usize {
    // SAFETY: no pointer is passed.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(online).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_proc_stat_is_summed() {
        let text = "cpu  1 2 3 900 900 4 5 6 7 7\ncpu0 1 1 1\nintr 5 0 5\nctxt 1234\nbtime 9\n";
        let found = Cpu { busy: 15, user: 3, idle: 1800, steal: 6, switches: 1234 };
        assert_eq!(Cpu::parse(text), Some(found));
        for damaged in ["", "cpu", "cpu  1 2 3", "cpu  a b c d e f g h", "cpu  -1 2 3 4 5 6 7 8"] {
            assert_eq!(Cpu::parse(damaged), None);
        }
        let more = Cpu { busy: 20, user: 4, idle: 1801, steal: 0, switches: 1240 };
        assert_eq!(more.since(found), Cpu { busy: 5, user: 1, idle: 1, steal: 0, switches: 6 });
        assert_eq!(seconds(clock_ticks_per_second()), 1.0);
    }

    #[test]
    fn a_cpu_that_is_not_idle_is_awake() {
        let (wall, ticks) = (Duration::from_secs(3), clock_ticks_per_second());
        let all = cpus() as f64 * 3.0;
        let awake = Cpu { idle: ticks, steal: ticks, ..Cpu::default() }.awake(wall);
        assert!((awake - (all - 2.0)).abs() < 1e-9, "{awake}");
        // The tick that ends an idle time may be the next difference's.
        let over = Cpu { idle: cpus() as u64 * 3 * ticks + 1, ..Cpu::default() }.awake(wall);
        assert!((over + seconds(1)).abs() < 1e-9, "{over}");
    }
}
