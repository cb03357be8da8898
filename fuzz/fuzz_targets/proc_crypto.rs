//! /proc/crypto: any bytes, and every entry that comes out is one that can be judged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_drivers::judge::{Facts, judge};
use outboard_drivers::proc_crypto::parse;

fuzz_target!(|bytes: &[u8]| {
    let (drivers, _warnings) = parse(bytes);
    for driver in &drivers {
        let facts = Facts { flags: None, hardware: Default::default(), interrupt_lines: None, registered: &drivers };
        let judgement = judge(driver, &facts);
        assert!(!judgement.evidence.is_empty(), "a verdict has its reasons");
    }
});
