//! The engine (kmod/engine): the command treats it as an accelerator with interrupts of its own
//! device, and a proof names it.

use std::fs;

use outboard_counters::Counts;
use outboard_tests::bytes::bytes;
use outboard_tests::command::{on_path, succeeded};
use outboard_tests::engine::{DRIVERS, Engine};
use outboard_tests::evp::Direction;
use outboard_tests::machine::{are_interrupts_counted, counts_interrupts};
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::skip::skip;
use outboard_tests::tuning::{Machine, POLICY};
use outboard_tests::world::{DriverChoice, Order, World};
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
    if counts_interrupts(test) {
        every_byte_of_openssl_enc_is_proven(&machine);
        tune_switches_look_ahead_on_and_applications_use_it(&machine);
        bench_compares_look_ahead_with_software(&machine);
    }
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
        assert_eq!(
            one["interrupts"].as_u64().is_some_and(|count| count > 0),
            are_interrupts_counted(),
            "{one}"
        );
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

/// The length of the messages of [`records`].
const RECORD: u64 = 1400;

const MEASURED: [&str; 2] = ["AES-128-CTR", "AES-128-GCM"];

/// No program and no section names the key LOOKAHEAD here.
fn tune_switches_look_ahead_on_and_applications_use_it(machine: &Machine) {
    let _ = fs::remove_file(POLICY);
    assert_eq!(ahead_of_ctr(machine)["key_stream_generated"], 0, "before a measurement");
    let answer = machine.tuned(&["--ciphers", &MEASURED.join(",")]);
    let policy = fs::read_to_string(POLICY).expect("a policy");
    let found = answer["lookahead"].as_array().expect("look-ahead");
    assert_eq!(found.len(), MEASURED.len(), "{answer}");
    for (one, name) in found.iter().zip(MEASURED) {
        assert_eq!((&one["name"], &one["driver"]), (&name.into(), &ECB.into()), "{one}");
        let line = policy.lines().find(|line| line.starts_with(&format!("lookahead {name} ")));
        let (from, to) = (one["requests"]["from"].as_u64(), one["requests"]["to"].as_u64());
        let to = to.map_or(String::new(), |to| format!("-{to}"));
        let from = from.map_or("never".to_owned(), |from| format!("{from}{to}"));
        match one["requests"]["undecided"].as_bool() {
            Some(false) => assert!(
                line.is_some_and(|line| line.starts_with(&format!("lookahead {name} {from} {ECB}"))),
                "{policy}"
            ),
            _ => assert_eq!(line, None, "{policy}"),
        }
    }
    // The factor is 5 or more on any machine without AES instructions. Where other programs disturb
    // single samples, there may be no size from which look-ahead always wins, or a direct request may win
    // with large ones; then the following is about a policy written by hand.
    let points = found[0]["requests"]["points"].as_array().expect("points");
    assert!(points.iter().any(|point| point["verdict"] == "wins"), "{answer}");
    if !found[0]["requests"]["from"].is_u64() || found[0]["requests"]["to"].is_u64() {
        rewrite("AES-128-CTR", &format!("16 {ECB} 0"));
    }
    let largest = &points[0];
    assert!(largest["hardware"]["interrupts_per_request"].as_f64() > Some(0.0), "{largest}");

    let total = ahead_of_ctr(machine);
    let bytes = |name: &str| total[name].as_u64().expect("a number");
    assert!(bytes("ahead_bytes") * 10 > bytes("hardware_bytes") * 9, "{total}");
    assert!(bytes("key_stream_generated") >= bytes("ahead_bytes"), "{total}");

    let gcm = records(&[]);
    // GHASH stays on the CPU: where that is slow, only messages longer than these gain.
    match found[1]["requests"]["from"].as_u64() {
        Some(from) if from <= RECORD => assert!(gcm.ahead_bytes * 2 > gcm.bytes(), "{gcm:?}: {answer}"),
        _ => assert_eq!(gcm.ahead_requests, 0, "{gcm:?}: {answer}"),
    }
    assert_eq!(records(&[("LOOKAHEAD", "OFF")]).ahead_requests, 0);
    the_thresholds_of_the_policy_are_used();
    let _ = fs::remove_file(POLICY);
}

/// Replaces the policy's line of look-ahead for a cipher.
fn rewrite(cipher: &str, rest: &str) {
    let (text, start) = (fs::read_to_string(POLICY).expect("a policy"), format!("lookahead {cipher} "));
    let others = text.lines().filter(|line| !line.starts_with(&start)).flat_map(|line| [line, "\n"]);
    let new: String = others.chain([start.as_str(), rest, "\n"]).collect();
    fs::write(POLICY, new).expect("the policy's file");
}

