//! The results for each case.

use std::fmt::Write;

use outboard_measure::statistics::{Summary, median};
use serde::{Deserialize, Serialize};

use crate::cases::NonceOrder;

/// The result of a case in one pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PassRow {
    /// OpenSSL's name of the cipher.
    pub cipher: String,
    /// The nonces of the messages.
    pub nonces: NonceOrder,
    /// Length of a request in bytes.
    pub bytes: usize,
    /// Throughput of OpenSSL without the provider, in MB/s.
    pub software: f64,
    /// Throughput with the provider, relative to that: the median of the rounds.
    pub ratio: f64,
    /// CPU time of the whole system for a byte, in seconds: with the provider, and without.
    pub cpu: Option<(f64, f64)>,
    /// Share of the bytes that were processed with key stream.
    pub by_key_stream: f64,
    /// Interrupts of the accelerator during the samples with the provider.
    pub interrupts: u64,
}

/// The result of a case in all passes.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// OpenSSL's name of the cipher.
    pub cipher: String,
    /// The nonces of the messages.
    pub nonces: NonceOrder,
    /// Length of a request in bytes.
    pub bytes: usize,
    /// Median throughput of OpenSSL without the provider, in MB/s.
    pub software: f64,
    /// Median over the passes of the relative throughput with the provider.
    pub ratio: f64,
    /// The standard error of `ratio`.
    pub error: f64,
    /// CPU time with the provider relative to that without, over all passes.
    pub cpu: Option<f64>,
    /// Median share of the bytes that were processed with key stream.
    pub by_key_stream: f64,
    /// Interrupts of the accelerator in all passes.
    pub interrupts: u64,
}

/// Combines the same case of all passes. Each pass has the same cases in the same order.
pub fn merge(passes: &[Vec<PassRow>]) -> Vec<Row> {
    let Some(first) = passes.first() else { return Vec::new() };
    let merged = first.iter().enumerate().map(|(index, case)| {
        let all: Vec<&PassRow> = passes.iter().filter_map(|pass| pass.get(index)).collect();
        let each = |value: fn(&PassRow) -> f64| all.iter().map(|row| value(row)).collect::<Vec<f64>>();
        let ratios = each(|row| row.ratio);
        let summary = Summary::of(&ratios).unwrap_or(Summary { median: f64::NAN, mad: 0.0 });
        let cpu: Option<Vec<(f64, f64)>> = all.iter().map(|row| row.cpu).collect();
        let sums = cpu.map(|cpu| cpu.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1)));
        Row {
            cipher: case.cipher.clone(),
            nonces: case.nonces,
            bytes: case.bytes,
            software: median(&each(|row| row.software)).unwrap_or(f64::NAN),
            ratio: summary.median,
            error: summary.median * summary.error(ratios.len()),
            cpu: sums.filter(|(_, soft)| *soft > 0.0).map(|(hard, soft)| hard / soft),
            by_key_stream: median(&each(|row| row.by_key_stream)).unwrap_or(f64::NAN),
            interrupts: all.iter().map(|row| row.interrupts).sum(),
        }
    });
    merged.collect()
}

/// Formats the rows as a table.
pub fn render(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<12} {:<10} {:>6} {:>14} {:>16} {:>9} {:>12} {:>7}\n",
        "cipher", "nonces", "bytes", "OpenSSL, MB/s", "with outboard", "CPU time", "key stream", "irqs"
    );
    for row in rows {
        let nonces = match row.nonces {
            NonceOrder::None => "-",
            NonceOrder::Counting => "counting",
            NonceOrder::Scattered => "scattered",
        };
        let cpu = row.cpu.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.3}"));
        let ratio = format!("{:.3} ±{:.3}", row.ratio, row.error);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<12} {:<10} {:>6} {:>14.2} {:>16} {:>9} {:>10.0} % {:>7}",
            row.cipher,
            nonces,
            row.bytes,
            row.software,
            ratio,
            cpu,
            row.by_key_stream * 100.0,
            row.interrupts
        );
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Returns a result with this ratio.
    pub fn pass_row(cipher: &str, nonces: NonceOrder, bytes: usize, ratio: f64) -> PassRow {
        let cpu = Some((1.0 / ratio, 1.0));
        PassRow {
            cipher: cipher.to_owned(),
            nonces,
            bytes,
            software: 10.0,
            ratio,
            cpu,
            by_key_stream: 1.0,
            interrupts: 3,
        }
    }

    #[test]
    fn a_row_is_the_median_of_the_passes() {
        let passes =
            [2.0, 4.0, 100.0].map(|ratio| vec![pass_row("AES-128-CTR", NonceOrder::None, 64, ratio)]);
        let rows = merge(&passes);
        assert_eq!((rows.len(), rows[0].ratio, rows[0].interrupts), (1, 4.0, 9));
        assert!((rows[0].cpu.unwrap() - 0.76 / 3.0).abs() < 1e-9);
        assert!(render(&rows).contains("4.000"), "{}", render(&rows));
    }
}
