//! What /dev/outboard has to reach.

use outboard_bench::bar::Bar;

use crate::plan::{SIZES, Way};
use crate::results::Results;

/// Parts of tcrypt's speed in the same boot: way, bytes, depth.
const OF_TCRYPT: [(Way, usize, usize, f64); 4] = [
    (Way::Copied, 1024, 1, 0.7),
    (Way::Copied, 4096, 1, 0.7),
    (Way::Copied, 1024, 16, 0.75),
    (Way::InPlace, 4096, 16, 0.9),
];

/// The throw-away prototype of the interface, which had no checks: MB/s with both copies, depth 1, 4, 16, 64. Measured
/// on Linux 6.12 in the same kind of machine.
const PROTOTYPE: [(usize, [f64; 4]); 4] = [
    (1024, [27.0, 39.0, 64.0, 108.0]),
    (4096, [93.0, 118.0, 170.0, 242.0]),
    (16384, [236.0, 279.0, 339.0, 386.0]),
    (65536, [381.0, 394.0, 427.0, 425.0]),
];

/// And what tcrypt did in that boot: bytes, depth, MB/s.
const TCRYPT_THEN: [(usize, usize, f64); 6] = [
    (1024, 1, 39.0),
    (1024, 4, 33.0),
    (1024, 16, 80.0),
    (4096, 1, 123.0),
    (4096, 4, 123.0),
    (4096, 16, 269.0),
];

/// All bars against what was measured.
pub fn judge(results: &Results) -> Vec<Bar> {
    let speed = |way, bytes, depth| results.get(way, bytes, depth).map(|figure| figure.megabytes_per_second);
    let ratio = |ours: Option<f64>, other: Option<f64>| Some(ours? / other?);
    let mut bars = Vec::new();
    for (way, bytes, depth, least) in OF_TCRYPT {
        let found = ratio(speed(way, bytes, depth), speed(Way::Tcrypt, bytes, depth));
        bars.push(Bar::new(
            format!("{}: {bytes} B, depth {depth}, part of tcrypt", way.title()),
            least,
            found,
        ));
    }
    // Where a way is not there, there is nothing to be faster than.
    for other in [Way::AfAlg, Way::Cryptodev] {
        for bytes in SIZES {
            if let Some(theirs) = speed(other, bytes, 1) {
                let found = ratio(speed(Way::Copied, bytes, 1), Some(theirs));
                let title = Way::Copied.title();
                bars.push(Bar::new(
                    format!("{title}: {bytes} B, depth 1, times {}", other.title()),
                    1.0,
                    found,
                ));
            }
        }
    }
    let pace = pace(results);
    for (bytes, speeds) in PROTOTYPE {
        for (depth, then) in [1, 4, 16, 64].into_iter().zip(speeds) {
            let found = ratio(speed(Way::Copied, bytes, depth), pace.map(|pace| then * pace));
            let title = Way::Copied.title();
            bars.push(Bar::new(
                format!("{title}: {bytes} B, depth {depth}, times the prototype"),
                1.0,
                found,
            ));
        }
    }
    bars
}

/// How fast this machine is beside the one of the prototype: the geometric mean over tcrypt's figures.
pub fn pace(results: &Results) -> Option<f64> {
    let logarithms: Option<Vec<f64>> = TCRYPT_THEN
        .iter()
        .map(|&(bytes, depth, then)| {
            Some((results.get(Way::Tcrypt, bytes, depth)?.megabytes_per_second / then).ln())
        })
        .collect();
    let logarithms = logarithms?;
    Some((logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Cell;
    use outboard_bench::bar::Verdict;

    fn results(figures: &[(Way, usize, usize, f64)]) -> Results {
        let mut results = Results::new("d", Vec::new());
        for &(way, bytes, depth, speed) in figures {
            results.figure(Cell { way, bytes, depth }).add(speed, 1, 1);
        }
        results
    }

    fn verdicts(results: &Results, containing: &str) -> Vec<Verdict> {
        judge(results).iter().filter(|bar| bar.text.contains(containing)).map(|bar| bar.verdict).collect()
    }

    #[test]
    fn what_was_not_measured_is_not_met() {
        let nothing = results(&[]);
        assert!(judge(&nothing).iter().all(|bar| bar.verdict == Verdict::Unknown));
        assert_eq!(verdicts(&nothing, "AF_ALG"), []);
    }

    #[test]
    fn a_bar_is_met_from_its_value_on() {
        let boot = [(Way::Tcrypt, 1024, 1, 40.0), (Way::Copied, 1024, 1, 28.0), (Way::AfAlg, 1024, 1, 28.1)];
        assert_eq!(verdicts(&results(&boot), "1024 B, depth 1, part of tcrypt"), [Verdict::Met]);
        assert_eq!(verdicts(&results(&boot), "AF_ALG"), [Verdict::Missed]);
    }

    #[test]
    fn the_prototype_is_judged_at_the_pace_of_this_machine() {
        let mut half: Vec<_> =
            TCRYPT_THEN.iter().map(|&(bytes, depth, then)| (Way::Tcrypt, bytes, depth, then / 2.0)).collect();
        half.push((Way::Copied, 65536, 64, 213.0));
        half.push((Way::Copied, 65536, 1, 190.0));
        let half = results(&half);
        assert_eq!(pace(&half), Some(0.5));
        assert_eq!(verdicts(&half, "65536 B, depth 64, times the prototype"), [Verdict::Met]);
        assert_eq!(verdicts(&half, "65536 B, depth 1, times the prototype"), [Verdict::Missed]);
    }
}
