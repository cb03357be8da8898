//! The JSON of `outboard status` for saved trees, and the guarantees for saved trees.

use std::path::{Path, PathBuf};

use outboard_documents::json;
use outboard_documents::status::Status;
use outboard_drivers::root::Root;
use outboard_inventory::collect;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn tree(name: &str) -> Status {
    let mut status = collect(&Root::saved(&path(name)).unwrap()).unwrap();
    status.saved_tree = Some(name.into());
    status
}

#[test]
fn the_json_of_a_helios4() {
    insta::assert_snapshot!("armada388-helios4", json(&tree("armada388-helios4")).unwrap());
}

#[test]
fn the_json_of_strangers_and_damage() {
    insta::assert_snapshot!("odd", json(&tree("odd")).unwrap());
}

#[test]
fn damage_costs_one_entry_and_is_warned_of() {
    let status = tree("odd");
    let warned = |what: &str| status.warnings.iter().any(|w| w.contains(what));
    assert!(warned("/proc/crypto line") && warned("/proc/interrupts line"), "{:?}", status.warnings);
    for name in ["acme-cbc-aes", "aes-generic", "sha1-generic"] {
        assert!(status.drivers.iter().any(|d| d.name == name), "{name}");
    }
}

#[test]
fn nothing_of_this_machine_shows_in_a_saved_tree() {
    let status = tree("pc-without-aes");
    assert_eq!((&status.machine.model, &status.openssl.version, &status.hwrng), (&None, &None, &None));
    assert!(status.drivers.iter().all(|d| d.flags.is_none()));
}

#[test]
fn without_proc_crypto_the_error_names_the_file_and_the_next_step() {
    let empty = tempfile::tempdir().unwrap();
    let error = collect(&Root::saved(empty.path()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("proc/crypto") && error.contains("CONFIG_CRYPTO"), "{error}");
}
