//! The engine stops, so that this theme is the last of its machine.

use crate::model_stm32::STM32MP1;

outboard_tests::tests_of_model! { STM32MP1: an_engine_that_stops_is_left_alone_and_not_used_after_a_check }
