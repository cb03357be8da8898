//! `outboard prove` of requests over /dev/outboard.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use outboard_tests::bytes::bytes;
use outboard_tests::command::{failed, on_path, succeeded};
use outboard_tests::device::reached;
use outboard_tests::machine::{ACCELERATOR, counts_interrupts};
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::world::accelerator_world;
use serde_json::Value;

const KEY: &str = "-K 00112233445566778899aabbccddeeff -iv f0e0d0c0b0a090807060504030201000";

fn prove(outboard: &Path, arguments: &[&str]) -> Output {
    Command::new(outboard).arg("prove").args(arguments).output().expect("the command runs")
}

#[test]
fn prove_shows_the_hardware_of_the_device() {
    let test = "prove_shows_the_hardware_of_the_device";
    let (Some(outboard), Some(_)) = (on_path("outboard"), on_path("openssl")) else {
        return skip(test, "the outboard and the openssl command");
    };
    let Some(_reached) = reached(test) else { return };
    if !counts_interrupts(test) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (plain, secret, back) = (path("plain"), path("secret"), path("back"));
    fs::write(&plain, bytes(1, 8 << 20)).expect("a file");
    for (direction, from, to) in [("-e", &plain, &secret), ("-d", &secret, &back)] {
        let enc = format!("openssl enc -aes-256-cbc {direction} -in {from} -out {to} {KEY}");
        let mut arguments = vec!["--json", "-", "--threshold", "4096", "--require-hardware", "99", "--"];
        arguments.extend(enc.split(' '));
        let text = succeeded(&prove(&outboard, &arguments), &arguments);
        assert!(text.contains("over /dev/outboard"), "{text}");
    }
    let read = |path: &str| fs::read(Path::new(path)).expect("what openssl enc wrote");
    assert!(read(&back) == read(&plain));
}

/// The provider of `prove` uses one driver. Requests of a second program, with its own
/// configuration, to another accelerator do not count as proof.
#[test]
fn the_interrupts_of_another_accelerator_prove_nothing() {
    let test = "the_interrupts_of_another_accelerator_prove_nothing";
    let Some(_reached) = reached(test) else { return };
    let settings = [("DRIVERS", ACCELERATOR), ("THRESHOLDS", "ALL:1")];
    let Some(other) = accelerator_world(test, &settings) else { return };
    if !counts_interrupts(test) {
        return;
    }
    let Some(machine) = Simulated::reachable(test) else { return };
    machine.simulated.allow(&["sim-cbc-aes"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plain = folder.path().join("plain");
    fs::write(&plain, bytes(1, 1 << 20)).expect("a file");
    let enc = format!("openssl enc -aes-128-cbc -in {} {KEY} | cksum", plain.display());
    let both = format!("set -e; {enc}; export OPENSSL_CONF={}; {enc}", other.config().display());
    let arguments = ["--driver", "sim-cbc-aes", "--threshold", "1", "--json", "-", "--", "sh", "-c", &both];

    let text = succeeded(&prove(&machine.outboard, &arguments), &arguments);
    let (proof, sums) = document(&text);
    assert_eq!(proof["verdict"], "hardware", "{text}");
    assert_eq!(used_and_not(&proof).map(|interrupts| interrupts > 0), [true, true], "{text}");
    assert!(sums.len() == 2 && sums[0] == sums[1], "{text}");

    machine.simulated.fault("sim-cbc-aes software");
    let output = prove(&machine.outboard, &arguments);
    let complaint = failed(&output, &arguments, 125);
    assert!(complaint.contains("no device of sim-cbc-aes raised a single interrupt"), "{complaint}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (proof, sums) = document(&text);
    assert_eq!(proof["verdict"], "contradicted", "{text}");
    assert_eq!(used_and_not(&proof).map(|interrupts| interrupts > 0), [false, true], "{text}");
    assert!(sums.len() == 2 && sums[0] == sums[1], "{text}");
}

/// The driver's results are compared, and become wrong.
#[test]
fn a_wrong_result_is_the_headline_and_fails_the_proof() {
    let test = "a_wrong_result_is_the_headline_and_fails_the_proof";
    let Some(machine) = Simulated::reachable(test) else { return };
    machine.simulated.allow(&["sim-cbc-aes"]);
    machine.simulated.fault("sim-cbc-aes garbage after=2");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plain = folder.path().join("plain");
    fs::write(&plain, bytes(1, 1 << 20)).expect("a file");
    let enc = format!("openssl enc -aes-128-cbc -in {} {KEY} | cksum", plain.display());
    let arguments = ["--driver", "sim-cbc-aes", "--threshold", "1", "--json", "-", "--", "sh", "-c", &enc];
    let output = prove(&machine.outboard, &arguments);
    let complaint = failed(&output, &arguments, 125);
    assert!(complaint.contains("WRONG RESULT: 1 result of AES-128-CBC by sim-cbc-aes"), "{complaint}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (proof, _) = document(&text);
    assert_eq!((&proof["verdict"], &proof["total"]["mismatches"]), (&"wrong".into(), &1.into()), "{text}");
}

/// The proof, and the lines that the command printed before it.
fn document(text: &str) -> (Value, Vec<&str>) {
    let start = text.find('{').unwrap_or_else(|| panic!("no JSON: {text}"));
    (serde_json::from_str(&text[start..]).expect("JSON"), text[..start].lines().collect())
}

/// The interrupts of the devices that the command used, and those of the others.
fn used_and_not(proof: &Value) -> [u64; 2] {
    let devices = proof["devices"].as_array().expect("devices");
    [true, false].map(|used| {
        let which = devices.iter().filter(|device| device["used"] == used);
        which.map(|device| device["interrupts"].as_u64().expect("a number")).sum()
    })
}
