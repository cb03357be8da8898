//! Memory that a driver writes into: page-aligned, never shared with other data, wiped when freed.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use zeroize::Zeroize;

/// Pages of our own. AF_ALG hands the pages behind a read(2) to the driver; on machines whose DMA is not
/// coherent, bytes that share a cache line with them would be damaged. So they share a page with nothing.
pub(crate) struct Buffer {
    at: NonNull<u8>,
    len: usize,
}

/// No supported machine has larger pages that matter here: cache lines are what must not be shared.
const ALIGNMENT: usize = 4096;

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for Buffer {}

impl Buffer {
    /// An empty buffer.
    pub(crate) const fn new() -> Self {
        Buffer { at: NonNull::dangling(), len: 0 }
    }

    /// Makes room for `len` bytes, whole pages, and lends them. What was there before is lost.
    pub(crate) fn room(&mut self, len: usize) -> &mut [u8] {
        if self.len < len {
            *self = Buffer::with_len(len.next_multiple_of(ALIGNMENT));
        }
        &mut self.as_mut_slice()[..len]
    }

    /// The bytes, `len` of them.
    pub(crate) fn bytes(&self, len: usize) -> &[u8] {
        // SAFETY: `at` is valid for `self.len` initialised bytes (dangling only while that is 0).
        let all = unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) };
        &all[..len]
    }

    fn with_len(len: usize) -> Self {
        let layout = Self::layout(len);
        // SAFETY: the layout's size is not zero: `room` asks only for more than it has.
        let at = unsafe { alloc_zeroed(layout) };
        Buffer { at: NonNull::new(at).unwrap_or_else(|| handle_alloc_error(layout)), len }
    }

    fn layout(len: usize) -> Layout {
        Layout::from_size_align(len, ALIGNMENT).expect("a request is far smaller than the address space")
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `at` is valid for `len` initialised bytes (dangling only while `len` is 0) and ours alone.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.len > 0 {
            self.as_mut_slice().zeroize();
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
            let room = buffer.room(len);
            assert_eq!(room.len(), len);
            assert_eq!(room.as_ptr() as usize % 4096, 0);
            room.fill(0xa5);
            assert!(buffer.bytes(len).iter().all(|&b| b == 0xa5));
        }
    }
}
