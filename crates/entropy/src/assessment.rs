//! All estimators over one set of samples, in parallel (SP 800-90B, 3.1.3).

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use outboard_policy::MinEntropy;

use crate::estimators::{Estimator, Symbols};
use crate::xoshiro::Xoshiro;
use outboard_rng::{Fault, Health};

/// The minimum number of samples that the standard accepts (3.1.1).
pub const LEAST_SAMPLES: usize = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub estimator: Estimator,
    /// Whether it was computed over the bits of the samples instead of the samples themselves.
    pub of_bits: bool,
    /// Bits of min-entropy per sample, or per bit for `of_bits`.
    pub min_entropy: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    pub width: u32,
    /// The estimates that could be computed, in the standard's order, those of bits last.
    pub estimates: Vec<Estimate>,
    /// Bits per sample: the minimum of all estimates, and at most `width`.
    pub min_entropy: f64,
}

impl Assessment {
    /// Whether an estimate of this number of samples is lower than chance explains for a source of
    /// full entropy.
    pub fn is_below_full_entropy(&self, samples: usize) -> bool {
        self.estimates.iter().any(|one| {
            let width = self.width as usize;
            let (count, width) = if one.of_bits { (samples * width, 1) } else { (samples, self.width) };
            one.min_entropy < one.estimator.least_at_full_entropy(count, width)
        })
    }
}

/// The number of bits that samples use, if these are the low bits of each byte.
pub fn width_of(samples: &[u8]) -> u32 {
    (8 - samples.iter().fold(0, |all, &sample| all | sample).leading_zeros()).max(1)
}

/// Runs all estimators in parallel on all CPUs. `finished` is called with the number of finished
/// estimates and of all. Returns `None` if no estimator could be run.
pub fn assess(samples: &[u8], width: u32, finished: &(dyn Fn(usize, usize) + Sync)) -> Option<Assessment> {
    let literal = Symbols::of_samples(samples);
    let bits = (width > 1).then(|| Symbols::of_bits(samples, width));
    let (literal, bits) = (&literal, bits.as_ref());
    // Estimates of bits take longest, and LRS uses the result of t-tuple: so these start first and
    // last.
    let of_bits = bits.into_iter().flat_map(|bits| Estimator::ALL.map(|estimator| (estimator, bits, true)));
    let mut work: Vec<_> =
        of_bits.chain(Estimator::ALL.map(|estimator| (estimator, literal, false))).collect();
    work.sort_by_key(|&(estimator, _, of_bits)| match estimator {
        Estimator::TTuple => (0, !of_bits),
        Estimator::Lrs => (2, !of_bits),
        _ => (1, !of_bits),
    });
    let (next, done, found) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let run = || {
        while let Some(&(estimator, symbols, of_bits)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(min_entropy) = estimator.estimate(symbols) {
                let estimate = Estimate { estimator, of_bits, min_entropy };
                found.lock().unwrap_or_else(|broken| broken.into_inner()).push(estimate);
            }
            finished(done.fetch_add(1, Ordering::Relaxed) + 1, work.len());
        }
    };
    thread::scope(|scope| {
        for _ in 1..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(run);
        }
        run();
    });
    let mut estimates = found.into_inner().unwrap_or_else(|broken| broken.into_inner());
    estimates.sort_by_key(|estimate| (estimate.of_bits, estimate.estimator));
    let per_sample = |one: &Estimate| one.min_entropy * if one.of_bits { f64::from(width) } else { 1.0 };
    let min_entropy = estimates.iter().map(per_sample).reduce(f64::min)?.min(f64::from(width));
    Some(Assessment { width, estimates, min_entropy })
}

/// The assessment of a source of full entropy with this number of samples. Its result is below the
/// true entropy because of the confidence intervals.
pub fn attainable(count: usize, width: u32, finished: &(dyn Fn(usize, usize) + Sync)) -> Option<Assessment> {
    full_entropy(0, count, width, finished)
}

