//! A mapping of the device: slots for requests, and memory for their data.

use std::io;
use std::os::fd::RawFd;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Instant;

use outboard_uapi as uapi;

use super::units::UNITS;
use crate::{LONGEST_PIECE, MAX_AAD};

/// A TLS record is slightly longer than one unit, a 4 KiB page of a file a quarter of it.
pub(super) const UNIT: usize = 16 * 1024;

/// The strictest alignment of data that an arena may require, in bytes: the largest cache line.
pub(super) const ALIGN: usize = 128;

/// [`UNITS`] units, with as many slots.
pub(super) struct Mapping {
    base: NonNull<u8>,
    size: usize,
    number: u32,
    slots: usize,
    data: usize,
    mapped: Instant,
}

impl Mapping {
    /// Fails with EPROTO if the header does not fit this version, and with EBADF if `is_ours` says
    /// then that the application has put a file of its own in the place of the descriptor: to read
    /// what it does not have would be a SIGBUS.
    pub(super) fn map(fd: RawFd, is_ours: impl Fn() -> bool) -> io::Result<Mapping> {
        let page = page_size();
        // The table, and one page more in case the module begins the data later than computed here.
        let overhead = (size_of::<uapi::Arena>() + (UNITS as usize + 1) * size_of::<uapi::Slot>())
            .next_multiple_of(page)
            + page;
        let size = (overhead + UNITS as usize * UNIT).next_multiple_of(page);
        let slots = UNITS as libc::off_t * page as libc::off_t;
        // SAFETY: a new mapping at an address that the kernel selects.
        let at = unsafe {
            libc::mmap(null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, fd, slots)
        };
        let base = match NonNull::new(at.cast::<u8>()) {
            Some(base) if at != libc::MAP_FAILED => base,
            _ => return Err(io::Error::last_os_error()),
        };
        let mut mapping = Mapping { base, size, number: 0, slots: 0, data: 0, mapped: Instant::now() };
        if !is_ours() {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        // SAFETY: the module wrote the header before mmap returned, and the mapping is
        // page-aligned.
        let header = unsafe { base.cast::<uapi::Arena>().read() };
        mapping.number = header.arena;
        mapping.slots = header.slots_offset as usize;
        mapping.data = (header.data_offset as usize).next_multiple_of(header.align.max(1) as usize);
        if fits(&header, mapping.data, size) {
            Ok(mapping)
        } else {
            // Another interface; the mapping is dropped with the value.
            Err(io::Error::from_raw_os_error(libc::EPROTO))
        }
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Within the mapping, as slots contain it.
    pub(super) fn offset(&self, unit: u32) -> u32 {
        (self.data + unit as usize * UNIT) as u32
    }

    pub(super) fn data(&self, unit: u32) -> *mut u8 {
        // SAFETY: within the mapping, as `map` checked.
        unsafe { self.base.as_ptr().add(self.offset(unit) as usize) }
    }

    /// The owner of the unit with the same number may write it while it is not in flight.
    pub(super) fn slot(&self, index: u32) -> *mut uapi::Slot {
        debug_assert!(index < UNITS);
        // SAFETY: within the mapping and aligned, as `map` checked.
        unsafe { self.base.as_ptr().add(self.slots).cast::<uapi::Slot>().add(index as usize) }
    }

    /// 0, a negative errno, or IN_FLIGHT. Once a request is complete, its result is visible to this
    /// thread.
    pub(super) fn status(&self, index: u32) -> i32 {
        // SAFETY: a field of a slot, aligned, which the module writes with release semantics.
        unsafe { AtomicI32::from_ptr(&raw mut (*self.slot(index)).status) }.load(Ordering::Acquire)
    }

    /// # Safety
    /// The slot is the caller's, and not in flight.
    pub(super) unsafe fn write_slot(&self, index: u32, slot: &uapi::Slot) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.slot(index).write(*slot) };
    }

    /// Whole seconds since the memory was mapped.
    pub(super) fn age(&self) -> u32 {
        u32::try_from(self.mapped.elapsed().as_secs()).unwrap_or(u32::MAX)
    }
}

fn fits(header: &uapi::Arena, data: usize, size: usize) -> bool {
    let slots = header.slots_offset as usize;
    let slots_end = slots + UNITS as usize * size_of::<uapi::Slot>();
    let data_end = (header.data_offset as usize).saturating_add(header.data_size as usize);
    header.magic == uapi::MAGIC
        && header.version == uapi::VERSION
        && header.slots >= UNITS
        && header.max_length as usize >= LONGEST_PIECE
        && header.max_aad as usize >= MAX_AAD
        && header.align.is_power_of_two()
        && ALIGN % header.align as usize == 0
        && slots % align_of::<uapi::Slot>() == 0
        && slots_end <= header.data_offset as usize
        && data + UNITS as usize * UNIT <= data_end
        && data_end <= size
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `map` mapped it in this process: the child of a fork, which does not have the
        // mapping, never drops it. The kernel keeps the memory of requests in flight.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.size) };
    }
}

fn page_size() -> usize {
    // SAFETY: no pointer is passed.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(all(test, loom))]
pub(super) mod explored;

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::device) const GOOD: uapi::Arena = uapi::Arena {
        magic: uapi::MAGIC,
        version: uapi::VERSION,
        arena: 1,
        slots: UNITS,
        slots_offset: 128,
        data_offset: 8192,
        data_size: UNITS * UNIT as u32,
        align: 64,
        max_length: LONGEST_PIECE as u32,
        max_aad: MAX_AAD as u32,
        reserved: [0; 6],
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
            uapi::Arena { max_length: GOOD.max_length - 1, ..GOOD },
            uapi::Arena { max_aad: GOOD.max_aad - 1, ..GOOD },
            uapi::Arena { align: 0, ..GOOD },
            uapi::Arena { align: 256, ..GOOD },
            uapi::Arena { align: 96, ..GOOD },
            uapi::Arena { align: 1 << 20, ..GOOD },
        ] {
            assert!(!accepted(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_the_device_maps_no_arena() {
        assert!(Mapping::map(-1, || true).is_err());
        // Another thread has put it in the place of the descriptor.
        // SAFETY: the name ends with NUL.
        let empty = unsafe { libc::memfd_create(c"empty".as_ptr(), libc::MFD_CLOEXEC) };
        assert!(empty >= 0);
        assert_eq!(
            Mapping::map(empty, || false).err().and_then(|error| error.raw_os_error()),
            Some(libc::EBADF)
        );
        // SAFETY: opened above.
        unsafe { libc::close(empty) };
    }
}
