//! The engines stop during a trial of the kit without the module, so that this theme is the last of its
//! machine.

use std::fs;

use outboard_tests::model::Word;

use crate::model_cesa_kit::board;

/// A process that waits in the kernel for longer is what this test makes, and no complaint.
const HUNG_TASKS: &str = "/proc/sys/kernel/hung_task_timeout_secs";

#[test]
fn a_trial_that_hangs_in_the_kernel_ends_in_a_sentence() {
    let Some((engines, kit)) = board("a_trial_that_hangs_in_the_kernel_ends_in_a_sentence") else { return };
    fs::write(HUNG_TASKS, "0").expect("as root");
    engines.set(Word::Stop, 20);
    let (text, read) = kit.tried(80, 1);
    assert!(text.contains("restart the board"), "{text}");
    assert!(read.contains("hangs in the kernel"), "{read}");
}
