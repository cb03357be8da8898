//! 64-bit Arm, where every CPU has VMULL.P8 (PMULL of 8 bits).

use core::arch::aarch64::{
    uint64x2_t, vcreate_u8, vdupq_n_u64, veorq_u64, vgetq_lane_u64, vmull_p8, vreinterpret_p8_u8,
    vreinterpretq_u64_p16,
};

use super::Rotated;
use crate::BLOCK;
use crate::field::{element, parts};

/// Bit of getauxval(3) (arch/arm64/include/uapi/asm/hwcap.h).
const PMULL: libc::c_ulong = 1 << 4;

pub(crate) fn is_there() -> bool {
    true
}

/// Whether this CPU has the multiplication of 64 bits.
pub(crate) fn openssl_is_better() -> bool {
    // SAFETY: a number only.
    unsafe { libc::getauxval(libc::AT_HWCAP) & PMULL != 0 }
}

/// The products of eight bytes each.
#[inline(always)]
fn eight(left: u64, right: u64) -> uint64x2_t {
    // SAFETY: each CPU has these instructions.
    unsafe {
        let [left, right] = [left, right].map(|bytes| vreinterpret_p8_u8(vcreate_u8(bytes)));
        vreinterpretq_u64_p16(vmull_p8(left, right))
    }
}

pub(crate) fn add(
    powers: &[[Rotated; 3]],
    hash: &[u8; BLOCK],
    blocks: &[u8],
    [high, low, both]: &mut [u128; 3],
) {
    add_products::<0>(powers, hash, blocks, high);
    add_products::<1>(powers, hash, blocks, low);
    add_products::<2>(powers, hash, blocks, both);
}

/// Sums of the products of 8 by 8 bits whose factors are 0, 1, 2, 3 and 4 bytes apart, each in a 16-bit
/// lane: lane i has byte i of the first factor, or of the second one, as the lower one. They are put into
/// their places: a product of 64 by 64 bits.
fn placed([same, one, two, three, four]: [u128; 5]) -> u128 {
    // The lanes at the top wrap around: byte 7 and byte 0 are seven bytes apart, and so on.
    let one = (one << 16 >> 8) ^ (one >> 112 << 56);
    let two = (two << 32 >> 16) ^ (two >> 96 << 48);
    let three = (three << 48 >> 24) ^ (three >> 80 << 40);
    let four = (four << 64 >> 32) ^ (four >> 64 << 32);
    same ^ one ^ two ^ three ^ four
}

/// Unrolled by hand: `opt-level = "s"` keeps a loop, and with it the sums in memory.
fn add_products<const PART: usize>(
    powers: &[[Rotated; 3]],
    hash: &[u8; BLOCK],
    blocks: &[u8],
    product: &mut u128,
) {
    let mut hash = element(hash);
    // SAFETY: each CPU has these instructions.
    unsafe {
        let mut found = [vdupq_n_u64(0); 5];
        for (block, power) in blocks.chunks_exact(BLOCK).zip(powers) {
            let half = parts(element(block) ^ std::mem::take(&mut hash))[PART];
            let [power, one, two, three, four] = &power[PART];
            let turned = |bytes: u32, rotated: u64| {
                veorq_u64(eight(half.rotate_right(8 * bytes), *power), eight(half, rotated))
            };
            found[0] = veorq_u64(found[0], eight(half, *power));
            found[1] = veorq_u64(found[1], turned(1, *one));
            found[2] = veorq_u64(found[2], turned(2, *two));
            found[3] = veorq_u64(found[3], turned(3, *three));
            found[4] = veorq_u64(found[4], eight(half, *four));
        }
        *product ^= placed(found.map(|found| {
            u128::from(vgetq_lane_u64::<1>(found)) << 64 | u128::from(vgetq_lane_u64::<0>(found))
        }));
    }
}
