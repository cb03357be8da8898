//! The compression estimate: SP 800-90B, 6.3.4, after Maurer's universal statistic.

use super::{Symbols, Z_ALPHA, min_entropy};

/// Bits of a block.
const BLOCK: usize = 6;
const INITIAL: usize = 1000;
/// Smaller probabilities do not change the result, and would require slow arithmetic with subnormal
/// numbers.
const NEGLIGIBLE: f64 = 1e-30;

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let blocks = symbols.all().chunks_exact(BLOCK);
    let count = blocks.len();
    if count <= INITIAL + 1 {
        return None;
    }
    let logs: Vec<f64> = (0..=count).map(|number| (number as f64).log2()).collect();
    let mut last_seen = [0_usize; 1 << BLOCK];
    let (mut sum, mut squares) = (0.0, 0.0);
    for (index, block) in (1..).zip(blocks) {
        let value = block.iter().fold(0, |value, &bit| value << 1 | usize::from(bit));
        if index > INITIAL {
            let distance = logs[index - last_seen[value]];
            sum += distance;
            squares += distance * distance;
        }
        last_seen[value] = index;
    }
    let tested = (count - INITIAL) as f64;
    let mean = sum / tested;
    let deviation = 0.5907 * (squares / (tested - 1.0) - mean * mean).max(0.0).sqrt();
    let mean_bound = mean - Z_ALPHA * deviation / tested.sqrt();
    Some(entropy_of_mean(mean_bound, &logs))
}

/// The estimate of `bits` bits of full entropy whose mean is `deviations` standard deviations below
/// its expectation. 0.5907 is the factor of step 6 for the dependence of distances; the variance of
/// one is Maurer's for blocks of 6 bits (SP 800-22, 2.9.4).
pub(super) fn entropy_at_full_entropy(bits: usize, deviations: f64) -> f64 {
    const VARIANCE: f64 = 2.954;
    let count = bits / BLOCK;
    if count <= INITIAL + 1 {
        return 0.0;
    }
    let logs: Vec<f64> = (0..=count).map(|number| (number as f64).log2()).collect();
    let uniform = 1.0 / (1 << BLOCK) as f64;
    let mean = expected_mean_of_value(uniform, &logs) / uniform;
    let error = 0.5907 * VARIANCE.sqrt() / ((count - INITIAL) as f64).sqrt();
    entropy_of_mean(mean - (Z_ALPHA + deviations) * error, &logs)
}

/// Solves the equation of step 7 by bisection: the expected mean decreases as p increases.
fn entropy_of_mean(mean: f64, logs: &[f64]) -> f64 {
    let values = (1 << BLOCK) as f64;
    let expected = |p: f64| {
        let others = (1.0 - p) / (values - 1.0);
        expected_mean_of_value(p, logs) + (values - 1.0) * expected_mean_of_value(others, logs)
    };
    let (mut low, mut high) = (1.0 / values, 1.0);
    if expected(low) <= mean {
        return 1.0;
    }
    while high - low > 1e-13 {
        let middle = (low + high) / 2.0;
        if expected(middle) > mean { low = middle } else { high = middle }
    }
    min_entropy((low + high) / 2.0) / BLOCK as f64
}

/// G(z) of step 7: the contribution of a value of probability `z` to the mean. For each block t
/// after the initial ones, it is the sum of log2(u) times the probability that the value last
/// occurred u blocks before.
fn expected_mean_of_value(z: f64, logs: &[f64]) -> f64 {
    let count = logs.len() - 1;
    let (mut seen, mut total, mut absent) = (0.0, 0.0, 1.0);
    for (t, log) in logs.iter().enumerate().skip(1) {
        if t > INITIAL {
            if absent < NEGLIGIBLE {
                total += (count + 1 - t) as f64 * z * z * seen;
                break;
            }
            total += z * z * seen + z * log * absent;
        }
        seen += log * absent;
        absent *= 1.0 - z;
    }
    total / (count - INITIAL) as f64
}
