//! The engine stops, so that this theme is the last of its machine.

use crate::model_amlogic::GXL;

outboard_tests::tests_of_model! { GXL: an_engine_that_stops_ends_in_software_and_is_not_used_after_a_check }
