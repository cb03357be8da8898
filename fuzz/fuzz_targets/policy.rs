//! The settings of the provider's section, with any text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_policy::Policy;

fuzz_target!(|text: &str| {
    let (key, value) = text.split_once('=').unwrap_or(("THRESHOLDS", text));
    let mut policy = Policy::default();
    if policy.set(key, value).is_err() {
        assert_eq!(policy, Policy::default(), "a wrong value changes nothing");
    }
});
