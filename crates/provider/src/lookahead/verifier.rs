//! Recomputes blocks of key stream in software before they are used.
//!
//! Of each request a block of each part of the segment is recomputed, and two of a long one, at
//! places that are drawn when the driver has completed the segment. So a request of which all
//! blocks are wrong is always found, and so is a wrong part of at least [`PART`] that is aligned to
//! its length, by the first request that uses any of its blocks.

use std::ops::Range;

use outboard_accel::wipe;
use outboard_counters::Row;

use super::counters::{BLOCK, Counters};
use crate::block_cipher::BlockEncryption;
use crate::draws;
use crate::hardware::{Hardware, Release};
use crate::spot_check::Verdict;

/// Length of the parts of a segment in blocks: a page.
const PART: usize = 256;

/// In blocks of one part.
const LONG: usize = PART / 2;

/// Of a full comparison, in blocks of a segment.
const WINDOW: usize = PART;

/// Number of blocks that are compared at a time, on the stack. No request has blocks of more parts.
const CHUNK: usize = 32;

#[repr(align(16))]
struct Chunk([u8; CHUNK * BLOCK]);

pub(crate) struct Verifier<'a> {
    /// The driver of ECB mode.
    pub(crate) hardware: &'a Hardware,
    pub(crate) reference: &'a dyn BlockEncryption,
    pub(crate) algorithm: &'a str,
    pub(crate) row: Option<&'a Row>,
}

impl Verifier<'_> {
    /// At the first use of some segments, a window of the segment at a random place is compared
    /// too.
    pub(super) fn accepts(
        &self,
        bytes: &[u8],
        counters: &Counters,
        blocks: Range<usize>,
        is_first_use: bool,
    ) -> Release {
        let is_full = is_first_use && self.hardware.compares_in_full(false);
        let verify = || {
            if is_full {
                let all = bytes.len() / BLOCK;
                let first = chosen_below(all - WINDOW.min(all) + 1, draws::next());
                let verdict = self.compare(bytes, counters, first..first + WINDOW.min(all));
                if verdict != Verdict::Right {
                    return verdict;
                }
            }
            self.compare_chosen(bytes, counters, blocks, draws::next)
        };
        self.hardware.release(is_full, verify)
    }

    pub(super) fn compare(&self, bytes: &[u8], counters: &Counters, mut blocks: Range<usize>) -> Verdict {
        while !blocks.is_empty() {
            let first = blocks.start;
            let count = blocks.len().min(CHUNK);
            let fill = |room: &mut [u8]| counters.fill(first, room);
            let verdict = self.recompute(bytes, count, fill, |index| first + index);
            if verdict != Verdict::Right {
                return verdict;
            }
            blocks.start += count;
        }
        Verdict::Right
    }

    /// A block of each part that a request uses, and two if it uses many of a single part.
    fn compare_chosen(
        &self,
        bytes: &[u8],
        counters: &Counters,
        mut blocks: Range<usize>,
        draw: impl Fn() -> u32,
    ) -> Verdict {
        let end_of_part = |block: usize| (block / PART + 1) * PART;
        let is_in_one = blocks.end <= end_of_part(blocks.start);
        if is_in_one && (1..=LONG).contains(&blocks.len()) {
            return self.compare_one(bytes, counters, blocks.start + chosen_below(blocks.len(), draw()));
        }
        let longest = if is_in_one { blocks.len().div_ceil(2) } else { PART };
        let mut chosen = [0; CHUNK];
        let mut count = 0;
        while !blocks.is_empty() && count < CHUNK {
            let len = (end_of_part(blocks.start).min(blocks.end) - blocks.start).min(longest);
            chosen[count] = blocks.start + chosen_below(len, draw());
            count += 1;
            blocks.start += len;
        }
        debug_assert!(blocks.is_empty(), "a segment has fewer parts");
        let chosen = &chosen[..count];
        let fill = |room: &mut [u8]| {
            for (block, index) in room.chunks_exact_mut(BLOCK).zip(chosen) {
                block.copy_from_slice(&counters.at(*index).to_be_bytes());
            }
        };
        self.recompute(bytes, count, fill, |index| chosen[index])
    }

    /// Without the room for more of them.
    fn compare_one(&self, bytes: &[u8], counters: &Counters, index: usize) -> Verdict {
        let mut expected = counters.at(index).to_be_bytes();
        let verdict = if self.reference.encrypt(&mut expected) {
            compare_block(bytes, index, &expected)
        } else {
            Verdict::Unknown
        };
        wipe(&mut expected);
        verdict
    }

    /// `count` blocks, at most [`CHUNK`]: `fill` writes their counter blocks, and `place` is where
    /// they are.
    fn recompute(
        &self,
        bytes: &[u8],
        count: usize,
        fill: impl FnOnce(&mut [u8]),
        place: impl Fn(usize) -> usize,
    ) -> Verdict {
        let mut expected = Chunk([0; CHUNK * BLOCK]);
        let expected = &mut expected.0[..count * BLOCK];
        fill(expected);
        if !self.reference.encrypt(expected) {
            wipe(expected);
            return Verdict::Unknown;
        }
        let mut verdict = Verdict::Right;
        for (index, block) in expected.chunks_exact(BLOCK).enumerate() {
            verdict = compare_block(bytes, place(index), block);
            if verdict != Verdict::Right {
                break;
            }
        }
        wipe(expected);
        verdict
    }

    /// A segment of `len` bytes is wrong at byte `offset`: proof, since its counter blocks are in
    /// memory that no application has.
    #[cold]
    pub(super) fn found_wrong(&self, len: usize, offset: usize) {
        self.hardware.is_wrong(self.algorithm, self.row, len, offset);
    }

    /// Decides in software about a block with a word of its counter block: the block if it is right.
    #[cold]
    pub(super) fn decides(&self, bytes: &[u8], index: usize, counter: u128) -> Result<[u8; BLOCK], Release> {
        let mut expected = counter.to_be_bytes();
        if !self.reference.encrypt(&mut expected) {
            return Err(Release::No);
        }
        if bytes[index * BLOCK..][..BLOCK] == expected {
            return Ok(expected);
        }
        wipe(&mut expected);
        Err(Release::Differs(index * BLOCK))
    }
}

