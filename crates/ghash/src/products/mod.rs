//! Products of 64 by 64 bits from products of 8 by 8 bits, before they are put into their places.

#[cfg_attr(all(target_arch = "arm", target_endian = "little"), path = "arm.rs")]
#[cfg_attr(all(target_arch = "aarch64", target_endian = "little"), path = "aarch64.rs")]
#[cfg_attr(
    not(all(any(target_arch = "arm", target_arch = "aarch64"), target_endian = "little")),
    path = "plain.rs"
)]
mod of_cpu;

use crate::field::Sums;
use crate::{BLOCK, Entry};
pub use of_cpu::is_best;
pub(crate) use of_cpu::is_there;

/// Adds the products of a part of each block and its power to `sums`. The caller has checked that the
/// instructions are there.
pub(crate) fn add(part: usize, powers: &[Entry], blocks: &[u8], sums: &mut Sums) {
    assert!(blocks.len() % BLOCK == 0 && blocks.len() / BLOCK <= powers.len());
    of_cpu::products(part, powers, blocks, sums);
}

/// A part of a block.
#[cfg(not(all(target_arch = "arm", target_endian = "little")))]
#[inline(always)]
fn half(part: usize, block: &[u8]) -> u64 {
    let half = |bytes: &[u8]| u64::from_be_bytes(std::array::from_fn(|at| bytes[at]));
    let (high, low) = (half(&block[..8]), half(&block[8..]));
    [high, low, high ^ low][part]
}
