//! The allocator of the provider, with a reserve for the time in which it starts.
//!
//! Contexts and requests handle a failed allocation (`outboard_accel::memory`). The code that runs
//! once, when the provider is loaded and when it decides what it offers, does not: a failure would
//! end the process. Memory for it comes from the reserve, zero-initialised data of the module, if
//! malloc(3) has none. Nothing is unwound and no thread waits: an allocator must do neither.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::{copy_nonoverlapping, null_mut};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// In bytes. With the drivers of Debian's kernel and those of the tests, a start of which every
/// allocation fails takes more than a quarter of it and less than half.
const SIZE: usize = 1 << 20;

/// Unit of allocation in bytes, and the greatest alignment.
const UNIT: usize = 16;

/// In the lower bits of [`Reserve::state`]; the upper bits count allocations.
const UNITS: u32 = (SIZE / UNIT) as u32;
const COUNT_SHIFT: u32 = 17;
const MAX_COUNT: u32 = u32::MAX >> COUNT_SHIFT;

const _: () = assert!(UNITS < 1 << COUNT_SHIFT);

struct Reserve {
    room: Room,
    /// First unit that was never allocated, and number of allocations: without any, all units are
    /// free.
    state: AtomicU32,
    /// Starts that have not ended. Those of a parent do not end in the child of a fork, which then
    /// keeps access to the reserve.
    starts: AtomicUsize,
}

#[repr(align(16))]
struct Room(UnsafeCell<[u8; SIZE]>);

// SAFETY: `state` decides which thread may access which part.
unsafe impl Sync for Room {}

#[global_allocator]
static RESERVE: Reserve =
    Reserve { room: Room(UnsafeCell::new([0; SIZE])), state: AtomicU32::new(0), starts: AtomicUsize::new(0) };

/// Runs `start` with access to the reserve.
pub(crate) fn with_reserve<T>(start: impl FnOnce() -> T) -> T {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            RESERVE.starts.fetch_sub(1, Ordering::Relaxed);
        }
    }
    RESERVE.starts.fetch_add(1, Ordering::Relaxed);
    let _end = End;
    start()
}

fn units_of(size: usize) -> u32 {
    size.div_ceil(UNIT).min(UNITS as usize + 1) as u32
}

impl Reserve {
    fn start(&self) -> usize {
        self.room.0.get().addr()
    }

    #[inline]
    fn holds(&self, at: *mut u8) -> bool {
        at.addr().wrapping_sub(self.start()) < SIZE
    }

    /// Null if no start is in progress, or it is used up.
    #[cold]
    fn take(&self, layout: Layout) -> *mut u8 {
        if self.starts.load(Ordering::Relaxed) == 0 || layout.align() > UNIT {
            return null_mut();
        }
        let units = units_of(layout.size());
        let taken = self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, |state| {
            let (next, count) = split(state);
            let end = next.checked_add(units).filter(|&end| end <= UNITS && count < MAX_COUNT)?;
            Some(joined(end, count + 1))
        });
        // SAFETY: within the room; no other allocation has these units.
        taken.map_or(null_mut(), |state| unsafe {
            self.room.0.get().cast::<u8>().add(split(state).0 as usize * UNIT)
        })
    }

    #[cold]
    fn give(&self, at: *mut u8, size: usize) {
        let first = ((at.addr() - self.start()) / UNIT) as u32;
        let end = first + units_of(size);
        let _ = self.state.fetch_update(Ordering::Release, Ordering::Relaxed, |state| {
            let (next, count) = split(state);
            let next = match count {
                1 => 0,
                _ if end == next => first,
                _ => next,
            };
            Some(joined(next, count - 1))
        });
    }
}

fn split(state: u32) -> (u32, u32) {
    (state & ((1 << COUNT_SHIFT) - 1), state >> COUNT_SHIFT)
}

fn joined(next: u32, count: u32) -> u32 {
    count << COUNT_SHIFT | next
}

