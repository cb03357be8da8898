//! Archives, with any bytes; what is read can be written again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = outboard_bundle::unpack(bytes, true);
    if let Ok(files) = outboard_bundle::unpack(bytes, false) {
        let packed = outboard_bundle::pack(&outboard_bundle::scrub(&files)).expect("what was read can be packed");
        assert!(packed.bytes.len() <= outboard_bundle::LARGEST_ARCHIVE);
    }
});
