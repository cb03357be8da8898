//! A driver of which some results have a wrong bit or are wrong in each byte, are not written, are those
//! of earlier requests or of others in flight, or complete twice: what applications see of it, as
//! `device_parts` has it for parts.

use crate::device_parts::{Fault, wrong_results_are_found};

#[test]
fn no_request_of_which_each_block_is_wrong_is_seen_and_single_bits_are_found_as_often_as_computed() {
    let test =
        "no_request_of_which_each_block_is_wrong_is_seen_and_single_bits_are_found_as_often_as_computed";
    let faults = [
        Fault::Earlier,
        Fault::Swapped,
        Fault::CompletedTwice,
        Fault::OneBit,
        Fault::EachByte,
        Fault::Unwritten,
    ];
    wrong_results_are_found(test, faults);
}
