//! The cost of a request, for output to users and programs.

use outboard_documents::Figure;

use crate::turns::Series;

pub fn figure(series: &Series, bytes: usize) -> Figure {
    let summary = series.summary();
    let megabytes = bytes as f64 / 1e6;
    // The spread of the throughput, which is what is shown: a sample that took three times as long
    // has a third of the throughput.
    let rates: Vec<f64> = series.wall.iter().map(|wall| megabytes / wall).collect();
    Figure {
        megabytes_per_second: rounded(megabytes / summary.median),
        spread: rounded(crate::statistics::spread(&rates)),
        samples: series.wall.len() as u64,
        outliers: crate::statistics::outliers(&series.wall) as u64,
        cpu_ms_per_megabyte: series.cpu_per_request().map(|(cpu, _)| rounded(cpu * 1e3 / megabytes)),
        interrupts_per_request: rounded(series.interrupts as f64 / series.requests.max(1) as f64),
    }
}

/// Rounds to four significant digits.
pub fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_made_of_all_samples() {
        let series = Series {
            wall: vec![1e-5, 1e-5, 1.25e-5],
            cpu: Some(0.3),
            requests: 30_000,
            interrupts: 15_000,
            ..Series::default()
        };
        let figure = figure(&series, 1000);
        assert_eq!((figure.megabytes_per_second, figure.spread, figure.samples), (100.0, 0.2, 3));
        assert_eq!((figure.cpu_ms_per_megabyte, figure.interrupts_per_request), (Some(10.0), 0.5));
    }

    #[test]
    fn four_digits_are_kept() {
        for (value, kept) in [(123.456, 123.5), (0.012_345_6, 0.012_35), (98765.0, 98770.0), (0.0, 0.0)] {
            assert!((rounded(value) - kept).abs() < 1e-9, "{value}");
        }
        assert!(rounded(f64::NAN).is_nan());
    }
}
