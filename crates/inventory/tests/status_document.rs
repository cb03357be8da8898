//! `outboard_documents::status`, which reports read, is a part of the document that
//! `outboard_inventory::Status` writes: no field of it has another name, type or value.

use std::fs;
use std::path::Path;

use outboard_documents::{Part, read};
use outboard_drivers::root::Root;
use outboard_inventory::collect;
use serde_json::Value;

/// Asserts that each value in `part` is at the same place in `whole`.
#[track_caller]
fn assert_is_part(part: &Value, whole: Option<&Value>, place: &str) {
    match (part, whole) {
        (Value::Object(part), Some(Value::Object(whole))) => {
            part.iter()
                .for_each(|(key, part)| assert_is_part(part, whole.get(key), &format!("{place}.{key}")));
        }
        (Value::Array(part), Some(Value::Array(whole))) => {
            assert_eq!(part.len(), whole.len(), "{place}");
            part.iter().enumerate().for_each(|(number, part)| {
                assert_is_part(part, whole.get(number), &format!("{place}[{number}]"));
            });
        }
        (part, whole) => assert_eq!(Some(part), whole, "{place}"),
    }
}

#[test]
fn reports_read_the_document_that_status_writes() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut trees = 0;
    for entry in fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(status) = collect(&Root::saved(&path).unwrap()) else { continue };
        trees += 1;
        let written = serde_json::to_vec(&status).unwrap();
        let whole: Value = serde_json::from_slice(&written).unwrap();
        let Part::Status(part) = read(&written).unwrap_or_else(|error| panic!("{name}: {error}")) else {
            panic!("{name}: it is not read as a status")
        };
        assert_is_part(&serde_json::to_value(part).unwrap(), Some(&whole), &name);
    }
    assert!(trees >= 40, "only {trees} of the fixtures are trees that can be read");
}
