//! The median of samples, their deviation from it, and outliers.

use serde::{Deserialize, Serialize};

/// Ratio of the standard deviation of normal noise to its median absolute deviation.
const OF_NORMAL: f64 = 1.4826;

/// Ratio of the standard error of a median of normal noise to that of the mean.
const OF_MEDIAN: f64 = 1.2533;

/// A sample is an outlier from this modified z-score on (Iglewicz and Hoaglin, How to Detect and
/// Handle Outliers, 1993).
const OUTLIER: f64 = 3.5;

/// Median and median absolute deviation: one disturbed run changes neither much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub median: f64,
    /// The median of their absolute deviations from it.
    pub mad: f64,
}

impl Summary {
    /// The summary of the samples; `None` without samples.
    pub fn of(samples: &[f64]) -> Option<Summary> {
        let median = median(samples)?;
        let distances: Vec<f64> = distances(samples, median).collect();
        Some(Summary { median, mad: self::median(&distances)? })
    }

    /// The deviation as a fraction of the median.
    pub fn relative(&self) -> f64 {
        self.mad / self.median
    }

    /// The standard error of the median of this number of samples, as a fraction of it.
    pub fn error(&self, samples: usize) -> f64 {
        OF_MEDIAN * OF_NORMAL * self.relative() / (samples.max(1) as f64).sqrt()
    }
}

/// The median of the samples; the mean of the two in the middle if their number is even; `None`
/// without samples.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// The smallest sample that at least `percent` percent of the samples do not exceed: 50 and 99 for
/// latencies.
pub fn percentile(samples: &[f64], percent: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The percentile, if samples lie beyond it: the 99th of fewer than 100 would just be the largest
/// sample.
pub fn tail(samples: &[f64], percent: f64) -> Option<f64> {
    let beyond = samples.len() as f64 * (100.0 - percent) / 100.0;
    percentile(samples, percent).filter(|_| beyond >= 1.0)
}

/// The number of samples that deviate so much that something else must have disturbed them.
pub fn outliers(samples: &[f64]) -> usize {
    let Some(Summary { median, mad }) = Summary::of(samples) else { return 0 };
    let sigma = mad * OF_NORMAL;
    distances(samples, median).filter(|&distance| distance > OUTLIER * sigma && sigma > 0.0).count()
}

/// The largest deviation of a sample from the median, as a fraction of it: the range in which to
/// expect the median of another run.
///
/// If 2n samples could have come in any order, the median of n (odd) lies beyond the farthest of
/// the other n, up or down, with a probability of at most 2 C((3n-1)/2, n) / C(2n, n), whatever
/// their distribution: 0.22 % for 15, 17 % for 5.
pub fn spread(samples: &[f64]) -> f64 {
    let Some(median) = median(samples) else { return 0.0 };
    distances(samples, median).fold(0.0, f64::max) / median
}

fn distances(samples: &[f64], from: f64) -> impl Iterator<Item = f64> {
    samples.iter().map(move |sample| (sample - from).abs())
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
        // Equal samples give no scale for a deviation.
        assert_eq!(outliers(&[5.0, 5.0, 5.0, 6.0]), 0);
        assert_eq!(outliers(&[]), 0);
    }

    #[test]
    fn the_farthest_sample_says_where_the_next_median_may_lie() {
        assert_eq!([spread(&[10.0, 12.0, 8.5, 10.0]), spread(&[4.0]), spread(&[])], [0.2, 0.0, 0.0]);
        // Two modes are no accident, however few samples the second has, and whether or not they
        // count as outliers.
        let two_modes = [76.0, 76.1, 76.2, 75.9, 76.0, 75.8, 76.1, 72.2, 76.0];
        assert!(outliers(&two_modes) == 1 && (spread(&two_modes) - 3.8 / 76.0).abs() < 1e-9);
    }

    #[test]
    fn the_median_of_as_many_more_lies_within_as_often_as_documented() {
        // All distributions of 2n ranks over two runs.
        let probability = |n: u32| 2.0 * choose((3 * n - 1) / 2, n) / choose(2 * n, n);
        assert!((probability(15) - 0.0022).abs() < 5e-5 && (probability(5) - 0.17).abs() < 4e-3);
        for n in [3_u32, 5, 7] {
            let (mut outside, mut all) = (0, 0);
            for ours in (0_u32..1 << (2 * n)).filter(|set| set.count_ones() == n) {
                let ranks = |is_ours| (0..2 * n).filter(move |rank| (ours >> rank & 1 == 1) == is_ours);
                let next = ranks(false).nth(n as usize / 2).unwrap();
                all += 1;
                outside +=
                    u32::from(ranks(true).all(|rank| rank < next) || ranks(true).all(|rank| rank > next));
            }
            assert!(
                (f64::from(outside) / f64::from(all) - probability(n)).abs() < 1e-9,
                "{n}: {outside} of {all}"
            );
        }
    }

    fn choose(n: u32, k: u32) -> f64 {
        (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
    }

    #[test]
    fn more_samples_make_a_median_surer() {
        let summary = Summary { median: 100.0, mad: 2.0 };
        let [few, many] = [4, 100].map(|samples| summary.error(samples));
        assert!((few / many - 5.0).abs() < 1e-9);
        assert!((many - 0.02 * OF_NORMAL * OF_MEDIAN / 10.0).abs() < 1e-12);
    }
}