fn full_entropy(
    seed: u64,
    count: usize,
    width: u32,
    finished: &(dyn Fn(usize, usize) + Sync),
) -> Option<Assessment> {
    let mut generator = Xoshiro::new(seed);
    let samples: Vec<u8> = (0..count).map(|_| (generator.next() >> (64 - width)) as u8).collect();
    assess(&samples, width, finished)
}

/// Runs the continuous health tests over all samples. Returns the first fault and the number of
/// samples up to it.
pub fn continuous_health(samples: &[u8], entropy: MinEntropy) -> Option<(usize, Fault)> {
    let mut health = Health::new(entropy);
    samples.iter().enumerate().find_map(|(i, &sample)| Some((i + 1, health.test(&[sample]).err()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_the_least_estimate_per_sample() {
        let samples: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8).collect();
        assert_eq!(width_of(&samples), 5);
        let assessment = assess(&samples, 5, &|_, _| ()).expect("enough samples");
        for one in &assessment.estimates {
            assert!(
                assessment.min_entropy <= one.min_entropy * if one.of_bits { 5.0 } else { 1.0 },
                "{one:?}"
            );
        }
        assert_eq!(assessment.estimates.iter().filter(|one| one.of_bits).count(), 10);
    }

    #[test]
    fn a_stuck_source_has_no_entropy_and_no_health() {
        let assessment = assess(&[9; 5000], 8, &|_, _| ()).expect("enough samples");
        assert!(assessment.min_entropy < 0.01, "{}", assessment.min_entropy);
        assert_eq!(continuous_health(&[9; 5000], MinEntropy::default()), Some((16, Fault::Repeats(16))));
    }

    #[test]
    fn full_entropy_gets_more_the_more_samples_there_are() {
        let [few, many] =
            [5000, 50_000].map(|count| attainable(count, 1, &|_, _| ()).expect("enough samples").min_entropy);
        assert!(0.3 < few && few < many && many < 1.0, "{few} {many}");
    }

    #[test]
    fn chance_explains_the_estimates_of_full_entropy() {
        for (count, width) in [(5000, 8), (20_000, 8), (50_000, 1), (20_000, 4)] {
            let is_below = |seed| {
                full_entropy(seed, count, width, &|_, _| ()).expect("enough").is_below_full_entropy(count)
            };
            let seeds: Vec<u64> = (0..20).filter(|&seed| is_below(seed)).collect();
            assert_eq!(seeds, [0; 0], "{count} samples of {width} bits");
        }
    }

    /// The limits are not so low that they hold for anything: they are within a few percent, a third
    /// or, where the longest repeated string decides, a half of the estimates of a good source.
    #[test]
    fn the_limits_of_full_entropy_are_near_its_estimates() {
        const COUNT: usize = 50_000;
        for estimate in attainable(COUNT, 1, &|_, _| ()).expect("enough samples").estimates {
            let least = estimate.estimator.least_at_full_entropy(COUNT, 1) / estimate.min_entropy;
            let expected = match estimate.estimator {
                Estimator::MostCommonValue | Estimator::Markov => 0.95,
                Estimator::Collision | Estimator::Compression => 0.7,
                _ => 0.5,
            };
            assert!(expected < least && least < 1.0, "{estimate:?}: {least}");
        }
    }

    #[test]
    fn chance_does_not_explain_bias_and_dependence() {
        const COUNT: usize = 50_000;
        let mut generator = Xoshiro::new(9);
        let mut chance =
            |share: f64| u8::from((generator.next() >> 11) as f64 / (1_u64 << 53) as f64 <= share);
        let biased: Vec<u8> = (0..COUNT).map(|_| chance(0.53)).collect();
        let mut last = 0;
        let dependent: Vec<u8> = std::iter::repeat_with(|| {
            last ^= chance(0.46);
            last
        })
        .take(COUNT)
        .collect();
        let is_below = |samples: &[u8]| {
            assess(samples, 1, &|_, _| ()).expect("enough samples").is_below_full_entropy(COUNT)
        };
        assert!(is_below(&biased) && is_below(&dependent));
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(assess(&[], 8, &|_, _| ()), None);
    }
}
