//! The engine stops, so that this theme is the last of its machine.

use crate::model_safexcel::SAFEXCEL;

outboard_tests::tests_of_model! { SAFEXCEL:
    an_engine_that_stops_is_left_alone_and_not_used_after_a_check
}
