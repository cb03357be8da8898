//! What all commands say about one machine, for `verdicts`.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::bytes::bytes;
use crate::command::succeeded;
use crate::verdicts::Documents;

/// Requires that no two commands disagree about a driver, an algorithm or a service. `command` makes
/// the command with the configuration that is meant. `drivers` are checked, and must be exact;
/// `prove` are the arguments of a proof.
#[track_caller]
pub fn assert_commands_agree(
    command: impl Fn(&[&str]) -> Command,
    drivers: &[&str],
    prove: &[&str],
) -> Documents {
    let document = |arguments: &[&str]| {
        let text = succeeded(&command(arguments).output().expect("the command runs"), arguments);
        serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    };
    let check = document(&[&["check", "--for", "0", "--json"], drivers].concat());
    let status = document(&["status", "--json"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let saved = folder.path().join("status.json");
    fs::write(&saved, status.to_string()).expect("a file");
    let saved = saved.to_str().expect("a plain name");
    let documents = Documents {
        ciphers: Some(document(&["ciphers", "--json"])),
        check: Some(check),
        prove: Some(document(&[&["prove", "--quiet", "--json", "-"], prove].concat())),
        services: Some(document(&["enable", "--list", "--json"])),
        report: Some(document(&["report", "--format", "json", "-o", "-", saved])),
        status,
    };
    assert_eq!(documents.contradictions(), Vec::<String>::new());
    documents
}

/// The same with the proof of a command that encrypts.
#[track_caller]
pub fn assert_commands_agree_about_programs(
    command: impl Fn(&[&str]) -> Command,
    drivers: &[&str],
) -> Documents {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plain = folder.path().join("plain");
    fs::write(&plain, bytes(1, 1 << 20)).expect("a file");
    let key = "-K 00112233445566778899aabbccddeeff -iv f0e0d0c0b0a090807060504030201000";
    let encrypt = format!("-- openssl enc -aes-128-cbc -in {} -out /dev/null {key}", plain.display());
    assert_commands_agree(command, drivers, &encrypt.split(' ').collect::<Vec<_>>())
}
