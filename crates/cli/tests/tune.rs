//! `outboard tune` as a command, on a machine without an accelerator.

use std::process::{Command, Output};

fn tune(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outboard"))
        .arg("tune")
        .args(arguments)
        .output()
        .expect("the command runs")
}

#[test]
fn an_unknown_cipher_is_named_with_those_that_are_known() {
    let output = tune(&["--ciphers", "AES-128-CBC,foo"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("\"foo\" is none of AES-128-CBC, ") && text.contains("DES-EDE3-CBC"), "{text}");
}

/// A file that OpenSSL cannot load stands for the provider, so that no driver is found.
#[test]
fn json_has_the_reason_why_nothing_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("outboard.so");
    std::fs::write(&module, "no module").unwrap();
    let module = module.to_str().unwrap();
    let output = tune(&["--json", "--dry-run", "--ciphers", "AES-128-CBC", "--module", module]);
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["schema"], "outboard-tune/1");
    let reason = document["reasons"][0].as_str().expect("a reason");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(reason.contains(module) && text.contains(reason), "{reason}: {text}");
}
