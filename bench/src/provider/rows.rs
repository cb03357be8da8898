//! What was measured of each size.

use std::fmt::Write;

use outboard_measure::figure::Figure;
use outboard_measure::statistics::Summary;
use outboard_measure::turns::Series;
use serde::Serialize;

/// One size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Of a request.
    pub bytes: usize,
    /// OpenSSL without the provider.
    pub software: Figure,
    /// With it, as tune left it.
    pub offered: Figure,
    /// With it, every request to hardware; null where it gives none there whatever the threshold: those of a random generator's size.
    pub hardware: Option<Figure>,
    /// The median of what the second did in each turn, as a part of the first.
    pub offered_by_software: f64,
    /// The same of the second and the third.
    pub offered_by_hardware: Option<f64>,
    /// The same of the third and the first.
    pub hardware_by_software: Option<f64>,
}

impl Row {
    /// Of samples that were taken in the same turns; `is_hardware` says whether the third are hardware's.
    pub fn of(bytes: usize, [software, offered, hardware]: &[Series; 3], is_hardware: bool) -> Row {
        Row {
            bytes,
            software: Figure::of(software, bytes),
            offered: Figure::of(offered, bytes),
            hardware: is_hardware.then(|| Figure::of(hardware, bytes)),
            offered_by_software: ratio(offered, software),
            offered_by_hardware: is_hardware.then(|| ratio(offered, hardware)),
            hardware_by_software: is_hardware.then(|| ratio(hardware, software)),
        }
    }
}

/// How fast one is as a part of another: turn by turn, since the machine's speed drifts.
fn ratio(one: &Series, other: &Series) -> f64 {
    let ratios: Vec<f64> = one.wall.iter().zip(&other.wall).map(|(one, other)| other / one).collect();
    Summary::of(&ratios).map_or(f64::NAN, |summary| summary.median)
}

/// A table.
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

    /// Samples of so many seconds.
    pub fn series(wall: &[f64]) -> Series {
        Series { wall: wall.to_vec(), requests: wall.len() as u64, interrupts: 1, ..Series::default() }
    }

    #[test]
    fn ratios_are_of_the_same_turn() {
        // The machine became ten times slower in the middle.
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
