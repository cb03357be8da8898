//! The requirements for look-ahead.

use outboard_benchmarks::bar::Bar;

use crate::cases::NonceOrder;
use crate::rows::Row;

/// Requests whose throughput must be this multiple of software's.
const GAINS: [(&str, usize, f64); 5] = [
    ("AES-128-CTR", 64, 1.5),
    ("AES-128-CTR", 1024, 5.0),
    ("AES-128-CTR", 16384, 8.0),
    ("AES-128-GCM", 1408, 1.5),
    ("AES-128-GCM", 16384, 2.0),
];

/// Every other request must have this part of software's throughput.
const NO_LOSS: f64 = 0.97;

/// Software's CPU time for CTR must be this multiple of that with look-ahead, in long requests.
const CPU_GAIN: f64 = 5.0;

/// Compares the rows with all requirements.
pub fn judge(rows: &[Row]) -> Vec<Bar> {
    let gains = GAINS.into_iter().map(|(cipher, bytes, least)| {
        let is_it = |row: &&Row| {
            (row.cipher == cipher, row.bytes, row.nonces != NonceOrder::Scattered) == (true, bytes, true)
        };
        let found = rows.iter().find(is_it).map(|row| (row.ratio, row.error));
        Bar::measured(format!("{cipher}, {bytes} B: throughput, times OpenSSL alone"), least, found)
    });
    let is_gain = |row: &Row| {
        row.nonces != NonceOrder::Scattered
            && GAINS.iter().any(|(cipher, bytes, _)| (row.cipher == *cipher, row.bytes) == (true, *bytes))
    };
    let others = rows.iter().filter(|row| !is_gain(row)).map(|row| {
        let nonces = if row.nonces == NonceOrder::Scattered { ", nonces without a pattern" } else { "" };
        let text = format!("{}, {} B{nonces}: throughput, part of OpenSSL alone", row.cipher, row.bytes);
        Bar::measured(text, NO_LOSS, Some((row.ratio, row.error)))
    });
    let longest = rows.iter().filter(|row| row.nonces == NonceOrder::None).max_by_key(|row| row.bytes);
    let cpu = longest.and_then(|row| row.cpu).map(|cpu| 1.0 / cpu);
    let text = "AES-128-CTR, longest request: CPU time of OpenSSL alone, times that with outboard";
    gains.chain(others).chain([Bar::new(text.to_owned(), CPU_GAIN, cpu)]).collect()
}

#[cfg(test)]
mod tests {
    use outboard_benchmarks::bar::Verdict;

    use super::*;
    use crate::cases;
    use crate::rows::{merge, tests::pass_row};

    #[test]
    fn each_case_has_a_requirement() {
        let rows_of = |ratio: f64| {
            merge(&[cases::all().map(|case| pass_row(case.cipher, case.nonces, case.bytes, ratio)).collect()])
        };
        let count = |ratio: f64, verdict: Verdict| {
            judge(&rows_of(ratio)).iter().filter(|bar| bar.verdict == verdict).count()
        };
        let all = cases::all().count() + 1;
        assert_eq!(count(8.0, Verdict::Met), all);
        assert_eq!(count(0.98, Verdict::Missed), GAINS.len() + 1);
        assert_eq!(count(0.96, Verdict::Missed), all);
        assert!(judge(&[]).iter().all(|bar| bar.verdict == Verdict::Unknown));
    }
}
