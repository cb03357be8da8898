//! Faults of the engines during a trial of the kit. The last one stops them, so that this theme is the
//! last of its machine.

use outboard_tests::kernel_module::file;
use outboard_tests::kit::Kit;
use outboard_tests::model::{AT_RANDOM, Engines, Word};

use crate::model_cesa::CESA;
use crate::model_cesa_kit::board;

/// Seconds for a trial, whose check has a quarter of them.
const SECONDS: u32 = 200;

/// A trial with a fault, which must end with the exit code `code` and `finding` in its file.
fn finds(engines: &Engines, kit: &Kit, (fault, when): (Word, u32), code: i32, finding: &str) {
    let before = engines.sum(Word::Faults);
    engines.set(fault, when);
    let (text, read) = kit.tried(SECONDS, code);
    engines.set(fault, 0);
    assert!(engines.sum(Word::Faults) > before, "{fault:?}: {text}");
    assert!(read.contains(finding), "{fault:?}: {finding}: {text}\n{read}");
}

#[test]
fn a_late_request_is_no_failure() {
    let Some((engines, kit)) = board("a_late_request_is_no_failure") else { return };
    finds(&engines, &kit, (Word::Late, 5), 0, "mv-cbc-aes over AF_ALG: exact");
}

#[test]
fn damaged_results_and_errors_are_found() {
    let Some((engines, kit)) = board("damaged_results_and_errors_are_found") else { return };
    for fault in [Word::Damage, Word::Error] {
        finds(&engines, &kit, (fault, AT_RANDOM | 20), 1, "outboard check --seed");
    }
}

/// The driver has no time limit for an interrupt.
#[test]
fn without_interrupts_the_trial_with_the_module_ends_in_a_sentence() {
    let test = "without_interrupts_the_trial_with_the_module_ends_in_a_sentence";
    let Some((engines, kit)) = board(test) else { return };
    kit.give(&file("outboard").unwrap_or_else(|missing| panic!("{missing}")));
    engines.set(Word::Lose, AT_RANDOM | 20);
    let (text, read) = kit.tried(SECONDS, 1);
    assert!(text.contains("does not answer") && !text.contains("hangs"), "{text}");
    assert!(read.contains(CESA.cbc), "{read}");
}
