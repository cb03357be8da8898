//! The middle of some samples, how far they lie from it, and which of them lie too far.

use serde::{Deserialize, Serialize};

/// The median absolute deviation of normal noise times this is its standard deviation.
const OF_NORMAL: f64 = 1.4826;

/// The standard error of a median of normal noise is so many times that of the mean.
const OF_MEDIAN: f64 = 1.2533;

/// From this modified z-score on a sample is an outlier (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
const OUTLIER: f64 = 3.5;

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

    /// How far the true middle may well be from the median of so many samples, as a part of it.
    pub fn error(&self, samples: usize) -> f64 {
        OF_MEDIAN * OF_NORMAL * self.relative() / (samples.max(1) as f64).sqrt()
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

/// The least sample that so many percent of them do not exceed: 50 and 99 for latencies.
pub fn percentile(samples: &[f64], percent: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The same where samples lie beyond it: of fewer than 100, the 99th would be the largest of them and say nothing.
pub fn tail(samples: &[f64], percent: f64) -> Option<f64> {
    let beyond = samples.len() as f64 * (100.0 - percent) / 100.0;
    percentile(samples, percent).filter(|_| beyond >= 1.0)
}

/// How many samples lie so far out that something else must have disturbed them.
pub fn outliers(samples: &[f64]) -> usize {
    split(samples).1
}

/// How far samples lie from their median, as a part of it, but for outliers: where the median of another run is to be looked for.
pub fn spread(samples: &[f64]) -> f64 {
    split(samples).0
}

/// The farthest sample that is no outlier, and how many are.
fn split(samples: &[f64]) -> (f64, usize) {
    let Some(Summary { median, mad }) = Summary::of(samples) else { return (0.0, 0) };
    let sigma = mad * OF_NORMAL;
    let distances = samples.iter().map(|sample| (sample - median).abs());
    let is_outlier = |distance: f64| distance > OUTLIER * sigma && sigma > 0.0;
    let farthest = distances.clone().filter(|&distance| !is_outlier(distance)).fold(0.0, f64::max);
    (farthest / median, distances.filter(|&distance| is_outlier(distance)).count())
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

    #[test]
    fn percentiles_are_samples_by_the_nearest_rank() {
        let samples: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(percentile(&samples, 50.0), Some(100.0));
        assert_eq!(percentile(&samples, 99.0), Some(198.0));
        assert_eq!(percentile(&samples, 100.0), Some(200.0));
        assert_eq!(percentile(&[7.0], 1.0), Some(7.0));
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn a_tail_needs_samples_beyond_it() {
        let samples: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((tail(&samples, 99.0), tail(&samples[1..], 99.0)), (Some(99.0), None));
        assert_eq!((tail(&samples[..2], 50.0), tail(&[], 50.0)), (Some(1.0), None));
    }

    #[test]
    fn outliers_are_those_that_the_deviation_does_not_explain() {
        let quiet = [10.0, 10.1, 9.9, 10.05, 9.95, 10.2, 9.8];
        assert_eq!(outliers(&quiet), 0);
        assert_eq!(outliers(&[&quiet[..], &[14.0, 2.0]].concat()), 2);
        // Equal samples say nothing about how far is far.
        assert_eq!(outliers(&[5.0, 5.0, 5.0, 6.0]), 0);
        assert_eq!(
            [spread(&[10.0, 12.0, 11.0, 1000.0, 9.0]), spread(&[4.0]), spread(&[])],
            [2.0 / 11.0, 0.0, 0.0]
        );
        assert_eq!(outliers(&[]), 0);
    }

    #[test]
    fn more_samples_make_a_median_surer() {
        let summary = Summary { median: 100.0, mad: 2.0 };
        let [few, many] = [4, 100].map(|samples| summary.error(samples));
        assert!((few / many - 5.0).abs() < 1e-9);
        assert!((many - 0.02 * OF_NORMAL * OF_MEDIAN / 10.0).abs() < 1e-12);
    }
}
