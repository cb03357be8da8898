//! The requirements for the provider.

use outboard_benchmarks::bar::Bar;

use crate::plan::{Plan, SIZES};
use crate::rows::Row;

/// Maximum time of check and tune together, in seconds.
const LONGEST: f64 = 180.0;

/// Maximum factor between the crossovers of tune and of a dense sweep.
const OFF: f64 = 1.5;

/// Compares the rows with all requirements; `took` is the time of check and tune in seconds.
pub fn judge(rows: &[Row], plan: &Plan, took: f64) -> Vec<Bar> {
    let mut bars = Vec::new();
    let of = |bytes: usize| rows.iter().find(|row| row.bytes == bytes);
    for bytes in SIZES.into_iter().filter(|bytes| plan.from.is_none_or(|from| *bytes < from)) {
        let least = if bytes < 256 { 0.85 } else { 0.97 };
        let text = format!("{bytes} B, below the threshold: with outboard, part of OpenSSL alone");
        bars.push(Bar::new(text, least, of(bytes).map(|row| row.offered_by_software)));
    }
    // Smaller sizes have a requirement of their own above.
    for bytes in SIZES.into_iter().filter(|bytes| *bytes >= 256) {
        let better =
            |row: &Row| row.offered_by_software.min(row.offered_by_hardware.unwrap_or(f64::INFINITY));
        let found = of(bytes).map(better);
        bars.push(Bar::new(format!("{bytes} B: with outboard, part of the better of both"), 0.95, found));
    }
    let found = plan.from.zip(crossing(rows)).map(|(tuned, swept)| {
        let (tuned, swept) = (tuned as f64, swept as f64);
        (tuned / swept).min(swept / tuned)
    });
    let found = match (plan.from, crossing(rows)) {
        // Both found no crossover.
        (None, None) if !plan.undecided => Some(1.0),
        _ => found,
    };
    bars.push(Bar::new(
        "the crossover that tune found, by that of the sweep (or the reverse)".into(),
        1.0 / OFF,
        found,
    ));
    bars.push(Bar::new(
        format!("{LONGEST} s by what check and tune took ({took:.0} s)"),
        1.0,
        Some(LONGEST / took),
    ));
    bars
}

/// Returns the size in bytes from which hardware always wins, interpolated between the largest size
/// at which it loses and the next one.
fn crossing(rows: &[Row]) -> Option<usize> {
    let points: Vec<(f64, f64)> =
        rows.iter().filter_map(|row| Some((row.bytes as f64, row.hardware_by_software?.ln()))).collect();
    let won = points.iter().rposition(|(_, ratio)| *ratio <= 0.0).map_or(0, |lost| lost + 1);
    let (size, above) = points.get(won)?;
    let Some((lost, below)) = won.checked_sub(1).map(|lost| points[lost]) else {
        return Some(*size as usize);
    };
    // Linear interpolation of the ratios against the logarithm of the size.
    let part = -below / (above - below);
    Some((lost.ln() + (size / lost).ln() * part).exp().round() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::tuned;
    use crate::rows::tests::series;
    use outboard_benchmarks::bar::Verdict;

    /// Software takes 1 ns per byte, hardware 4 µs per request; the provider is as fast as the
    /// faster of both.
    fn rows(plan: &Plan) -> Vec<Row> {
        let row = |&bytes: &usize| {
            let (soft, hard) = (bytes as f64 * 1e-9, 4e-6);
            let from = plan.from.unwrap_or(usize::MAX);
            Row::of(
                bytes,
                &[soft, if bytes < from { soft } else { hard }, hard].map(|wall| series(&[wall])),
                bytes > 16,
            )
        };
        plan.sizes.iter().map(row).collect()
    }

    fn verdicts(from: Option<usize>, took: f64, containing: &str) -> Vec<Verdict> {
        let plan = Plan::around(&tuned(from));
        let bars = judge(&rows(&plan), &plan, took);
        bars.iter().filter(|bar| bar.text.contains(containing)).map(|bar| bar.verdict).collect()
    }

    #[test]
    fn a_crossover_is_met_where_the_sweep_finds_it_too() {
        assert_eq!(crossing(&rows(&Plan::around(&tuned(Some(4096))))), Some(4000));
        for (from, expected) in
            [(4096, Verdict::Met), (5808, Verdict::Met), (6144, Verdict::Missed), (2048, Verdict::Missed)]
        {
            assert_eq!(verdicts(Some(from), 1.0, "of the sweep"), [expected], "{from}");
        }
        assert_eq!(verdicts(None, 1.0, "of the sweep"), [Verdict::Unknown], "it wins, and tune says nowhere");
    }

    #[test]
    fn the_provider_is_compared_with_the_better_of_both() {
        assert_eq!(verdicts(Some(4096), 1.0, "better of both"), [Verdict::Met; 5]);
        // At 16 KiB and 64 KiB, hardware is faster.
        let late = verdicts(Some(131072), 1.0, "better of both");
        assert_eq!(late.iter().filter(|verdict| **verdict == Verdict::Missed).count(), 2, "{late:?}");
        assert_eq!(verdicts(Some(4096), 1.0, "below the threshold"), [Verdict::Met; 4]);
    }

    #[test]
    fn check_and_tune_are_soon_over() {
        assert_eq!(verdicts(Some(4096), 181.0, "check and tune"), [Verdict::Missed]);
        assert_eq!(verdicts(Some(4096), 179.0, "check and tune"), [Verdict::Met]);
    }
}
