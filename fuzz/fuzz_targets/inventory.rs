//! /proc/cpuinfo and the output of the openssl command, with any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = outboard_inventory::cpu::parse(bytes);
    let text = String::from_utf8_lossy(bytes);
    let _ = outboard_inventory::openssl::from_version(&text);
    let _ = outboard_inventory::openssl::from_providers(&text);
});
