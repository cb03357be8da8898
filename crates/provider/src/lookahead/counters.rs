//! The counter blocks of a segment (SP 800-38A, 6.5; SP 800-38D, 7.1).

use super::nonces::NoncePattern;

pub(crate) const BLOCK: usize = 16;

/// A block as two words, as they are in memory.
pub(super) type Words = [u64; 2];

/// The counter of the first text block of a GCM message. Counter 1 encrypts the tag.
pub(crate) const FIRST_OF_GCM: u32 = 2;

#[derive(Clone, Debug)]
pub(crate) enum Counters {
    /// CTR mode: consecutive blocks, modulo 2^128.
    Run { first: u128 },
    /// GCM: equally long messages, of which each has a sequence number that is higher by `step`.
    Records { pattern: NoncePattern, first: u64, step: u64, blocks_each: BlocksEach },
}

/// Number of blocks of each message of a segment, with its inverse: some CPUs divide by a long function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlocksEach {
    blocks: usize,
    inverse: u64,
}

impl BlocksEach {
    /// `blocks` is not 0.
    pub(crate) fn new(blocks: usize) -> BlocksEach {
        BlocksEach { blocks, inverse: (1 << 32) / blocks as u64 + 1 }
    }

    /// The message that has the block at an index, and the block's place in it. The inverse is too large by
    /// at most 1, so that this is exact as long as the product of both numbers is below 2^32.
    fn place(self, index: usize) -> (usize, usize) {
        debug_assert!(index.saturating_mul(self.blocks) < 1 << 31, "a segment is shorter");
        let message = ((index as u64 * self.inverse) >> 32) as usize;
        (message, index - message * self.blocks)
    }
}

impl Counters {
    /// The counter block at an index, as a big-endian number.
    pub(crate) fn at(&self, index: usize) -> u128 {
        match *self {
            Counters::Run { first } => first.wrapping_add(index as u128),
            Counters::Records { pattern, first, step, blocks_each } => {
                let (message, block) = blocks_each.place(index);
                let nonce = pattern.nonce(first.wrapping_add(message as u64 * step));
                nonce << 32 | u128::from(FIRST_OF_GCM + block as u32)
            }
        }
    }

    /// How many blocks from `index` on have consecutive counters.
    pub(crate) fn consecutive(&self, index: usize) -> usize {
        match *self {
            Counters::Run { .. } => usize::MAX,
            Counters::Records { blocks_each, .. } => blocks_each.blocks - blocks_each.place(index).1,
        }
    }

    /// `room` has whole blocks, aligned for `u64`.
    pub(crate) fn fill(&self, mut index: usize, room: &mut [u8]) {
        // SAFETY: any bits are a number.
        let (before, mut rest, after) = unsafe { room.align_to_mut::<Words>() };
        assert!(before.is_empty() && after.is_empty(), "whole blocks, aligned");
        while !rest.is_empty() {
            let (run, after) = rest.split_at_mut(rest.len().min(self.consecutive(index)));
            fill_run(self.at(index), run);
            index += run.len();
            rest = after;
        }
    }
}

fn fill_run(mut counter: u128, mut room: &mut [Words]) {
    while !room.is_empty() {
        let (run, after) = room.split_at_mut(room.len().min(same_but_last_byte(counter)));
        let [high, mut low] = words(counter);
        let mut groups = run.chunks_exact_mut(4);
        for group in groups.by_ref() {
            // Without loops: the compiler does not unroll them when it optimizes for size.
            group[0] = [high, low];
            group[1] = [high, low.wrapping_add(STEP)];
            group[2] = [high, low.wrapping_add(2 * STEP)];
            group[3] = [high, low.wrapping_add(3 * STEP)];
            low = low.wrapping_add(4 * STEP);
        }
        for block in groups.into_remainder() {
            *block = [high, low];
            low = low.wrapping_add(STEP);
        }
        counter = counter.wrapping_add(run.len() as u128);
        room = after;
    }
}

#[inline]
pub(super) fn words(counter: u128) -> Words {
    [((counter >> 64) as u64).to_be(), (counter as u64).to_be()]
}

/// What the second word of a counter block differs by from the next one, while its lowest byte does
/// not overflow.
pub(super) const STEP: u64 = 1_u64.to_be();

#[inline]
pub(super) fn same_but_last_byte(counter: u128) -> usize {
    0x100 - usize::from(counter as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(counters: &Counters, index: usize, blocks: usize) -> Vec<u128> {
        let mut room = vec![words(0); blocks];
        // SAFETY: the words are bytes, too.
        let (_, room, _) = unsafe { room.align_to_mut() };
        counters.fill(index, room);
        room.chunks(BLOCK).map(|block| u128::from_be_bytes(block.try_into().expect("a block"))).collect()
    }

    #[test]
    fn a_run_continues_over_the_end_of_the_counter() {
        let run = Counters::Run { first: u128::MAX - 1 };
        assert_eq!(filled(&run, 0, 4), [u128::MAX - 1, u128::MAX, 0, 1]);
        assert_eq!(filled(&run, 3, 1), [1]);
    }

    #[test]
    fn a_carry_goes_into_the_higher_bytes() {
        for first in [0xfe, 0xfffe, 0xffff_fffe, u128::from(u64::MAX) - 1, (1 << 96) - 2] {
            let run = Counters::Run { first };
            let expected: Vec<u128> = (first..first + 600).collect();
            assert_eq!(filled(&run, 0, 600), expected);
        }
    }

    #[test]
    fn the_place_of_each_block_of_the_longest_segment_is_exact() {
        for blocks in (1..70).chain([88, 1023, 1024, 1025, 2047, 4095, 4096]) {
            for index in 0..8192 {
                let place = BlocksEach::new(blocks).place(index);
                assert_eq!(place, (index / blocks, index % blocks), "{index}, {blocks}");
            }
        }
    }

    #[test]
    fn each_record_begins_with_counter_two_of_its_nonce() {
        let pattern = NoncePattern { shift: 0, constant: 0xaa << 88 };
        let records = Counters::Records { pattern, first: 7, step: 1, blocks_each: BlocksEach::new(3) };
        let block = |sequence: u128, counter: u128| (0xaa << 88 | sequence) << 32 | counter;
        let expected = [block(7, 2), block(7, 3), block(7, 4), block(8, 2), block(8, 3), block(8, 4)];
        assert_eq!(filled(&records, 0, 6), expected);
        for index in 0..6 {
            assert_eq!(filled(&records, index, 6 - index), expected[index..], "{index}");
        }
        let records = Counters::Records { pattern, first: 7, step: 2, blocks_each: BlocksEach::new(1) };
        assert_eq!(filled(&records, 0, 3), [block(7, 2), block(9, 2), block(11, 2)]);
    }
}
