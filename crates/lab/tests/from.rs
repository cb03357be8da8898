//! `outboard bundle` and `outboard status --from`: a machine is diagnosed on another one.

mod both;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn outboard(arguments: &[&str]) -> Command {
    let mut command = Command::new(both::outboard());
    command.args(arguments);
    command
}

fn pasted(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted").join(name)
}

fn json_of(from: &Path) -> serde_json::Value {
    let output = outboard(&["status", "--json", "--from"]).arg(from).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn with_input(bytes: &[u8]) -> Output {
    let mut child = outboard(&["status", "--from", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    child.wait_with_output().unwrap()
}

#[test]
fn a_bundle_gives_the_verdict_of_the_machine_that_made_it() {
    if !Path::new("/proc/crypto").exists() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("here.tar.xz");
    let output = outboard(&["bundle", "--output"]).arg(&path).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && listed.contains("/proc/crypto"), "{listed}");
    assert!(std::fs::metadata(&path).unwrap().len() < 1_000_000);
    let live: serde_json::Value =
        serde_json::from_slice(&outboard(&["status", "--json"]).output().unwrap().stdout).unwrap();
    let there = json_of(&path);
    for field in
        ["drivers", "algorithms", "accelerators", "cpu", "machine", "openssl", "nodes", "hwrng", "policy"]
    {
        // Interrupts may come between the two.
        assert_eq!(there[field], live[field], "{field}");
    }
    let again = outboard(&["bundle", "--output"]).arg(&path).output().unwrap();
    assert_eq!(again.status.code(), Some(1), "an existing file is not replaced");
    assert!(outboard(&["bundle", "--force", "--output"]).arg(&path).output().unwrap().status.success());
}

#[test]
fn a_bundle_can_be_listed_without_being_written() {
    let directory = tempfile::tempdir().unwrap();
    let output = outboard(&["bundle", "--list"]).current_dir(directory.path()).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("/proc/cpuinfo"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn pasted_text_is_read_from_a_file_and_from_standard_input() {
    let status = json_of(&pasted("openwrt-cesa-proc-crypto.txt"));
    assert_eq!(status["accelerators"][0]["id"], "marvell-cesa");
    let text = std::fs::read(pasted("pfsense-alix-dmesg.txt")).unwrap();
    let output = with_input(&text);
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && answer.contains("Geode LX"), "{answer}");
}

#[test]
fn a_file_that_is_not_a_bundle_is_refused_with_the_next_step() {
    for (input, words) in [
        (
            &b"nothing of interest\n"[..],
            "nothing in it is recognised (it begins with \"nothing of interest\"): give /proc/crypto",
        ),
        (b"root@box:~# lsusb -t\n/:  Bus 01.Port 1\n", "(it is the output of \"lsusb -t\"): give"),
        (b"\n$ sensors\ncpu: 40\n", "(it is the output of \"sensors\"): give"),
        (b"\x1f\x8b\x08\x00rest", "compressed by gzip"),
        (b"\x7fELF\0\0\0\0", "neither a bundle nor text"),
        (b"\xfd7zXZ\0\0\x04cut", "damaged or cut short"),
        (b"", "nothing in it is recognised"),
    ] {
        let output = with_input(input);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.contains(words)), (Some(1), true), "{error}");
        assert!(error.contains("standard input"), "{error}");
    }
}
