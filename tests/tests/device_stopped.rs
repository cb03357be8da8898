//! An engine that completes no request any more: what it costs the processes that use it, and how
//! they use it again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use outboard_counters::SoftwareReason;
use outboard_documents::software::software;
use outboard_tests::child::in_own_process;
use outboard_tests::command::status_and_output;
use outboard_tests::machine::set_patience;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::stream::Stream;
use outboard_tests::time_limit::wait_until;
use outboard_tests::world::{DriverChoice, Order, World};
use serde_json::Value;

const DRIVER: &str = "sim-cbc-aes";
const CBC: &str = "AES-128-CBC";

/// Requests of a stream.
const REQUESTS: usize = 200;

fn world() -> World {
    let settings = [("THRESHOLDS", "ALL:16"), ("KEY_BYTES", "0"), ("LOG_LEVEL", "off")];
    World::new(DriverChoice::Simulated(DRIVER.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn stream(world: &World) -> Stream {
    Stream::new(&world.soft(CBC), 1, REQUESTS, 4096)
}

/// Runs the stream right in a process that finds the engine stopped. Returns the requests that the
/// engine got: none of them was completed.
#[track_caller]
fn sent_while_stopped(simulated: &Simulated, world: &World) -> u64 {
    let before = simulated.requests();
    let counts = world.counts_of(CBC);
    assert!(stream(world).runs_right(&world.hard(CBC)), "software has processed it");
    let (sent, now) = (simulated.requests() - before, world.counts_of(CBC));
    assert_eq!(now.hw_requests, counts.hw_requests, "{now:?}");
    assert_eq!(now.failures - counts.failures, sent, "each request that was sent was lost: {now:?}");
    let most = software(&now)[0];
    assert_eq!((most.reason, software(&now).len()), (SoftwareReason::EngineStopped, 1), "{now:?}");
    sent
}

/// One test of many parts, because loading the simulation takes long.
#[test]
fn a_second_process_sends_nothing_but_the_probe_to_an_engine_that_stopped() {
    let test = "a_second_process_sends_nothing_but_the_probe_to_an_engine_that_stopped";
    let Some(Reachable { simulated, outboard, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&[DRIVER]);
    set_patience(Duration::from_millis(30));
    let first = world();
    assert!(stream(&first).runs_right(&first.hard(CBC)));
    assert!(first.counts_of(CBC).hw_requests >= REQUESTS as u64 && !is_stopped(), "before the fault");

    let held = simulated.hold(DRIVER);
    assert!(sent_while_stopped(&simulated, &first) >= 2, "the first, and one that is tried at once");
    assert!(is_stopped());
    // From now on there are pauses of a second and more between two probes.
    in_own_process(|| {
        let sent = sent_while_stopped(&simulated, &world());
        assert!(sent < REQUESTS as u64 / 20, "{sent} requests of {REQUESTS}");
    });
    the_commands_name_it(&outboard);
    drop(held);
    assert!(stream(&first).runs_right(&first.hard(CBC)));
    assert!(!is_stopped(), "it has answered");

    // The requests that it has lost stay lost, and a later one shows that it works.
    let counts = first.counts_of(CBC);
    simulated.fault(&format!("{DRIVER} never count=2"));
    wait_until("the engine is used again", || {
        assert!(stream(&first).runs_right(&first.hard(CBC)));
        first.counts_of(CBC).hw_requests > counts.hw_requests + REQUESTS as u64
    });
    assert_eq!(first.counts_of(CBC).failures, counts.failures + 2);
    simulated.let_go();
    a_check_waits_for_a_request_that_is_only_late(&simulated, &outboard);
}

/// As on a machine that was stopped itself.
fn a_check_waits_for_a_request_that_is_only_late(simulated: &Simulated, outboard: &Path) {
    let given_up = count("timeouts");
    simulated.fault(&format!("{DRIVER} never count=1"));
    let mut check = Command::new(outboard);
    check.args(["check", "--alone", "--for", "0", DRIVER]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let check = check.spawn().expect("it runs");
    wait_until("given up by the module", || count("timeouts") > given_up);
    simulated.let_go();
    let output = check.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", status_and_output(&output));
}

fn count(file: &str) -> u64 {
    let path = format!("/sys/class/misc/outboard/drivers/{DRIVER}/{file}");
    fs::read_to_string(path).expect("the driver is allowed").trim().parse().expect("a number")
}

fn is_stopped() -> bool {
    count("stopped") == 1
}

/// `status` names it, `prove` gives it as the reason, and `check` does not wait for it.
fn the_commands_name_it(outboard: &Path) {
    let run = |arguments: &[&str]| Command::new(outboard).args(arguments).output().expect("it runs");
    let json = |arguments: &[&str]| -> Value {
        let output = run(arguments);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    let status = json(&["status", "--json"]);
    let problems = status["problems"].as_array().expect("problems");
    let ours = |one: &&Value| one["id"] == "driver-does-not-answer";
    let problem = problems.iter().find(ours).unwrap_or_else(|| panic!("{problems:?}"));
    let (text, evidence) = (problem["text"].as_str(), problem["evidence"].as_str());
    assert!(
        text.is_some_and(|text| text.starts_with(&format!("the engine of {DRIVER} has stopped"))),
        "{text:?}"
    );
    assert!(evidence.is_some_and(|evidence| evidence.ends_with("/stopped: 1")), "{evidence:?}");

    let enc = "openssl enc -aes-128-cbc -in /proc/kallsyms -out /dev/null -K 00 -iv 00";
    let prove = ["prove", "--json", "-", "--driver", DRIVER, "--threshold", "16", "--"];
    let arguments: Vec<&str> = prove.into_iter().chain(enc.split(' ')).collect();
    let proof = json(&arguments);
    let summary = proof["summary"].as_str().expect("a text");
    assert!(
        summary.contains(&format!("the engine of {DRIVER} did not complete requests of {CBC} in time")),
        "{summary}"
    );

    let checked = run(&["check", "--for", "0", DRIVER]);
    let text = status_and_output(&checked);
    assert!(checked.status.code() == Some(1) && text.contains("NO ANSWER"), "{text}");
    let forgotten = run(&["check", "--forget", DRIVER]);
    assert!(forgotten.status.success(), "{forgotten:?}");
}
