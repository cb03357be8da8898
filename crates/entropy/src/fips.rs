//! The statistical tests of FIPS 140-2 (change notice 1 of 2001-10-10) on blocks of 20,000 bits.
//!
//! The standard withdrew them in December 2002. They detect only a stuck or grossly biased source.

pub const BLOCK: usize = 2500;

/// Fraction of the blocks of a healthy source that fail at least one test.
pub const EXPECTED_FAILURES: f64 = 8e-4;

/// Limits of the number of runs of 1, 2, 3, 4, 5 and at least 6 equal bits, for zeros and for ones.
const RUNS: [(u32, u32); 6] = [(2315, 2685), (1114, 1386), (527, 723), (240, 384), (103, 209), (103, 209)];

/// A run of this length fails the long run test.
const LONG_RUN: u32 = 26;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FipsFailures {
    /// Number of ones outside 9,726 to 10,274.
    pub monobit: bool,
    /// The distribution of 4-bit values is too uneven, or too even.
    pub poker: bool,
    pub runs: bool,
    /// A run of at least 26 equal bits.
    pub long_run: bool,
    /// Two consecutive equal words of 32 bits.
    pub continuous_run: bool,
}

impl FipsFailures {
    /// Whether the block failed at least one test.
    pub fn any(self) -> bool {
        self.monobit || self.poker || self.runs || self.long_run || self.continuous_run
    }
}

#[derive(Clone, Debug)]
pub struct Fips {
    last_word: u32,
}

impl Fips {
    /// `first` is the word before the first block, with which the continuous run test compares.
    pub fn new(first: [u8; 4]) -> Fips {
        Fips { last_word: u32::from_le_bytes(first) }
    }

    pub fn test(&mut self, block: &[u8; BLOCK]) -> FipsFailures {
        let ones: u32 = words(block).map(|(word, _)| word.count_ones()).sum();
        let (runs, longest) = runs(block);
        FipsFailures {
            monobit: !(9726..=10274).contains(&ones),
            poker: poker_fails(block),
            runs: runs.iter().any(|of_value| {
                of_value.iter().zip(RUNS).any(|(&count, (least, most))| !(least..=most).contains(&count))
            }),
            long_run: longest >= LONG_RUN,
            continuous_run: self.continuous_run_fails(block),
        }
    }

    fn continuous_run_fails(&mut self, block: &[u8; BLOCK]) -> bool {
        let mut fails = false;
        for bytes in block.chunks_exact(4) {
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            fails |= word == self.last_word;
            self.last_word = word;
        }
        fails
    }
}

/// The bits of a block, most significant first, as words with their number of bits.
fn words(block: &[u8; BLOCK]) -> impl Iterator<Item = (u64, u32)> {
    block.chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        (u64::from_be_bytes(word), 8 * bytes.len() as u32)
    })
}

/// The statistic X = 16/5000 · Σ f² − 5000 must lie between 2.16 and 46.17, which limits the sum of
/// squares.
fn poker_fails(block: &[u8; BLOCK]) -> bool {
    let mut bytes = [0_u32; 256];
    block.iter().for_each(|&byte| bytes[usize::from(byte)] += 1);
    let mut nibbles = [0_u32; 16];
    for (byte, count) in bytes.iter().enumerate() {
        nibbles[byte >> 4] += count;
        nibbles[byte & 15] += count;
    }
    let squares: u32 = nibbles.iter().map(|count| count * count).sum();
    !(1_563_176..=1_576_928).contains(&squares)
}

/// The number of runs of each length for zeros and ones, and the longest run.
fn runs(block: &[u8; BLOCK]) -> ([[u32; 6]; 2], u32) {
    let (mut counts, mut longest) = ([[0; 6]; 2], 0);
    let mut value = block[0] >> 7;
    let (mut before, mut start, mut position) = (u64::from(value), 0_u32, 0_u32);
    let mut end_run = |value: u8, length: u32| {
        counts[usize::from(value)][length.min(6) as usize - 1] += 1;
        longest = longest.max(length);
    };
    for (word, bits) in words(block) {
        // A one for each bit that differs from the preceding bit.
        let mut changes = word ^ (word >> 1 | before << 63);
        if bits < 64 {
            changes &= !(u64::MAX >> bits);
        }
        while changes != 0 {
            let place = changes.leading_zeros();
            changes &= !(1 << (63 - place));
            end_run(value, position + place - start);
            start = position + place;
            value ^= 1;
        }
        before = word & 1;
        position += bits;
    }
    end_run(value, position - start);
    (counts, longest)
}

#[cfg(test)]
#[path = "fips_tests.rs"]
mod tests;
