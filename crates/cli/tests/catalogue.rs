//! `outboard catalogue` as a command.

use std::process::{Command, Output};

fn catalogue(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outboard")).arg("catalogue").args(arguments).output().unwrap()
}

fn text(output: Output) -> String {
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn without_a_name_every_entry_has_a_line() {
    let all = text(catalogue(&[]));
    for id in ["marvell-cesa", "padlock", "ubsec", "virtio-crypto", "x86"] {
        assert!(all.lines().any(|line| line.starts_with(id)), "{id}");
    }
}

#[test]
fn one_entry_is_printed_in_full() {
    insta::assert_snapshot!(text(catalogue(&["vpn1411"])));
}

#[test]
fn json_has_the_same() {
    let value: serde_json::Value = serde_json::from_str(&text(catalogue(&["Helios4", "--json"]))).unwrap();
    assert_eq!(value["schema"], "outboard-catalogue/1");
    let entry = &value["entries"][0];
    assert_eq!((&entry["id"], &entry["in_mainline"]), (&"marvell-cesa".into(), &true.into()));
    assert!(
        entry["limits"]
            .as_array()
            .unwrap()
            .iter()
            .all(|limit| { limit["source"].as_str().is_some_and(|source| source.starts_with("https://")) })
    );
}

#[test]
fn a_name_without_an_entry_is_an_error_with_the_next_step() {
    let output = catalogue(&["no such chip"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("no such chip") && error.contains("lists all entries"), "{error}");
}
