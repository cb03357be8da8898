//! Engines of CESA whose interrupt is lost: the driver has no time limit, so that they stop for good,
//! and this theme is the last of its machine.

use std::fs;

use outboard_tests::command::status_and_output;
use outboard_tests::model::Word;
use outboard_tests::modelled::Modelled;
use outboard_tests::stream::Stream;
use serde_json::Value;

use crate::model_cesa::{CBC, CESA};

/// The time limit of the module for a request, in seconds.
const LIMIT: u64 = 4;

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

#[test]
fn an_engine_that_stopped_costs_a_process_one_time_limit_and_is_named_and_not_used_after_a_check() {
    let test =
        "an_engine_that_stopped_costs_a_process_one_time_limit_and_is_named_and_not_used_after_a_check";
    let Some(modelled) = Modelled::find(test, &CESA) else { return };
    fs::write("/sys/module/outboard/parameters/timeout", LIMIT.to_string()).expect("as root");
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
    assert!(modelled.engines.sum(Word::Faults) > 0 && counts.failures == 1, "not a second one: {counts:?}");
    let (text, evidence) = problem(&modelled).expect("status names it");
    assert!(text.contains("each new process") && evidence.contains("timeouts"), "{text}: {evidence}");

    // Both engines have stopped now.
    let checked = modelled.machine.checked(&["--for", "1s", CBC], 1);
    assert!(checked.contains("NO ANSWER"), "{checked}");
    let (text, evidence) = problem(&modelled).expect("status names it");
    assert!(
        text.contains("the provider does not use it") && evidence.contains("checked"),
        "{text}: {evidence}"
    );
    // AF_ALG would reach it.
    assert!(modelled.world(CBC, &[]).hard_if_offered("AES-128-CBC").is_none());
    let line = "prove -- openssl enc -aes-128-cbc -in /proc/kallsyms -out /dev/null -K 00 -iv 00";
    let arguments: Vec<&str> = line.split(' ').collect();
    let output = modelled.machine.command(&arguments).output().expect("the command runs");
    let text = status_and_output(&output);
    assert!(text.contains("mv-cbc-aes did not answer when it was checked"), "{text}");

    // A further try.
    modelled.output(&["disallow", "--now", CBC]);
    let refused = modelled.refused(&["allow", "--now", CBC]);
    assert!(refused.contains("does not use it over any interface"), "{refused}");
    modelled.report("lost interrupt", "one wait for the time limit, named by status, not used after a check");
}
