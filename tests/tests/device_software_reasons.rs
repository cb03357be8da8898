//! Each reason for software is made to happen, and the provider's counters and `outboard prove` name
//! it.

use std::fs;
use std::path::Path;
use std::process::Command;

use outboard_counters::{Decision, SoftwareReason};
use outboard_documents::software::software;
use outboard_tests::agreement::assert_commands_agree_about_programs;
use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::in_own_process;
use outboard_tests::command::succeeded;
use outboard_tests::evp::{Context, Direction};
use outboard_tests::machine::cpu_has_aes;
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::simulated::{DRIVERS, Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World};
use serde_json::Value;

const CBC: &str = "AES-128-CBC";
const CTR: &str = "AES-128-CTR";
const GCM: &str = "AES-128-GCM";

fn world(drivers: &str, settings: &[(&str, &str)]) -> World {
    let settings = [&[("POLICY", "NONE"), ("LOG_LEVEL", "off")], settings].concat();
    World::new(DriverChoice::Simulated(drivers.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Encrypts with requests of these sizes under one key.
fn encrypt(world: &World, algorithm: &str, sizes: &[usize]) {
    let cipher = world.hard(algorithm);
    let mut context = Context::keyed(&cipher, &bytes(1, cipher.key_length()), &array(1), Direction::Encrypt);
    for &size in sizes {
        context.update(&bytes(1, size), &mut vec![0; size + 16]).expect("update");
    }
}

/// Encrypts messages of this size whose nonces count.
fn seal(world: &World, count: u64, size: usize) {
    let cipher = world.hard(GCM);
    let mut stream = MessageStream::new(&cipher, &bytes(1, cipher.key_length()), Direction::Encrypt);
    for at in 0..count {
        let mut nonce = [3; NONCE];
        nonce[4..].copy_from_slice(&at.to_be_bytes());
        stream.process(&StreamMessage::new(at, nonce, size), true).expect("sealed");
    }
}

/// The reasons of an algorithm with their requests, and the bytes of the first one.
#[track_caller]
fn assert_reason(world: &World, algorithm: &str, reason: SoftwareReason, bytes: usize) {
    let counts = world.counts_of(algorithm);
    let most = software(&counts).first().copied().unwrap_or_else(|| panic!("{algorithm}: {counts:?}"));
    assert_eq!((most.reason, most.bytes), (reason, bytes as u64), "{algorithm}: {counts:?}");
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn each_reason_for_software_is_counted_when_it_occurs() {
    let test = "each_reason_for_software_is_counted_when_it_occurs";
    let Some(Reachable { simulated, outboard, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);

    short_requests_and_keys();
    long_messages();
    calls_in_another_form();
    key_stream_that_is_late(&simulated);
    a_driver_without_room();
    a_driver_that_fails(&simulated);
    algorithms_that_are_not_offered();
    counts_of_a_context_in_use();
    prove_reads_them(&simulated, &outboard);
    the_commands_say_the_same(&outboard);
}

fn short_requests_and_keys() {
    let all = world(&DRIVERS.join(","), &[("LOOKAHEAD", "OFF")]);
    encrypt(&all, CBC, &[1024; 3]);
    assert_reason(&all, CBC, SoftwareReason::BelowThreshold, 3 * 1024);
    for (algorithm, size) in [(CBC, 16384), (CTR, 8192), ("AES-128-XTS", 4096)] {
        encrypt(&all, algorithm, &[size]);
        assert_reason(&all, algorithm, SoftwareReason::FewKeyBytes, size);
    }
    seal(&all, 1, 16384);
    assert_reason(&all, GCM, SoftwareReason::FewKeyBytes, 16384);
    let ahead = world("sim-ecb-aes", &[("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "1000000")]);
    encrypt(&ahead, CTR, &[16384; 2]);
    assert_reason(&ahead, CTR, SoftwareReason::FewKeyBytes, 2 * 16384);
    seal(&ahead, 3, 4096);
    assert_reason(&ahead, GCM, SoftwareReason::FewKeyBytes, 3 * 4096);
}

fn long_messages() {
    let all = world(&DRIVERS.join(","), &[("DIGESTS", "ALL"), ("THRESHOLDS", "ALL:1")]);
    let digest = all.hard_digest("SHA2-256").expect("offered");
    // Longer than what is gathered, longer than a request, and the longest request.
    let (gathered, request) = (1 << 20, 1 << 16);
    for length in [gathered + 1, request + 1, request] {
        digest.of(&bytes(1, length));
    }
    let counts = all.counts_of("SHA2-256");
    assert_reason(&all, "SHA2-256", SoftwareReason::AboveLimit, gathered + 1 + request + 1);
    assert_eq!((counts.hw_requests, software(&counts).len()), (1, 1), "{counts:?}");
}

fn calls_in_another_form() {
    let all = world(&DRIVERS.join(","), &[("THRESHOLDS", "ALL:16"), ("LOOKAHEAD", "OFF")]);
    let cipher = all.hard(GCM);
    for at in 0..4 {
        let mut context = Context::keyed(&cipher, &bytes(at, 16), &array(at), Direction::Encrypt);
        for _ in 0..2 {
            context.update(&bytes(1, 4096), &mut vec![0; 4096 + 16]).expect("update");
        }
    }
    let counts = all.counts_of(GCM);
    assert!(software(&counts).iter().any(|work| work.reason == SoftwareReason::UnsuitableCall), "{counts:?}");
    assert!(software(&counts).iter().all(|work| work.reason != SoftwareReason::BelowThreshold), "{counts:?}");
}

fn key_stream_that_is_late(simulated: &Simulated) {
    let ahead = || world("sim-ecb-aes", &[("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0")]);
    let assert_mostly = |ahead: &World, algorithm, reason, size: u64| {
        let counts = ahead.counts_of(algorithm);
        let work = software(&counts);
        let most = work.iter().find(|work| work.reason == reason);
        assert!(most.is_some_and(|work| work.bytes >= 4 * size), "{algorithm}: {counts:?}");
        assert!(work.iter().all(|work| work.reason != SoftwareReason::BelowThreshold), "{counts:?}");
    };
    let held = simulated.hold("sim-ecb-aes");
    in_own_process(|| {
        let ahead = ahead();
        encrypt(&ahead, CTR, &[16384; 8]);
        assert_mostly(&ahead, CTR, SoftwareReason::LookaheadMissed, 16384);
    });
    in_own_process(|| {
        let ahead = ahead();
        seal(&ahead, 8, 4096);
        assert_mostly(&ahead, GCM, SoftwareReason::LookaheadMissed, 4096);
    });
    drop(held);
}

/// A process keeps at most 256 sessions of a driver.
fn a_driver_without_room() {
    const CONTEXTS: u64 = 300;
    let all = world("sim-cbc-aes", &[("THRESHOLDS", "ALL:16"), ("KEY_BYTES", "0")]);
    let cipher = all.hard(CBC);
    let open = |key| {
        let mut context = Context::keyed(&cipher, &bytes(key, 16), &array(key), Direction::Encrypt);
        context.update(&bytes(1, 4096), &mut vec![0; 4096 + 16]).expect("update");
        context
    };
    let contexts: Vec<Context> = (0..CONTEXTS).map(open).collect();
    drop(contexts);
    let counts = all.counts_of(CBC);
    assert!(counts.hw_requests > 0 && counts.sw_requests > 0, "{counts:?}");
    assert_reason(&all, CBC, SoftwareReason::DriverBusy, 4096 * (CONTEXTS - counts.hw_requests) as usize);
}

fn a_driver_that_fails(simulated: &Simulated) {
    simulated.fault("sim-cbc-aes error 5");
    let all = world("sim-cbc-aes", &[("THRESHOLDS", "ALL:16"), ("KEY_BYTES", "0")]);
    encrypt(&all, CBC, &[4096; 8]);
    // After three failures it is disabled, also for contexts that are made then.
    encrypt(&all, CBC, &[4096]);
    simulated.fault("clear");
    assert_reason(&all, CBC, SoftwareReason::DriverFailed, 9 * 4096);
    simulated.fault("sim-sha256 error 5");
    let digests = world("sim-sha256", &[("THRESHOLDS", "ALL:16"), ("DIGESTS", "ALL")]);
    let digest = digests.hard_digest("SHA2-256").expect("offered");
    (0..5).for_each(|_| drop(digest.of(&bytes(1, 4096))));
    simulated.fault("clear");
    assert_reason(&digests, "SHA2-256", SoftwareReason::DriverFailed, 5 * 4096);
}

fn algorithms_that_are_not_offered() {
    let some = world("sim-cbc-aes", &[("CIPHERS", "AES-128-CBC,AES-128-CTR")]);
    let _ = some.hard(CBC);
    let decisions = some.decisions();
    let reason = |name: &str| {
        decisions.iter().find(|(other, _)| other == name).map(|(_, decision)| match decision {
            Decision::Left { reason, .. } => Some(*reason),
            Decision::Offered { .. } => None,
        })
    };
    assert_eq!(reason(CBC), Some(None));
    assert_eq!(reason(CTR), Some(Some(SoftwareReason::NoDriver)));
    assert_eq!(reason(GCM), Some(Some(SoftwareReason::NotConfigured)));
    // OpenSSL has it where the CPU has AES instructions and SSSE3 or AVX.
    let combined = reason("AES-128-CBC-HMAC-SHA1");
    if cpu_has_aes() && cfg!(target_arch = "x86_64") {
        assert_eq!(combined, Some(Some(SoftwareReason::CombinedCode)));
    } else {
        assert_eq!(combined, None);
    }
}

/// A long connection is observed before its context ends.
fn counts_of_a_context_in_use() {
    let all = world(&DRIVERS.join(","), &[("LOOKAHEAD", "OFF"), ("THRESHOLDS", "ALL:1000000")]);
    let cipher = all.hard(GCM);
    let mut stream = MessageStream::new(&cipher, &bytes(1, 16), Direction::Encrypt);
    for at in 0..200u64 {
        let mut nonce = [3; NONCE];
        nonce[4..].copy_from_slice(&at.to_be_bytes());
        stream.process(&StreamMessage::new(at, nonce, 1400), true).expect("sealed");
    }
    let counts = all.counts_of(GCM);
    assert!(counts.sw_requests >= 128, "{counts:?}");
    drop(stream);
}

fn prove_reads_them(simulated: &Simulated, outboard: &Path) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plain = folder.path().join("plain");
    fs::write(&plain, bytes(1, 4 << 20)).expect("a file");
    let prove = |options: &[&str], command: &str| {
        let command = command.replace("FILE", plain.to_str().expect("a plain name"));
        let arguments: Vec<&str> = ["prove", "--json", "-", "--no-system-config"]
            .iter()
            .chain(options)
            .copied()
            .chain(["--", "sh", "-c", &command])
            .collect();
        let text = succeeded(&Command::new(outboard).args(&arguments).output().expect("it runs"), &arguments);
        let start = text.find("{\n").unwrap_or_else(|| panic!("{text}"));
        serde_json::from_str::<Value>(&text[start..]).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let digest = "openssl dgst -sha256 FILE >/dev/null";
    let proof = prove(&["--driver", "sim-sha256", "--digests", "SHA2-256", "--threshold", "1"], digest);
    let summary = proof["summary"].as_str().expect("a text");
    assert!(summary.contains("longer than the limit") && !summary.contains("threshold"), "{proof:#}");
    let sha = &proof["algorithms"][0]["software_reasons"][0];
    assert_eq!((&sha["reason"], &sha["requests"]), (&"above-limit".into(), &1.into()), "{proof:#}");

    simulated.fault("sim-cbc-aes wrong");
    let check = ["check", "sim-cbc-aes"];
    let found = Command::new(outboard).args(check).output().expect("it runs");
    simulated.fault("clear");
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let key = "-K 00112233445566778899aabbccddeeff -iv f0e0d0c0b0a090807060504030201000";
    let enc = format!("openssl enc -aes-128-cbc -in FILE -out /dev/null {key}");
    let proof = prove(&["--driver", "sim-cbc-aes", "--driver", "sim-ctr-aes"], &enc);
    let summary = proof["summary"].as_str().expect("a text");
    assert!(summary.contains("sim-cbc-aes") && summary.contains("wrong"), "{proof:#}");
    let groups = proof["not_offered"].as_array().expect("a list");
    let wrong = groups.iter().find(|group| group["reason"] == "driver-wrong").expect("a reason");
    assert!(wrong["algorithms"].as_array().is_some_and(|all| all.contains(&CBC.into())), "{proof:#}");
    let forget = ["check", "--forget", "sim-cbc-aes"];
    succeeded(&Command::new(outboard).args(forget).output().expect("it runs"), &forget);
}

/// All commands about this machine, with one configuration.
fn the_commands_say_the_same(outboard: &Path) {
    let all = world(&DRIVERS.join(","), &[("LOOKAHEAD", "ON")]);
    let command = |arguments: &[&str]| {
        let mut command = Command::new(outboard);
        command.args(arguments).env("OPENSSL_CONF", all.config());
        command
    };
    let documents = assert_commands_agree_about_programs(command, &["sim-cbc-aes", "sim-ecb-aes"]);
    let algorithms = documents.ciphers.as_ref().and_then(|ciphers| ciphers["algorithms"].as_array());
    let served = algorithms.and_then(|all| all.iter().find_map(|one| one["driver"].as_str()));
    assert!(served.is_some_and(|driver| driver.starts_with("sim-")), "{algorithms:#?}");
}
