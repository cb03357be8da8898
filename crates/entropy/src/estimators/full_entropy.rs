//! The least estimate that chance explains for full entropy: independent symbols of equal
//! probability.
//!
//! Estimates of such symbols are below their entropy for two reasons: each is the end of a
//! confidence interval (SP 800-90B, 6.3), and the largest of many counts is above its expectation.
//! Both are known for independent symbols, so the limits follow from the definitions of the
//! estimators, and not from observed sources. A limit holds for one estimate with a probability of
//! at least 1 - ALPHA.

use super::compression::entropy_at_full_entropy;
use super::prediction::at_least_local;
use super::{Estimator, Z_ALPHA, min_entropy, upper_bound};

/// An assessment has at most 17 estimates, so one of them is below its limit less than once in 1000
/// assessments of full entropy.
const ALPHA: f64 = 5e-5;
/// The quantile of the normal distribution for ALPHA, one-sided.
const Z_RARE: f64 = 3.890_592;
/// The number of lengths of tuples over which the probability is divided.
const LENGTHS: f64 = 64.0;

impl Estimator {
    /// The limit for `count` symbols of `width` bits each, in bits per symbol.
    pub(crate) fn least_at_full_entropy(self, count: usize, width: u32) -> f64 {
        let (count, values) = (count as f64, f64::from(1_u32 << width));
        match self {
            Estimator::MostCommonValue => most_common_value(count, values),
            Estimator::Collision => collision(count),
            Estimator::Markov => markov(count),
            Estimator::Compression => entropy_at_full_entropy(count as usize, Z_RARE),
            Estimator::TTuple => t_tuple(count, f64::from(width)),
            Estimator::Lrs => longest_repeated_substring(count, f64::from(width)),
            Estimator::MultiMcw | Estimator::Lag | Estimator::MultiMmc | Estimator::Lz78y => {
                prediction(count, values)
            }
        }
    }
}

/// The share of successes that has a probability of at most exp(-nats) to be reached: Chernoff's
/// bound for the binomial distribution, exp(-count D(share || p)).
fn rare_share(count: f64, p: f64, nats: f64) -> f64 {
    let divergence = |share: f64| {
        let rest = if share < 1.0 { (1.0 - share) * ((1.0 - share) / (1.0 - p)).ln() } else { 0.0 };
        share * (share / p).ln() + rest
    };
    bisect(p, 1.0, |share| count * divergence(share) < nats)
}

/// The same for a count with a Poisson distribution.
fn rare_count(mean: f64, nats: f64) -> f64 {
    let exponent = |count: f64| count * (count / mean).ln() - count + mean;
    bisect(mean, 2.0 * mean + 2.0 * nats + 2.0, |count| exponent(count) < nats)
}

fn bisect(mut low: f64, mut high: f64, is_low: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if is_low(middle) { low = middle } else { high = middle }
    }
    high
}

/// 6.3.1: any of the values may be the most common one.
fn most_common_value(count: f64, values: f64) -> f64 {
    min_entropy(upper_bound(rare_share(count, 1.0 / values, (values / ALPHA).ln()), count))
}

/// 6.3.2: the first collision occurs after two or three bits, with a mean of 2.5 and a standard
/// deviation of 0.5. There are at least count / 3 collisions; the deviation of their mean is
/// bounded by Hoeffding's inequality.
fn collision(count: f64) -> f64 {
    let collisions = count / 3.0;
    let below = ((1.0 / ALPHA).ln() / (2.0 * collisions)).sqrt() + Z_ALPHA * 0.5 / collisions.sqrt();
    // The root of mean = 2 + 2p(1-p), as in the estimator.
    min_entropy(0.5 + (below / 2.0).sqrt().min(0.5))
}

/// 6.3.3: no step of the most likely string is more probable than the largest of the estimated
/// probabilities. Hoeffding's inequality bounds these, the number of transitions from each bit, and
/// the share of the first bit: at most eight events.
fn markov(count: f64) -> f64 {
    let nats = (8.0 / ALPHA).ln();
    let transitions = (count / 2.0 - (count * nats / 2.0).sqrt()).max(1.0);
    min_entropy((0.5 + (nats / (2.0 * transitions)).sqrt()).min(1.0))
}

