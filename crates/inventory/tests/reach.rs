//! Whether a program reaches an accelerator: `status` must report what the provider does.

use std::fs;

use outboard_documents::status::{Accelerator, Status};
use outboard_drivers::root::Root;
use outboard_inventory::collect;

/// A machine with Linux 6.12 and an engine for GCM but not CBC.
fn machine_with_gcm() -> tempfile::TempDir {
    let tree = tempfile::tempdir().unwrap();
    let proc_crypto = "name : gcm(aes)\ndriver : gcm-aes-caam\nmodule : kernel\npriority : 3000\nrefcnt : 1\n\
        selftest : passed\ninternal : no\ntype : aead\nasync : yes\nblocksize : 1\nivsize : 12\nmaxauthsize : 16\n\n";
    for (file, text) in [("proc/crypto", proc_crypto), ("proc/sys/kernel/osrelease", "6.12.57\n")] {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    tree
}

fn status_of(tree: &tempfile::TempDir) -> Status {
    collect(&Root::saved(tree.path()).unwrap()).unwrap()
}

fn why(accelerator: &Accelerator, interface: &str) -> String {
    accelerator.reach.iter().find(|route| route.interface.name() == interface).unwrap().why.clone()
}

#[test]
fn an_engine_with_gcm_is_not_reached_over_af_alg_before_it_was_checked() {
    let tree = machine_with_gcm();
    let status = status_of(&tree);
    let [accelerator] = &status.accelerators[..] else { panic!("{:?}", status.accelerators) };
    assert_eq!(accelerator.preferred, None, "{:?}", accelerator.reach);
    let why = why(accelerator, "AF_ALG");
    assert!(why.contains("outboard check gcm-aes-caam"), "{why}");
    assert!(
        status.advice.iter().any(|advice| advice.contains("outboard check gcm-aes-caam")),
        "{:?}",
        status.advice
    );
}

#[test]
fn an_engine_with_gcm_is_reached_over_af_alg_once_it_refused_forged_tags() {
    let tree = machine_with_gcm();
    fs::create_dir_all(tree.path().join("etc/outboard")).unwrap();
    let finding = "gcm-aes-caam exact 6.12.57 kernel - 2026-11-21T12:00:00Z 10 20 3\n";
    fs::write(tree.path().join("etc/outboard/checked"), finding).unwrap();
    assert_eq!(status_of(&tree).accelerators[0].preferred.as_deref(), Some("AF_ALG"));
}

#[test]
fn a_column_that_a_newer_module_adds_to_the_allow_list_changes_nothing() {
    let tree = machine_with_gcm();
    let device = tree.path().join("sys/class/misc/outboard");
    fs::create_dir_all(&device).unwrap();
    fs::write(device.join("allow"), "1 gcm(aes) gcm-aes-caam 17\n").unwrap();
    assert_eq!(status_of(&tree).accelerators[0].preferred.as_deref(), Some("/dev/outboard"));
}

#[test]
fn an_engine_that_was_found_wrong_is_reached_over_no_interface() {
    let tree = machine_with_gcm();
    fs::create_dir_all(tree.path().join("etc/outboard")).unwrap();
    let finding = "gcm-aes-caam wrong 6.12.57 kernel - 2026-11-21T12:00:00Z 4 5 6 # from byte 7 on\n";
    fs::write(tree.path().join("etc/outboard/checked"), finding).unwrap();
    let device = tree.path().join("sys/class/misc/outboard");
    fs::create_dir_all(&device).unwrap();
    fs::write(device.join("allow"), "1 gcm(aes) gcm-aes-caam\n").unwrap();
    let status = status_of(&tree);
    assert_eq!(status.accelerators[0].preferred, None);
    let why = why(&status.accelerators[0], "/dev/outboard");
    assert!(why.contains("2026-11-21T12:00:00Z (from byte 7 on)"), "{why}");
    let advice = status.advice.join("\n");
    assert!(!advice.contains("outboard allow") && !advice.contains("outboard prove"), "{advice}");
}
