//! /proc/crypto, with any bytes. Every entry that is parsed can be classified.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_drivers::Judged;
use outboard_drivers::judge::{Facts, judge};
use outboard_drivers::proc_crypto::parse;

fuzz_target!(|bytes: &[u8]| {
    let (drivers, _warnings) = parse(bytes);
    let names = drivers.iter().map(|driver| driver.name.as_str()).collect();
    for driver in &drivers {
        let judgement = judge(driver, &Facts { registered: Some(&names), ..Facts::default() });
        let judged = Judged {
            driver: driver.clone(),
            flags: None,
            hardware: Default::default(),
            interrupt_lines: None,
            judgement,
        };
        assert!(!judged.evidence().is_empty(), "a verdict has its reasons");
    }
});
