//! Products of 64 by 64 bits from products of polynomials of 8 bits (VMULL.P8).
//!
//! Câmara, Gouvêa, López and Dahab, "Fast Software Polynomial Multiplication on ARM Processors Using
//! the NEON Engine" (2013). Here the sums over the blocks of a group are formed before the products
//! are put into their places and reduced.

#[cfg_attr(target_arch = "arm", path = "arm.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod of_cpu;

pub(crate) use of_cpu::openssl_is_better;

use crate::BLOCK;
use crate::field;
use crate::group::Method;

/// A part of a power, and that rotated by one, two, three and four bytes.
type Rotated = [u64; 5];

/// Sums of the products of 8 by 8 bits whose factors are 0, 1, 2, 3 and 4 bytes apart, each in a 16-bit
/// lane: lane i has byte i of the first factor, or of the second one, as the lower one.
type Sums = [u128; 5];

pub(crate) struct Instructions;

impl Method for Instructions {
    type Power = [Rotated; 3];
    type Sums = [Sums; 3];

    fn is_there() -> bool {
        of_cpu::is_there()
    }

    fn prepare(power: &[u8; BLOCK], prepared: &mut [Rotated; 3]) -> bool {
        *prepared =
            field::parts_of_power(power).map(|part| [0, 8, 16, 24, 32].map(|bits| part.rotate_right(bits)));
        true
    }

    fn add(powers: &[[Rotated; 3]], hash: &[u8; BLOCK], blocks: &[u8], sums: &mut [Sums; 3]) {
        of_cpu::add(powers, hash, blocks, sums);
    }

    fn reduced(sums: &[Sums; 3]) -> [u8; BLOCK] {
        let [high, low, both] = sums;
        field::reduced(placed(high), placed(low), placed(both))
    }
}

/// Puts the products into their places: a product of 64 by 64 bits.
fn placed([same, one, two, three, four]: &Sums) -> u128 {
    // The lanes at the top wrap around: byte 7 and byte 0 are seven bytes apart, and so on.
    let one = (one << 16 >> 8) ^ (one >> 112 << 56);
    let two = (two << 32 >> 16) ^ (two >> 96 << 48);
    let three = (three << 48 >> 24) ^ (three >> 80 << 40);
    let four = (four << 64 >> 32) ^ (four >> 64 << 32);
    same ^ one ^ two ^ three ^ four
}