/// 6.3.5: the occurrences of a tuple have nearly a Poisson distribution (Arratia, Goldstein, Gordon
/// 1990), and any of the tuples of a length may be the most common one. Only tuples with at least
/// 35 occurrences count.
fn t_tuple(count: f64, width: f64) -> f64 {
    const CUTOFF: f64 = 35.0;
    let most = |length: &f64| {
        let bits = length * width;
        rare_count(count / bits.exp2(), bits * 2_f64.ln() + (LENGTHS / ALPHA).ln())
    };
    let lengths = (1..).map(f64::from).map(|length| (length, most(&length)));
    let shares = lengths.take_while(|(_, most)| *most >= CUTOFF);
    let share = shares.map(|(length, most)| (most / count).min(1.0).powf(1.0 / length)).reduce(f64::max);
    share.map_or(0.0, |share| min_entropy(upper_bound(share, count)))
}

/// 6.3.6: the number of pairs of equal tuples has nearly a Poisson distribution, so the longest
/// repeated tuple has a length near 2 log2(count) bits (Arratia, Gordon, Waterman 1986),
/// and each further bit halves the probability.
fn longest_repeated_substring(count: f64, width: f64) -> f64 {
    let pairs = count * (count - 1.0) / 2.0;
    let expected = (1..).map(f64::from).map(|length| (length, pairs / (length * width).exp2()));
    let possible = expected.take_while(|(_, mean)| *mean >= ALPHA);
    let shares = possible.map(|(length, mean)| {
        let most = rare_count(mean, (LENGTHS / ALPHA).ln()).floor().max(1.0);
        (most / pairs).min(1.0).powf(1.0 / length)
    });
    shares.reduce(f64::max).map_or(0.0, |share| min_entropy(upper_bound(share, count)))
}

/// 6.3.7 to 6.3.10: each prediction is right with a probability of 1/values, whatever the
/// predictor. A run of r correct ones has a probability of at most count / values^r.
fn prediction(count: f64, values: f64) -> f64 {
    // The smallest window of MultiMCW; no other predictor leaves out more symbols at the start.
    const UNPREDICTED: f64 = 63.0;
    let predictions = (count - UNPREDICTED).max(2.0);
    let global = upper_bound(rare_share(predictions, 1.0 / values, (1.0 / ALPHA).ln()), predictions);
    let longest_run = ((count / ALPHA).ln() / values.ln()).ceil();
    min_entropy(at_least_local(global, longest_run + 1.0, predictions))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact tails of the binomial and the Poisson distribution, summed term by term.
    #[test]
    fn bounds_are_above_the_exact_quantiles_and_near_them() {
        for (count, p, alpha, exact) in
            [(20_000.0, 1.0 / 256.0, ALPHA / 256.0, 128.0), (50_000.0, 0.5, ALPHA / 2.0, 25_454.0)]
        {
            let bound = count * rare_share(count, p, -f64::ln(alpha));
            assert!((exact - 1.0..1.05 * exact).contains(&bound), "{bound}, exact {exact}");
        }
        for (mean, alpha, exact) in [(15.26, 1e-9, 45.0), (0.45, 1e-6, 7.0), (300.0, 1e-8, 403.0)] {
            let bound = rare_count(mean, -f64::ln(alpha));
            assert!((exact - 1.0..1.15 * exact).contains(&bound), "{bound}, exact {exact}");
        }
    }

    #[test]
    fn limits_rise_with_the_number_of_symbols_to_the_entropy() {
        for estimator in Estimator::ALL {
            let width = if estimator.is_binary_only() { 1 } else { 8 };
            let limits: Vec<f64> = [10_000, 100_000, 1_000_000, 100_000_000]
                .map(|count| estimator.least_at_full_entropy(count, width))
                .into();
            // A length that becomes possible may lower a limit a little.
            assert!(limits[0] < limits[3] && limits[3] <= f64::from(width), "{estimator:?}: {limits:?}");
            assert!(limits[0] > 0.3 * f64::from(width), "{estimator:?}: {limits:?}");
        }
    }
}
