//! Four blocks at a time with SSE2, which every x86-64 CPU has.

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi32,
    _mm_set_epi64x, _mm_storeu_si128, _mm_xor_si128,
};

pub(super) const BLOCKS: usize = 4;

/// As `neon::mix`.
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
    let (high, low) = (((counter >> 64) as u64).to_be(), (counter as u64).to_be());
    // SAFETY: guaranteed by the caller; SSE2 is part of the architecture.
    unsafe {
        let mut counters = _mm_set_epi64x(low as i64, high as i64);
        let [one, two, three, four] = [1, 2, 3, 4].map(|n| _mm_set_epi32(n << 24, 0, 0, 0));
        for group in 0..groups {
            let at = |start: *const u8| start.cast::<__m128i>().add(group * BLOCKS);
            // Without arrays and loops, which the compiler keeps in memory when it optimizes for size.
            let from = at(stream);
            let zeroth = from.read_volatile();
            let first = from.add(1).read_volatile();
            let second = from.add(2).read_volatile();
            let third = from.add(3).read_volatile();
            let equal = _mm_or_si128(
                _mm_or_si128(
                    _mm_cmpeq_epi32(zeroth, counters),
                    _mm_cmpeq_epi32(first, _mm_add_epi32(counters, one)),
                ),
                _mm_or_si128(
                    _mm_cmpeq_epi32(second, _mm_add_epi32(counters, two)),
                    _mm_cmpeq_epi32(third, _mm_add_epi32(counters, three)),
                ),
            );
            if _mm_movemask_epi8(equal) != 0 {
                return group;
            }
            let (text, to) = (at(input), at(output).cast_mut());
            _mm_storeu_si128(to, _mm_xor_si128(_mm_loadu_si128(text), zeroth));
            _mm_storeu_si128(to.add(1), _mm_xor_si128(_mm_loadu_si128(text.add(1)), first));
            _mm_storeu_si128(to.add(2), _mm_xor_si128(_mm_loadu_si128(text.add(2)), second));
            _mm_storeu_si128(to.add(3), _mm_xor_si128(_mm_loadu_si128(text.add(3)), third));
            counters = _mm_add_epi32(counters, four);
        }
    }
    groups
}
