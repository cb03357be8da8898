//! Clocks that can be read without a system call.

use std::sync::atomic::{AtomicU32, Ordering};

/// A smaller change of the difference between the two clocks may be due to rounding. In
/// milliseconds.
const STEP: u32 = 500;

/// CLOCK_MONOTONIC_COARSE in milliseconds. Wraps after seven weeks; resolution up to 10 ms.
#[inline(never)]
pub(crate) fn now_ms() -> u32 {
    // Loom needs the same in each execution.
    if cfg!(all(test, loom)) {
        return 0;
    }
    read::<1000>(libc::CLOCK_MONOTONIC_COARSE).unwrap_or_default()
}

/// CLOCK_MONOTONIC in microseconds, for what takes less than a tick. Wraps after 71 minutes.
pub(crate) fn now_us() -> u32 {
    read::<1_000_000>(libc::CLOCK_MONOTONIC).unwrap_or_default()
}

/// In parts of a second, of which there are `PARTS`. `None`: the C library of a 32-bit machine
/// cannot represent the time, which is after 2038.
fn read<const PARTS: u32>(clock: libc::clockid_t) -> Option<u32> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable. The coarse clocks exist since Linux 2.6.32.
    let error = unsafe { libc::clock_gettime(clock, &mut time) };
    let part = time.tv_nsec as u32 / (1_000_000_000 / PARTS);
    (error == 0).then_some((time.tv_sec as u32).wrapping_mul(PARTS).wrapping_add(part))
}

/// Detects that the machine was suspended: CLOCK_MONOTONIC does not count that time and
/// CLOCK_REALTIME does (clock_gettime(2)), nor a step of the wall clock. CLOCK_BOOTTIME has no
/// coarse variant and may cost a system call that a sandbox forbids.
pub(crate) struct Suspensions {
    /// In milliseconds, at the last call.
    offset: AtomicU32,
}

impl Suspensions {
    pub(crate) fn new() -> Suspensions {
        Suspensions { offset: AtomicU32::new(offset()) }
    }

    pub(crate) fn was_there(&self) -> bool {
        let offset = offset();
        let before = self.offset.swap(offset, Ordering::Relaxed);
        let moved = offset.wrapping_sub(before);
        moved.min(moved.wrapping_neg()) > STEP
    }
}

/// Constant if the wall clock cannot be read: then no suspension is detected.
fn offset() -> u32 {
    read::<1000>(libc::CLOCK_REALTIME_COARSE).map_or(0, |real| real.wrapping_sub(now_ms()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_the_wall_clock_is_noticed_once_in_either_direction() {
        let suspensions = Suspensions::new();
        assert!(!suspensions.was_there());
        for step in [3_600_000_u32, 3_600_000_u32.wrapping_neg(), STEP * 2] {
            suspensions.offset.fetch_sub(step, Ordering::Relaxed);
            assert!(suspensions.was_there(), "{step}");
            assert!(!suspensions.was_there(), "{step}");
        }
    }
}
