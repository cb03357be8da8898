//! XORs key stream with a text, and looks at each block before it is used.
//!
//! The driver encrypts counter blocks in place. A block that it did not write, or only in part,
//! still has words of the counter block; used as key stream, it would reveal the text. So each of
//! the four 32-bit words of a block is compared with that of the counter block. An encrypted block
//! has an equal word with probability 2^-30: software then decides.
//!
//! The driver may write after it reported completion. Each word is therefore read from the segment
//! once, and that value is compared and used.

use super::counters::{BLOCK, STEP, Words, same_but_last_byte, words};
use super::text::{Alignment, Eight, Four, One, Text, alignment};
use crate::in_out::InOut;

/// Bits of a 64-bit number: the lowest and the highest of each 32-bit word.
const LOW: u64 = 0x0000_0001_0000_0001;
const HIGH: u64 = 0x8000_0000_8000_0000;

/// Whether a 32-bit word of `bits` is 0 (and rarely also if a lower word is 0 and this one is 1).
#[inline]
fn has_zero_word(bits: u64) -> bool {
    if cfg!(target_pointer_width = "32") {
        either_is_zero(bits)
    } else {
        bits.wrapping_sub(LOW) & !bits & HIGH != 0
    }
}

/// As [`has_zero_word`], where a word is a register.
#[inline]
fn either_is_zero(bits: u64) -> bool {
    bits as u32 == 0 || (bits >> 32) as u32 == 0
}

/// Whether an encrypted block has a word in common with its counter block.
#[inline]
fn is_suspicious(block: Words, counter: Words) -> bool {
    has_zero_word(block[0] ^ counter[0]) || has_zero_word(block[1] ^ counter[1])
}

/// Reads a block of key stream once.
///
/// # Safety
/// `block` is readable for [`BLOCK`] bytes and aligned for `u64`.
#[inline]
unsafe fn read(block: *const u8) -> Words {
    // SAFETY: guaranteed by the caller.
    unsafe { [block.cast::<u64>().read_volatile(), block.add(8).cast::<u64>().read_volatile()] }
}

/// A block of key stream. `None` if it has a word of its counter block.
pub(super) fn block_at(stream: &[u8], index: usize, counter: u128) -> Option<[u8; BLOCK]> {
    let block = &stream[index * BLOCK..][..BLOCK];
    assert!(block.as_ptr().cast::<u64>().is_aligned(), "segments are aligned");
    // SAFETY: the slice is a block, and its alignment was checked.
    let block = unsafe { read(block.as_ptr()) };
    (!is_suspicious(block, words(counter))).then(|| {
        let mut copy = [0; BLOCK];
        copy[..8].copy_from_slice(&block[0].to_ne_bytes());
        copy[8..].copy_from_slice(&block[1].to_ne_bytes());
        copy
    })
}

/// The first block's counter is `counter`; the others follow modulo 2^128. Returns the number of
/// processed blocks: it ends before one with a word of its counter block.
pub(super) fn mix_blocks(stream: &[u8], counter: u128, job: InOut<'_>) -> usize {
    assert!(stream.as_ptr().addr() % BLOCK == 0 && stream.len() <= job.len(), "segments are aligned");
    let (input, output) = (job.input(), job.output());
    let count = stream.len() / BLOCK;
    let mut done = 0;
    while done < count {
        let counter = counter.wrapping_add(done as u128);
        let run = (count - done).min(same_but_last_byte(counter));
        let at = done * BLOCK;
        // SAFETY: `done` and what follows of the run are below the number of blocks of all three, and
        // the stream is aligned.
        let mixed = unsafe {
            let (stream, input, output) = (stream.as_ptr().add(at), input.add(at), output.add(at));
            let vectors = vector::mix(stream, counter, run / vector::BLOCKS, input, output) * vector::BLOCKS;
            // The rest of the run, or the blocks of which one is suspicious.
            let rest = (run - vectors).min(vector::BLOCKS);
            let at = vectors * BLOCK;
            let counter = counter.wrapping_add(vectors as u128);
            vectors + mix_words(stream.add(at), counter, rest, input.add(at), output.add(at))
        };
        done += mixed;
        if mixed < run {
            break;
        }
    }
    done
}

