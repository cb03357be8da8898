//! 64-bit Arm, where every CPU has VMULL.P8 (PMULL of 8 bits).

use core::arch::aarch64::{
    uint64x2_t, vcreate_u8, vdupq_n_u64, veorq_u64, vgetq_lane_u64, vmull_p8, vreinterpret_p8_u8,
    vreinterpretq_u64_p16,
};

use super::half;
use crate::field::Sums;
use crate::{BLOCK, Entry};

/// Bit of getauxval(3) (arch/arm64/include/uapi/asm/hwcap.h).
const PMULL: libc::c_ulong = 1 << 4;

pub(crate) fn is_there() -> bool {
    true
}

/// Whether this CPU does not have the multiplication of 64 bits, with which OpenSSL is faster.
pub fn is_best() -> bool {
    // SAFETY: a number only.
    unsafe { libc::getauxval(libc::AT_HWCAP) & PMULL == 0 }
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

pub(super) fn products(part: usize, powers: &[Entry], blocks: &[u8], sums: &mut Sums) {
    match part {
        0 => of_part::<0>(powers, blocks, sums),
        1 => of_part::<1>(powers, blocks, sums),
        _ => of_part::<2>(powers, blocks, sums),
    }
}

/// Unrolled by hand: `opt-level = "s"` keeps a loop, and with it the sums in memory.
fn of_part<const PART: usize>(powers: &[Entry], blocks: &[u8], sums: &mut Sums) {
    // SAFETY: each CPU has these instructions.
    unsafe {
        let mut found = [vdupq_n_u64(0); 5];
        for (block, [power, one, two, three, four]) in blocks.chunks_exact(BLOCK).zip(powers) {
            let half = half(PART, block);
            let turned = |bytes: u32, rotated: u64| {
                veorq_u64(eight(half.rotate_right(8 * bytes), *power), eight(half, rotated))
            };
            found[0] = veorq_u64(found[0], eight(half, *power));
            found[1] = veorq_u64(found[1], turned(1, *one));
            found[2] = veorq_u64(found[2], turned(2, *two));
            found[3] = veorq_u64(found[3], turned(3, *three));
            found[4] = veorq_u64(found[4], eight(half, *four));
        }
        for (sum, found) in sums.iter_mut().zip(found) {
            *sum ^= u128::from(vgetq_lane_u64::<1>(found)) << 64 | u128::from(vgetq_lane_u64::<0>(found));
        }
    }
}
