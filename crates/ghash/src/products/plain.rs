//! Other CPUs: plain code, for the tests of what follows the products.

use super::half;
use crate::field::Sums;
use crate::{BLOCK, Entry};

pub(crate) fn is_there() -> bool {
    true
}

/// Whether a CPU computes GHASH best in this way: none of these does.
pub fn is_best() -> bool {
    false
}

/// The products of eight bytes each.
fn eight(left: u64, right: u64) -> u128 {
    let mut lanes = 0;
    for byte in 0..8 {
        let [left, right] = [left, right].map(|bytes| u128::from(bytes >> (8 * byte) & 0xff));
        for bit in 0..8 {
            lanes ^= (left << bit & (right >> bit & 1).wrapping_neg()) << (16 * byte);
        }
    }
    lanes
}

pub(super) fn products(part: usize, powers: &[Entry], blocks: &[u8], sums: &mut Sums) {
    for (block, [power, one, two, three, four]) in blocks.chunks_exact(BLOCK).zip(powers) {
        let half = half(part, block);
        sums[0] ^= eight(half, *power);
        for (at, rotated) in [(1, one), (2, two), (3, three)] {
            sums[at] ^= eight(half.rotate_right(8 * at as u32), *power) ^ eight(half, *rotated);
        }
        sums[4] ^= eight(half, *four);
    }
}
