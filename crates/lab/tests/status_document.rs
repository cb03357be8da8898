//! What is written of a status is read again.

use std::fs;
use std::path::Path;

use outboard_documents::json;

use outboard_drivers::root::Root;
use outboard_inventory::collect;
use outboard_lab::documents::{Part, read};

#[test]
fn a_status_that_is_read_is_the_one_that_was_written() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures");
    let mut trees = 0;
    for entry in fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        let Ok(status) = collect(&Root::saved(&path).unwrap()) else { continue };
        trees += 1;
        let written = json(&status).unwrap();
        let again = match read(written.as_bytes()) {
            Ok(Part::Status(again)) => again,
            other => panic!("{}: {other:?}", path.display()),
        };
        assert_eq!(json(&*again).unwrap(), written, "{}", path.display());
    }
    assert!(trees >= 40, "only {trees} of the fixtures are trees that can be read");
}
