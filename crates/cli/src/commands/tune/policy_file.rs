//! The policy file of a measurement.

use std::fs;

use crate::tuning::ahead;
use outboard_accel::PIECE;
use outboard_documents::Machine;
use outboard_documents::tune::{DirectionResult, Tune};
use outboard_policy::{CipherFigure, CipherRow, LookaheadRow, Measured, PolicyText, cpu_identity};

pub fn text(answer: &Tune, figures: &[CipherFigure]) -> String {
    let identity = cpu_identity(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
    written(answer, figures, &identity)
}

fn written(answer: &Tune, figures: &[CipherFigure], cpu: &str) -> String {
    let Machine { kernel, cpu: name, .. } = &answer.machine;
    let (made, goal) = (answer.made.as_str(), answer.goal.name());
    let mut text = PolicyText::new(Measured { made, goal, kernel, cpu: [cpu, name] });
    for driver in &answer.drivers {
        text.driver(&driver.driver, &driver.module, &driver.version);
    }
    text.ciphers();
    for cipher in &answer.ciphers {
        text.comment(&cipher.sentence);
        let pieces = cipher.pieces.as_ref().map(|pieces| pieces.bytes);
        let row = CipherRow {
            from: [&cipher.encrypt, &cipher.decrypt].map(threshold),
            driver: &cipher.driver,
            piece: pieces.or_else(|| cipher.key_bytes.map(|_| PIECE)),
            key_bytes: cipher.key_bytes,
        };
        text.cipher(&cipher.name, row);
    }
    let requests = requests(answer);
    if !requests.is_empty() {
        text.blank();
        text.comment("request bytes cipher driver us CPU-us");
    }
    requests.iter().for_each(|request| text.comment(request));
    if !answer.lookahead.is_empty() {
        text.lookaheads();
    }
    for lookahead in &answer.lookahead {
        text.comment(&lookahead.sentence);
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
        text.lookahead(&lookahead.name, row);
    }
    text.figures(figures);
    text.finish()
}

/// What a request to each driver takes, by its first cipher: comments from which benchmarks/advice
/// makes an engine of the same speed.
fn requests(answer: &Tune) -> Vec<String> {
    let mut lines = Vec::new();
    for driver in &answer.drivers {
        let first = answer.ciphers.iter().find(|cipher| cipher.driver == driver.driver);
        let Some(cipher) = first else { continue };
        for point in cipher.encrypt.points.iter().filter(|point| point.refused.is_none()) {
            let (bytes, figure) = (point.bytes as f64, &point.hardware);
            let Some(cpu) = figure.cpu_ms_per_megabyte else { continue };
            let (us, cpu) = (bytes / figure.megabytes_per_second, bytes * cpu / 1000.0);
            lines.push(format!("request {bytes} {} {} {us:.2} {cpu:.2}", cipher.name, cipher.driver));
        }
    }
    lines
}

/// Without a decision software is used.
fn threshold(result: &DirectionResult) -> Option<usize> {
    result.from.filter(|_| !result.undecided)
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
