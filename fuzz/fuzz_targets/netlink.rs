//! A reply of NETLINK_CRYPTO, with any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = outboard_drivers::netlink::parse(bytes, 1);
});
