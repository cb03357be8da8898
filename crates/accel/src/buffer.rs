//! Memory that a driver writes into: page-aligned, never shared with other data, wiped when freed.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::{Error, wipe};

/// Pages that hold no other data: AF_ALG and /dev/crypto pass the pages of a request to the driver.
/// On machines without coherent DMA, other data in the same cache line would be corrupted. If
/// another thread forks during a request, a write to such a page would give this process a copy of
/// it, and the result would be written to the child's page.
pub(crate) struct Buffer {
    at: NonNull<u8>,
    len: usize,
}

/// Minimum page size in bytes; a cache line is never longer.
const LEAST: usize = 4096;

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for Buffer {}
// SAFETY: a shared buffer is only read.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Buffer { at: NonNull::dangling(), len: 0 }
    }

    /// Grows the buffer to whole pages if it is shorter, which discards the previous content.
    pub(crate) fn room(&mut self, len: usize) -> Result<&mut [u8], Error> {
        if self.len < len {
            *self = Buffer::with_len(len.next_multiple_of(page())).ok_or(Error::NoMemory)?;
        }
        Ok(&mut self.as_mut_slice()[..len])
    }

    pub(crate) fn bytes(&self, len: usize) -> &[u8] {
        // SAFETY: `at` is valid for `self.len` initialised bytes (dangling only while that is 0).
        let all = unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) };
        &all[..len]
    }

    pub(crate) fn wipe(&mut self, len: usize) {
        wipe(&mut self.as_mut_slice()[..len]);
    }

    fn with_len(len: usize) -> Option<Self> {
        // SAFETY: the layout's size is not zero: `room` requests only more than the buffer has.
        let at = unsafe { alloc_zeroed(Self::layout(len)) };
        Some(Buffer { at: NonNull::new(at)?, len })
    }

    fn layout(len: usize) -> Layout {
        Layout::from_size_align(len, page()).expect("a request is far smaller than the address space")
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `at` is valid for `len` initialised bytes (dangling only while `len` is 0), and
        // this value owns them alone.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.len) }
    }
}

/// Page size in bytes: up to 64 KiB on arm64 and PowerPC.
fn page() -> usize {
    // SAFETY: no pointer is passed.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).map_or(LEAST, |bytes| bytes.max(LEAST))
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.len > 0 {
            wipe(self.as_mut_slice());
            // SAFETY: allocated by `with_len` with this layout.
            unsafe { dealloc(self.at.as_ptr(), Self::layout(self.len)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_page_aligned_and_as_long_as_asked() {
        let mut buffer = Buffer::new();
        for len in [1, 16, 4096, 4097, 65536] {
            let room = buffer.room(len).expect("memory");
            assert_eq!(room.len(), len);
            assert_eq!(room.as_ptr() as usize % page(), 0);
            room.fill(0xa5);
            assert!(buffer.bytes(len).iter().all(|&b| b == 0xa5));
        }
    }

    #[test]
    fn a_wipe_clears_its_range_and_nothing_else() {
        let mut buffer = Buffer::new();
        buffer.wipe(0);
        buffer.room(5000).expect("memory").fill(0xa5);
        buffer.wipe(4999);
        assert!(buffer.bytes(4999).iter().all(|&b| b == 0) && buffer.bytes(5000)[4999] == 0xa5);
    }
}
