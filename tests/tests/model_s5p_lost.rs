//! The driver waits for each interrupt without a time limit, so that this theme is the last of its
//! machine.

use crate::model_s5p::EXYNOS;

outboard_tests::tests_of_model! { EXYNOS:
    an_engine_that_lost_its_interrupts_is_left_alone_and_not_used_after_a_check
}
