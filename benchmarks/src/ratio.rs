//! The relative speed of two contestants.

use outboard_measure::statistics::Summary;
use outboard_measure::turns::Series;

/// Returns the median speed of `one` relative to `other`. Samples of the same turn are compared,
/// because the machine's speed drifts.
pub fn ratio(one: &Series, other: &Series) -> f64 {
    let ratios: Vec<f64> = one.wall.iter().zip(&other.wall).map(|(one, other)| other / one).collect();
    Summary::of(&ratios).map_or(f64::NAN, |summary| summary.median)
}
