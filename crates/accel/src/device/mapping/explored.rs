//! A mapping whose statuses and clock are loom's, and whose accesses to data loom sees.

use std::io;
use std::ops::Deref;
use std::os::fd::RawFd;

use loom::cell::UnsafeCell;
use outboard_uapi as uapi;

use super::super::units::UNITS;
use crate::sync::{AtomicI32, AtomicU32, Ordering};

/// Loom sees the last units and slots only. Tests allocate the others and do not use them.
pub(in crate::device) const FIRST: u32 = UNITS - 3;

const SEEN: usize = (UNITS - FIRST) as usize;

pub(in crate::device) struct Mapping {
    memory: super::Mapping,
    statuses: [AtomicI32; SEEN],
    data: [UnsafeCell<()>; SEEN],
    /// What a driver may write after an error, and the process only wipes.
    kept_back: [UnsafeCell<()>; SEEN],
    /// A driver that has stopped writing advances it, so that a reader of that time comes after it.
    pub(in crate::device) seconds: AtomicU32,
}

impl Deref for Mapping {
    type Target = super::Mapping;
    fn deref(&self) -> &super::Mapping {
        &self.memory
    }
}

impl Mapping {
    pub(in crate::device) fn map(fd: RawFd, is_ours: impl Fn() -> bool) -> io::Result<Mapping> {
        Ok(Mapping {
            memory: super::Mapping::map(fd, is_ours)?,
            statuses: Default::default(),
            data: std::array::from_fn(|_| UnsafeCell::new(())),
            kept_back: std::array::from_fn(|_| UnsafeCell::new(())),
            seconds: AtomicU32::new(0),
        })
    }

    fn seen(index: u32) -> Option<usize> {
        index.checked_sub(FIRST).map(|index| index as usize)
    }

    pub(in crate::device) fn data(&self, unit: u32) -> *mut u8 {
        if let Some(seen) = Self::seen(unit) {
            self.data[seen].with_mut(|_| ());
        }
        self.memory.data(unit)
    }

    /// Where a driver that has failed may write.
    pub(in crate::device) fn late_data(&self, unit: u32) -> *mut u8 {
        self.kept_back[Self::seen(unit).expect("a unit that loom sees")].with_mut(|_| ());
        self.memory.data(unit)
    }

    pub(in crate::device) fn status(&self, index: u32) -> i32 {
        Self::seen(index).map_or(0, |seen| self.statuses[seen].load(Ordering::Acquire))
    }

    /// What the module writes.
    pub(in crate::device) fn set_status(&self, index: u32, status: i32) {
        self.statuses[Self::seen(index).expect("a slot that loom sees")].store(status, Ordering::Release);
    }

    /// # Safety
    /// As for [`write_slot`](super::Mapping::write_slot).
    pub(in crate::device) unsafe fn write_slot(&self, index: u32, slot: &uapi::Slot) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.memory.write_slot(index, slot) };
        self.set_status(index, slot.status);
    }

    pub(in crate::device) fn age(&self) -> u32 {
        self.seconds.load(Ordering::Acquire)
    }
}
