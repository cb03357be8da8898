//! The engine loses an interrupt, for which the driver waits without a time limit in one of its queues,
//! and stops, so that this theme is the last of its machine.

use crate::model_ccp::CCP;

outboard_tests::tests_of_model! { CCP: a_lost_interrupt_is_replaced_by_software, an_engine_that_stops_is_left_alone_and_not_used_after_a_check }
