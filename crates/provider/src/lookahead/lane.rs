//! A little key stream in a context's own memory, for updates that are shorter than the cost of
//! finding a segment. It is copied there after it was verified and compared with its counter blocks.

use super::segment::Job;
use outboard_accel::wipe;

/// Capacity in bytes.
const ROOM: usize = 1024;

/// Longest update in bytes after which the lane is filled.
pub(crate) const SMALL: usize = ROOM / 4;

/// Key stream for the next bytes of a stream.
#[derive(Default)]
pub(crate) struct Lane {
    /// Allocated when it is first filled.
    bytes: Vec<u8>,
    /// The bytes from here on were not used.
    next: usize,
}

impl Lane {
    /// Number of bytes that are left.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.next
    }

    /// XORs a text that is not longer than what is left.
    ///
    /// # Safety
    /// As for [`Job`].
    #[inline]
    pub(crate) unsafe fn mix(&mut self, job: Job) {
        const WORD: usize = size_of::<u64>();
        let stream = &self.bytes[self.next..][..job.len];
        let mut words = stream.chunks_exact(WORD);
        let mut at = 0;
        // SAFETY: guaranteed by the caller; `at` counts the bytes of the text.
        unsafe {
            for word in words.by_ref() {
                let key = word.try_into().map_or(0, u64::from_ne_bytes);
                let text = job.input.add(at).cast::<u64>().read_unaligned();
                job.output.add(at).cast::<u64>().write_unaligned(text ^ key);
                at += WORD;
            }
            for key in words.remainder() {
                job.output.add(at).write(job.input.add(at).read() ^ key);
                at += 1;
            }
        }
        self.next += job.len;
    }

    /// Fills the lane by `mix`, which XORs zeros with key stream and returns the number of bytes.
    pub(crate) fn fill(&mut self, mix: impl FnOnce(Job) -> usize) {
        debug_assert_eq!(self.left(), 0);
        self.clear();
        self.bytes.resize(ROOM, 0);
        let at = self.bytes.as_mut_ptr();
        let filled = mix(Job { input: at, output: at, len: ROOM });
        self.bytes.truncate(filled);
    }

    /// Wipes the lane.
    pub(crate) fn clear(&mut self) {
        wipe(&mut self.bytes);
        self.bytes.clear();
        self.next = 0;
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_stream_is_used_once_and_in_order() {
        let mut lane = Lane::default();
        lane.fill(|job| {
            for index in 0..100_usize {
                // SAFETY: within the text of the job.
                unsafe { job.output.add(index).write(index as u8 + 1) };
            }
            100
        });
        let mut all = Vec::new();
        for len in [1, 7, 8, 9, 16, 33, 26] {
            let mut text = vec![0; len];
            let at = text.as_mut_ptr();
            // SAFETY: the text is as long.
            unsafe { lane.mix(Job { input: at, output: at, len }) };
            all.extend(text);
        }
        assert!(all.iter().copied().eq(1..=100) && lane.left() == 0);
        let capacity = lane.bytes.capacity();
        lane.clear();
        assert!(lane.bytes.is_empty() && lane.bytes.capacity() == capacity);
    }
}
