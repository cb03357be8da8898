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

pub(crate) struct Instructions;

impl Method for Instructions {
    type Power = [Rotated; 3];
    type Sums = [u128; 3];

    fn is_there() -> bool {
        of_cpu::is_there()
    }

    fn prepare(power: &[u8; BLOCK], prepared: &mut [Rotated; 3]) -> bool {
        *prepared =
            field::parts_of_power(power).map(|part| [0, 8, 16, 24, 32].map(|bits| part.rotate_right(bits)));
        true
    }

    fn add(powers: &[[Rotated; 3]], hash: &[u8; BLOCK], blocks: &[u8], products: &mut [u128; 3]) {
        of_cpu::add(powers, hash, blocks, products);
    }

    fn reduced([high, low, both]: &[u128; 3]) -> [u8; BLOCK] {
        field::reduced(*high, *low, *both)
    }
}
