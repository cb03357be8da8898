//! The requirements for /dev/outboard.

use outboard_benchmarks::bar::Bar;
use outboard_measure::statistics::Summary;

use crate::plan::{Cell, MeasuredPath, SIZES};
use crate::results::Results;

/// Required shares of tcrypt's speed: interface, bytes, depth, share.
const OF_TCRYPT: [(MeasuredPath, usize, usize, f64); 4] = [
    (MeasuredPath::Copied, 1024, 1, 0.7),
    (MeasuredPath::Copied, 4096, 1, 0.7),
    (MeasuredPath::Copied, 1024, 16, 0.75),
    (MeasuredPath::InPlace, 4096, 16, 0.9),
];

/// Compares the results with all requirements.
pub fn judge(results: &Results) -> Vec<Bar> {
    let bar = |path: MeasuredPath, bytes, depth, other: MeasuredPath, least| {
        let found = ratio(results, Cell { path, bytes, depth }, Cell { path: other, bytes, depth });
        let relation = match other {
            MeasuredPath::Tcrypt => "part of tcrypt".to_owned(),
            other => format!("times {}", other.title()),
        };
        Bar::measured(format!("{}: {bytes} B, depth {depth}, {relation}", path.title()), least, found)
    };
    let mut bars = Vec::new();
    for (path, bytes, depth, least) in OF_TCRYPT {
        bars.push(bar(path, bytes, depth, MeasuredPath::Tcrypt, least));
    }
    // There is no requirement relative to an interface that is not present.
    for other in [MeasuredPath::AfAlg, MeasuredPath::Cryptodev] {
        for bytes in SIZES.into_iter().filter(|&bytes| results.get(other, bytes, 1).is_some()) {
            bars.push(bar(MeasuredPath::Copied, bytes, 1, other, 1.0));
        }
    }
    bars
}

/// Returns the median ratio of two cells' speeds and its error. Samples of the same turn are
/// compared, because the machine's speed drifts.
pub fn ratio(results: &Results, ours: Cell, other: Cell) -> Option<(f64, f64)> {
    let samples = |cell: Cell| Some(&results.get(cell.path, cell.bytes, cell.depth)?.samples);
    let ratios: Vec<f64> =
        samples(ours)?.iter().zip(samples(other)?).map(|(ours, other)| ours / other).collect();
    let summary = Summary::of(&ratios)?;
    Some((summary.median, summary.median * summary.error(ratios.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_benchmarks::bar::Verdict;

    fn results(figures: &[(MeasuredPath, usize, usize, &[f64])]) -> Results {
        let mut results = Results::new("d", Vec::new());
        for &(path, bytes, depth, samples) in figures {
            for &sample in samples {
                results.figure(Cell { path, bytes, depth }).add(sample, 1, 1);
            }
        }
        results
    }

    fn verdicts(results: &Results, containing: &str) -> Vec<Verdict> {
        judge(results).iter().filter(|bar| bar.text.contains(containing)).map(|bar| bar.verdict).collect()
    }

    #[test]
    fn a_bar_without_a_measurement_is_not_met() {
        let nothing = results(&[]);
        assert_eq!(judge(&nothing).len(), OF_TCRYPT.len());
        assert!(judge(&nothing).iter().all(|bar| bar.verdict == Verdict::Unknown));
        assert_eq!(verdicts(&nothing, "AF_ALG"), []);
    }

    #[test]
    fn a_bar_is_met_from_its_value_on() {
        let boot = results(&[
            (MeasuredPath::Tcrypt, 1024, 1, &[40.0]),
            (MeasuredPath::Copied, 1024, 1, &[28.0]),
            (MeasuredPath::AfAlg, 1024, 1, &[28.1]),
        ]);
        assert_eq!(verdicts(&boot, "1024 B, depth 1, part of tcrypt"), [Verdict::Met]);
        assert_eq!(verdicts(&boot, "AF_ALG"), [Verdict::Missed]);
    }

    #[test]
    fn ways_are_compared_turn_by_turn() {
        // The machine's speed increases during the run, and the run ended within a turn.
        let boot = results(&[
            (MeasuredPath::Copied, 65536, 64, &[10.0, 22.0, 40.0, 99.0]),
            (MeasuredPath::BareCopied, 65536, 64, &[10.0, 20.0, 40.0]),
        ]);
        let cell = |path| Cell { path, bytes: 65536, depth: 64 };
        assert_eq!(
            ratio(&boot, cell(MeasuredPath::Copied), cell(MeasuredPath::BareCopied)),
            Some((1.0, 0.0))
        );
        assert_eq!(ratio(&boot, cell(MeasuredPath::Copied), cell(MeasuredPath::Tcrypt)), None);
    }
}
