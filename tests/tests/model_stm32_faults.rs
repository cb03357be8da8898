//! Tuning and faults of stm32-cryp, in a machine of their own: one theme would take too long. Without
//! look-ahead: in the emulator software overtakes an engine that has an interrupt for each block.

use crate::model_stm32::STM32MP1;

outboard_tests::tests_of_model! { STM32MP1:
    tune_measures_it,
    a_damaged_result_is_found,
    an_error_is_replaced_by_software,
    a_late_request_ends_right
}
