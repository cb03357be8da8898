//! The restart tests: SP 800-90B, 3.1.4. The matrix has one row of samples per restart.

use crate::assessment::assess;

pub const RESTARTS: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
pub struct RestartResult {
    pub most: usize,
    /// The sanity check fails above this count.
    pub cutoff: usize,
    /// Min-entropy per sample of all rows concatenated.
    pub of_rows: f64,
    /// Min-entropy per sample of all columns concatenated.
    pub of_columns: f64,
}

impl RestartResult {
    /// The sanity check of 3.1.4.3.
    pub fn is_sane(&self) -> bool {
        self.most <= self.cutoff
    }
}

/// Tests a matrix of `RESTARTS` rows of as many samples. `initial` is the min-entropy per sample
/// that was estimated before and that restarts must not reduce. Returns `None` for another number
/// of samples.
pub fn test_restarts(
    rows: &[u8],
    width: u32,
    initial: f64,
    finished: &(dyn Fn(usize, usize) + Sync),
) -> Option<RestartResult> {
    if rows.len() != RESTARTS * RESTARTS {
        return None;
    }
    let columns: Vec<u8> =
        (0..RESTARTS).flat_map(|column| rows.iter().skip(column).step_by(RESTARTS).copied()).collect();
    let most = |matrix: &[u8]| matrix.chunks(RESTARTS).map(most_common).max().unwrap_or_default();
    let (most, cutoff) = (most(rows).max(most(&columns)), cutoff(initial));
    let of_rows = assess(rows, width, &|done, all| finished(done, 2 * all))?.min_entropy;
    let of_columns = assess(&columns, width, &|done, all| finished(all + done, 2 * all))?.min_entropy;
    Some(RestartResult { most, cutoff, of_rows, of_columns })
}

fn most_common(samples: &[u8]) -> usize {
    let mut counts = [0; 256];
    samples.iter().for_each(|&sample| counts[usize::from(sample)] += 1);
    counts.into_iter().max().unwrap_or_default()
}

/// The count that a healthy source exceeds in any row or column with a probability of 1 %:
/// binomial, for 2000 rows and columns and every value that can have the maximum probability. The
/// standard's tool simulates it instead.
fn cutoff(min_entropy: f64) -> usize {
    let p = 2_f64.powf(-min_entropy);
    let values = (1.0 / p).floor().max(1.0);
    let alpha = (1.0 - 0.99_f64.powf(1.0 / (2 * RESTARTS) as f64)) / values;
    if p >= 1.0 {
        return RESTARTS;
    }
    // From the largest count down, in logarithms: the probability of the largest counts would
    // underflow.
    let trials = RESTARTS as f64;
    let (mut log_term, mut tail) = (trials * p.ln(), 0.0);
    for count in (1..=RESTARTS).rev() {
        tail += log_term.exp();
        if tail > alpha {
            return count;
        }
        let k = count as f64;
        log_term += (k / (trials - k + 1.0) * (1.0 - p) / p).ln();
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutoffs_leave_one_percent_to_a_sound_source() {
        // Computed with exact binomial sums: the smallest count whose tail is within alpha, minus
        // one.
        for (entropy, expected) in [(0.5, 769), (1.0, 572), (2.0, 316), (4.0, 104), (7.0, 27), (8.0, 19)] {
            assert_eq!(cutoff(entropy), expected, "{entropy} bits");
        }
        assert_eq!(cutoff(0.0), RESTARTS);
    }

    #[test]
    fn a_source_that_starts_alike_fails_in_its_columns() {
        // Every restart returns the same 1000 bits.
        let row: Vec<u8> = (0..RESTARTS).map(|i| (i * i / 7 % 2) as u8).collect();
        let rows: Vec<u8> = row.iter().copied().cycle().take(RESTARTS * RESTARTS).collect();
        let result = test_restarts(&rows, 1, 0.9, &|_, _| ()).expect("a whole matrix");
        assert_eq!(result.most, RESTARTS);
        assert!(!result.is_sane() && result.of_columns < 0.1, "{result:?}");
        assert_eq!(test_restarts(&rows[1..], 1, 0.9, &|_, _| ()), None);
    }
}
