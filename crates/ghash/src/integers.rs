//! Products of polynomials by the multiplication of integers.
//!
//! Every fourth bit of a number is a class. A column of the product of two classes of 16 bits is the sum
//! of up to 16 products of bits; its four bits have place for 15, and the lowest one is the coefficient.
//! Only a column of 16 products of ones is too large, if both classes have ones only. A key of which a
//! power has such a class is not used, which is known before the data: one key of 150.

use crate::BLOCK;
use crate::field;
use crate::group::Method;
#[cfg(target_arch = "x86_64")]
use in_memory::add_products;
#[cfg(not(target_arch = "x86_64"))]
use in_registers::add_products;

/// Every fourth bit.
const CLASS: u64 = 0x1111_1111_1111_1111;

/// Every fourth bit of a product.
const CLASSES: u128 = (CLASS as u128) << 64 | CLASS as u128;

/// The classes of a part of a block, and the sums of them that Karatsuba's multiplication needs.
type Classes = [u64; 9];

pub(crate) struct Integers;

#[inline(always)]
fn classes(part: u64) -> Classes {
    let [a, b, c, d] = [part & CLASS, part >> 1 & CLASS, part >> 2 & CLASS, part >> 3 & CLASS];
    [a, b, a ^ b, c, d, c ^ d, a ^ c, b ^ d, a ^ b ^ c ^ d]
}

/// The product of two numbers from the products of their parts of `bits` bits.
#[inline(always)]
fn karatsuba(bits: u32, low: u128, high: u128, both: u128) -> u128 {
    low ^ (low ^ high ^ both) << bits ^ high << (2 * bits)
}

/// The product of two parts of a block from the products of their classes.
#[inline(always)]
fn placed([a, b, ab, c, d, cd, ac, bd, abcd]: &[u128; 9]) -> u128 {
    let of_two =
        |low: &u128, high: &u128, both: &u128| karatsuba(1, low & CLASSES, high & CLASSES, both & CLASSES);
    karatsuba(2, of_two(a, b, ab), of_two(c, d, cd), of_two(ac, bd, abcd))
}

impl Method for Integers {
    type Power = [Classes; 3];
    type Sums = [[u128; 9]; 3];

    fn is_there() -> bool {
        cfg!(target_pointer_width = "64")
    }

    fn prepare(power: &[u8; BLOCK], prepared: &mut [Classes; 3]) -> bool {
        *prepared = field::parts_of_power(power).map(classes);
        // Each is compared, so that the time does not show which one it is.
        prepared.as_flattened().iter().fold(true, |is_usable, class| is_usable & (*class != CLASS))
    }

    fn add(powers: &[[Classes; 3]], hash: &[u8; BLOCK], blocks: &[u8], sums: &mut [[u128; 9]; 3]) {
        let mut hash = field::element(hash);
        let parts = blocks
            .chunks_exact(BLOCK)
            .map(|block| field::parts(field::element(block) ^ std::mem::take(&mut hash)));
        add_products(parts, powers, sums);
    }

    fn reduced(sums: &[[u128; 9]; 3]) -> [u8; BLOCK] {
        let [high, low, both] = sums;
        field::reduced(placed(high), placed(low), placed(both))
    }
}

/// The sums stay in memory: there are 16 registers. Unrolled by hand: `opt-level = "s"` keeps a loop. The
/// compiler has more than three instructions for a product.
#[cfg(target_arch = "x86_64")]
pub(crate) mod in_memory {
    use super::{Classes, classes};

    pub(crate) fn add_products(
        parts: impl Iterator<Item = [u64; 3]>,
        powers: &[[Classes; 3]],
        sums: &mut [[u128; 9]; 3],
    ) {
        for ([high, low, both], power) in parts.zip(powers) {
            add::<0>(&classes(high), power, sums);
            add::<1>(&classes(low), power, sums);
            add::<2>(&classes(both), power, sums);
        }
    }

    #[inline(always)]
    fn add<const PART: usize>(classes: &Classes, power: &[Classes; 3], sums: &mut [[u128; 9]; 3]) {
        macro_rules! add {
            ($($at:literal)*) => {$(
                // SAFETY: reads a number of `power`, and changes one of `sums`.
                unsafe {
                    std::arch::asm!(
                        "mul qword ptr [{power} + 8 * {at}]",
                        "xor qword ptr [{sums} + 16 * {at}], rax",
                        "xor qword ptr [{sums} + 16 * {at} + 8], rdx",
                        power = in(reg) power.as_ptr(),
                        sums = in(reg) sums.as_mut_ptr(),
                        at = const 9 * PART + $at,
                        inout("rax") classes[$at] => _,
                        out("rdx") _,
                        options(nostack),
                    );
                }
            )*};
        }
        add!(0 1 2 3 4 5 6 7 8);
    }
}

/// The sums of a part are in registers.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) mod in_registers {
    use super::{Classes, classes};
    use crate::group::GROUP;

    pub(crate) fn add_products(
        parts: impl Iterator<Item = [u64; 3]>,
        powers: &[[Classes; 3]],
        sums: &mut [[u128; 9]; 3],
    ) {
        let mut found = [[0; 3]; GROUP];
        found.iter_mut().zip(parts).for_each(|(found, parts)| *found = parts);
        for (part, sums) in sums.iter_mut().enumerate() {
            let [mut s0, mut s1, mut s2, mut s3, mut s4, mut s5, mut s6, mut s7, mut s8] = *sums;
            for (found, power) in found.iter().zip(powers) {
                let (classes, power) = (classes(found[part]), &power[part]);
                let product = |at: usize| u128::from(classes[at]) * u128::from(power[at]);
                s0 ^= product(0);
                s1 ^= product(1);
                s2 ^= product(2);
                s3 ^= product(3);
                s4 ^= product(4);
                s5 ^= product(5);
                s6 ^= product(6);
                s7 ^= product(7);
                s8 ^= product(8);
            }
            *sums = [s0, s1, s2, s3, s4, s5, s6, s7, s8];
        }
    }
}