/// As [`mix_blocks`], a block at a time, for `count` blocks that differ in the lowest byte of the
/// counter only. A CPU that needs several instructions for an unaligned word reads the text by the
/// longest words for which it is aligned.
///
/// # Safety
/// `stream` and `input` are readable and `output` is writable for `count` blocks; input and output are
/// equal or do not overlap; `stream` is aligned for a block.
unsafe fn mix_words(
    stream: *const u8,
    counter: u128,
    count: usize,
    input: *const u8,
    output: *mut u8,
) -> usize {
    // SAFETY: guaranteed by the caller, and the alignment was checked.
    unsafe {
        match alignment(input.addr() | output.addr()) {
            Alignment::Eight => mix_as::<Eight>(stream, counter, count, input, output),
            Alignment::Four => mix_as::<Four>(stream, counter, count, input, output),
            Alignment::One => mix_as::<One>(stream, counter, count, input, output),
        }
    }
}

/// As [`mix_words`].
///
/// # Safety
/// As for [`mix_words`]; `input` and `output` are aligned for a `T`.
#[inline(never)]
unsafe fn mix_as<T: Text>(
    stream: *const u8,
    counter: u128,
    count: usize,
    input: *const u8,
    output: *mut u8,
) -> usize {
    let [high, mut low] = words(counter);
    // Without indices and not inlined: 32-bit CPUs have few registers.
    let (mut from, mut text, mut to) = (stream, input.cast::<T>(), output.cast::<T>());
    // SAFETY: guaranteed by the caller.
    unsafe {
        let end = stream.add(count * BLOCK);
        while from != end {
            let [first, second] = read(from);
            if is_suspicious([first, second], [high, low]) {
                break;
            }
            to.write(T::from(text.read().word() ^ first));
            to.add(1).write(T::from(text.add(1).read().word() ^ second));
            low = low.wrapping_add(STEP);
            (from, text, to) = (from.add(BLOCK), text.add(2), to.add(2));
        }
    }
    (from.addr() - stream.addr()) / BLOCK
}

#[cfg(target_arch = "x86_64")]
#[path = "mix/sse2.rs"]
mod vector;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[path = "mix/neon.rs"]
mod vector;

/// No vector instructions are used on this architecture. 32-bit Arm has NEON on some CPUs only, and
/// its intrinsics are not stable.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
mod vector {
    /// No run is as long.
    pub(super) const BLOCKS: usize = usize::MAX;

    pub(super) unsafe fn mix(_: *const u8, _: u128, _: usize, _: *const u8, _: *mut u8) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_zero_is_found_by_registers_of_either_length() {
        for find in [has_zero_word, either_is_zero] {
            assert!([0, 5, 5 << 32, 0x8000_0000, 1 << 63].into_iter().all(find));
            assert!(![1 | 1 << 32, u64::MAX, 0x8000_0000_8000_0000, 3 << 32 | 7].into_iter().any(find));
        }
    }

    #[repr(align(16))]
    struct Aligned([u8; 8 * BLOCK]);

    /// Bytes that have no word of a small counter.
    fn stream() -> Aligned {
        let mut bytes = Aligned([0; 8 * BLOCK]);
        bytes.0.iter_mut().enumerate().for_each(|(index, byte)| *byte = 0x80 | index as u8);
        bytes
    }

    fn mixed(stream: &[u8], counter: u128, input: &[u8]) -> (usize, Vec<u8>) {
        let mut output = vec![0; input.len()];
        assert_eq!(stream.len(), input.len());
        (mix_blocks(stream, counter, InOut::apart(input, &mut output)), output)
    }

    #[test]
    fn text_is_xored_at_any_alignment_and_in_place() {
        let stream = stream();
        let text: Vec<u8> = (0..9 * BLOCK).map(|i| (i * 7) as u8).collect();
        for offset in 0..8 {
            let input = &text[offset..][..8 * BLOCK];
            let expected: Vec<u8> = input.iter().zip(&stream.0).map(|(a, b)| a ^ b).collect();
            assert_eq!(mixed(&stream.0, 1, input), (8, expected.clone()), "{offset}");
            let mut in_place = input.to_vec();
            let at = in_place.as_mut_ptr();
            // SAFETY: the buffer is as long as the stream.
            let job = unsafe { InOut::new(at, at, in_place.len()) };
            assert_eq!(mix_blocks(&stream.0, 1, job), 8);
            assert_eq!(in_place, expected);
        }
    }

