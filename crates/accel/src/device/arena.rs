//! An arena: which units of a mapping are in use, and which a driver may still write.

use std::io;
use std::ops::Deref;
use std::os::fd::RawFd;

use outboard_uapi as uapi;

#[cfg(not(all(test, loom)))]
use super::mapping::Mapping;
use super::mapping::UNIT;
#[cfg(all(test, loom))]
use super::mapping::explored::Mapping;
use super::units::{UNITS, Units};
use crate::sync::{AtomicU32, Ordering};

/// The owner of a unit also owns the slot of the same number.
pub(super) struct Arena {
    mapping: Mapping,
    pub(super) units: Units,
    /// First units of regions whose requests failed or were abandoned in flight: one bit each.
    abandoned: AtomicU32,
    /// For each bit of `abandoned`, the units and the submitted slots, in the upper and lower 16
    /// bits.
    extents: [AtomicU32; UNITS as usize],
    /// For each bit of `abandoned`, the [age](Mapping::age) of the mapping at which a request was
    /// last in flight, or failed.
    last_used: [AtomicU32; UNITS as usize],
}

/// Seconds for which units are not used again after a request failed there: the driver may still
/// write, and that must not get into a later request, or key stream of another counter be used
/// twice.
const KEPT_BACK: u32 = 5;

// SAFETY: the mapping belongs to this value; `units` decides which thread may write where.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Deref for Arena {
    type Target = Mapping;
    fn deref(&self) -> &Mapping {
        &self.mapping
    }
}

impl Arena {
    pub(super) fn map(fd: RawFd, is_ours: impl Fn() -> bool) -> io::Result<Arena> {
        Ok(Arena {
            mapping: Mapping::map(fd, is_ours)?,
            units: Units::default(),
            abandoned: AtomicU32::new(0),
            extents: Default::default(),
            last_used: Default::default(),
        })
    }

    pub(super) fn is_any_in_flight(&self, first: u32, count: u32) -> bool {
        (first..first + count).any(|slot| self.status(slot) == uapi::IN_FLIGHT)
    }

    /// Of `count` units the first `submitted` slots may be in flight or have failed.
    pub(super) fn abandon(&self, first: u32, count: u32, submitted: u32) {
        self.last_used[first as usize].store(self.age(), Ordering::Relaxed);
        self.extents[first as usize].store(count << 16 | submitted, Ordering::Relaxed);
        self.abandoned.fetch_or(1 << first, Ordering::Release);
    }

    /// Wipes and releases abandoned units whose requests completed some time ago.
    pub(super) fn reclaim(&self) {
        let mut left = self.abandoned.load(Ordering::Relaxed);
        while left != 0 {
            let bit = left & left.wrapping_neg();
            left ^= bit;
            // The thread that clears the bit has the units to itself.
            if self.abandoned.fetch_and(!bit, Ordering::Acquire) & bit == 0 {
                continue;
            }
            let first = bit.trailing_zeros();
            let extent = self.extents[first as usize].load(Ordering::Relaxed);
            let (count, submitted) = (extent >> 16, extent & 0xffff);
            let last_used = &self.last_used[first as usize];
            let now = self.age();
            if self.is_any_in_flight(first, submitted) {
                last_used.store(now, Ordering::Relaxed);
            }
            // Whole seconds: the present one does not count.
            if now.saturating_sub(last_used.load(Ordering::Relaxed)) <= KEPT_BACK {
                self.abandoned.fetch_or(bit, Ordering::Release);
                continue;
            }
            // SAFETY: the units are allocated, no request writes there, and no other code has
            // access until they are released.
            unsafe { self.data(first).write_bytes(0, count as usize * UNIT) };
            self.units.give(first, count);
        }
    }
}
