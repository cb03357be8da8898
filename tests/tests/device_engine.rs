//! The engine (kmod/engine): the command treats it as an accelerator with interrupts of its own
//! device, and a proof names it.

use std::fs;

use outboard_tests::bytes::bytes;
use outboard_tests::command::{on_path, succeeded};
use outboard_tests::engine::{DRIVERS, Engine};
use outboard_tests::skip::skip;
use outboard_tests::tuning::Machine;
use serde_json::Value;

const ECB: &str = "engine-ecb-aes";
const FINDINGS: &str = "/etc/outboard/checked";

#[track_caller]
fn output(machine: &Machine, arguments: &[&str]) -> String {
    succeeded(&machine.command(arguments).output().expect("the command runs"), arguments)
}

/// One test of many parts, because the two drivers of the device exclude each other.
#[test]
fn an_engine_with_ecb_is_recognized_allowed_checked_and_proven() {
    let test = "an_engine_with_ecb_is_recognized_allowed_checked_and_proven";
    let Some(machine) = Machine::new(test) else { return };
    if on_path("openssl").is_none() {
        return skip(test, "the openssl command");
    }
    let Some(_engine) = Engine::load(test) else { return };
    let _ = fs::remove_file(FINDINGS);

    status_shows_an_accelerator(&machine);
    for (driver, _) in DRIVERS {
        let allowed = output(&machine, &["allow", "--now", driver]);
        assert!(allowed.contains("is allowed") && allowed.contains("every result right"), "{allowed}");
    }
    check_finds_every_driver_exact(&machine);
    every_byte_of_openssl_enc_is_proven(&machine);
    let _ = fs::remove_file(FINDINGS);
}

fn status_shows_an_accelerator(machine: &Machine) {
    let status: Value = serde_json::from_str(&output(machine, &["status", "--json"])).expect("JSON");
    let accelerators = status["accelerators"].as_array().expect("accelerators");
    let engine = accelerators.iter().find(|one| one["module"] == "outboard_engine").expect("the engine");
    let names = engine["drivers"].as_array().expect("drivers");
    assert!(DRIVERS.iter().all(|(driver, _)| names.contains(&Value::from(*driver))), "{engine}");
    assert_eq!(engine["devices"][0]["driver"], "outboard_engine", "{engine}");
}

fn check_finds_every_driver_exact(machine: &Machine) {
    let mut arguments = vec!["--json", "--for", "0", "--seed", "7"];
    arguments.extend(DRIVERS.iter().map(|(driver, _)| driver));
    let answer: Value = serde_json::from_str(&machine.checked(&arguments, 0)).expect("JSON");
    let found = answer["drivers"].as_array().expect("drivers");
    assert_eq!(found.len(), DRIVERS.len(), "{answer}");
    for one in found {
        assert_eq!((&one["verdict"], &one["selftest"]), (&"exact".into(), &"passed".into()), "{one}");
        assert!(one["interrupts"].as_u64().is_some_and(|count| count > 0), "{one}");
    }
}

fn every_byte_of_openssl_enc_is_proven(machine: &Machine) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (plain, secret, back) = (path("plain"), path("secret"), path("back"));
    fs::write(&plain, bytes(1, 1 << 20)).expect("a file");
    for (direction, from, to) in [("-e", &plain, &secret), ("-d", &secret, &back)] {
        let enc = format!(
            "openssl enc -aes-256-ecb {direction} -nopad -in {from} -out {to} -K {}",
            "42".repeat(32)
        );
        let mut arguments = vec!["prove", "--driver", ECB, "--threshold", "1", "--json", "-"];
        arguments.extend(["--require-hardware", "99", "--"]);
        arguments.extend(enc.split(' '));
        let proof = output(machine, &arguments);
        assert!(proof.contains("\"verdict\": \"hardware\"") && proof.contains(ECB), "{proof}");
    }
    let read = |path: &str| fs::read(path).expect("what openssl enc wrote");
    assert!(read(&plain) != read(&secret) && read(&plain) == read(&back));
}
