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
    for (rules, findings) in [
        (
            &["sim-cbc-aes wrong every=20", "sim-ecb-aes error 5 every=20"][..],
            &["wrong result", "sim-ecb-aes"],
        ),
        (&["sim-cbc-aes never every=20"], &["driver-does-not-answer", "not tried"]),
    ] {
        rules.iter().for_each(|rule| simulated.fault(rule));
        let (text, read) = kit.tried(40, 1);
        for finding in findings {
            assert!(read.contains(finding), "{rules:?}: {finding}: {text}\n{read}");
        }
        assert!(!text.contains("hangs"), "{rules:?}: {text}");
        simulated.let_go();
    }
}

#[test]
fn signals_leave_the_system_as_it_was() {
    let Some(_simulated) = few_drivers("signals_leave_the_system_as_it_was") else { return };
    Kit::unpack().signals_leave_the_system_as_it_was(4, 40);
}
