//! Engines of CESA whose interrupt is lost: the driver has no time limit, so that they stop for good,
//! and this theme is the last of its machine.

use std::fs;

use outboard_tests::child::in_own_process;
use outboard_tests::command::status_and_output;
use outboard_tests::model::{Word, count_of};
use outboard_tests::modelled::Modelled;
use outboard_tests::stream::Stream;
use outboard_tests::time_limit::wait_until;
use serde_json::Value;

use crate::model_cesa::{CBC, CESA};

/// The problem of `outboard status` with this driver, as its text and its evidence.
#[track_caller]
fn problem(modelled: &Modelled) -> Option<(String, String)> {
    let status: Value = serde_json::from_str(&modelled.output(&["status", "--json"])).expect("JSON");
    let problems = status["problems"].as_array().expect("problems");
    let ours = |one: &&Value| {
        one["id"] == "driver-does-not-answer" && one["text"].as_str().is_some_and(|text| text.contains(CBC))
    };
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    problems.iter().find(ours).map(|one| (text(one, "text"), text(one, "evidence")))
}

fn is_stopped() -> bool {
    let stopped = fs::read_to_string(format!("/sys/class/misc/outboard/drivers/{CBC}/stopped"));
    stopped.expect("the driver is allowed").trim() == "1"
}

/// Software serves a new process, whose only requests to the engines are those that try them.
fn assert_another_process_sends_little(modelled: &Modelled, stream: &Stream) {
    in_own_process(|| {
        let lost = count_of(CBC, "timeouts");
        let world = modelled.world(CBC, &[]);
        for _ in 0..4 {
            assert!(stream.runs_right(&world.hard("AES-128-CBC")));
        }
        let (counts, lost) = (world.counts(), count_of(CBC, "timeouts") - lost);
        assert!(counts.hw_requests == 0 && counts.failures <= lost && lost < 10, "{lost}: {counts:?}");
    });
}

#[test]
fn an_engine_that_stopped_is_left_alone_by_all_processes_and_not_used_after_a_check() {
    let test = "an_engine_that_stopped_is_left_alone_by_all_processes_and_not_used_after_a_check";
    let Some(modelled) = Modelled::find(test, &CESA) else { return };
    modelled.allow(&[CBC]);
    let world = modelled.world(CBC, &[]);
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let stream = Stream::new(&soft, 1, 50, 4096);
    assert!(stream.runs_right(&hard), "before the fault");
    assert_eq!(problem(&modelled), None);

    modelled.engines.set(Word::Lose, 10);
    for _ in 0..10 {
        assert!(stream.runs_right(&hard));
    }
    let counts = world.counts();
    assert!(modelled.engines.sum(Word::Faults) > 0 && counts.failures > 0, "{counts:?}");
    // Until both engines have stopped, requests of the other one are completed, and count.
    wait_until("both have stopped", || {
        assert!(stream.runs_right(&hard));
        is_stopped()
    });
    let (text, evidence) = problem(&modelled).expect("status names it");
    assert!(text.contains("has stopped") && evidence.ends_with("/stopped: 1"), "{text}: {evidence}");
    assert_another_process_sends_little(&modelled, &stream);

    let line = "prove -- openssl enc -aes-128-cbc -in /proc/kallsyms -out /dev/null -K 00 -iv 00";
    let arguments: Vec<&str> = line.split(' ').collect();
    let output = modelled.machine.command(&arguments).output().expect("the command runs");
    let text = status_and_output(&output);
    assert!(text.contains("the engine of mv-cbc-aes did not complete requests"), "{text}");

    let checked = modelled.machine.checked(&["--for", "1s", CBC], 1);
    assert!(checked.contains("NO ANSWER"), "{checked}");
    let (text, evidence) = problem(&modelled).expect("status names it");
    assert!(
        text.contains("the provider does not use it") && evidence.contains("checked"),
        "{text}: {evidence}"
    );
    // AF_ALG would reach it.
    assert!(modelled.world(CBC, &[]).hard_if_offered("AES-128-CBC").is_none());
    let output = modelled.machine.command(&arguments).output().expect("the command runs");
    let text = status_and_output(&output);
    assert!(text.contains("mv-cbc-aes did not answer when it was checked"), "{text}");

    // A further try.
    modelled.output(&["disallow", "--now", CBC]);
    let refused = modelled.refused(&["allow", "--now", CBC]);
    assert!(refused.contains("does not use it over any interface"), "{refused}");
    modelled.report(
        "lost interrupt",
        "given up, software at once in all processes, named by status, not used after a check",
    );
}
