//! The predictor of nonces, with any sequence of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| outboard_provider::fuzzing::predictor(bytes));
