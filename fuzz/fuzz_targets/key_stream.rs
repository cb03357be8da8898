//! Key stream of CTR, with an engine that fails, is late, and returns wrong results.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| outboard_provider::fuzzing::stream(bytes));
