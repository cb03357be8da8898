//! Archives, with any bytes; what is read can be written again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = outboard_inventory::bundle::unpack(bytes, true);
    if let Ok(files) = outboard_inventory::bundle::unpack(bytes, false) {
        let packed = outboard_inventory::bundle::pack(&outboard_inventory::bundle::scrub(&files)).expect("what was read can be packed");
        assert!(packed.bytes.len() <= outboard_inventory::bundle::LARGEST_ARCHIVE);
    }
});
