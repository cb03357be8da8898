//! Time as tcrypt measures it, with the kernel's get_cycles(); otherwise with the system's clock.
//!
//! In an emulated machine the system's clock may be a slow device, and samples take only a few
//! hundred microseconds.

use std::time::{Duration, Instant};

const COUNTED: Duration = Duration::from_millis(200);

/// The cycle counter, or the system's clock.
#[derive(Clone, Copy)]
pub struct Clock {
    began: Instant,
    per_second: Option<f64>,
}

impl Clock {
    /// Measures the speed of the cycle counter. Takes 0.2 s.
    pub fn calibrate() -> Clock {
        let (began, from) = both();
        while began.elapsed() < COUNTED {}
        let (ended, to) = both();
        let took = ended.duration_since(began);
        let counted = from.zip(to).and_then(|(from, to)| to.checked_sub(from)).filter(|&counted| counted > 0);
        Clock { began, per_second: counted.map(|counted| counted as f64 / took.as_secs_f64()) }
    }

    /// A clock whose cycles another process has calibrated; `None` for the system's clock.
    pub fn known(per_second: Option<f64>) -> Clock {
        Clock { began: Instant::now(), per_second: per_second.filter(|_| cycles().is_some()) }
    }

    /// The speed of get_cycles() in cycles per second, if known.
    pub fn cycles_per_second(&self) -> Option<f64> {
        self.per_second
    }

    /// The current time, in cycles or nanoseconds.
    pub fn now(&self) -> u64 {
        match self.per_second {
            Some(_) => cycles().unwrap_or(0),
            None => self.began.elapsed().as_nanos() as u64,
        }
    }

    pub fn since(&self, then: u64) -> f64 {
        self.between(then, self.now())
    }

    /// Seconds between two times.
    pub fn between(&self, from: u64, to: u64) -> f64 {
        to.saturating_sub(from) as f64 / self.per_second.unwrap_or(1e9)
    }
}

/// Both clocks at the same time: of ten readings, the one with the shortest time between the
/// clocks.
fn both() -> (Instant, Option<u64>) {
    let reading = |_| {
        let (before, cycles) = (Instant::now(), cycles());
        (before.elapsed(), before, cycles)
    };
    let best = (0..10).map(reading).min_by_key(|(between, ..)| *between);
    let (_, at, cycles) = best.expect("there are ten");
    (at, cycles)
}

/// asm/tsc.h
#[cfg(target_arch = "x86_64")]
fn cycles() -> Option<u64> {
    // SAFETY: every CPU of this architecture has the instruction.
    Some(unsafe { std::arch::x86_64::_rdtsc() })
}

/// asm/arch_timer.h
#[cfg(target_arch = "aarch64")]
fn cycles() -> Option<u64> {
    let now: u64;
    // SAFETY: the kernel lets user space read the virtual counter.
    unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) now, options(nomem, nostack)) };
    Some(now)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cycles() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_measure_seconds() {
        let counting = Clock::calibrate();
        let plain = Clock::known(None);
        let told = Clock::known(counting.cycles_per_second());
        for clock in [&counting, &plain, &told] {
            let (start, then) = (Instant::now(), clock.now());
            std::thread::sleep(Duration::from_millis(50));
            let (least, found) = (0.05, clock.since(then));
            let most = start.elapsed().as_secs_f64();
            assert!(found > 0.9 * least && found < 1.1 * most, "{least} {found} {most}");
        }
    }
}
