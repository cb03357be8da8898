//! Generated sources of known entropy, and estimates of them.

#[path = "reference_tests.rs"]
mod reference;

use super::*;

/// SplitMix64.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// True with a probability of `hundredths`/100.
    fn chance(&mut self, hundredths: u64) -> bool {
        self.next() % 100 < hundredths
    }
}

const LENGTH: usize = 20_000;

pub(crate) fn good() -> Vec<u8> {
    let mut generator = Generator(1);
    (0..LENGTH).map(|_| generator.next() as u8).collect()
}

pub(crate) fn biased_coin() -> Vec<u8> {
    let mut generator = Generator(2);
    (0..LENGTH).map(|_| u8::from(generator.chance(70))).collect()
}

/// Repeats its last bit with a probability of 80 %.
fn markov_chain() -> Vec<u8> {
    let mut generator = Generator(3);
    let mut bit = 0;
    (0..LENGTH)
        .map(|_| {
            bit ^= u8::from(!generator.chance(80));
            bit
        })
        .collect()
}

fn counter() -> Vec<u8> {
    (0..LENGTH).map(|i| i as u8).collect()
}

fn lcg() -> Vec<u8> {
    let mut state = 12_345_u32;
    (0..LENGTH)
        .map(|_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (state >> 16) as u8
        })
        .collect()
}

/// Half of the bytes are zero.
pub(crate) fn biased_bytes() -> Vec<u8> {
    let mut generator = Generator(4);
    (0..LENGTH).map(|_| generator.next() as u8).map(|byte| if byte < 128 { 0 } else { byte }).collect()
}

fn period_1024() -> Vec<u8> {
    let once: Vec<u8> = good().into_iter().take(1024).collect();
    once.into_iter().cycle().take(LENGTH).collect()
}

fn estimates(symbols: &Symbols) -> [Option<f64>; 10] {
    Estimator::ALL.map(|estimator| estimator.estimate(symbols))
}

#[test]
fn a_stuck_source_has_no_entropy() {
    let bits = Symbols::of_bits(&[0x55; 4000], 8);
    assert!(Estimator::Markov.estimate(&bits).is_some_and(|entropy| entropy < 0.01));
    for symbols in [Symbols::of_samples(&[7; 4000]), Symbols::of_bits(&[0xff; 4000], 8)] {
        for estimator in Estimator::ALL {
            let estimate = estimator.estimate(&symbols);
            assert!(estimate.is_none_or(|entropy| entropy == 0.0), "{estimator:?}: {estimate:?}");
        }
        assert_eq!(Estimator::MostCommonValue.estimate(&symbols), Some(0.0));
    }
}

#[test]
fn short_data_give_an_estimate_or_none_but_no_panic() {
    for length in 0..200 {
        for data in [&good()[..length], &biased_coin()[..length], &counter()[..length]] {
            for symbols in [Symbols::of_samples(data), Symbols::of_bits(data, 8)] {
                for estimate in estimates(&symbols).into_iter().flatten() {
                    assert!((0.0..=8.0).contains(&estimate), "{length} samples: {estimate}");
                }
            }
        }
    }
}

#[test]
fn estimates_follow_the_known_entropy() {
    let least = |data: &[u8]| {
        estimates(&Symbols::of_samples(data)).into_iter().flatten().fold(f64::INFINITY, f64::min)
    };
    // -log2(0.7), -log2(0.8) and 1: estimates are lower bounds, and the compression estimate is a
    // low one.
    assert!((0.25..=0.515).contains(&least(&biased_coin())));
    assert!((0.1..=0.322).contains(&least(&markov_chain())));
    assert!((0.8..=1.0).contains(&least(&biased_bytes())));
    for predictable in [counter(), period_1024()] {
        assert!(least(&predictable) < 0.02);
    }
}
