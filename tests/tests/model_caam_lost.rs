//! CAAM's engine whose interrupt is lost: the kernel's queue for it (crypto_engine) waits for that request
//! before it sends the next one, and has no time limit. So this theme is the last of its machine.

use crate::model_caam::CAAM;

outboard_tests::tests_of_model! { CAAM:
    an_engine_that_lost_its_interrupts_is_left_alone_and_not_used_after_a_check
}
