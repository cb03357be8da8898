//! A driver whose results become wrong: the wrong results that reach the application.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::{in_own_process, text_of_own_process};
use outboard_tests::command::{helper, status_and_output};
use outboard_tests::device::count;
use outboard_tests::evp::{Context, Direction};
use outboard_tests::exposure::{Contestant, wrong_results};
use outboard_tests::lane::is_full_lane;
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::simulated::{ALGORITHMS, DRIVERS, Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::world::{DriverChoice, Order, World};
use outboard_uapi::DEVICE;

/// The number of concurrent processes.
const PROCESSES: u64 = 4;

/// The maximum number of wrong digests that reach one process: one in 32 is compared.
const DIGESTS_UNSEEN: u64 = 64;

/// The variable with the number of messages of each algorithm. If it is set, each algorithm of
/// [`SPORADIC`] also has ten runs with a sporadic fault, for the figures of docs/provider.md.
const MESSAGES: &str = "OUTBOARD_WRONG_RESULTS";

/// One algorithm of each kind. The fast lane tests these alone.
const SPORADIC: [&str; 7] =
    ["AES-128-CBC", "AES-128-CTR", "AES-128-XTS", "AES-128-GCM", "AES-128-CCM", "SHA2-256", "HMAC-SHA2-256"];

/// The variable with the number of requests that use key stream of an engine which leaves lines
/// unwritten, for the figures of docs/provider.md.
const LINES: &str = "OUTBOARD_UNWRITTEN_LINES";

/// One in this number of segments has a line of 64 bytes that the engine does not write.
const SEGMENTS: u64 = 1000;

/// The length of each segment, a quarter of the window.
const SEGMENT: u64 = 4096;
const WINDOW: &str = "16384";

/// The counts of all processes of a run.
struct Seen {
    wrong: u64,
    /// The largest number of wrong results in one process.
    worst: u64,
    caught: u64,
    by_hardware: u64,
}

fn is_digest(name: &str) -> bool {
    name.contains("SHA")
}

/// Runs the helper in several processes, each with its share of the messages.
#[track_caller]
fn seen_by_processes(helper: &Path, name: &str, messages: u64, seed: u64) -> Seen {
    let each = (messages / PROCESSES).to_string();
    let start = |process: u64| {
        let seed = (seed * PROCESSES + process).to_string();
        Command::new(helper).args([name, &each, &seed]).stdout(Stdio::piped()).spawn().expect("the helper")
    };
    let children: Vec<_> = (0..PROCESSES).map(start).collect();
    let mut seen = Seen { wrong: 0, worst: 0, caught: 0, by_hardware: 0 };
    for child in children {
        let output = child.wait_with_output().expect("its output");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = text.split_whitespace().collect();
        // Another process detected a wrong result before this one started.
        if words == ["not", "offered"] {
            continue;
        }
        let ["wrong", wrong, "caught", caught, "by", "hardware", by_hardware] = words[..] else {
            panic!("{name}: {}", status_and_output(&output));
        };
        let number = |word: &str| word.parse::<u64>().expect("a number");
        seen.by_hardware += number(by_hardware);
        seen.wrong += number(wrong);
        seen.worst = seen.worst.max(number(wrong));
        seen.caught += number(caught);
    }
    seen
}

#[test]
fn of_a_driver_that_goes_wrong_altogether_no_cipher_result_is_seen_and_few_digests() {
    let test = "of_a_driver_that_goes_wrong_altogether_no_cipher_result_is_seen_and_few_digests";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let helper = match helper("count-wrong-results") {
        Ok(helper) => helper,
        Err(missing) => return skip(test, missing),
    };
    simulated.allow(&DRIVERS);
    let chosen = std::env::var(MESSAGES).ok().map(|text| text.parse().expect("a number of messages"));
    let messages: u64 = chosen.unwrap_or(800);
    for (name, driver) in ALGORITHMS {
        if !is_full_lane() && !SPORADIC.contains(&name) {
            continue;
        }
        // The fault begins after each process has used the driver: its first results, which are all
        // compared, are correct.
        simulated.fault(&format!("{driver} garbage after={}", messages / 2));
        let seen = seen_by_processes(&helper, name, messages, 1);
        simulated.fault("clear");
        println!("{name}: every result wrong: {} seen, {} at most by one process", seen.wrong, seen.worst);
        let most = if is_digest(name) { DIGESTS_UNSEEN } else { 0 };
        assert!(seen.worst <= most, "{name}: one process saw {} wrong results", seen.worst);
        assert!(seen.caught > 0 && seen.by_hardware > 0, "{name}: the driver was not used, or not caught");
        if chosen.is_some() && SPORADIC.contains(&name) {
            sporadic(&simulated, &helper, name, driver, messages);
        }
    }
}

/// One wrong bit in one of a thousand results, ten times.
#[track_caller]
fn sporadic(simulated: &Simulated, helper: &Path, name: &str, driver: &str, messages: u64) {
    let (mut caught, mut wrong) = (0, Vec::new());
    for seed in 0..10 {
        simulated.fault(&format!("{driver} wrong every=1000"));
        let seen = seen_by_processes(helper, name, messages, seed + 2);
        simulated.fault("clear");
        caught += u64::from(seen.caught > 0);
        wrong.push(seen.wrong);
    }
    wrong.sort_unstable();
    println!(
        "{name}: one wrong bit in 1 of 1000: caught in {caught} of 10 runs, wrong results seen {wrong:?}"
    );
    assert!(caught >= 9, "{name}: caught in {caught} of 10 runs of {messages} messages");
}

#[test]
fn of_an_engine_that_leaves_lines_unwritten_no_byte_is_used_and_each_line_is_found() {
    let test = "of_an_engine_that_leaves_lines_unwritten_no_byte_is_used_and_each_line_is_found";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    let chosen = std::env::var(LINES).ok().map_or(0, |text| text.parse().expect("a number of requests"));
    for name in ["AES-128-CTR", "AES-256-GCM"] {
        let (mut requests, mut ahead, mut found) = (0, 0, 0);
        while found == 0 || ahead < chosen {
            let run = text_of_own_process(|| until_a_line_is_found(&simulated, name, found));
            let run: Vec<u64> = run.split(' ').map(|number| number.parse().expect("a number")).collect();
            requests += run[0];
            ahead += run[1];
            found += 1;
        }
        println!(
            "{name}: {requests} requests, {ahead} of them with key stream, in {found} runs: one unwritten line \
             in each, found in each, no wrong byte"
        );
    }
}

/// Uses key stream until a line that was not written is found. Returns the number of requests, and
/// of those that used key stream. Each result is compared with that of software.
#[track_caller]
fn until_a_line_is_found(simulated: &Simulated, name: &str, seed: u64) -> String {
    // Without comparisons at random, which would find some of the lines too.
    let settings = [
        ("LOOKAHEAD", "ON"),
        ("LOOKAHEAD_START", "0"),
        ("LOOKAHEAD_WINDOW", WINDOW),
        ("SHADOW_CHECKS", "0"),
        ("LOG_LEVEL", "off"),
    ];
    let world = World::new(DriverChoice::Simulated("sim-ecb-aes".to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"));
    let ciphers = [world.hard(name), world.soft(name)];
    simulated.fault(&format!("sim-ecb-aes unwritten every={SEGMENTS}"));
    let (mut requests, mut found) = (0, false);
    let mut compare = |request: &mut dyn FnMut(u64) -> bool| {
        // After the line was found, requests continue.
        let mut left = 200;
        while left > 0 {
            assert!(request(requests), "{name}: run {seed}, request {requests} is wrong");
            requests += 1;
            left -= u32::from(found);
            if !found && requests % 100 == 0 {
                let counts = world.counts_of(name);
                found = counts.failures > 0;
                let segments = counts.key_stream_generated / SEGMENT;
                assert!(segments <= SEGMENTS + 200, "{name}: run {seed}: not found in {segments} segments");
            }
        }
    };
    if name.ends_with("CTR") {
        // Chunks of any length of one stream.
        let text = bytes(seed, 1400);
        let key = bytes(seed, ciphers[0].key_length());
        let mut sides = ciphers.map(|cipher| Context::keyed(&cipher, &key, &array(seed), Direction::Encrypt));
        compare(&mut |number| {
            let text = &text[..1 + u64::from_le_bytes(array(number)) as usize % text.len()];
            let [hard, soft] = sides.each_mut().map(|context| {
                let mut output = vec![0; text.len() + 16];
                context.update(text, &mut output).expect("update");
                output
            });
            hard == soft
        });
    } else {
        // Messages of a connection. Four fill a segment, so that all key stream is used.
        let key = bytes(seed, ciphers[0].key_length());
        let mut sides = ciphers.map(|cipher| MessageStream::new(&cipher, &key, Direction::Encrypt));
        compare(&mut |number| {
            let mut nonce = [7; NONCE];
            nonce[4..].copy_from_slice(&number.to_be_bytes());
            let message = StreamMessage::new(number, nonce, SEGMENT as usize / 4);
            let [hard, soft] = sides.each_mut().map(|side| side.process(&message, true).expect("sealed"));
            hard == soft
        });
    }
    simulated.fault("clear");
    // A context adds its counts at its end: those of `sides` are complete.
    let counts = world.counts_of(name);
    assert_eq!((counts.mismatches, counts.failures), (0, 1), "{name}: run {seed}: {counts:?}");
    assert!(counts.ahead_requests > 0, "{name}: run {seed}: {counts:?}");
    format!("{requests} {}", counts.ahead_requests)
}

#[test]
fn software_that_verifies_or_replaces_a_result_makes_no_request() {
    let test = "software_that_verifies_or_replaces_a_result_makes_no_request";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    let settings =
        [("THRESHOLDS", "ALL:0"), ("DIGESTS", "ALL"), ("LOG_LEVEL", "off"), ("SHADOW_CHECKS", "1")];
    let requests = || DRIVERS.map(|driver| count(&format!("drivers/{driver}/requests")));
    for (name, driver) in ALGORITHMS {
        // The result is verified in the first run; in the second it fails and is replaced.
        for fault in [None, Some(format!("{driver} error 5"))] {
            let choice = DriverChoice::Simulated(DRIVERS.join(","));
            let world =
                World::new(choice, &settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
            fault.iter().for_each(|fault| simulated.fault(fault));
            let before = requests();
            assert_eq!(wrong_results(&world, name, 3, 30), Some(0), "{name}");
            let after = requests();
            simulated.fault("clear");
            for ((other, before), after) in DRIVERS.iter().zip(before).zip(after) {
                assert_eq!(
                    after > before,
                    *other == driver,
                    "{name}, {fault:?}: {other}: {before} to {after}"
                );
            }
        }
    }
}

#[test]
fn a_result_that_arrives_after_the_driver_was_caught_is_not_used() {
    let test = "a_result_that_arrives_after_the_driver_was_caught_is_not_used";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    let mut algorithms = ALGORITHMS.into_iter();
    for name in ["AES-128-CTR", "AES-128-GCM", "SHA2-256", "HMAC-SHA2-256"] {
        let driver = algorithms.find(|(other, _)| *other == name).expect("in the table").1;
        in_own_process(|| {
            let settings = [("THRESHOLDS", "ALL:64"), ("DIGESTS", "ALL"), ("LOG_LEVEL", "off")];
            let choice = DriverChoice::Simulated(DRIVERS.join(","));
            let world =
                World::new(choice, &settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
            let late = vec![7; 4000];
            simulated.fault(&format!("{driver} never size=4000"));
            thread::scope(|scope| {
                let outstanding = simulated.outstanding();
                let waiting = scope.spawn(|| {
                    let [mut hard, mut soft] = Contestant::both(&world, name).expect("it is offered");
                    (hard.result(9, &late), soft.result(9, &late))
                });
                wait_until("in flight", || simulated.outstanding() > outstanding);
                // Another thread gets a wrong result. The first results of each key are compared, so
                // one message is enough.
                simulated.fault(&format!("{driver} garbage size=256"));
                let [mut hard, mut soft] = Contestant::both(&world, name).expect("it is offered");
                assert_eq!(hard.result(5, &[5; 256]), soft.result(5, &[5; 256]), "{name}");
                let caught = world.counts_of(name);
                assert_eq!((caught.mismatches, caught.hw_requests), (1, 0), "{name}: {caught:?}");
                simulated.let_go();
                let (hard, soft) = waiting.join().expect("no panic");
                assert_eq!(hard, soft, "{name}");
            });
            let counts = world.counts_of(name);
            assert_eq!(
                (counts.mismatches, counts.hw_requests),
                (1, 0),
                "{name}: the late result was used: {counts:?}"
            );
        });
    }
}

#[test]
fn a_process_that_starts_later_finds_a_wrong_driver_itself() {
    let test = "a_process_that_starts_later_finds_a_wrong_driver_itself";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let helper = match helper("count-wrong-results") {
        Ok(helper) => helper,
        Err(missing) => return skip(test, missing),
    };
    simulated.allow(&DRIVERS);
    fs::set_permissions(DEVICE, std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .expect("the node is root's");
    simulated.fault("sim-ctr-aes garbage");
    // No user can disable a driver for another user, nor for a later process of its own.
    for user in [1000, 1000, 1001, 0, 0] {
        let script = format!(
            "exec setpriv --reuid {user} --regid {user} --clear-groups {} AES-128-CTR 100 1",
            helper.display()
        );
        let output = Command::new("/bin/sh").args(["-c", &script]).output().expect("/bin/sh");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.starts_with("wrong 0 caught 1 by hardware 0"), "{}", status_and_output(&output));
    }
}
