//! Pasted text, with any bytes: what is recognised becomes a status.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use outboard_inventory::bundle::root_of_text;
use outboard_inventory::collect_from;
use outboard_lab::pasted;

fuzz_target!(|bytes: &[u8]| {
    let found = pasted::recognise(&String::from_utf8_lossy(bytes));
    if found.text.recognised.is_empty() {
        assert!(found.files.is_empty() && found.text.remarks.is_empty());
        return;
    }
    let root = root_of_text(Path::new("text"), &found.files);
    collect_from(&root, Some(found.text)).expect("a text that is recognised has a status");
});
