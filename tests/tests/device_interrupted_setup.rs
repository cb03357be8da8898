//! A fault at each change of `outboard setup` and `outboard undo` (`outboard_tests::interrupted`).

use std::fs;
use std::path::Path;

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::fault_injection::{InjectedFault, run};
use outboard_tests::file_tree::{add_missing, assert_same_tree, whole_etc};
use outboard_tests::interrupted::{
    DIRECTORIES, Place, Tally, drop_ins_are_whole, faults_of_running_system, generator, machine, succeeds,
    works,
};
use outboard_tests::machine::{ACCELERATOR, is_allowed};
use outboard_tests::tuning::{Machine, POLICY};
use outboard_uapi::SYSFS;

const SETUP: [&str; 4] = ["setup", "--yes", "--goal", "throughput"];
const UNDO: [&str; 2] = ["undo", "--yes"];

/// The policy is measured before, so that setup allows and does not measure: the faults of a
/// measurement are those of tune.
fn policy_of(machine: &Machine) -> String {
    machine.tuned(&["--ciphers", "AES-128-CBC"]);
    let policy = fs::read_to_string(POLICY).expect("it is measured");
    succeeds(machine, &UNDO);
    policy
}

fn write_policy(policy: &str) {
    fs::create_dir_all("/etc/outboard").expect("as root");
    fs::write(POLICY, policy).expect("as root");
}

/// Each fault of a command, after which `outboard undo` must restore the system.
#[track_caller]
fn undo_restores(machine: &Machine, command: &[&str], prepare: &dyn Fn(), mut works: impl FnMut()) {
    let outboard = on_path("outboard").expect("the machine has it");
    let command = || Place::Running.command(&outboard, command);
    let clean = whole_etc();
    prepare();
    let (output, count) = run(command(), &DIRECTORIES, None, &mut works);
    succeeded(&output, &["without a fault"]);
    succeeds(machine, &UNDO);
    assert_same_tree(&whole_etc(), &clean, "without a fault");
    let mut tally = Tally::default();
    for at in 0..count {
        for fault in faults_of_running_system(at) {
            if !tally.takes_next() {
                continue;
            }
            prepare();
            let before = whole_etc();
            let (output, _) = run(command(), &DIRECTORIES, Some((at, fault)), &mut works);
            let text = format!("{fault:?} at change {at} of {count}: {}", status_and_output(&output));
            assert_ne!(output.status.code(), Some(101), "{text}");
            if text.contains("what it had changed is undone") {
                assert_same_tree(&whole_etc(), &before, &text);
            }
            if matches!(fault, InjectedFault::Signal(_)) {
                assert!(!Path::new("/etc/outboard/.lock").exists(), "{text}");
            }
            let again = succeeded(&Place::Running.run(&outboard, &UNDO), &UNDO);
            assert_same_tree(&whole_etc(), &clean, &format!("{text}{again}"));
            assert!(!is_allowed(ACCELERATOR), "{text}");
        }
    }
    println!("{count} changes");
}

#[test]
fn a_fault_or_a_signal_at_any_change_of_setup_can_be_undone() {
    let test = "a_fault_or_a_signal_at_any_change_of_setup_can_be_undone";
    let Some(machine) = machine(test) else { return };
    let policy = policy_of(&machine);
    undo_restores(&machine, &SETUP, &|| write_policy(&policy), || works(Path::new("/")));
    succeeds(&machine, &["allow", ACCELERATOR]);
}

#[test]
fn a_fault_or_a_signal_at_any_change_of_undo_can_be_undone() {
    let test = "a_fault_or_a_signal_at_any_change_of_undo_can_be_undone";
    let Some(machine) = machine(test) else { return };
    let policy = policy_of(&machine);
    let generator = generator();
    let clean = whole_etc();
    write_policy(&policy);
    let (prefer, select) = (["prefer", ACCELERATOR, "--force"], ["rng", "select", &generator]);
    for command in [&["allow", ACCELERATOR][..], &prefer, &["enable", "openssl", "--force"], &select] {
        succeeds(&machine, command);
    }
    let changed = whole_etc();
    succeeds(&machine, &UNDO);
    // What these commands do, without the check and without loading OpenSSL.
    let again = || {
        succeeds(&machine, &prefer);
        add_missing(&changed, &whole_etc());
        fs::write(format!("{SYSFS}/allow"), ACCELERATOR).expect("as root");
        fs::write("/sys/class/misc/hw_random/rng_current", &generator).expect("as root");
    };
    undo_restores(&machine, &UNDO, &again, || drop_ins_are_whole(Path::new("/")));
    assert_same_tree(&whole_etc(), &clean, "at the end");
    succeeds(&machine, &["allow", ACCELERATOR]);
}
