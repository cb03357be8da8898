//! Blocks of a result that equal their input: those that a driver did not write.
//!
//! Requests are processed in place, or the buffer of the result has the input at first. What the
//! device did not write, or a DMA transfer missed, is therefore still input. An encrypted block
//! equals its input with probability 2^-128 (triple DES: 2^-64), unless the input was chosen for
//! it.

/// In blocks. Written one after the other below: code that is optimised for size has no loop
/// unrolled.
const STEP: usize = 4;

/// Of blocks of `size` bytes, 16 or 8, from block `from` on.
pub(crate) fn first_equal_block(left: &[u8], right: &[u8], size: usize, from: usize) -> Option<usize> {
    debug_assert!(left.len() == right.len());
    let (left, right) = (left.get(from * size..)?, right.get(from * size..)?);
    let found = if size == 16 { first_equal::<16>(left, right) } else { first_equal::<8>(left, right) };
    found.map(|index| from + index)
}

fn first_equal<const SIZE: usize>(left: &[u8], right: &[u8]) -> Option<usize> {
    let mut steps = left.chunks_exact(STEP * SIZE).zip(right.chunks_exact(STEP * SIZE));
    let step = steps.position(|(left, right)| {
        let is_equal = |block| is_equal::<SIZE>(left, right, block);
        is_equal(0) || is_equal(1) || is_equal(2) || is_equal(3)
    });
    let from = step.unwrap_or_else(|| left.len().min(right.len()) / (STEP * SIZE)) * STEP;
    let blocks = left.len().min(right.len()) / SIZE;
    (from..blocks).find(|&block| is_equal::<SIZE>(left, right, block))
}

/// Arrays, because the comparison of four-byte slices is a call of memcmp on 32-bit Arm.
#[inline(always)]
fn is_equal<const SIZE: usize>(left: &[u8], right: &[u8], block: usize) -> bool {
    const WORD: usize = size_of::<usize>();
    let (left, right) = (&left[block * SIZE..][..SIZE], &right[block * SIZE..][..SIZE]);
    left.first_chunk::<WORD>() == right.first_chunk::<WORD>() && left[WORD..] == right[WORD..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_equal_block_is_found_wherever_it_is() {
        for (size, blocks) in [(16, 1), (16, 4), (16, 7), (16, 64), (8, 1), (8, 9), (8, 130)] {
            // A rest that is no whole block is not compared.
            let left: Vec<u8> = (0..blocks * size + size - 1).map(|at| (at * 7 + at / 256) as u8).collect();
            let right: Vec<u8> = left.iter().map(|byte| !byte).collect();
            assert_eq!(first_equal_block(&left, &right, size, 0), None, "{size}, {blocks}");
            for place in 0..blocks {
                let mut right = right.clone();
                let block = place * size..(place + 1) * size;
                right[block.clone()].copy_from_slice(&left[block.clone()]);
                for from in 0..=blocks {
                    let found = first_equal_block(&left, &right, size, from);
                    assert_eq!(found, (from <= place).then_some(place), "{size}, {blocks}, from {from}");
                }
                // One byte that differs, anywhere in the block.
                for at in block {
                    right[at] ^= 1;
                    assert_eq!(first_equal_block(&left, &right, size, 0), None, "{size}, byte {at}");
                    right[at] ^= 1;
                }
            }
        }
    }
}
