//! Signals at random moments of a trial of the kit with Marvell's own driver.

use crate::model_cesa_kit::board;

#[test]
fn signals_leave_the_system_as_it_was() {
    let Some((_engines, kit)) = board("signals_leave_the_system_as_it_was") else { return };
    kit.signals_leave_the_system_as_it_was(10, 100);
}