fn the_thresholds_of_the_policy_are_used() {
    const GCM: &str = MEASURED[1];
    rewrite(GCM, &format!("512 {ECB} 0"));
    assert!(records(&[]).ahead_bytes > 0);
    rewrite(GCM, &format!("16384 {ECB} 0"));
    assert_eq!(records(&[]).ahead_requests, 0, "messages are shorter");
    rewrite(GCM, &format!("512 {ECB} 100000000"));
    assert_eq!(records(&[]).ahead_requests, 0, "fewer bytes with a key");
    assert!(records(&[("LOOKAHEAD_START", "0")]).ahead_bytes > 0, "openssl.cnf decides");
    rewrite(GCM, "512 some-other-driver 0");
    assert_eq!(records(&[]).ahead_requests, 0, "measured with another driver");
    rewrite(GCM, &format!("never {ECB}"));
    assert_eq!(records(&[]).ahead_requests, 0);
    assert!(records(&[("LOOKAHEAD", "ON")]).ahead_bytes > 0);
    assert_eq!(records(&[("POLICY", "NONE")]).ahead_requests, 0, "off without a measurement");
}

/// The counters of `openssl enc` with AES-128-CTR and the policy as it is, by `outboard prove`.
fn ahead_of_ctr(machine: &Machine) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (plain, secret) = (path("plain"), path("secret"));
    fs::write(&plain, bytes(1, 8 << 20)).expect("a file");
    let key = "42".repeat(16);
    let enc = format!("openssl enc -aes-128-ctr -e -in {plain} -out {secret} -K {key} -iv {key}");
    let mut arguments = vec!["prove", "--json", "-", "--"];
    arguments.extend(enc.split(' '));
    let proof: Value = serde_json::from_str(&output(machine, &arguments)).expect("JSON");
    assert!(proof["verdict"] == "hardware" || proof["verdict"] == "software", "{proof}");
    proof["total"].clone()
}

/// The counters after 2000 messages of [`RECORD`] bytes with AES-128-GCM, whose nonces are counters.
fn records(settings: &[(&str, &str)]) -> Counts {
    let world = World::new(DriverChoice::Accelerator, settings, Order::DefaultFirst);
    let world = world.unwrap_or_else(|error| panic!("{error}"));
    let Some(hard) = world.hard_if_offered(MEASURED[1]) else { return Counts::default() };
    let soft = world.soft(MEASURED[1]);
    let key = bytes(7, hard.key_length());
    let [mut ours, mut theirs] =
        [&hard, &soft].map(|cipher| MessageStream::new(cipher, &key, Direction::Encrypt));
    for number in 0..2000_u64 {
        let mut nonce = [3; NONCE];
        nonce[NONCE - 8..].copy_from_slice(&number.to_be_bytes());
        let message = StreamMessage::new(number, nonce, RECORD as usize);
        let [sealed, expected] = [&mut ours, &mut theirs].map(|side| side.process(&message, false));
        assert_eq!(sealed.expect("sealed"), expected.expect("sealed in software"), "message {number}");
    }
    // A context adds its counts to the table when it is freed.
    drop((ours, theirs));
    let counts = world.counts();
    assert_eq!((counts.failures, counts.mismatches), (0, 0), "{counts:?}");
    counts
}

fn bench_compares_look_ahead_with_software(machine: &Machine) {
    let sizes = ["1K", "16K"];
    // The fewest samples, without a limit after which figures are left out.
    let mut arguments = vec!["bench", "--size", "1K,16K", "--depth", "1,4", "--for", "0", "--json"];
    arguments.extend(MEASURED);
    let answer: Value = serde_json::from_str(&output(machine, &arguments)).expect("JSON");
    let name = format!("look-ahead by {ECB}");
    let contestants = answer["contestants"].as_array().expect("contestants");
    let ours: Vec<_> = contestants.iter().filter(|one| one["name"] == name.as_str()).collect();
    assert!(matches!(ours[..], [one] if one["kind"] == "lookahead" && one["driver"] == ECB), "{answer}");
    let rows = answer["rows"].as_array().expect("rows");
    let rows: Vec<_> = rows.iter().filter(|row| row["contestant"] == name.as_str()).collect();
    // CTR in both directions, GCM in one.
    assert_eq!(rows.len(), 3 * sizes.len(), "{answer}");
    for row in rows {
        assert!(row["depth"] == 1 && row["fault"].is_null(), "{row}");
        assert_eq!(row["evidence"], "interrupts", "{row}");
        assert!(row["figure"]["megabytes_per_second"].as_f64() > Some(0.0), "{row}");
    }
}
