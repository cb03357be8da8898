//! `outboard status` as a command: output, warnings, exit codes.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures").join(name)
}

fn outboard() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outboard"));
    command.arg("status");
    command
}

fn of(name: &str, arguments: &[&str]) -> Output {
    outboard().args(arguments).arg("--from").arg(fixture(name)).output().unwrap()
}

#[test]
fn a_saved_tree_is_reported_as_text_and_as_json() {
    let text = of("armada388-helios4", &[]);
    assert!(text.status.success());
    assert!(
        String::from_utf8(text.stdout)
            .unwrap()
            .starts_with("Verdict         Programs can reach Marvell CESA through /dev/crypto")
    );
    let json = of("armada388-helios4", &["--json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["schema"], "outboard-status/1");
    assert_eq!(value["accelerators"][0]["devices"][0]["interrupts"], 64015);
}

#[test]
fn damage_is_warned_of_on_stderr_and_costs_neither_the_run_nor_the_exit_code() {
    let output = of("odd", &[]);
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success());
    assert!(warnings.contains("warning: /proc/crypto line 48: \"driver\" is not text"), "{warnings}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("acme-cbc-aes"));
}

#[test]
fn verbose_adds_every_driver() {
    let text = String::from_utf8(of("laptop-aesni", &["--verbose"]).stdout).unwrap();
    assert!(text.contains("cbc-aes-aesni: CPU instructions for cbc(aes)"), "{text}");
}

#[test]
fn a_directory_without_proc_is_an_error_that_says_what_to_give() {
    let empty = tempfile::tempdir().unwrap();
    for (directory, says) in
        [(empty.path().to_path_buf(), "proc/crypto"), (empty.path().join("none"), "--from")]
    {
        let output = outboard().arg("--from").arg(directory).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.contains(says)), (Some(1), true), "{error}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = outboard()
        .args(["--json", "--from"])
        .arg(fixture("qemu-virtio-6.12"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn this_machine_is_reported() {
    let output = outboard().arg("--json").output().unwrap();
    if !Path::new("/proc/crypto").exists() {
        assert_eq!(output.status.code(), Some(1));
        return;
    }
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(value["drivers"].as_array().is_some_and(|drivers| !drivers.is_empty()));
    assert!(value["advice"].is_array());
}

#[test]
fn a_problem_of_the_status_is_explained() {
    let explain = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_outboard")).arg("explain").args(arguments).output().unwrap()
    };
    let json = of("armada388-helios4", &["--json"]);
    let status: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let id = status["problems"][0]["id"].as_str().unwrap().to_owned();
    let text = String::from_utf8(explain(&[&id]).stdout).unwrap();
    assert!(text.starts_with(&format!("{id}: ")) && text.lines().all(|line| line.len() <= 80), "{text}");
    assert!(String::from_utf8(explain(&[]).stdout).unwrap().contains(&id));
    assert_eq!(explain(&["no-such-problem"]).status.code(), Some(2));
    let hardware = explain(&["mt7621"]);
    assert_eq!(hardware.status.code(), Some(2));
    assert!(String::from_utf8(hardware.stderr).unwrap().contains("outboard catalogue \"mt7621\""));
}

#[test]
fn a_stream_has_the_status_then_counters_and_ends_with_its_reader() {
    let mut child = outboard().args(["--json", "--every", "1s"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut schema = || {
        let value: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        value["schema"].as_str().unwrap().to_owned()
    };
    assert_eq!([schema(), schema(), schema()], ["outboard-status/1", "outboard-live/1", "outboard-live/1"]);
    drop(lines);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_stream_is_of_this_machine_and_is_json() {
    for arguments in
        [&["--every", "1s"][..], &["--json", "--every", "0s"], &["--json", "--every", "1s", "--from", "/"]]
    {
        assert_eq!(outboard().args(arguments).output().unwrap().status.code(), Some(2), "{arguments:?}");
    }
}
