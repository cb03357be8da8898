//! The verdict on the number of blocks that failed the tests of FIPS 140-2.
//!
//! Blocks of a random source fail independently, so the number of failures has a Poisson
//! distribution. Its mean is known to one percent: monobit 1.035e-4, runs 2.996e-4 (the sum of its
//! twelve intervals) and long run 2.976e-4 are exact, poker and the 0.5 % of blocks that fail two
//! tests were counted in 4,000,000 blocks of AES-CTR, of which 3,241 failed. The tests of
//! significance use the end of that interval in favour of the source.

use crate::documents::rng::RngVerdict;
use outboard_entropy::EXPECTED_FAILURES;

/// `Fail`: a random source has a count this extreme with a probability below this.
const CERTAIN: f64 = 1e-6;
/// `Doubtful`: the same with a probability below this.
const DOUBTFUL: f64 = 1e-3;
/// Relative uncertainty of `EXPECTED_FAILURES`.
const UNCERTAINTY: f64 = 0.01;

pub fn of(failures: u64, blocks: u64) -> RngVerdict {
    let expected = blocks as f64 * EXPECTED_FAILURES;
    let many = at_least(failures, expected * (1.0 + UNCERTAINTY));
    let few = at_most(failures, expected * (1.0 - UNCERTAINTY));
    match () {
        () if many < CERTAIN => RngVerdict::Fail,
        () if few < CERTAIN => RngVerdict::Regular,
        () if many.min(few) < DOUBTFUL => RngVerdict::Doubtful,
        () => RngVerdict::Pass,
    }
}

/// Returns whether the output must not be used.
pub fn is_bad(verdict: RngVerdict) -> bool {
    matches!(verdict, RngVerdict::Fail | RngVerdict::Regular)
}

pub fn sentence(verdict: RngVerdict) -> &'static str {
    match verdict {
        RngVerdict::Pass => {
            "PASS: the number of failures is that of a good source. This sanity check proves no entropy: outboard rng assess."
        }
        RngVerdict::Doubtful => {
            "DOUBTFUL: a good source has such a number of failures less than once in 1000 runs. Test more blocks (--blocks)."
        }
        RngVerdict::Fail => {
            "FAIL: a good source has this many failures less than once in a million runs. Do not use its output as it is."
        }
        RngVerdict::Regular => {
            "FAIL: a good source has so few failures less than once in a million runs. The output is too regular to be random: \
             look for a pattern that repeats."
        }
    }
}

/// Returns the probability of at least `count` events when `expected` are expected (Poisson); 1 if
/// `count` is not more than that.
fn at_least(count: u64, expected: f64) -> f64 {
    if count as f64 <= expected {
        return 1.0;
    }
    let (mut term, mut sum, mut k) = (probability(count, expected), 0.0, count as f64);
    while term > sum * 1e-12 && term > 0.0 {
        sum += term;
        k += 1.0;
        term *= expected / k;
    }
    sum
}

/// Returns the probability of at most `count` events; 1 if `count` is not less than expected.
fn at_most(count: u64, expected: f64) -> f64 {
    if count as f64 >= expected {
        return 1.0;
    }
    let (mut term, mut sum, mut k) = (probability(count, expected), 0.0, count as f64);
    while term > sum * 1e-12 && term > 0.0 {
        sum += term;
        term *= k / expected;
        k -= 1.0;
    }
    sum
}

/// Returns the probability of exactly `count` events, by logarithms: the factors would overflow.
fn probability(count: u64, expected: f64) -> f64 {
    let log_factorial: f64 = (1..=count).map(|i| (i as f64).ln()).sum();
    (count as f64 * expected.ln() - expected - log_factorial).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_poisson_distribution() {
        // 1 - e^-0.8 (1 + 0.8 + 0.8^2/2 + ...), and e^-16 (1 + 16), to nine digits.
        for (found, expected) in [
            (at_least(1, 0.8), 0.550_671_036),
            (at_least(6, 0.8), 1.843_425_21e-4),
            (at_most(0, 16.0), 1.125_351_747e-7),
            (at_most(1, 16.0), 1.913_097_970e-6),
        ] {
            assert!((found / expected - 1.0).abs() < 1e-6, "{found}, expected {expected}");
        }
        assert_eq!((at_least(3, 3.0), at_most(3, 3.0)), (1.0, 1.0));
    }

    #[test]
    fn the_verdict_depends_on_how_many_failures_are_expected() {
        assert_eq!(of(0, 1), RngVerdict::Pass);
        assert_eq!(of(1, 1), RngVerdict::Doubtful);
        // A Poisson distribution overstates the chance of a few blocks that all fail.
        assert_eq!(of(2, 2), RngVerdict::Doubtful);
        assert_eq!(of(3, 3), RngVerdict::Fail);
        assert_eq!(of(1, 1000), RngVerdict::Pass);
        assert_eq!(of(6, 1000), RngVerdict::Doubtful);
        assert_eq!(of(9, 1000), RngVerdict::Fail);
        assert_eq!(of(27, 39_999), RngVerdict::Pass);
        assert_eq!(of(80, 39_999), RngVerdict::Fail);
        assert_eq!(of(1_000_000, 1_000_000), RngVerdict::Fail);
    }

    #[test]
    fn too_few_failures_are_no_sign_of_a_good_source() {
        assert_eq!(of(0, 1000), RngVerdict::Pass);
        assert_eq!(of(0, 10_000), RngVerdict::Doubtful);
        assert_eq!(of(0, 20_000), RngVerdict::Regular);
        assert_eq!(of(3241, 4_000_000), RngVerdict::Pass);
    }

    /// With 10^9 blocks, one percent of the mean is nine standard deviations.
    #[test]
    fn the_uncertainty_of_the_mean_is_no_failure() {
        for failures in [794_000, 800_000, 806_000] {
            assert_eq!(of(failures, 1_000_000_000), RngVerdict::Pass, "{failures}");
        }
    }
}
