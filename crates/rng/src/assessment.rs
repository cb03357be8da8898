//! All estimators over one set of samples, in parallel (SP 800-90B, 3.1.3).

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use outboard_policy::MinEntropy;

use crate::estimators::{Estimator, Symbols};
use crate::health::{Fault, Health};
use crate::iid::Xoshiro;

/// The minimum number of samples that the standard accepts (3.1.1).
pub const LEAST_SAMPLES: usize = 1_000_000;

/// The result of one estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimator.
    pub estimator: Estimator,
    /// Whether it was computed over the bits of the samples instead of the samples themselves.
    pub of_bits: bool,
    /// Bits of min-entropy per sample, or per bit for `of_bits`.
    pub min_entropy: f64,
}

/// The min-entropy of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// Bits of a sample.
    pub width: u32,
    /// The estimates that could be computed, in the standard's order, those of bits last.
    pub estimates: Vec<Estimate>,
    /// Bits per sample: the minimum of all estimates, and at most `width`.
    pub min_entropy: f64,
}

impl Assessment {
    /// Whether an estimate is lower than chance explains for a source of full entropy, of which
    /// `full` is an assessment with the same number of samples.
    pub fn is_below(&self, full: &Assessment, samples: usize) -> bool {
        let is_same = |one: &Estimate, other: &Estimate| {
            one.estimator == other.estimator && one.of_bits == other.of_bits
        };
        self.estimates.iter().any(|one| {
            let symbols = samples as f64 * if one.of_bits { f64::from(self.width) } else { 1.0 };
            let least = least_share(one.estimator, symbols);
            full.estimates
                .iter()
                .any(|other| is_same(one, other) && one.min_entropy < least * other.min_entropy)
        })
    }
}

/// The share of an estimate for full entropy below which another such estimate is less than once in
/// about 1000 times.
///
/// The first estimates have a normal distribution; that of compression is the widest, with a
/// relative standard deviation of about 16 / sqrt(bits). The others depend on the longest repeated
/// or correctly predicted string. For full entropy its length is near log2(symbols) bits, and each
/// further bit halves the probability.
fn least_share(estimator: Estimator, symbols: f64) -> f64 {
    const RARE_BITS: f64 = 12.0;
    match estimator {
        Estimator::MostCommonValue | Estimator::Markov | Estimator::Compression => {
            1.0 - (85.0 / symbols.sqrt()).clamp(0.03, 1.0)
        }
        _ => symbols.log2() / (symbols.log2() + RARE_BITS),
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
        for (count, width) in [(5000, 8), (20_000, 8), (50_000, 1)] {
            let full = attainable(count, width, &|_, _| ()).expect("enough samples");
            let below =
                |seed| full_entropy(seed, count, width, &|_, _| ()).expect("enough").is_below(&full, count);
            let seeds: Vec<u64> = (1..=20).filter(|&seed| below(seed)).collect();
            assert_eq!(seeds, [0; 0], "{count} samples of {width} bits");
        }
    }

    #[test]
    fn chance_does_not_explain_bias_and_dependence() {
        const COUNT: usize = 50_000;
        let full = attainable(COUNT, 1, &|_, _| ()).expect("enough samples");
        let mut generator = Xoshiro::new(9);
        let mut chance =
            |share: f64| u8::from((generator.next() >> 11) as f64 / (1_u64 << 53) as f64 <= share);
        let biased: Vec<u8> = (0..COUNT).map(|_| chance(0.6)).collect();
        let mut last = 0;
        let dependent: Vec<u8> = std::iter::repeat_with(|| {
            last ^= chance(0.35);
            last
        })
        .take(COUNT)
        .collect();
        for samples in [biased, dependent] {
            assert!(assess(&samples, 1, &|_, _| ()).expect("enough samples").is_below(&full, COUNT));
        }
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(assess(&[], 8, &|_, _| ()), None);
    }
}
