//! GF(2^128) as in SP 800-38D (6.3), by Karatsuba's multiplication of 64 by 64 bits: an element is a number
//! whose highest bit is the coefficient of x^0.

use crate::BLOCK;

/// A block as an element.
#[inline(always)]
pub(crate) fn element(block: &[u8]) -> u128 {
    block.first_chunk().map_or(0, |block| u128::from_be_bytes(*block))
}

/// The high half of an element, the low half, their sum.
#[inline(always)]
pub(crate) fn parts(element: u128) -> [u64; 3] {
    let (high, low) = ((element >> 64) as u64, element as u64);
    [high, low, high ^ low]
}

/// The parts of a power, divided by x: [`reduced`] needs that.
pub(crate) fn parts_of_power(power: &[u8; BLOCK]) -> [u64; 3] {
    let power = element(power);
    let lowest = power >> 127;
    parts((power ^ (0xe1 << 120 & lowest.wrapping_neg())) << 1 | lowest)
}

/// The product of two elements from the products of their parts.
#[inline(always)]
pub(crate) fn reduced(high: u128, low: u128, both: u128) -> [u8; BLOCK] {
    let middle = both ^ high ^ low;
    // Bit p of the 256 bits is the coefficient of x^(255-p): the lower half is to be multiplied by
    // x^128, which is 1 + x + x^2 + x^7.
    let (high, low) = (high ^ middle >> 64, low ^ middle << 64);
    let low = low ^ low << 127 ^ low << 126 ^ low << 121;
    (high ^ low ^ low >> 1 ^ low >> 2 ^ low >> 7).to_be_bytes()
}
