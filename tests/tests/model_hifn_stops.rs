//! The engine stops, so that this theme is the last of its machine.

use crate::model_hifn::HIFN;

outboard_tests::tests_of_model! { HIFN: an_engine_that_stops_is_left_alone_and_not_used_after_a_check }
