//! The trial of the kit with the simulated accelerator: what it finds, faults and signals.

use std::time::Duration;

use outboard_tests::kit::Kit;
use outboard_tests::machine::set_patience;
use outboard_tests::simulated::Simulated;

/// A simulation with few drivers, each of which is checked before it is allowed.
fn few_drivers(test: &str) -> Option<Simulated> {
    drop(Simulated::reachable(test)?);
    Some(Simulated::load_with(&Simulated::find(test)?, &["preset=cesa"]))
}

#[test]
fn a_trial_leaves_one_file_and_the_system_as_it_was() {
    let Some(_simulated) = few_drivers("a_trial_leaves_one_file_and_the_system_as_it_was") else { return };
    let (text, read) = Kit::unpack().tried(600, 0);
    assert!(text.contains("tune: done") && text.contains("prove: done"), "{text}");
    for part in ["proven: ", "sim-cbc-aes over", "chacha20", "software: ", "outboard: "] {
        assert!(read.contains(part), "{part}: {read}");
    }
}

#[test]
fn what_goes_wrong_is_in_the_file_and_the_system_as_it_was() {
    let Some(simulated) = few_drivers("what_goes_wrong_is_in_the_file_and_the_system_as_it_was") else {
        return;
    };
    set_patience(Duration::from_secs(1));
    let kit = Kit::unpack();
    for (fault, finding) in [("wrong", "wrong result"), ("error 5", "sim-cbc-aes"), ("never", "sim-cbc-aes")]
    {
        simulated.fault(&format!("sim-cbc-aes {fault} every=20"));
        let (text, read) = kit.tried(40, 1);
        assert!(read.contains(finding) && !text.contains("hangs"), "{fault}: {text}\n{read}");
        simulated.let_go();
    }
    kit.signals_leave_the_system_as_it_was(4, Duration::from_secs(20));
}
