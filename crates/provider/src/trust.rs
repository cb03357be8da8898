//! Whether the process trusts a driver, in all its library contexts.
//!
//! A result that differs from software's may be due to an input that the application changed
//! meanwhile. No further request goes to the driver until a repetition with a private copy has been
//! compared. If that differs too, the driver is disabled for the process. If it is right, the
//! difference is a strike, and the third one disables the driver. Wrong key stream does so at once.

use std::sync::atomic::{AtomicU32, Ordering};

/// A machine has about two dozen drivers that the provider can use; further ones share the last
/// place.
const PLACES: usize = 64;

pub(crate) const MAX_STRIKES: u32 = 3;

const TRUSTED: u32 = 0;
const ON_TRIAL: u32 = 1;
const DISABLED: u32 = 2;

/// A fork during a trial leaves the driver unused in the child.
pub(crate) struct Trust {
    /// Of the driver's name; 0 for none.
    key: AtomicU32,
    state: AtomicU32,
    strikes: AtomicU32,
}

static DRIVERS: [Trust; PLACES] = [const { Trust::new() }; PLACES];

impl Trust {
    const fn new() -> Trust {
        Trust { key: AtomicU32::new(0), state: AtomicU32::new(TRUSTED), strikes: AtomicU32::new(0) }
    }

    /// By the name in `/proc/crypto`.
    pub(crate) fn of(driver: &str) -> &'static Trust {
        let key = hash(driver.as_bytes()).max(1);
        let is_its_place = |place: &&Trust| {
            let taken = place.key.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
            taken.is_ok() || taken == Err(key)
        };
        DRIVERS.iter().find(is_its_place).unwrap_or(&DRIVERS[PLACES - 1])
    }

    #[inline]
    pub(crate) fn is_given(&self) -> bool {
        self.state.load(Ordering::Relaxed) == TRUSTED
    }

    /// Begins a trial. False if there is one, or if the driver is disabled.
    pub(crate) fn begin_trial(&self) -> bool {
        self.state.compare_exchange(TRUSTED, ON_TRIAL, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The repetition was right. Returns whether that disables the driver.
    pub(crate) fn strike(&self) -> bool {
        let is_last = self.strikes.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_STRIKES;
        let after = if is_last { DISABLED } else { TRUSTED };
        // Meanwhile another thread may have found wrong key stream of the driver.
        let ended = self.state.compare_exchange(ON_TRIAL, after, Ordering::Relaxed, Ordering::Relaxed);
        is_last && ended.is_ok()
    }

    /// Until the process ends. False if it was disabled before.
    pub(crate) fn disable(&self) -> bool {
        self.state.swap(DISABLED, Ordering::Relaxed) != DISABLED
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn restore(&self) {
        self.strikes.store(0, Ordering::Relaxed);
        self.state.store(TRUSTED, Ordering::Relaxed);
    }
}

/// FNV-1a (Fowler, Noll, Vo). Two drivers with the same value would share their state.
fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_a_state_of_its_own() {
        let [one, other] = ["trust-one", "trust-other"].map(Trust::of);
        assert!(std::ptr::eq(one, Trust::of("trust-one")) && !std::ptr::eq(one, other));
        assert!(one.disable() && !one.disable());
        assert!(!Trust::of("trust-one").is_given() && other.is_given());
        one.restore();
    }

    #[test]
    fn the_third_strike_disables_the_driver() {
        let driver = Trust::of("trust-strikes");
        for disables in [false, false, true] {
            assert!(driver.is_given() && driver.begin_trial());
            assert!(!driver.is_given() && !driver.begin_trial(), "one trial at a time");
            assert_eq!(driver.strike(), disables);
        }
        assert!(!driver.is_given() && !driver.begin_trial());
        driver.restore();
        assert!(driver.is_given());
    }

    #[test]
    fn a_driver_that_is_disabled_during_a_trial_stays_disabled() {
        let driver = Trust::of("trust-both");
        assert!(driver.begin_trial() && driver.disable());
        assert!(!driver.strike() && !driver.is_given());
        driver.restore();
    }

    /// Names that differ must not be disabled together: the values of FNV-1a's authors.
    #[test]
    fn names_are_told_apart_by_fnv_1a() {
        for (name, value) in [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)] {
            assert_eq!(hash(name.as_bytes()), value);
        }
    }
}
