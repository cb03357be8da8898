//! A mapping of the device: slots for requests, and memory for their data.

use std::io;
use std::os::fd::RawFd;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};

use outboard_uapi as uapi;

use super::units::{UNITS, Units};

/// Bytes of data that a unit has. A TLS record is a little more than one, a page of a file a quarter of it.
pub(super) const UNIT: usize = 16 * 1024;

/// The strictest alignment of data that an arena may ask for, in bytes: a cache line of the largest kind.
pub(super) const ALIGN: usize = 128;

/// An arena of [`UNITS`] units, with as many slots: who has a unit has the slot of the same number, so a request
/// never lacks one of the two.
pub(super) struct Arena {
    base: NonNull<u8>,
    size: usize,
    /// Its number, for the doorbell.
    pub(super) number: u32,
    slots: usize,
    data: usize,
    pub(super) units: Units,
}

// SAFETY: the mapping belongs to this value; who writes where in it is ruled by `units`.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Arena {
    /// Maps one: mmap(2).
    pub(super) fn map(fd: RawFd) -> io::Result<Arena> {
        let page = page_size();
        // The table, and a page more in case that the module begins the data later than we would.
        let overhead = (size_of::<uapi::Arena>() + (UNITS as usize + 1) * size_of::<uapi::Slot>())
            .next_multiple_of(page)
            + page;
        let size = (overhead + UNITS as usize * UNIT).next_multiple_of(page);
        let slots = libc::off_t::from(UNITS) * page as libc::off_t;
        // SAFETY: a new mapping wherever the kernel likes.
        let at = unsafe {
            libc::mmap(null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, fd, slots)
        };
        let base = match NonNull::new(at.cast::<u8>()) {
            Some(base) if at != libc::MAP_FAILED => base,
            _ => return Err(io::Error::last_os_error()),
        };
        let mut arena = Arena { base, size, number: 0, slots: 0, data: 0, units: Units::default() };
        // SAFETY: the module put it there before mmap returned, and the mapping is page-aligned.
        let header = unsafe { base.cast::<uapi::Arena>().read() };
        arena.number = header.arena;
        arena.slots = header.slots_offset as usize;
        arena.data = (header.data_offset as usize).next_multiple_of(header.align.max(1) as usize);
        if fits(&header, arena.data, size) {
            Ok(arena)
        } else {
            // Not what we know; the mapping goes with the value.
            Err(io::Error::from_raw_os_error(libc::EPROTO))
        }
    }

    /// The place of a unit from the start of the mapping, as slots have it.
    pub(super) fn offset(&self, unit: u32) -> u32 {
        (self.data + unit as usize * UNIT) as u32
    }

    /// The first byte of a unit; the units that follow it lie behind.
    pub(super) fn data(&self, unit: u32) -> *mut u8 {
        // SAFETY: within the mapping, as was checked when it was made.
        unsafe { self.base.as_ptr().add(self.offset(unit) as usize) }
    }

    /// A slot. It may be written by whoever has taken the unit of its number, while it is not in flight.
    pub(super) fn slot(&self, index: u32) -> *mut uapi::Slot {
        debug_assert!(index < UNITS);
        // SAFETY: within the mapping and aligned, as was checked when it was made.
        unsafe { self.base.as_ptr().add(self.slots).cast::<uapi::Slot>().add(index as usize) }
    }

    /// How a request went: 0, a negative errno, or IN_FLIGHT. When it is done, its result is there to be seen.
    pub(super) fn status(&self, index: u32) -> i32 {
        // SAFETY: a field of a slot, aligned, which the module writes with release semantics.
        unsafe { AtomicI32::from_ptr(&raw mut (*self.slot(index)).status) }.load(Ordering::Acquire)
    }
}

/// Whether the module speaks our language, and the arena has what was asked for.
fn fits(header: &uapi::Arena, data: usize, size: usize) -> bool {
    let slots = header.slots_offset as usize;
    let slots_end = slots + UNITS as usize * size_of::<uapi::Slot>();
    let data_end = (header.data_offset as usize).saturating_add(header.data_size as usize);
    header.magic == uapi::MAGIC
        && header.version == uapi::VERSION
        && header.slots >= UNITS
        && header.align.is_power_of_two()
        && ALIGN % header.align as usize == 0
        && slots % align_of::<uapi::Slot>() == 0
        && slots_end <= header.data_offset as usize
        && data + UNITS as usize * UNIT <= data_end
        && data_end <= size
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` in this process: a fork's child, which has no such mapping, never drops it. What
        // is in flight keeps its memory in the kernel.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.size) };
    }
}

fn page_size() -> usize {
    // SAFETY: no pointer is handed over.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: uapi::Arena = uapi::Arena {
        magic: uapi::MAGIC,
        version: uapi::VERSION,
        arena: 1,
        slots: UNITS,
        slots_offset: 128,
        data_offset: 8192,
        data_size: UNITS * UNIT as u32,
        align: 64,
        reserved: [0; 8],
    };

    fn accepted(header: uapi::Arena) -> bool {
        fits(&header, header.data_offset as usize, 8192 + UNITS as usize * UNIT)
    }

    #[test]
    fn an_arena_of_another_shape_is_refused() {
        assert!(accepted(GOOD));
        for wrong in [
            uapi::Arena { magic: 0, ..GOOD },
            uapi::Arena { version: 2, ..GOOD },
            uapi::Arena { slots: UNITS - 1, ..GOOD },
            uapi::Arena { slots_offset: 129, ..GOOD },
            uapi::Arena { slots_offset: 8192, ..GOOD },
            uapi::Arena { data_size: GOOD.data_size - 1, ..GOOD },
            uapi::Arena { data_offset: 8256, ..GOOD },
            uapi::Arena { data_size: u32::MAX, ..GOOD },
            uapi::Arena { align: 0, ..GOOD },
            uapi::Arena { align: 256, ..GOOD },
            uapi::Arena { align: 96, ..GOOD },
            uapi::Arena { align: 1 << 20, ..GOOD },
        ] {
            assert!(!accepted(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_no_device_maps_no_arena() {
        assert!(Arena::map(-1).is_err());
    }
}
