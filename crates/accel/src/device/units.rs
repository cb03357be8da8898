//! Tracks which parts of an arena are in use.

use crate::sync::{AtomicU32, Ordering};

/// One bit each, in a word that every supported machine changes atomically.
pub(super) const UNITS: u32 = u32::BITS;

/// Without a lock, which a fork could leave held.
#[derive(Default)]
pub(super) struct Units(AtomicU32);

impl Units {
    /// `count` consecutive units, 1 to [`UNITS`]; returns the first.
    pub(super) fn take(&self, count: u32) -> Option<u32> {
        let mut used = self.0.load(Ordering::Relaxed);
        loop {
            let first = (0..=UNITS.checked_sub(count)?).find(|&first| used & mask(first, count) == 0)?;
            let wanted = used | mask(first, count);
            match self.0.compare_exchange_weak(used, wanted, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(first),
                Err(now) => used = now,
            }
        }
    }

    pub(super) fn give(&self, first: u32, count: u32) {
        self.0.fetch_and(!mask(first, count), Ordering::Release);
    }
}

fn mask(first: u32, count: u32) -> u32 {
    let ones = if count >= u32::BITS { u32::MAX } else { (1 << count) - 1 };
    ones << first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_do_not_overlap_and_come_back() {
        let units = Units::default();
        assert_eq!(units.take(16), Some(0));
        assert_eq!(units.take(4), Some(16));
        assert_eq!(units.take(13), None);
        assert_eq!(units.take(12), Some(20));
        assert_eq!(units.take(1), None);
        units.give(16, 4);
        assert_eq!(units.take(5), None);
        assert_eq!(units.take(4), Some(16));
        units.give(0, UNITS);
        assert_eq!(units.take(UNITS), Some(0));
        assert_eq!(Units::default().take(UNITS + 1), None);
    }

    #[test]
    fn threads_never_share_a_unit() {
        let units = Units::default();
        let owners: [AtomicU32; UNITS as usize] = Default::default();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (units, owners) = (&units, &owners);
                scope.spawn(move || {
                    for round in 0..2000_u32 {
                        let count = 1 + (round + thread) % 5;
                        let Some(first) = units.take(count) else { continue };
                        let mine = &owners[first as usize..(first + count) as usize];
                        assert!(mine.iter().all(|owner| owner.swap(1, Ordering::Relaxed) == 0));
                        mine.iter().for_each(|owner| owner.store(0, Ordering::Relaxed));
                        units.give(first, count);
                    }
                });
            }
        });
        assert_eq!(units.take(UNITS), Some(0));
    }
}