// SAFETY: each method returns memory of the system's allocator, or units of the reserve that belong
// to one allocation until it is given back.
unsafe impl GlobalAlloc for Reserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        let at = unsafe { System.alloc(layout) };
        if at.is_null() { self.take(layout) } else { at }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        let at = unsafe { System.alloc_zeroed(layout) };
        if !at.is_null() {
            return at;
        }
        let at = self.take(layout);
        if !at.is_null() {
            // SAFETY: the memory is as long, and was used before.
            unsafe { at.write_bytes(0, layout.size()) };
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if self.holds(at) {
            self.give(at, layout.size());
        } else {
            // SAFETY: guaranteed by the caller; the memory is of the system's allocator.
            unsafe { System.dealloc(at, layout) }
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.holds(at) {
            // SAFETY: guaranteed by the caller; the memory is of the system's allocator.
            let longer = unsafe { System.realloc(at, layout, size) };
            if !longer.is_null() {
                return longer;
            }
        }
        // SAFETY: the caller guarantees the alignment and that the size is valid.
        let other = self.take(unsafe { Layout::from_size_align_unchecked(size, layout.align()) });
        if !other.is_null() {
            // SAFETY: both are as long, and the old memory belongs to the caller.
            unsafe {
                copy_nonoverlapping(at, other, layout.size().min(size));
                self.dealloc(at, layout);
            }
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a layout")
    }

    /// Not by way of the stack, which has not much more room.
    fn empty() -> Box<Reserve> {
        // SAFETY: all zeroes are a valid value, and the memory has the layout of a box.
        unsafe { Box::from_raw(std::alloc::alloc_zeroed(Layout::new::<Reserve>()).cast()) }
    }

    #[test]
    fn the_reserve_is_for_starts_only() {
        let reserve = empty();
        assert!(reserve.take(layout(1)).is_null());
        reserve.starts.store(1, Ordering::Relaxed);
        let (first, second) = (reserve.take(layout(1)), reserve.take(layout(17)));
        assert!(reserve.holds(first) && second.addr() - first.addr() == UNIT);
        assert!(
            reserve.take(layout(SIZE)).is_null() && reserve.take(layout(isize::MAX as usize / 2)).is_null()
        );
        assert!(!reserve.take(layout(SIZE - 3 * UNIT)).is_null() && reserve.take(layout(1)).is_null());
    }

    #[test]
    fn released_memory_is_used_again() {
        let reserve = empty();
        reserve.starts.store(1, Ordering::Relaxed);
        let (first, second) = (reserve.take(layout(100)), reserve.take(layout(100)));
        // The last one at once, others when all are given back.
        reserve.give(second, 100);
        assert_eq!(reserve.take(layout(50)), second);
        reserve.give(first, 100);
        assert_ne!(reserve.take(layout(50)), first);
        let state = split(reserve.state.load(Ordering::Relaxed));
        assert_eq!(state.1, 2);
        reserve.give(second, 50);
        reserve.give(second.wrapping_add(64), 50);
        assert_eq!(split(reserve.state.load(Ordering::Relaxed)), (0, 0));
    }

    #[test]
    fn memory_of_the_reserve_grows_with_its_content() {
        let reserve = empty();
        reserve.starts.store(1, Ordering::Relaxed);
        // SAFETY: the layouts are those of the allocations.
        unsafe {
            let at = reserve.take(layout(40));
            at.write_bytes(7, 40);
            let longer = reserve.realloc(at, layout(40), 400);
            assert!(longer != at && std::slice::from_raw_parts(longer, 40) == [7; 40]);
            let zeroed = reserve.alloc_zeroed(layout(40));
            assert!(!reserve.holds(zeroed), "the system has memory");
            reserve.dealloc(zeroed, layout(40));
            reserve.dealloc(longer, layout(400));
        }
        assert_eq!(split(reserve.state.load(Ordering::Relaxed)), (0, 0));
    }
}
