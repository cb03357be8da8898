//! Repeated tuples of a sequence, for the t-tuple and the LRS estimate (SP 800-90B, 6.3.5 and
//! 6.3.6).

use super::suffix_array::{common_prefixes, suffix_array};

/// The t-tuple estimate ignores tuples that occur less often (step 1).
const CUTOFF: u32 = 35;

/// Counts of repeated tuples for each length. Index 0 is unused; the last index is the length of
/// the longest repeated tuple.
pub(super) struct Repeats {
    pub most: Vec<u32>,
    pub pairs: Vec<u64>,
}

impl Repeats {
    pub fn of(text: &[u8], alphabet: usize) -> Repeats {
        let lengths = common_prefixes(text, suffix_array(text, alphabet));
        let longest = lengths.iter().copied().max().unwrap_or_default() as usize;
        let mut repeats = Repeats { most: vec![0; longest + 2], pairs: vec![0; longest + 2] };
        // Open groups of suffixes: the length of their common prefix and the index where they
        // begin, the shortest prefix first.
        let mut open: Vec<(u32, usize)> = vec![(0, 0)];
        for (i, &common) in lengths.iter().chain([&0]).enumerate().skip(1) {
            let mut begin = i - 1;
            while let Some(&(length, from)) = open.last() {
                if length <= common {
                    break;
                }
                open.pop();
                begin = from;
                let shorter = open.last().map_or(0, |&(length, _)| length).max(common);
                repeats.add(length as usize, shorter as usize, i - from);
            }
            if open.last().is_none_or(|&(length, _)| length < common) {
                open.push((common, begin));
            }
        }
        repeats.accumulate();
        repeats
    }

    /// `size` suffixes share prefixes of up to `length` symbols. Prefixes longer than `shorter` are
    /// shared by no other suffix.
    fn add(&mut self, length: usize, shorter: usize, size: usize) {
        self.most[length] = self.most[length].max(size as u32);
        let pairs = (size as u64) * (size as u64 - 1) / 2;
        // Differences, which `accumulate` sums.
        self.pairs[shorter + 1] = self.pairs[shorter + 1].wrapping_add(pairs);
        self.pairs[length + 1] = self.pairs[length + 1].wrapping_sub(pairs);
    }

    fn accumulate(&mut self) {
        // Each tuple contains shorter tuples, which occur at least as often.
        for length in (1..self.most.len() - 1).rev() {
            self.most[length] = self.most[length].max(self.most[length + 1]);
        }
        for length in 1..self.pairs.len() {
            self.pairs[length] = self.pairs[length].wrapping_add(self.pairs[length - 1]);
        }
        self.most.pop();
        self.pairs.pop();
    }

    /// The maximum length at which a tuple occurs often enough for the t-tuple estimate.
    pub fn longest_common(&self) -> usize {
        self.most.iter().rposition(|&count| count >= CUTOFF).unwrap_or(0)
    }
}
