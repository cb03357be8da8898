//! A fault at each change of drivers, of the generator and of the policy
//! (`outboard_tests::interrupted`). Those of services, and of setup and undo, have themes of their
//! own, which take longer.

use std::fs;
use std::path::Path;

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::fault_injection::{InjectedFault, run};
use outboard_tests::interrupted::{
    Change, DIRECTORIES, Place, Tally, faults_of_running_system, generator, machine, succeeds,
    with_each_fault,
};
use outboard_tests::lane::is_full_lane;
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::skip::skip;

/// The changes of a command whose undo restores the system.
fn can_be_undone(test: &str, changes: &[Change]) {
    let Some(outboard) = on_path("outboard") else { return skip(test, "the outboard command") };
    let mut tally = Tally::default();
    for change in changes {
        with_each_fault(&outboard, &Place::Running, change, &mut tally);
    }
}

#[test]
fn a_fault_or_a_signal_at_any_change_of_a_preference_can_be_undone() {
    let test = "a_fault_or_a_signal_at_any_change_of_a_preference_can_be_undone";
    let Some(_machine) = machine(test) else { return };
    let (prefer, undo) = (["prefer", ACCELERATOR, "--force"], ["prefer", ACCELERATOR, "--undo"]);
    let change = |name, before, command| Change {
        name,
        before,
        command,
        undo: &undo,
        is_in_files: false,
        needs_repetition: false,
    };
    can_be_undone(test, &[change("prefer", &[], &prefer), change("prefer --undo", &[&prefer], &undo)]);
}

#[test]
fn a_fault_or_a_signal_at_any_change_of_the_allow_list_can_be_undone() {
    let test = "a_fault_or_a_signal_at_any_change_of_the_allow_list_can_be_undone";
    let Some(machine) = machine(test) else { return };
    let (allow, disallow) = (["allow", ACCELERATOR], ["disallow", ACCELERATOR]);
    succeeds(&machine, &disallow);
    let change = Change {
        name: "allow",
        before: &[],
        command: &allow,
        undo: &disallow,
        is_in_files: false,
        needs_repetition: true,
    };
    can_be_undone(test, &[change]);
    succeeds(&machine, &allow);
}

#[test]
fn a_fault_or_a_signal_at_any_change_of_the_generator_can_be_undone() {
    let test = "a_fault_or_a_signal_at_any_change_of_the_generator_can_be_undone";
    let change = Change {
        name: "rng select",
        before: &[],
        command: &["rng", "select", &generator()],
        undo: &["rng", "select", "auto"],
        is_in_files: false,
        needs_repetition: true,
    };
    can_be_undone(test, &[change]);
}

/// The measurement takes seconds, so few faults are injected in the fast lane.
#[test]
fn a_fault_or_a_signal_at_any_change_of_tune_leaves_the_old_or_the_new_policy() {
    let test = "a_fault_or_a_signal_at_any_change_of_tune_leaves_the_old_or_the_new_policy";
    let Some(machine) = machine(test) else { return };
    let arguments = ["--ciphers", "AES-128-CBC"];
    let (output, count) = run(machine.tune(&arguments), &DIRECTORIES, None, &mut || {});
    succeeded(&output, &arguments);
    let policy = Path::new("/etc/outboard/policy");
    let mark = "# the old one\n";
    let places: Vec<usize> = if is_full_lane() { (0..count).collect() } else { vec![count / 2] };
    let mut injected = 0;
    for at in places {
        for fault in faults_of_running_system(at).into_iter().take(if is_full_lane() { 3 } else { 1 }) {
            fs::write(policy, mark).expect("/etc/outboard");
            let mut whole = || {
                let text = fs::read_to_string(policy).expect("a policy at any time");
                assert!(text == mark || text.ends_with('\n') && text.contains("AES-128-CBC"), "{text}");
            };
            let (output, _) = run(machine.tune(&arguments), &DIRECTORIES, Some((at, fault)), &mut whole);
            let when = format!("{fault:?} at change {at} of {count}: {}", status_and_output(&output));
            assert_ne!(output.status.code(), Some(101), "{when}");
            if matches!(fault, InjectedFault::Signal(_)) {
                assert!(!output.status.success(), "{when}");
                assert!(!Path::new("/etc/outboard/.lock").exists(), "{when}");
                assert!(!Path::new("/etc/outboard/policy.new").exists(), "{when}");
            }
            injected += 1;
        }
    }
    println!("tune: {injected} faults at {count} changes");
    // The next one overwrites what a killed one has left.
    succeeded(&machine.tune(&arguments).output().expect("the command runs"), &arguments);
    assert!(!Path::new("/etc/outboard/policy.new").exists());
}