/// A number below `len`, by 32 random bits. Without a division, for which some CPUs have a long function.
#[inline]
fn chosen_below(len: usize, random: u32) -> usize {
    ((len as u64 * u64::from(random)) >> 32) as usize
}

#[inline]
fn compare_block(bytes: &[u8], index: usize, expected: &[u8]) -> Verdict {
    let found = &bytes[index * BLOCK..][..BLOCK];
    if found == expected {
        return Verdict::Right;
    }
    let same = found.iter().zip(expected).take_while(|(one, other)| one == other).count();
    Verdict::Wrong { offset: index * BLOCK + same }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::LazyLock;

    use super::*;
    use crate::block_cipher::toy::Toy;
    use crate::log::Log;
    use outboard_accel::{Accelerator, Session};

    /// Each test has a driver of its own, because trust is the process's.
    struct Named(&'static str);

    impl Accelerator for Named {
        fn driver(&self) -> &str {
            self.0
        }
        fn interface(&self) -> &'static str {
            "nothing"
        }
        fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, outboard_accel::Error> {
            unreachable!("no request is made")
        }
    }

    const COUNTERS: Counters = Counters::Run { first: 77 };

    /// Key stream of the toy cipher: 16 parts.
    static STREAM: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut bytes: Vec<u8> = (0..16 * PART).flat_map(|index| COUNTERS.at(index).to_be_bytes()).collect();
        Toy::default().encrypt(&mut bytes);
        bytes
    });

    /// Makes a byte of each of these blocks wrong.
    fn damaged(blocks: Range<usize>) -> Vec<u8> {
        let mut bytes = STREAM.clone();
        blocks.for_each(|block| bytes[block * BLOCK + block % BLOCK] ^= 4);
        bytes
    }

    fn check(bytes: &[u8], blocks: Range<usize>, draw: impl Fn() -> u32) -> (Verdict, usize) {
        let cipher = Toy::default();
        let hardware = Hardware::new(Box::new(Named("chosen")), 0, Log::silent()).expect("memory");
        let verifier = Verifier { hardware: &hardware, reference: &cipher, algorithm: "AES", row: None };
        (verifier.compare_chosen(bytes, &COUNTERS, blocks, draw), cipher.count.get())
    }

    const REQUESTS: [Range<usize>; 8] =
        [0..1, 5..93, 0..256, 100..400, 250..260, 0..1024, 511..1600, 1000..4096];

    #[test]
    fn right_key_stream_passes_and_a_request_of_wrong_blocks_never_does() {
        for blocks in REQUESTS {
            for number in [0, 1, 100, u32::MAX] {
                assert_eq!(check(&STREAM, blocks.clone(), || number).0, Verdict::Right);
                let verdict = check(&damaged(blocks.clone()), blocks.clone(), || number).0;
                assert!(matches!(verdict, Verdict::Wrong { .. }), "{blocks:?}, {number}");
            }
        }
    }

    #[test]
    fn a_wrong_part_is_found_by_each_request_that_uses_any_of_it() {
        for part in 0..16 {
            let place = part * PART..(part + 1) * PART;
            let bytes = damaged(place.clone());
            for blocks in REQUESTS {
                let is_used = blocks.start < place.end && place.start < blocks.end;
                for number in [0, 3, 255, u32::MAX] {
                    let verdict = check(&bytes, blocks.clone(), || number).0;
                    assert_eq!(verdict != Verdict::Right, is_used, "part {part}, {blocks:?}, {number}");
                }
            }
        }
    }

    #[test]
    fn each_block_can_be_drawn_and_the_offset_is_that_of_the_first_wrong_byte() {
        for blocks in [0..1, 7..27, 10..250, 250..260] {
            for wrong in blocks.clone().step_by(3) {
                let bytes = damaged(wrong..wrong + 1);
                let found = |number: u32| check(&bytes, blocks.clone(), || number).0;
                let finds = (0..PART as u32)
                    .map(|number| found(number << 24))
                    .filter(|verdict| *verdict != Verdict::Right);
                let finds: Vec<Verdict> = finds.collect();
                assert!(!finds.is_empty() && finds.len() < PART || blocks.len() == 1, "{blocks:?}, {wrong}");
                let offset = wrong * BLOCK + wrong % BLOCK;
                assert!(finds.iter().all(|verdict| *verdict == Verdict::Wrong { offset }), "{finds:?}");
            }
        }
    }

    #[test]
    fn a_block_of_each_part_is_recomputed_and_two_of_a_long_request_each_at_a_place_of_its_own() {
        for (blocks, count) in [
            (0..0, 0),
            (9..10, 1),
            (0..LONG, 1),
            (0..LONG + 1, 2),
            (0..PART, 2),
            (PART..2 * PART, 2),
            (PART - 1..PART + 1, 2),
            (0..4 * PART, 4),
            (1..4 * PART + 1, 5),
            (0..16 * PART, 16),
        ] {
            let draws = Cell::new(0);
            let draw = || {
                draws.set(draws.get() + 1);
                0
            };
            let recomputed = check(&STREAM, blocks.clone(), draw);
            assert_eq!((recomputed, draws.get()), ((Verdict::Right, count), count), "{blocks:?}");
        }
    }

    #[test]
    fn at_the_first_use_of_a_segment_after_a_start_a_window_is_compared_and_later_its_request_only() {
        let cipher = Toy::default();
        let hardware = Hardware::new(Box::new(Named("windows")), 0, Log::silent()).expect("memory");
        let verifier = Verifier { hardware: &hardware, reference: &cipher, algorithm: "AES", row: None };
        let (bytes, short) = (&*STREAM, STREAM[..20 * BLOCK].to_vec());
        for (bytes, is_first, count) in
            [(bytes, true, PART + 1), (&short, true, 21), (bytes, false, 1), (&short, false, 1)]
        {
            cipher.count.set(0);
            assert_eq!(verifier.accepts(bytes, &COUNTERS, 3..9, is_first), Release::Yes);
            assert_eq!(cipher.count.get(), count);
        }
        // A wrong block of the window that the request does not use.
        let bytes = [&short[..19 * BLOCK], &[0; BLOCK]].concat();
        assert_eq!(verifier.accepts(&bytes, &COUNTERS, 3..9, false), Release::Yes);
        assert_eq!(verifier.accepts(&bytes, &COUNTERS, 3..9, true), Release::Differs(19 * BLOCK));
        let broken = Toy { is_broken: true, ..Toy::default() };
        let verifier = Verifier { reference: &broken, ..verifier };
        assert_eq!(verifier.accepts(&short, &COUNTERS, 3..9, false), Release::No);
    }

    #[test]
    fn a_block_with_a_word_of_its_counter_is_used_only_if_software_computes_the_same() {
        let cipher = Toy::default();
        let hardware = Hardware::new(Box::new(Named("words")), 0, Log::silent()).expect("memory");
        let verifier = Verifier { hardware: &hardware, reference: &cipher, algorithm: "AES", row: None };
        for index in [0, 1, 7, 300] {
            let decides = |bytes: &[u8]| verifier.decides(bytes, index, COUNTERS.at(index));
            let expected: [u8; BLOCK] = STREAM[index * BLOCK..][..BLOCK].try_into().expect("a block");
            assert_eq!(decides(&STREAM), Ok(expected), "{index}");
            let found = decides(&damaged(index..index + 1));
            assert_eq!(found, Err(Release::Differs(index * BLOCK)), "{index}");
        }
        let broken = Toy { is_broken: true, ..Toy::default() };
        let verifier = Verifier { reference: &broken, ..verifier };
        assert_eq!(verifier.decides(&STREAM, 1, COUNTERS.at(1)), Err(Release::No));
    }
}
