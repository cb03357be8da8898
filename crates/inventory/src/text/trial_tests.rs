use outboard_documents::check::CheckedDriver;
use outboard_documents::decision::{Entrant, ServiceDecision};
use outboard_documents::tune::DirectionResult;
use outboard_documents::{Figure, Goal, Machine, SpeedVerdict};

use super::*;
use crate::bundle::{Files, Item};

fn machine() -> Machine {
    Machine { kernel: "6.12.0".into(), cpu: "ARMv7".into(), cpus: 2 }
}

fn checked(name: &str, algorithm: &str, verdict: CheckVerdict, interrupts: u64) -> CheckedDriver {
    CheckedDriver {
        name: name.into(),
        algorithm: algorithm.into(),
        selftest: "passed".into(),
        interface: Some("AF_ALG".into()),
        verdict,
        fault: None,
        requests: 1000,
        bytes: 100_000,
        packets: 0,
        no_packets: None,
        interrupts: Some(interrupts),
    }
}

/// A measurement in which requests take `us` microseconds and the time of their bytes at `mb_per_s`.
fn tuned(us: f64, mb_per_s: f64) -> Tune {
    let point = |bytes: usize| {
        let time = us + bytes as f64 / mb_per_s;
        let megabytes_per_second = bytes as f64 / time;
        let figure = |megabytes_per_second| Figure {
            megabytes_per_second,
            cpu_ms_per_megabyte: Some(12.0),
            interrupts_per_request: 1.0,
            ..Figure::default()
        };
        Point {
            bytes,
            software: figure(10.0),
            hardware: figure(megabytes_per_second),
            verdict: SpeedVerdict::Wins,
            refused: None,
        }
    };
    let encrypt = DirectionResult { points: [16384, 1024, 64].map(point).to_vec(), ..Default::default() };
    let mut tune = Tune::new(Goal::Balanced, machine(), Vec::new());
    tune.ciphers.push(TunedCipher {
        name: "AES-128-CBC".into(),
        driver: "mv-cbc-aes".into(),
        interface: "AF_ALG".into(),
        encrypt,
        decrypt: DirectionResult::default(),
        pieces: None,
        key_bytes: None,
        sentence: String::new(),
    });
    tune
}

fn text(drivers: Vec<CheckedDriver>, tune: &Tune) -> String {
    let check = Check { drivers, ..Check::new(42, machine(), "2026-11-29T12:00:00Z".into()) };
    let json = |text: Result<String, _>| Item::File(text.unwrap().into_bytes());
    let mut files = Files::default();
    files.add("trial/steps.txt", Item::File(b"check: done in 60 s\n".to_vec()));
    files.add("trial/check.json", json(serde_json::to_string(&check)));
    files.add("trial/tune.json", json(serde_json::to_string(tune)));
    files.add("trial/prove.json", Item::File(b"{ what is this".to_vec()));
    let root = Root::of_files("a bundle".as_ref(), Box::new(files));
    trial(&root, Style::default()).unwrap()
}

#[test]
fn an_engine_as_in_the_catalogue_contradicts_nothing() {
    let text = text(vec![checked("mv-cbc-aes", "cbc(aes)", CheckVerdict::Exact, 1000)], &tuned(8.0, 100.0));
    assert!(text.contains("check: done in 60 s") && text.contains("marvell-cesa"), "{text}");
    assert!(!text.contains("Model wrong") && text.contains("16384"), "{text}");
    assert!(text.contains("prove.json cannot be read"), "{text}");
}

#[test]
fn what_the_model_got_wrong_is_listed() {
    let drivers = vec![
        checked("mv-cbc-aes", "cbc(aes)", CheckVerdict::Exact, 0),
        checked("mv-ctr-aes", "ctr(aes)", CheckVerdict::Exact, 10),
        checked("mv-ecb-aes", "ecb(aes)", CheckVerdict::Refuses, 10),
    ];
    let text = text(drivers, &tuned(40.0, 100.0));
    for wrong in
        ["completion: mv-cbc-aes", "names: mv-ctr-aes", "limits: mv-ecb-aes", "time: AES-128-CBC of 64 "]
    {
        assert!(text.contains(wrong), "{wrong}: {text}");
    }
    assert!(!text.contains("of 16384 bytes took"), "{text}");
    assert!(text.contains("outboard check --seed 42 mv-ecb-aes"), "{text}");
}

#[test]
fn a_suite_is_listed_once_with_its_fastest_mac() {
    let entrant = |mac: &str, megabytes_per_second| Entrant {
        suite: "aes128-ctr".into(),
        mac: Some(mac.into()),
        megabytes_per_second,
        ..Entrant::default()
    };
    let entrants = vec![entrant("SHA1", 5.0), entrant("SHA2-256", 7.0), entrant("SHA1", 5.0)];
    let mut tune = tuned(8.0, 100.0);
    tune.services.push(ServiceDecision { service: "sshd".into(), entrants, ..ServiceDecision::default() });
    let text = text(Vec::new(), &tune);
    assert!(text.contains("7.0 MB/s") && !text.contains("5.0 MB/s"), "{text}");
}

#[test]
fn a_bundle_without_a_trial_has_no_such_part() {
    let root = Root::of_files("a bundle".as_ref(), Box::new(Files::default()));
    assert!(trial(&root, Style::default()).is_none());
}
