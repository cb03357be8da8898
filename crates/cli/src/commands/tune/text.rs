//! Formats the results as text.

use std::fmt::Write;

use outboard_accel::PIECE;
use outboard_catalog::default_threshold;
use outboard_documents::tune::{Cipher, Direction, Lookahead, Point, Tune};

use super::ahead;

/// The provider's message if an algorithm has no driver: the text before and after the name.
const NO_DRIVER: (&str, &str) = ("/proc/crypto lists no driver for ", " that may be used");

/// Formats one sentence for each measured cipher.
pub fn ciphers(ciphers: &[Cipher]) -> String {
    ciphers.iter().map(|cipher| format!("{}\n", cipher.sentence)).collect()
}

/// Formats one sentence for each measured look-ahead.
pub fn all_lookahead(all: &[Lookahead]) -> String {
    all.iter().map(|one| format!("{}\n", one.sentence)).collect()
}

/// Formats the decision about look-ahead and its reason.
pub fn lookahead(one: &Lookahead) -> String {
    let Lookahead { name, driver, requests, .. } = one;
    let mut text = match requests.from {
        _ if requests.undecided => {
            format!("{name}: no look-ahead, because its samples vary too much to decide")
        }
        None => format!("{name}: no look-ahead"),
        Some(from) => format!("{name}: look-ahead from {from} bytes on"),
    };
    let point = requests.points.first().map(figures).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = write!(text, ", key stream by {driver}; {point}.");
    if let Some(from) = one.direct_from {
        let _ = write!(text, " Both sides send other requests of {from} bytes or more to a driver.");
    }
    if let (Some(start), Some(_)) = (ahead::start(one), requests.from) {
        let _ = write!(text, " It starts after {start} bytes with a key.");
    }
    text
}

/// Formats the reasons why there is nothing to measure. Reasons that differ only in the algorithm
/// are combined.
pub fn reasons(reasons: &[String]) -> String {
    let missing = |reason: &String| {
        let name = reason.strip_prefix(NO_DRIVER.0)?.strip_suffix(NO_DRIVER.1)?;
        Some(name.to_owned())
    };
    let mut names: Vec<String> = Vec::new();
    for name in reasons
        .iter()
        .filter_map(missing)
        .flat_map(|list| list.split(", ").map(str::to_owned).collect::<Vec<_>>())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let others = reasons.iter().filter(|reason| missing(reason).is_none()).cloned();
    let missing = (!names.is_empty()).then(|| format!("{}{}{}", NO_DRIVER.0, names.join(", "), NO_DRIVER.1));
    others.chain(missing).collect::<Vec<_>>().join("; ")
}

/// Formats the remarks after the ciphers.
pub fn end(answer: &Tune) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| text += &format!("{words}\n");
    for warning in &answer.warnings {
        line(format_args!("Warning: {warning}."));
    }
    let machine = &answer.machine;
    line(format_args!(
        "Measured on Linux {}, {}, {}; winning is {}.",
        machine.kernel,
        machine.cpu,
        answer.openssl,
        answer.goal.criterion()
    ));
    match &answer.written {
        _ if answer.interrupted => line(format_args!("Interrupted: nothing was written.")),
        Some(file) => line(format_args!(
            "{file} applies to every application that is started from now on; after a new kernel, CPU or driver, tune again."
        )),
        None => line(format_args!("Nothing was written.")),
    }
    text
}

/// Formats the decision for a cipher and its reason.
pub fn sentence(cipher: &Cipher) -> String {
    let Cipher { name, driver, interface, encrypt, decrypt, .. } = cipher;
    let mut text = match (encrypt.from, decrypt.from) {
        _ if encrypt.undecided || decrypt.undecided => {
            format!("{name}: {}", undecided(name, encrypt, decrypt))
        }
        (None, None) => format!("{name}: software at every size"),
        (Some(e), Some(d)) if e == d => format!("{name}: hardware from {e} bytes on"),
        (e, d) => format!("{name}: hardware encrypts {} and decrypts {}", way(e), way(d)),
    };
    let at = |way: &Direction| way.points.first().map(figures).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = write!(text, ", {driver} over {interface}; {}", at(encrypt));
    if encrypt.from.is_some() != decrypt.from.is_some() {
        let _ = write!(text, ", decryption {}", at(decrypt));
    }
    text.push('.');
    let below = [("encryption", encrypt), ("decryption", decrypt)]
        .into_iter()
        .find(|(_, way)| !way.wins_below.is_empty());
    if let Some((what, way)) = below {
        let sizes: Vec<String> = way.wins_below.iter().map(usize::to_string).collect();
        let _ = write!(
            text,
            " At {} bytes hardware wins the {what}, and loses at larger sizes: who knows that his requests are so small sets \
             THRESHOLDS.",
            sizes.join(" and ")
        );
    }
    if let Some(from) = cipher.sixteen_at_once.as_ref().and_then(|way| way.from) {
        if !encrypt.undecided && encrypt.from.is_none_or(|alone| from < alone) {
            let _ = write!(text, " Sixteen at once would win from {from} bytes on.");
        }
    }
    if let Some(pieces) = cipher.pieces.as_ref().filter(|pieces| pieces.bytes > PIECE) {
        let _ = write!(text, " Large requests that can be cut are best in pieces of {} bytes.", pieces.bytes);
    }
    text
}

