//! Sequences of calls of an application, with a driver that has faults: each output is the default
//! provider's.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| outboard_provider::fuzzing::calls(bytes));
