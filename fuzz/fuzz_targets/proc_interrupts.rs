//! /proc/interrupts, with any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_drivers::interrupts::parse;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(&String::from_utf8_lossy(bytes));
});