/// Formats the sentence for a cipher of which a direction is undecided.
fn undecided(cipher: &str, encrypt: &Direction, decrypt: &Direction) -> String {
    let why = "its samples vary too much for a decision";
    let stays = format!("the built-in threshold of {} bytes stays", default_threshold(cipher));
    match (encrypt.undecided, decrypt.undecided) {
        (true, true) => format!("no decision, {why}; {stays}"),
        (true, false) => {
            format!("hardware decrypts {}; for encryption {why}, and {stays}", way(decrypt.from))
        }
        (false, _) => format!("hardware encrypts {}; for decryption {why}, and {stays}", way(encrypt.from)),
    }
}

fn way(from: Option<usize>) -> String {
    from.map_or_else(|| "nothing".to_owned(), |bytes| format!("from {bytes} bytes on"))
}

/// Formats a point: `at 65536 bytes 256 MB/s where software has 67, with 31 % of its CPU time`.
fn figures(point: &Point) -> String {
    if let Some(why) = &point.refused {
        return format!("at {} bytes {why}", point.bytes);
    }
    let (hard, soft) = (&point.hardware, &point.software);
    let mut text = format!(
        "at {} bytes {:.0} MB/s where software has {:.0}",
        point.bytes, hard.megabytes_per_second, soft.megabytes_per_second
    );
    let cpu = hard.cpu_ms_per_megabyte.zip(soft.cpu_ms_per_megabyte).filter(|(_, soft)| *soft > 0.0);
    if let Some((hard, soft)) = cpu {
        let _ = write!(text, ", with {:.0} % of its CPU time", hard / soft * 100.0);
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use outboard_documents::tune::{Driver, Pieces, Tried};
    use outboard_documents::{Figure, Goal, Machine, Verdict};

    fn figure(speed: f64, cpu: f64, interrupts: f64) -> Figure {
        Figure {
            megabytes_per_second: speed,
            spread: 0.01,
            samples: 5,
            outliers: 0,
            cpu_ms_per_megabyte: Some(cpu),
            interrupts_per_request: interrupts,
        }
    }

    fn direction(from: Option<usize>, hardware: f64) -> Direction {
        let point = Point {
            bytes: 65536,
            software: figure(67.0, 15.0, 0.0),
            hardware: figure(hardware, 4.5, 1.0),
            verdict: if from.is_some() { Verdict::Wins } else { Verdict::Loses },
            refused: None,
        };
        Direction { from, points: vec![point], ..Direction::default() }
    }

    /// Results of a noisy machine.
    fn unclear() -> Direction {
        let mut way = direction(None, 60.0);
        way.points[0].verdict = Verdict::Unclear;
        Direction { undecided: true, ..way }
    }

    fn cipher(name: &str, encrypt: Direction, decrypt: Direction, deep: Option<Direction>) -> Cipher {
        let (driver, interface) = ("virtio_crypto_aes_cbc".to_owned(), "/dev/outboard".to_owned());
        let sixteen_at_once = deep;
        let mut cipher = Cipher {
            name: name.into(),
            driver,
            interface,
            encrypt,
            decrypt,
            sixteen_at_once,
            pieces: None,
            sentence: String::new(),
        };
        cipher.sentence = sentence(&cipher);
        cipher
    }

    /// A document such as a run creates.
    pub fn answer() -> Tune {
        let machine = Machine { kernel: "7.2.0-amd64".into(), cpu: "QEMU Virtual CPU".into(), cpus: 1 };
        let mut answer = Tune::new(Goal::Balanced, machine, vec!["this machine is noisy".into()]);
        answer.made = "2026-11-21T12:34:56Z".into();
        answer.openssl = "OpenSSL 3.5.4".into();
        answer.drivers = vec![Driver {
            driver: "virtio_crypto_aes_cbc".into(),
            module: "virtio_crypto".into(),
            version: "0123ABCD".into(),
        }];
        let middle = Direction { wins_below: vec![16384, 4096], ..direction(None, 60.0) };
        let silent = Point {
            refused: Some("no interrupt of the accelerator came: its driver computed this on the CPU".into()),
            ..direction(None, 60.0).points[0].clone()
        };
        let mut first = cipher(
            "AES-128-CBC",
            direction(Some(4096), 256.0),
            direction(Some(2048), 390.0),
            Some(direction(Some(1024), 300.0)),
        );
        let tried = |best, bytes, verdict| Tried {
            best,
            best_figure: figure(324.0, 4.5, 1.0),
            bytes,
            figure: figure(437.0, 4.0, 1.0),
            verdict,
        };
        let tried = vec![tried(16384, 32768, Verdict::Even), tried(16384, 65536, Verdict::Wins)];
        first.pieces = Some(Pieces { bytes: 65536, request: 65536, tried });
        first.sentence = sentence(&first);
        answer.ciphers = vec![
            first,
            cipher("AES-192-CBC", direction(Some(4096), 256.0), direction(Some(4096), 256.0), None),
            cipher("AES-256-CBC", direction(None, 20.0), direction(None, 20.0), None),
            cipher("AES-128-CTR", middle, direction(Some(64), 256.0), None),
            cipher(
                "AES-256-CTR",
                Direction { points: vec![silent], ..Direction::default() },
                direction(None, 9.0),
                None,
            ),
            cipher("AES-192-CTR", unclear(), unclear(), None),
            cipher("AES-128-XTS", unclear(), direction(Some(1024), 256.0), None),
            cipher("AES-256-XTS", direction(None, 20.0), unclear(), None),
        ];
        answer.lookahead = vec![
            looked_ahead("AES-128-CTR", direction(Some(64), 256.0), Some(direction(Some(24576), 80.0))),
            looked_ahead("AES-128-GCM", direction(Some(1024), 110.0), Some(direction(None, 60.0))),
            looked_ahead("AES-256-GCM", direction(Some(512), 110.0), Some(unclear())),
            looked_ahead("AES-192-CTR", direction(None, 60.0), None),
            looked_ahead("AES-256-CTR", unclear(), None),
        ];
        answer
    }

    fn looked_ahead(name: &str, requests: Direction, connections: Option<Direction>) -> Lookahead {
        let mut one = Lookahead {
            name: name.into(),
            driver: "virtio_crypto_aes_ecb".into(),
            direct_from: name.ends_with("192-CTR").then_some(16384),
            requests,
            ahead_percent: 99.5,
            connections,
            sentence: String::new(),
        };
        one.sentence = lookahead(&one);
        one
    }

    #[test]
    fn each_look_ahead_has_its_sentence() {
        insta::assert_snapshot!(all_lookahead(&answer().lookahead));
    }

    #[test]
    fn a_reason_is_given_once_for_all_algorithms() {
        let none = |name: &str| format!("/proc/crypto lists no driver for {name} that may be used");
        let given =
            [none("cbc(aes)"), "root allows none".to_owned(), none("ctr(aes)"), none("cbc(aes), xts(aes)")];
        assert_eq!(
            reasons(&given),
            "root allows none; /proc/crypto lists no driver for cbc(aes), ctr(aes), xts(aes) that may be used"
        );
        assert_eq!(reasons(&[]), "");
    }

    #[test]
    fn each_cipher_has_its_sentence() {
        insta::assert_snapshot!(ciphers(&answer().ciphers));
    }

    #[test]
    fn the_end_says_how_and_where() {
        let mut answer = answer();
        let nothing = end(&answer);
        answer.written = Some("/etc/outboard/policy".to_owned());
        let written = end(&answer);
        answer.interrupted = true;
        answer.written = None;
        insta::assert_snapshot!([nothing, written, end(&answer)].join("\n"));
    }

    #[test]
    fn a_report_keeps_all_of_it() {
        let (kept, written) = crate::commands::report::kept("tunes", &answer());
        assert_eq!(kept, written);
    }

    #[test]
    fn json_has_all_of_it() {
        let mut answer = answer();
        answer.ciphers.truncate(1);
        answer.lookahead.truncate(1);
        insta::assert_snapshot!(outboard_documents::json(&answer).unwrap());
    }
}
