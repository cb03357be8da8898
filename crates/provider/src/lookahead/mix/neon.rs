//! Four blocks at a time with NEON, which every 64-bit Arm CPU has.

use std::arch::aarch64::{
    uint32x4_t, vaddq_u32, vceqq_u32, vdupq_n_u32, veorq_u8, vld1q_u8, vmaxvq_u32, vorrq_u32,
    vreinterpretq_u8_u32, vreinterpretq_u32_u8, vsetq_lane_u32, vst1q_u8,
};

use super::super::counters::BLOCK;

pub(super) const BLOCKS: usize = 4;

/// Mixes `groups` of [`BLOCKS`] blocks, for which the counter's lowest byte does not overflow, and returns
/// how many: it ends before one with a suspicious block.
///
/// # Safety
/// As for [`super::mix_words`].
pub(super) unsafe fn mix(
    stream: *const u8,
    counter: u128,
    groups: usize,
    input: *const u8,
    output: *mut u8,
) -> usize {
    let bytes = counter.to_be_bytes();
    // SAFETY: guaranteed by the caller; NEON is part of the architecture.
    unsafe {
        let mut counters = vreinterpretq_u32_u8(vld1q_u8(bytes.as_ptr()));
        // The last byte is the highest one of the last word.
        let [one, two, three, four] = [1, 2, 3, 4].map(|n| vsetq_lane_u32::<3>(n << 24, vdupq_n_u32(0)));
        for group in 0..groups {
            let at = group * BLOCKS * BLOCK;
            let from = stream.add(at).cast::<uint32x4_t>();
            // As in sse2.rs.
            let zeroth = from.read_volatile();
            let first = from.add(1).read_volatile();
            let second = from.add(2).read_volatile();
            let third = from.add(3).read_volatile();
            let equal = vorrq_u32(
                vorrq_u32(vceqq_u32(zeroth, counters), vceqq_u32(first, vaddq_u32(counters, one))),
                vorrq_u32(
                    vceqq_u32(second, vaddq_u32(counters, two)),
                    vceqq_u32(third, vaddq_u32(counters, three)),
                ),
            );
            if vmaxvq_u32(equal) != 0 {
                return group;
            }
            let (text, to) = (input.add(at), output.add(at));
            vst1q_u8(to, veorq_u8(vld1q_u8(text), vreinterpretq_u8_u32(zeroth)));
            let (text, to) = (text.add(BLOCK), to.add(BLOCK));
            vst1q_u8(to, veorq_u8(vld1q_u8(text), vreinterpretq_u8_u32(first)));
            let (text, to) = (text.add(BLOCK), to.add(BLOCK));
            vst1q_u8(to, veorq_u8(vld1q_u8(text), vreinterpretq_u8_u32(second)));
            let (text, to) = (text.add(BLOCK), to.add(BLOCK));
            vst1q_u8(to, veorq_u8(vld1q_u8(text), vreinterpretq_u8_u32(third)));
            counters = vaddq_u32(counters, four);
        }
    }
    groups
}
