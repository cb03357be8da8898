//! The results for each size.

use std::fmt::Write;

use outboard_benchmarks::ratio::ratio;
use outboard_documents::Figure;
use outboard_measure::figure::figure;
use outboard_measure::turns::Series;
use serde::Serialize;

/// The results for one size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Size of a request in bytes.
    pub bytes: usize,
    /// OpenSSL without the provider.
    pub software: Figure,
    /// OpenSSL with the provider and the policy of tune.
    pub offered: Figure,
    /// OpenSSL with the provider and every request sent to hardware. Null for sizes that the
    /// provider never sends to hardware because they are typical of a random generator.
    pub hardware: Option<Figure>,
    /// Median over all turns of the speed of `offered` relative to `software`.
    pub offered_by_software: f64,
    /// The same for `offered` relative to `hardware`.
    pub offered_by_hardware: Option<f64>,
    /// The same for `hardware` relative to `software`.
    pub hardware_by_software: Option<f64>,
}

impl Row {
    /// Creates a row from samples of the same turns; `is_hardware` states whether the third series
    /// is of hardware.
    pub fn of(bytes: usize, [software, offered, hardware]: &[Series; 3], is_hardware: bool) -> Row {
        Row {
            bytes,
            software: figure(software, bytes),
            offered: figure(offered, bytes),
            hardware: is_hardware.then(|| figure(hardware, bytes)),
            offered_by_software: ratio(offered, software),
            offered_by_hardware: is_hardware.then(|| ratio(offered, hardware)),
            hardware_by_software: is_hardware.then(|| ratio(hardware, software)),
        }
    }
}

/// Formats the rows as a table.
pub fn render(rows: &[Row]) -> String {
    let mut text = format!(
        "{:>8} {:>16} {:>16} {:>16} {:>9} {:>10} {:>10}\n",
        "bytes", "OpenSSL", "with outboard", "by hardware", "irqs", "with/soft", "hard/soft"
    );
    let speed =
        |figure: &Figure| format!("{:.2} ±{:.0} %", figure.megabytes_per_second, figure.spread * 100.0);
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for row in rows {
        let hardware = row.hardware.as_ref();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:>8} {:>16} {:>16} {:>16} {:>9} {:>10.3} {:>10}",
            row.bytes,
            speed(&row.software),
            speed(&row.offered),
            or_none(hardware.map(speed)),
            or_none(hardware.map(|figure| format!("{:.2}", figure.interrupts_per_request))),
            row.offered_by_software,
            or_none(row.hardware_by_software.map(|ratio| format!("{ratio:.3}")))
        );
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Returns a series with these wall times in seconds.
    pub fn series(wall: &[f64]) -> Series {
        Series { wall: wall.to_vec(), requests: wall.len() as u64, interrupts: 1, ..Series::default() }
    }

    #[test]
    fn ratios_are_of_the_same_turn() {
        // The machine becomes ten times slower after the first turn.
        let row = Row::of(
            1000,
            &[series(&[1.0, 10.0, 10.0]), series(&[2.0, 20.0, 20.0]), series(&[0.5, 5.0, 5.0])],
            true,
        );
        assert_eq!((row.offered_by_software, row.hardware_by_software), (0.5, Some(2.0)));
        assert_eq!(row.offered_by_hardware, Some(0.25));
        let text = render(&[row]);
        assert!(text.contains("0.500") && text.contains("2.000") && text.lines().count() == 2, "{text}");
    }
}
