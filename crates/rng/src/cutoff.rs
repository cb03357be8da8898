//! Cutoffs of the health tests (SP 800-90B, 4.4.1 and 4.4.2).

use outboard_policy::MinEntropy;

/// The negative binary logarithm of alpha, the probability that a healthy source fails a test; the
/// standard recommends 20 to 40. A source with exactly the configured entropy fails once in 2^30
/// bytes, one with one bit per byte more than the default of 2 once in 2^45.
pub(crate) const ALPHA: u32 = 30;

/// Window of the adaptive proportion test in samples, for samples of more than one bit.
pub(crate) const WINDOW: u32 = 512;

/// 2 to the power of -1/100.
const ROOT: f64 = 0.993_092_495_437_035_9;

/// Equal consecutive samples at which the test fails: 1 + ceil(-log2(alpha) / H).
pub(crate) fn repetitions(entropy: MinEntropy, alpha: u32) -> u32 {
    1 + (alpha * 100).div_ceil(entropy.hundredths().into())
}

/// Samples in a window equal to its first one at which the test fails: 1 + critbinom(window, 2^-H,
/// 1 - alpha).
pub(crate) fn proportion(entropy: MinEntropy, alpha: u32, window: u32) -> u32 {
    // Computed by multiplication, since exp2 would need the mathematical library.
    let likeliest = (0..entropy.hundredths()).fold(1.0, |product, _| product * ROOT);
    let alpha = (0..alpha).fold(1.0, |half, _| half / 2.0);
    1 + critical_value(window, likeliest, alpha)
}

/// Successes that `trials` trials with probability `p` exceed with a probability of at most
/// `alpha`.
fn critical_value(trials: u32, p: f64, alpha: f64) -> u32 {
    // Probabilities are relative to that of the mode: absolute ones would underflow at the
    // extremes. A relative probability that underflows is negligible compared with the mode.
    let odds = p / (1.0 - p);
    let step = |k: u32| odds * f64::from(trials - k) / f64::from(k + 1);
    let mode = (f64::from(trials + 1) * p) as u32;
    let (mut weight, mut total) = (1.0, 1.0);
    for k in (0..mode).rev() {
        weight /= step(k);
        total += weight;
    }
    let (mut weight, mut exceeding) = (1.0, 0.0);
    for k in mode..trials {
        weight *= step(k);
        exceeding += weight;
    }
    total += exceeding;
    let (mut critical, mut weight) = (mode, 1.0);
    while exceeding > alpha * total {
        weight *= step(critical);
        exceeding -= weight;
        critical += 1;
    }
    critical
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(entropy: &str) -> MinEntropy {
        entropy.parse().expect("this test")
    }

    #[test]
    fn repetitions_of_the_standards_example() {
        // 4.4.1: alpha 2^-20 and H = 2.0.
        assert_eq!(repetitions(at("2"), 20), 11);
    }

    #[test]
    fn proportions_of_the_standards_table() {
        // 4.4.2, alpha 2^-20: H and the cutoff, for binary and for other samples.
        let binary = [("0.6", 748), ("0.8", 664), ("1", 589)];
        let others = [("0.5", 410), ("1", 311), ("2", 177), ("4", 62), ("8", 13)];
        for (entropy, cutoff) in binary {
            assert_eq!(proportion(at(entropy), 20, 1024), cutoff, "{entropy}");
        }
        for (entropy, cutoff) in others {
            assert_eq!(proportion(at(entropy), 20, WINDOW), cutoff, "{entropy}");
        }
    }

    #[test]
    fn cutoffs_in_force() {
        // Computed independently, with exact binomial coefficients and 80 decimal digits.
        let table = [
            ("0.5", 61, 422),
            ("1", 31, 325),
            ("2", 16, 190),
            ("3.04", 11, 112),
            ("4", 9, 71),
            ("6", 6, 31),
            ("8", 5, 16),
        ];
        for (entropy, repeated, equal) in table {
            assert_eq!(repetitions(at(entropy), ALPHA), repeated, "{entropy}");
            assert_eq!(proportion(at(entropy), ALPHA, WINDOW), equal, "{entropy}");
        }
    }

    #[test]
    fn less_entropy_never_lowers_a_cutoff_and_every_cutoff_can_be_reached() {
        let all: Vec<MinEntropy> = MinEntropy::all().collect();
        for pair in all.windows(2) {
            let [less, more] =
                [0, 1].map(|i| (repetitions(pair[i], ALPHA), proportion(pair[i], ALPHA, WINDOW)));
            assert!(less.0 >= more.0 && less.1 >= more.1, "{pair:?}: {less:?} {more:?}");
            assert!(less.1 <= WINDOW && more.0 > 2 && more.1 > 2);
        }
    }
}
