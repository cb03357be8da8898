//! Selects the results of a driver that are compared in full.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::clock::{Suspensions, now_ms};
use crate::draws::{self, scattered};

/// Results compared in full after the start, an error, a pause or a suspension.
const CLOSE: u32 = 16;

/// Milliseconds in which at least one result is compared in full, or on a slow CPU [`COST`] times
/// what the last comparison took, at most [`LONGEST`].
const INTERVAL: u32 = 10;

/// Bounds the share of the time that the comparisons take which are due by time: 2 %.
const COST: u32 = 50;

/// In milliseconds. Limits the effect of a comparison that was interrupted.
const LONGEST: u32 = 250;

/// In milliseconds without use.
const PAUSE: u32 = 1000;

/// Lock-free, so that a fork leaves no lock held.
pub(crate) struct Sampling {
    /// N compares one result in N; 0 compares only those counted by `close`.
    share: u32,
    seed: u32,
    count: AtomicU32,
    close: AtomicU32,
    /// In milliseconds of [`now_ms`].
    used: AtomicU32,
    last: AtomicU32,
    /// From `last` until the next one is due, in milliseconds.
    interval: AtomicU32,
    suspensions: Suspensions,
}

impl Sampling {
    pub(crate) fn new(share: u32) -> Sampling {
        Sampling {
            share,
            seed: draws::next(),
            count: AtomicU32::new(0),
            close: AtomicU32::new(CLOSE),
            used: AtomicU32::new(now_ms()),
            last: AtomicU32::new(now_ms()),
            interval: AtomicU32::new(INTERVAL),
            suspensions: Suspensions::new(),
        }
    }

    pub(crate) fn next(&self) -> bool {
        self.is_full(self.count.fetch_add(1, Ordering::Relaxed), now_ms())
    }

    /// In microseconds.
    pub(crate) fn took(&self, us: u32) {
        let interval = (us / (1000 / COST)).clamp(INTERVAL, LONGEST);
        self.interval.store(interval, Ordering::Relaxed);
    }

    /// After a suspicious event.
    pub(crate) fn look_closely(&self) {
        self.close.store(CLOSE, Ordering::Relaxed);
    }

    fn is_full(&self, count: u32, now: u32) -> bool {
        if now.wrapping_sub(self.used.swap(now, Ordering::Relaxed)) >= PAUSE {
            self.look_closely();
        }
        let since = now.wrapping_sub(self.last.load(Ordering::Relaxed));
        let is_close = self.close.load(Ordering::Relaxed) > 0;
        let is_due =
            self.share != 0 && (since >= self.interval.load(Ordering::Relaxed) || self.is_chosen(count));
        if is_close || is_due {
            if is_close {
                self.close
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                    .ok();
            }
            self.last.store(now, Ordering::Relaxed);
            if self.suspensions.was_there() {
                self.look_closely();
            }
        }
        is_close || is_due
    }

    /// One of each `share` results at random: finds a fault that recurs with any period, and fewer
    /// than twice `share` results lie between two comparisons.
    fn is_chosen(&self, count: u32) -> bool {
        let (group, place) = (count / self.share, count % self.share);
        scattered(self.seed.wrapping_add(group)) % self.share == place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indices of the first `count` results that are compared if no time passes.
    fn chosen(sampling: &Sampling, count: u32) -> Vec<u32> {
        let now = sampling.last.load(Ordering::Relaxed);
        (0..count).filter(|&place| sampling.is_full(place, now)).collect()
    }

    #[test]
    fn the_first_results_are_compared_and_then_one_of_each_group() {
        for share in [1, 2, 32, 64, 1000] {
            let sampling = Sampling::new(share);
            let chosen = chosen(&sampling, 100 * share);
            assert!(chosen.iter().take(CLOSE as usize).copied().eq(0..CLOSE), "{share}");
            let groups = (0..100).filter(|group| chosen.iter().any(|place| place / share == *group)).count();
            assert_eq!(groups, 100, "{share}");
            let gaps = chosen.windows(2).map(|pair| pair[1] - pair[0]).max();
            assert!(gaps.is_some_and(|gap| gap < 2 * share), "{share}: {gaps:?}");
        }
        assert!(chosen(&Sampling::new(0), 1000).into_iter().eq(0..CLOSE));
    }

    #[test]
    fn the_place_within_a_group_is_random() {
        let sampling = Sampling::new(64);
        let places: Vec<u32> =
            chosen(&sampling, 64 * 200).into_iter().skip(CLOSE as usize).map(|at| at % 64).collect();
        let mut different = places.clone();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > 40, "{places:?}");
    }

    #[test]
    fn in_use_one_result_is_compared_every_ten_milliseconds_and_all_after_a_pause() {
        let sampling = Sampling::new(u32::MAX);
        let start = sampling.last.load(Ordering::Relaxed);
        let compared = |ms: u32| sampling.is_full(1, start.wrapping_add(ms));
        assert!((0..CLOSE).all(|_| compared(0)));
        assert_eq!([1, 9, 10, 11, 19, 20].map(compared), [false, false, true, false, false, true]);
        assert!((0..CLOSE).all(|_| compared(20 + PAUSE)) && !compared(20 + PAUSE));
    }

    #[test]
    fn comparisons_that_are_due_by_time_take_at_most_a_share_of_it() {
        let sampling = Sampling::new(u32::MAX);
        let start = sampling.last.load(Ordering::Relaxed);
        (0..CLOSE).for_each(|_| assert!(sampling.is_full(1, start)));
        let mut last = start;
        for (us, interval) in [(199, INTERVAL), (240, 12), (2400, 120), (1_000_000, LONGEST), (0, INTERVAL)] {
            sampling.took(us);
            let compared = |ms: u32| sampling.is_full(1, last.wrapping_add(ms));
            assert_eq!([1, interval - 1, interval].map(compared), [false, false, true], "{us}");
            last = last.wrapping_add(interval);
        }
    }

    #[test]
    fn results_after_an_event_are_compared_whatever_the_share() {
        let sampling = Sampling::new(0);
        let now = sampling.last.load(Ordering::Relaxed);
        assert!((0..CLOSE).all(|count| sampling.is_full(count, now)) && !sampling.is_full(CLOSE, now));
        sampling.look_closely();
        assert!((0..CLOSE).all(|_| sampling.is_full(100, now)) && !sampling.is_full(100, now));
    }

    #[test]
    fn without_a_share_use_is_no_pause() {
        let sampling = Sampling::new(0);
        let start = sampling.used.load(Ordering::Relaxed);
        let compared = |ms: u32| sampling.is_full(1, start.wrapping_add(ms));
        assert!((0..CLOSE).all(|_| compared(0)));
        assert!((1..10).all(|turn| !compared(turn * (PAUSE - 1))));
        assert!(compared(11 * PAUSE));
    }
}
