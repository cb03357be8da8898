//! Formats the results as text.

use outboard_advice::details;
use outboard_console::first_of;
use outboard_documents::status::KernelUserFigures;
use outboard_documents::tune::{Lookahead, Tune, TunedCipher};

/// The provider's message if an algorithm has no driver: the text before and after the name.
const NO_DRIVER: (&str, &str) = ("/proc/crypto lists no driver for ", " that may be used");

pub fn ciphers(ciphers: &[TunedCipher]) -> String {
    ciphers.iter().map(|cipher| format!("{}\n", cipher.sentence)).collect()
}

pub fn all_lookahead(all: &[Lookahead]) -> String {
    all.iter().map(|one| format!("{}\n", one.sentence)).collect()
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
    let of_kernel = |one: &KernelUserFigures| {
        let KernelUserFigures { setting, driver, .. } = one;
        let next =
            if one.is_slower { format!(": outboard prefer --software {driver}") } else { String::new() };
        format!(
            "{setting} in the kernel: {driver} {:.1} MB/s, software {:.1}{next}\n",
            one.megabytes_per_second, one.software_megabytes_per_second
        )
    };
    let mut text: String = answer.services.iter().map(details).collect();
    text.extend(answer.kernel_users.iter().map(of_kernel));
    let mut line = |words: std::fmt::Arguments<'_>| text += &format!("{words}\n");
    let warnings = first_of(&answer.warnings, "warning", "--json", false);
    warnings.shown.iter().for_each(|warning| line(format_args!("Warning: {warning}.")));
    warnings.more.iter().for_each(|more| line(format_args!("And {more}.")));
    let ciphers = answer.ciphers.iter().filter(|one| one.encrypt.undecided || one.decrypt.undecided);
    let ahead = answer.lookahead.iter().filter(|one| one.requests.undecided);
    let mut undecided: Vec<&str> = ciphers.map(|one| &*one.name).chain(ahead.map(|one| &*one.name)).collect();
    undecided.dedup();
    if !undecided.is_empty() {
        line(format_args!(
            "Not decided, and left in software: {}. Repeat \"outboard tune\" when nothing else runs here.",
            undecided.join(", ")
        ));
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
            "{file} applies to every application that is started from now on; after a new kernel, CPU or driver, tune again.\n\
             Which services to switch on, or to give another cipher: outboard setup."
        )),
        None => line(format_args!("Nothing was written.")),
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::super::services;
    use super::*;
    use crate::tuning::sentence;
    use outboard_documents::tune::{DirectionResult, Pieces, Point, TriedChunk, TunedDriver};
    use outboard_documents::{Figure, Goal, Machine, SpeedVerdict};
    use outboard_policy::CipherFigure;
    use outboard_services::negotiation::Negotiation;

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

    fn direction(from: Option<usize>, hardware: f64) -> DirectionResult {
        let point = Point {
            bytes: 65536,
            software: figure(67.0, 15.0, 0.0),
            hardware: figure(hardware, 4.5, 1.0),
            verdict: if from.is_some() { SpeedVerdict::Wins } else { SpeedVerdict::Loses },
            refused: None,
        };
        DirectionResult { from, points: vec![point], ..DirectionResult::default() }
    }

    /// Results of a noisy machine.
    fn unclear() -> DirectionResult {
        let mut result = direction(None, 60.0);
        result.points[0].verdict = SpeedVerdict::Unclear;
        DirectionResult { undecided: true, ..result }
    }

    fn cipher(name: &str, encrypt: DirectionResult, decrypt: DirectionResult) -> TunedCipher {
        let (driver, interface) = ("virtio_crypto_aes_cbc".to_owned(), "/dev/outboard".to_owned());
        let mut cipher = TunedCipher {
            name: name.into(),
            driver,
            interface,
            encrypt,
            decrypt,
            pieces: None,
            key_bytes: None,
            sentence: String::new(),
        };
        cipher.sentence = sentence::cipher(&cipher);
        cipher
    }

    /// A document such as a run creates.
    pub fn answer() -> Tune {
        let machine = Machine { kernel: "7.2.0-amd64".into(), cpu: "QEMU Virtual CPU".into(), cpus: 1 };
        let mut answer = Tune::new(Goal::Balanced, machine, vec!["this machine is noisy".into()]);
        answer.made = "2026-11-21T12:34:56Z".into();
        answer.openssl = "OpenSSL 3.5.4".into();
        answer.drivers = vec![TunedDriver {
            driver: "virtio_crypto_aes_cbc".into(),
            module: "virtio_crypto".into(),
            version: "0123ABCD".into(),
        }];
        let middle = DirectionResult { wins_below: vec![16384, 4096], ..direction(None, 60.0) };
        let silent = Point {
            refused: Some("no interrupt of the accelerator came: its driver computed this on the CPU".into()),
            ..direction(None, 60.0).points[0].clone()
        };
        let mut first = cipher("AES-128-CBC", direction(Some(4096), 256.0), direction(Some(2048), 390.0));
        let tried = |best, bytes, verdict| TriedChunk {
            best,
            best_figure: figure(324.0, 4.5, 1.0),
            bytes,
            figure: figure(437.0, 4.0, 1.0),
            verdict,
        };
        let tried = vec![tried(16384, 32768, SpeedVerdict::Even), tried(16384, 65536, SpeedVerdict::Wins)];
        first.key_bytes = Some(16384);
        first.pieces = Some(Pieces { bytes: 65536, request: 65536, tried });
        first.sentence = sentence::cipher(&first);
        answer.ciphers = vec![
            first,
            cipher("AES-192-CBC", direction(Some(4096), 256.0), direction(Some(4096), 256.0)),
            cipher("AES-256-CBC", direction(None, 20.0), direction(None, 20.0)),
            cipher("AES-128-CTR", middle, direction(Some(64), 256.0)),
            cipher(
                "AES-256-CTR",
                DirectionResult { points: vec![silent], ..DirectionResult::default() },
                direction(None, 9.0),
            ),
            cipher("AES-192-CTR", unclear(), unclear()),
            cipher("AES-128-XTS", unclear(), direction(Some(1024), 256.0)),
            cipher("AES-256-XTS", direction(None, 20.0), unclear()),
        ];
        answer.lookahead = vec![
            looked_ahead("AES-128-CTR", direction(Some(64), 256.0), Some(direction(Some(24576), 80.0))),
            looked_ahead("AES-128-GCM", direction(Some(1024), 110.0), Some(direction(None, 60.0))),
            looked_ahead("AES-192-GCM", below_direct(), Some(direction(Some(24576), 80.0))),
            looked_ahead("AES-256-GCM", direction(Some(512), 110.0), Some(unclear())),
            looked_ahead("AES-192-CTR", direction(None, 60.0), None),
            looked_ahead("AES-256-CTR", unclear(), None),
        ];
        let offered = Negotiation::Nginx.by_default();
        answer.services = vec![services::facts(&answer, "nginx", offered, 16384, &figures()).decide()];
        answer
    }

    /// Figures of requests of TLS.
    pub fn figures() -> Vec<CipherFigure> {
        let figure = |name: &str, driver: Option<&str>, speed: f64, cpu| CipherFigure {
            bytes: 16384,
            name: name.to_owned(),
            driver: driver.map(str::to_owned),
            megabytes_per_second: speed,
            spread: 0.01,
            cpu_ms_per_megabyte: Some(cpu),
        };
        vec![
            figure("AES-128-GCM", None, 4.1, 115.0),
            figure("AES-128-GCM", Some("virtio_crypto_aes_ecb"), 6.3, 31.0),
            figure(outboard_advice::CHACHA20, None, 16.1, 24.0),
        ]
    }

    /// Look-ahead loses to direct requests at the largest size.
    fn below_direct() -> DirectionResult {
        let [mut result, middle] = [direction(Some(512), 60.0), direction(Some(512), 110.0)];
        result.points[0].verdict = SpeedVerdict::Loses;
        result.points.extend(middle.points.into_iter().map(|point| Point { bytes: 16384, ..point }));
        DirectionResult { to: Some(16384), ..result }
    }

    fn looked_ahead(
        name: &str,
        requests: DirectionResult,
        connections: Option<DirectionResult>,
    ) -> Lookahead {
        let mut one = Lookahead {
            name: name.into(),
            driver: "virtio_crypto_aes_ecb".into(),
            direct_from: name.starts_with("AES-192").then_some(16384),
            requests,
            ahead_percent: 99.5,
            connections,
            sentence: String::new(),
        };
        one.sentence = sentence::lookahead(&one);
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
    fn no_more_than_two_warnings_are_shown() {
        let mut answer = answer();
        answer.warnings = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let text = end(&answer);
        assert_eq!(text.matches("Warning: ").count(), 2, "{text}");
        assert!(text.contains("And 2 more warnings (--json)."), "{text}");
    }

    #[test]
    fn a_report_keeps_all_of_it() {
        let (kept, written) = outboard_tests::kept::kept(&answer());
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
