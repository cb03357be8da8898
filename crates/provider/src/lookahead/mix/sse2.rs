//! Four blocks at a time with SSE2, which every x86-64 CPU has.

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi32,
    _mm_set_epi64x, _mm_storeu_si128, _mm_xor_si128,
};

pub(super) const BLOCKS: usize = 4;

/// Processes up to `groups` times [`BLOCKS`] blocks, in which only the last byte of the counter
/// changes. Returns the number of groups, which ends before one with a suspicious block.
///
/// # Safety
/// As for [`super::mix_run`].
pub(super) unsafe fn mix(
    stream: *const u8,
    counter: u128,
    groups: usize,
    input: *const u8,
    output: *mut u8,
) -> usize {
    let (high, low) = (((counter >> 64) as u64).to_be(), (counter as u64).to_be());
    // SAFETY: guaranteed by the caller; SSE2 is part of the architecture.
    unsafe {
        let mut first = _mm_set_epi64x(low as i64, high as i64);
        let [one, two, three, four] = [1, 2, 3, 4].map(|n| _mm_set_epi32(n << 24, 0, 0, 0));
        for group in 0..groups {
            let at = |start: *const u8| start.cast::<__m128i>().add(group * BLOCKS);
            let from = at(stream);
            let blocks: [__m128i; BLOCKS] = [
                from.read_volatile(),
                from.add(1).read_volatile(),
                from.add(2).read_volatile(),
                from.add(3).read_volatile(),
            ];
            let equal = _mm_or_si128(
                _mm_or_si128(
                    _mm_cmpeq_epi32(blocks[0], first),
                    _mm_cmpeq_epi32(blocks[1], _mm_add_epi32(first, one)),
                ),
                _mm_or_si128(
                    _mm_cmpeq_epi32(blocks[2], _mm_add_epi32(first, two)),
                    _mm_cmpeq_epi32(blocks[3], _mm_add_epi32(first, three)),
                ),
            );
            if _mm_movemask_epi8(equal) != 0 {
                return group;
            }
            let (text, to) = (at(input), at(output).cast_mut());
            for (index, block) in blocks.into_iter().enumerate() {
                _mm_storeu_si128(to.add(index), _mm_xor_si128(_mm_loadu_si128(text.add(index)), block));
            }
            first = _mm_add_epi32(first, four);
        }
    }
    groups
}
