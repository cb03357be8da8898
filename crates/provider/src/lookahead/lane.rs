//! A little key stream in a context's own memory, for updates that are shorter than the cost of
//! finding a segment. It is copied there after it was verified and compared with its counter blocks.

use super::text::{Alignment, Eight, Four, One, Text, alignment};
use crate::in_out::InOut;
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
    #[inline]
    pub(crate) fn mix(&mut self, job: InOut<'_>) {
        let stream = self.bytes[self.next..][..job.len()].as_ptr();
        let places = stream.addr() | job.input().addr() | job.output().addr();
        // SAFETY: the stream is as long, and the alignment was checked.
        unsafe {
            match alignment(places) {
                Alignment::Eight => xor::<Eight>(stream, job),
                Alignment::Four => xor::<Four>(stream, job),
                Alignment::One => xor::<One>(stream, job),
            }
        }
        self.next += job.len();
    }

    /// Fills the lane by `mix`, which XORs zeros with key stream and returns the number of bytes.
    /// It stays empty without memory.
    pub(crate) fn fill(&mut self, mix: impl FnOnce(InOut<'_>) -> usize) {
        debug_assert_eq!(self.left(), 0);
        self.clear();
        if self.bytes.try_reserve_exact(ROOM).is_err() {
            return;
        }
        self.bytes.resize(ROOM, 0);
        let filled = mix(InOut::in_place(&mut self.bytes));
        self.bytes.truncate(filled);
    }

    /// Wipes the lane.
    pub(crate) fn clear(&mut self) {
        wipe(&mut self.bytes);
        self.bytes.clear();
        self.next = 0;
    }
}

/// XORs a text with the bytes of `stream`.
///
/// # Safety
/// `stream` is readable for as many bytes, and all three are aligned for a `T`.
unsafe fn xor<T: Text>(stream: *const u8, job: InOut<'_>) {
    let (input, output, len) = (job.input(), job.output(), job.len());
    let words = len / size_of::<T>();
    let mut at = 0;
    // SAFETY: guaranteed by the caller: `at` is below the number of words, then of bytes.
    unsafe {
        while at != words {
            let (key, text) = (stream.cast::<T>().add(at).read(), input.cast::<T>().add(at).read());
            output.cast::<T>().add(at).write(T::from(text.word() ^ key.word()));
            at += 1;
        }
        at *= size_of::<T>();
        while at != len {
            output.add(at).write(input.add(at).read() ^ stream.add(at).read());
            at += 1;
        }
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
                unsafe { job.output().add(index).write(index as u8 + 1) };
            }
            100
        });
        let mut all = Vec::new();
        for len in [1, 7, 8, 9, 16, 33, 26] {
            let mut text = vec![0; len];
            lane.mix(InOut::in_place(&mut text));
            all.extend(text);
        }
        assert!(all.iter().copied().eq(1..=100) && lane.left() == 0);
    }

    #[test]
    fn texts_are_mixed_at_any_alignment_and_keep_what_surrounds_them() {
        let key = |index: usize| (index * 5) as u8;
        for (from, to) in (0..8).flat_map(|from| (0..8).map(move |to| (from, to))) {
            let mut lane = Lane::default();
            lane.fill(|job| {
                for index in 0..ROOM {
                    // SAFETY: within the text of the job.
                    unsafe { job.output().add(index).write(key(index)) };
                }
                ROOM
            });
            let mut at = 0;
            for len in [8, 64, 31, 1, 8, 4, 44, 20] {
                let input: Vec<u8> = (0..from + len).map(|index| (index * 7) as u8).collect();
                let mut output = vec![0x55; to + len + 1];
                lane.mix(InOut::apart(&input[from..], &mut output[to..][..len]));
                let mixed = input[from..].iter().enumerate().map(|(index, text)| text ^ key(at + index));
                assert!(output[to..][..len].iter().copied().eq(mixed), "{from}, {to}, {len}");
                assert!(output[..to].iter().chain([&output[to + len]]).all(|byte| *byte == 0x55));
                at += len;
            }
            assert_eq!(lane.left(), ROOM - at);
        }
    }

    #[test]
    fn clearing_keeps_the_memory() {
        let mut lane = Lane::default();
        lane.fill(|job| job.len());
        let capacity = lane.bytes.capacity();
        lane.clear();
        assert!(lane.bytes.is_empty() && lane.bytes.capacity() == capacity);
    }
}
