//! The continuous health tests of SP 800-90B, 4.4, over samples of one byte.

use std::fmt;

use outboard_policy::MinEntropy;
use zeroize::Zeroize;

use crate::cutoff::{ALPHA, WINDOW, proportion, repetitions};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The repetition count test: the number of equal bytes in a row.
    Repeats(u32),
    /// The adaptive proportion test: the number of equal bytes in a window.
    Unbalanced(u32),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Repeats(times) => {
                write!(f, "{times} equal bytes in a row (repetition count test of SP 800-90B)")
            }
            Fault::Unbalanced(times) => {
                write!(f, "{times} of {WINDOW} bytes are equal (adaptive proportion test of SP 800-90B)")
            }
        }
    }
}

pub struct Health {
    most_repetitions: u32,
    most_equal: u32,
    /// With the number of times in a row that it occurred.
    last: u8,
    repetitions: u32,
    /// Of the window, with the number of times that it occurred, and the number of samples so far.
    first: u8,
    equal: u32,
    seen: u32,
}

impl Health {
    pub fn new(entropy: MinEntropy) -> Health {
        Health {
            most_repetitions: repetitions(entropy, ALPHA),
            most_equal: proportion(entropy, ALPHA, WINDOW),
            last: 0,
            repetitions: 0,
            first: 0,
            equal: 0,
            seen: 0,
        }
    }

    pub fn test(&mut self, samples: &[u8]) -> Result<(), Fault> {
        samples.iter().try_for_each(|&sample| {
            self.count_repetitions(sample)?;
            self.count_equal(sample)
        })
    }

    fn count_repetitions(&mut self, sample: u8) -> Result<(), Fault> {
        if self.repetitions == 0 || sample != self.last {
            (self.last, self.repetitions) = (sample, 1);
            return Ok(());
        }
        self.repetitions += 1;
        if self.repetitions >= self.most_repetitions { Err(Fault::Repeats(self.repetitions)) } else { Ok(()) }
    }

    fn count_equal(&mut self, sample: u8) -> Result<(), Fault> {
        if self.seen == 0 {
            (self.first, self.equal) = (sample, 0);
        }
        self.seen = (self.seen + 1) % WINDOW;
        self.equal += u32::from(sample == self.first);
        if self.equal >= self.most_equal { Err(Fault::Unbalanced(self.equal)) } else { Ok(()) }
    }
}

impl Drop for Health {
    fn drop(&mut self) {
        // These are bytes of the source's output.
        self.last.zeroize();
        self.first.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: usize = WINDOW as usize;

    use proptest::prelude::*;

    fn health(entropy: &str) -> Health {
        Health::new(entropy.parse().expect("this test"))
    }

    /// A healthy source: SplitMix64.
    fn good(seed: u64) -> impl Iterator<Item = u8> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)).to_le_bytes()
        })
        .flatten()
    }

    /// The number of bytes until a source fails, and the test that it fails.
    fn caught(entropy: &str, source: impl Iterator<Item = u8>) -> Option<(usize, Fault)> {
        let mut health = health(entropy);
        source.take(1 << 18).enumerate().find_map(|(i, byte)| Some((i + 1, health.test(&[byte]).err()?)))
    }

    #[test]
    fn a_stuck_source_is_caught_at_the_cutoff_and_not_before() {
        for value in [0, 0xff, 0x5a] {
            assert_eq!(caught("2", std::iter::repeat(value)), Some((16, Fault::Repeats(16))));
            assert_eq!(caught("8", std::iter::repeat(value)), Some((5, Fault::Repeats(5))));
        }
        let mut health = health("2");
        for byte in 0..=u8::MAX {
            assert_eq!(health.test(&[byte; 15]), Ok(()), "one less than the cut-off");
        }
    }

    #[test]
    fn an_alternating_source_is_caught_in_its_first_window() {
        assert_eq!(caught("2", [1, 2].into_iter().cycle()), Some((379, Fault::Unbalanced(190))));
        // Three alternating values occur 171 times in 512: within the limit for 2 bits, but not for
        // 4.
        assert_eq!(caught("2", [1, 2, 3].into_iter().cycle()), None);
        assert_eq!(caught("4", [1, 2, 3].into_iter().cycle()), Some((211, Fault::Unbalanced(71))));
    }

    #[test]
    fn a_biased_source_is_caught() {
        // Half of the bytes are zero: 1 bit of min-entropy where 2 were configured.
        let biased = |seed| good(seed).map(|byte| if byte < 128 { 0 } else { byte });
        for seed in 0..50 {
            let (bytes, fault) = caught("2", biased(seed)).expect("it is biased");
            assert!(bytes <= 16 * LENGTH, "only after {bytes} bytes: {fault:?}");
            assert_eq!(caught("1", biased(seed)), None, "with the right statement it passes");
        }
    }

    #[test]
    fn a_source_that_goes_bad_once_is_caught_there() {
        // Across the border of two chunks and of two windows.
        let mut health = health("2");
        let before: Vec<u8> = good(3).take(LENGTH - 8).chain([7; 8]).collect();
        assert_eq!(health.test(&before), Ok(()));
        assert_eq!(health.test(&[7; 7]), Ok(()));
        assert_eq!(health.test(&[7]), Err(Fault::Repeats(16)));
    }

    #[test]
    fn exactly_the_cutoff_in_one_window_fails_and_one_less_does_not() {
        // The value 0, alternating with all other values.
        let window = |equal: usize| {
            (0..LENGTH).map(move |i| if i < equal * 2 && i % 2 == 0 { 0 } else { 1 + (i % 251) as u8 })
        };
        assert_eq!(caught("2", window(190)), Some((379, Fault::Unbalanced(190))));
        assert_eq!(caught("2", window(189).chain(window(189))), None);
    }

    #[test]
    fn good_sources_pass() {
        for seed in 0..8 {
            for entropy in ["0.5", "2", "4", "8"] {
                assert_eq!(caught(entropy, good(seed)), None, "seed {seed}, {entropy} bits");
            }
        }
    }

    proptest! {
        #[test]
        fn how_a_source_is_cut_into_pieces_changes_nothing(
            samples in prop::collection::vec(0..3_u8, 0..2000), pieces in prop::collection::vec(1..200_usize, 1..40)
        ) {
            let whole = health("1").test(&samples);
            let (mut health, mut rest, mut result) = (health("1"), &samples[..], Ok(()));
            for &piece in pieces.iter().cycle() {
                let (now, later) = rest.split_at(piece.min(rest.len()));
                rest = later;
                result = result.and_then(|()| health.test(now));
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(result, whole);
        }
    }
}
