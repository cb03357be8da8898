//! The counter blocks of a segment (SP 800-38A, 6.5; SP 800-38D, 7.1).

use super::nonces::NoncePattern;

/// Block length in bytes.
pub(crate) const BLOCK: usize = 16;

/// Length in bytes of the four counter blocks that are written at a time.
const GROUP: usize = 4 * BLOCK;

/// The counter of the first text block of a GCM message. Counter 1 encrypts the tag.
pub(crate) const FIRST_OF_GCM: u32 = 2;

/// Counter blocks in the order of a segment.
#[derive(Clone, Debug)]
pub(crate) enum Counters {
    /// CTR mode: consecutive blocks, modulo 2^128.
    Run { first: u128 },
    /// GCM: equally long messages with consecutive nonces.
    Records { pattern: NoncePattern, first: u64, blocks_each: usize },
}

impl Counters {
    /// The counter block at an index, as a big-endian number.
    pub(crate) fn at(&self, index: usize) -> u128 {
        match *self {
            Counters::Run { first } => first.wrapping_add(index as u128),
            Counters::Records { pattern, first, blocks_each } => {
                let nonce = pattern.nonce(first.wrapping_add((index / blocks_each) as u64));
                nonce << 32 | u128::from(FIRST_OF_GCM + (index % blocks_each) as u32)
            }
        }
    }

    /// Number of blocks from `index` on whose counters are consecutive numbers.
    pub(crate) fn consecutive(&self, index: usize) -> usize {
        match *self {
            Counters::Run { .. } => usize::MAX,
            Counters::Records { blocks_each, .. } => blocks_each - index % blocks_each,
        }
    }

    /// Writes the blocks from `index` on to `room`, which must be whole blocks.
    pub(crate) fn fill(&self, mut index: usize, room: &mut [u8]) {
        let mut rest = room;
        while !rest.is_empty() {
            let (run, after) =
                rest.split_at_mut(rest.len().min(self.consecutive(index).saturating_mul(BLOCK)));
            fill_run(self.at(index), run);
            index += run.len() / BLOCK;
            rest = after;
        }
    }
}

/// Writes consecutive counter blocks to `room`, which must be whole blocks.
fn fill_run(mut counter: u128, mut room: &mut [u8]) {
    while !room.is_empty() {
        let (run, after) = room.split_at_mut(room.len().min(same_half(counter).saturating_mul(BLOCK)));
        let high = ((counter >> 64) as u64).to_be_bytes();
        let mut low = counter as u64;
        let (groups, rest) = run.split_at_mut(run.len() / GROUP * GROUP);
        for group in groups.chunks_exact_mut(GROUP) {
            // Without loops: the compiler does not unroll them when it optimizes for size.
            let second = low.wrapping_add(1).to_be_bytes();
            let third = low.wrapping_add(2).to_be_bytes();
            let fourth = low.wrapping_add(3).to_be_bytes();
            group[..8].copy_from_slice(&high);
            group[8..16].copy_from_slice(&low.to_be_bytes());
            group[16..24].copy_from_slice(&high);
            group[24..32].copy_from_slice(&second);
            group[32..40].copy_from_slice(&high);
            group[40..48].copy_from_slice(&third);
            group[48..56].copy_from_slice(&high);
            group[56..64].copy_from_slice(&fourth);
            low = low.wrapping_add(4);
        }
        for block in rest.chunks_exact_mut(BLOCK) {
            block[..8].copy_from_slice(&high);
            block[8..].copy_from_slice(&low.to_be_bytes());
            low = low.wrapping_add(1);
        }
        counter = counter.wrapping_add((run.len() / BLOCK) as u128);
        room = after;
    }
}

/// Number of blocks from `counter` on with the same upper half of the counter, at most `usize::MAX`.
pub(super) fn same_half(counter: u128) -> usize {
    usize::try_from(u64::MAX - counter as u64).unwrap_or(usize::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(counters: &Counters, index: usize, blocks: usize) -> Vec<u128> {
        let mut room = vec![0; blocks * BLOCK];
        counters.fill(index, &mut room);
        room.chunks(BLOCK).map(|block| u128::from_be_bytes(block.try_into().expect("a block"))).collect()
    }

    #[test]
    fn a_run_continues_over_the_end_of_the_counter() {
        let run = Counters::Run { first: u128::MAX - 1 };
        assert_eq!(filled(&run, 0, 4), [u128::MAX - 1, u128::MAX, 0, 1]);
        assert_eq!(filled(&run, 3, 1), [1]);
    }

    #[test]
    fn each_record_begins_with_counter_two_of_its_nonce() {
        let pattern = NoncePattern { shift: 0, constant: 0xaa << 88 };
        let records = Counters::Records { pattern, first: 7, blocks_each: 3 };
        let block = |sequence: u128, counter: u128| (0xaa << 88 | sequence) << 32 | counter;
        let expected = [block(7, 2), block(7, 3), block(7, 4), block(8, 2), block(8, 3), block(8, 4)];
        assert_eq!(filled(&records, 0, 6), expected);
        for index in 0..6 {
            assert_eq!(filled(&records, index, 6 - index), expected[index..], "{index}");
        }
    }
}