    #[test]
    fn words_of_each_length_are_used_at_their_alignment() {
        let stream = stream();
        let text: Vec<u8> = (0..9 * BLOCK).map(|i| (i * 7) as u8).collect();
        for (from, to) in (0..8).flat_map(|from| (0..8).map(move |to| (from, to))) {
            let input = &text[from..][..8 * BLOCK];
            let mut output = [0; 9 * BLOCK];
            // SAFETY: eight blocks are in all three.
            let done =
                unsafe { mix_words(stream.0.as_ptr(), 1, 8, input.as_ptr(), output[to..].as_mut_ptr()) };
            assert_eq!(done, 8);
            assert!(output[to..].iter().zip(input).zip(&stream.0).all(|((out, a), b)| *out == a ^ b));
        }
    }

    #[test]
    fn a_block_with_any_word_of_its_counter_ends_the_run() {
        for counter in [1, u128::from(u64::MAX) - 3, u128::MAX - 4, 0x0123_4567_89ab_cdef << 32] {
            for block in 0..8 {
                for word in 0..4 {
                    let mut stream = stream();
                    let own = counter.wrapping_add(block as u128).to_be_bytes();
                    let at = block * BLOCK + word * 4;
                    stream.0[at..at + 4].copy_from_slice(&own[word * 4..word * 4 + 4]);
                    let (done, output) = mixed(&stream.0, counter, &[0; 8 * BLOCK]);
                    assert_eq!(done, block, "{counter:x}, word {word}");
                    assert_eq!(output[..done * BLOCK], stream.0[..done * BLOCK]);
                    assert!(output[done * BLOCK..].iter().all(|byte| *byte == 0), "nothing else is written");
                    let counter = counter.wrapping_add(block as u128);
                    assert_eq!(block_at(&stream.0, block, counter), None);
                }
            }
        }
    }

    /// Groups of blocks by vector instructions, single blocks by words.
    #[test]
    fn words_and_vectors_give_the_same_results() {
        let mut bits = 1_u64;
        let mut random = || {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            bits >> 32
        };
        for round in 0..2000 {
            let mut stream = stream();
            stream.0.iter_mut().for_each(|byte| *byte = random() as u8);
            let counter = u128::from(random()) << 96 | u128::from(random() << 32 | random());
            if round % 2 == 0 {
                // A word of a counter block.
                let (block, word) = (random() as usize % 8, random() as usize % 4 * 4);
                let own = counter.wrapping_add(block as u128).to_be_bytes();
                stream.0[block * BLOCK + word..][..4].copy_from_slice(&own[word..word + 4]);
            }
            let input: Vec<u8> = (0..8 * BLOCK + 1).map(|_| random() as u8).collect();
            let input = &input[round % 2..][..8 * BLOCK];
            // Block by block: no group is as long.
            let mut expected = vec![0; input.len()];
            let mut count = 0;
            while count < 8 {
                let at = count * BLOCK;
                let counter = counter.wrapping_add(count as u128);
                // SAFETY: the block is in all three.
                let done = unsafe {
                    let [from, text] = [&stream.0[at..], &input[at..]].map(<[u8]>::as_ptr);
                    mix_words(from, counter, 1, text, expected[at..].as_mut_ptr())
                };
                if done == 0 {
                    break;
                }
                count += 1;
            }
            assert_eq!(mixed(&stream.0, counter, input), (count, expected), "round {round}");
        }
    }

    #[test]
    fn blocks_that_were_written_are_not_suspicious() {
        let stream = stream();
        for counter in [0, u128::from(u64::MAX) - 2, u128::MAX] {
            assert_eq!(mixed(&stream.0, counter, &[0; 8 * BLOCK]), (8, stream.0.to_vec()));
            for block in 0..8 {
                let expected = stream.0[block * BLOCK..][..BLOCK].try_into().ok();
                assert_eq!(block_at(&stream.0, block, counter), expected);
            }
        }
    }
}
