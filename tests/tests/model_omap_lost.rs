//! The units whose interrupt is lost: the kernel's queue for them (crypto_engine) waits for that request
//! before it sends the next one, and has no time limit. So this theme is the last of its machine.

use crate::model_omap::AM335X;

outboard_tests::tests_of_model! { AM335X:
    an_engine_that_lost_its_interrupts_is_left_alone_and_not_used_after_a_check
}
