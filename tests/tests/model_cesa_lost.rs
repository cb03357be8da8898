//! Engines of CESA whose interrupts are lost: the driver has no time limit, so that they stop for good,
//! and this theme is the last of its machine.

use crate::model_cesa::CESA;

outboard_tests::tests_of_model! { CESA:
    an_engine_that_lost_its_interrupts_is_left_alone_and_not_used_after_a_check
}
