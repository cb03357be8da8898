//! The second half of what stm32-cryp is expected to do, in a machine of its own: one theme would take too
//! long.

use crate::model_stm32::STM32MP1;

outboard_tests::tests_of_model! { @tuning_and_faults STM32MP1 }
outboard_tests::tests_of_model! { STM32MP1: no_hash_of_it_is_used }
