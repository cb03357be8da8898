//! Pasted text, with any bytes: what is recognised becomes a status.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use outboard_inventory::bundle::{Files, Item};
use outboard_drivers::root::Root;
use outboard_inventory::{collect_from, pasted};

fuzz_target!(|bytes: &[u8]| {
    let found = pasted::recognise(&String::from_utf8_lossy(bytes));
    if found.is_empty() {
        assert!(found.files.is_empty() && found.text.remarks.is_empty());
        return;
    }
    let mut files = Files::default();
    for (path, text) in &found.files {
        files.add(path, Item::File(text.as_bytes().to_vec()));
    }
    let root = Root::of_files(Path::new("text"), Box::new(files));
    collect_from(&root, Some(found.text)).expect("a text that is recognised has a status");
});
