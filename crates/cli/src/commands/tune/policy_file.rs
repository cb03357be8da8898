//! Formats the policy file.

use std::fs;

use crate::tuning::ahead;
use outboard_accel::PIECE;
use outboard_documents::tune::{DirectionResult, Tune};
use outboard_policy::{CipherFigure, LookaheadRow, cpu_identity, from_text};

/// Formats the results as `outboard_policy::Tuned` parses them, with the reasons as comments.
pub fn text(answer: &Tune, figures: &[CipherFigure]) -> String {
    let identity = cpu_identity(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
    written(answer, figures, &identity)
}

fn written(answer: &Tune, figures: &[CipherFigure], cpu: &str) -> String {
    let mut text = String::from(
        "# From which size in bytes on requests go to the accelerator: measured by `outboard tune`, which replaces this file;
# applied by the provider as long as kernel, CPU and drivers are the same. THRESHOLDS in openssl.cnf wins over it.
",
    );
    let mut line = |words: std::fmt::Arguments<'_>| text += &format!("{words}\n");
    line(format_args!("outboard-policy 2"));
    line(format_args!("made {}", answer.made));
    line(format_args!("goal {}", answer.goal.name()));
    line(format_args!("kernel {}", answer.machine.kernel));
    line(format_args!("cpu {cpu} {}", plain(&answer.machine.cpu)));
    for driver in &answer.drivers {
        line(format_args!("driver {} {} {}", driver.driver, driver.module, driver.version));
    }
    line(format_args!("\n# cipher encrypt decrypt driver pieces key-bytes"));
    for cipher in &answer.ciphers {
        line(format_args!("# {}", plain(&cipher.sentence)));
        let [encrypt, decrypt] = [&cipher.encrypt, &cipher.decrypt].map(threshold);
        let pieces = cipher.pieces.as_ref().map(|pieces| pieces.bytes);
        // The number of pieces stands before that of the key.
        let pieces = pieces.or_else(|| cipher.key_bytes.map(|_| PIECE));
        let optional = |number: Option<usize>| number.map(|bytes| format!(" {bytes}")).unwrap_or_default();
        let (pieces, key_bytes) = (optional(pieces), optional(cipher.key_bytes));
        line(format_args!("{} {encrypt} {decrypt} {}{pieces}{key_bytes}", cipher.name, cipher.driver));
    }
    requests(answer).iter().for_each(|request| line(format_args!("{request}")));
    if !answer.lookahead.is_empty() {
        line(format_args!("\n# lookahead cipher from driver start"));
    }
    for lookahead in &answer.lookahead {
        line(format_args!("# {}", plain(&lookahead.sentence)));
        if lookahead.requests.undecided {
            // Without a decision look-ahead is off.
            continue;
        }
        let row = LookaheadRow {
            from: lookahead.requests.from,
            to: lookahead.requests.to,
            driver: &lookahead.driver,
            start: ahead::start(lookahead),
        };
        line(format_args!("{}", row.line(&lookahead.name)));
    }
    if !figures.is_empty() {
        line(format_args!("\n# What services may choose between; the provider does not use it."));
        line(format_args!("# figure bytes name driver MB/s/spread CPU-ms/MB"));
    }
    figures.iter().for_each(|figure| line(format_args!("{}", figure.line())));
    text
}

/// What a request to each driver takes, by its first cipher: comments from which benchmarks/advice
/// makes an engine of the same speed.
fn requests(answer: &Tune) -> Vec<String> {
    let mut lines = vec![String::from("\n# request bytes cipher driver us CPU-us")];
    for driver in &answer.drivers {
        let first = answer.ciphers.iter().find(|cipher| cipher.driver == driver.driver);
        let Some(cipher) = first else { continue };
        for point in cipher.encrypt.points.iter().filter(|point| point.refused.is_none()) {
            let (bytes, figure) = (point.bytes as f64, &point.hardware);
            let Some(cpu) = figure.cpu_ms_per_megabyte else { continue };
            let (us, cpu) = (bytes / figure.megabytes_per_second, bytes * cpu / 1000.0);
            lines.push(format!("# request {bytes} {} {} {us:.2} {cpu:.2}", cipher.name, cipher.driver));
        }
    }
    if lines.len() > 1 { lines } else { Vec::new() }
}

/// Without a decision software is used.
fn threshold(result: &DirectionResult) -> String {
    from_text(result.from.filter(|_| !result.undecided))
}

/// Replaces line breaks and the start of a comment.
fn plain(text: &str) -> String {
    text.replace(['\n', '#'], " ")
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{answer, figures};
    use super::*;
    use outboard_policy::Tuned;

    #[test]
    fn the_provider_reads_the_written_policy() {
        let text = written(&answer(), &figures(), "0123456789");
        insta::assert_snapshot!(&text);
        let tuned = Tuned::parse(text).unwrap();
        assert_eq!(tuned.figures(), figures());
        assert_eq!(["kernel", "cpu"].map(|word| tuned.value(word)), ["7.2.0-amd64", "0123456789"]);
        assert_eq!(tuned.of("AES-128-CBC").unwrap().from, [Some(4096), Some(2048)]);
        assert_eq!(
            ["AES-128-CBC", "AES-192-CBC"].map(|name| tuned.of(name).unwrap().piece),
            [Some(65536), None]
        );
        let keys = ["AES-128-CBC", "AES-192-CBC"].map(|name| tuned.of(name).unwrap().key_bytes);
        assert_eq!(keys, [Some(16384), None]);
        assert_eq!(tuned.of("AES-256-CBC").unwrap().from, [None, None]);
        assert_eq!(tuned.of("AES-192-CTR").unwrap().from, [None, None], "undecided");
        assert_eq!(tuned.of("AES-128-XTS").unwrap().from, [None, Some(1024)]);
        let lookahead = |name| tuned.lookahead(name).map(|row| (row.from, row.to, row.start));
        assert_eq!(lookahead("AES-128-CTR"), Some((Some(64), None, Some(24576))));
        assert_eq!(lookahead("AES-128-GCM"), Some((Some(1024), None, Some(1 << 20))));
        assert_eq!(lookahead("AES-192-GCM"), Some((Some(512), Some(16384), Some(24576))));
        assert_eq!(lookahead("AES-256-GCM"), Some((Some(512), None, None)));
        assert_eq!(lookahead("AES-192-CTR"), Some((None, None, None)));
        assert_eq!(lookahead("AES-256-CTR"), None, "undecided");
    }
}
