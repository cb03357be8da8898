//! The second half of what sun4i-ss is expected to do: the CPU moves every word, so that one theme would
//! take too long.

use crate::model_sun4i::A20;

outboard_tests::tests_of_model! { @tuning_and_faults A20 }
outboard_tests::tests_of_model! { A20: no_hash_of_it_is_used }
