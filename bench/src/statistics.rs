//! The middle of some samples, and how far they lie from it.

use serde::{Deserialize, Serialize};

/// Median and median absolute deviation: one run that something else disturbed moves neither.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The middle sample.
    pub median: f64,
    /// The middle distance of the samples from it.
    pub mad: f64,
}

impl Summary {
    /// Of at least one sample.
    pub fn of(samples: &[f64]) -> Option<Summary> {
        let median = median(samples)?;
        let distances: Vec<f64> = samples.iter().map(|sample| (sample - median).abs()).collect();
        Some(Summary { median, mad: self::median(&distances)? })
    }

    /// The deviation as a part of the median.
    pub fn relative(&self) -> f64 {
        self.mad / self.median
    }
}

/// The middle of the samples; the mean of the two in the middle if their number is even.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlier_moves_neither() {
        let summary = Summary::of(&[10.0, 12.0, 11.0, 1000.0, 9.0]);
        assert_eq!(summary, Some(Summary { median: 11.0, mad: 1.0 }));
    }

    #[test]
    fn of_an_even_number_the_middle_is_between_two() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
