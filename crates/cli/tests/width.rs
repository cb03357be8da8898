//! The output of commands on terminals of 40 and of 100 columns, over recorded trees, pasted texts and
//! results: no line is longer than the terminal, except a word that has the line alone, and commands.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Opens a terminal of that width: what the user sees, and what the command gets.
fn terminal(columns: u16) -> (File, OwnedFd) {
    let size = libc::winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut user, mut command) = (-1, -1);
    // SAFETY: the descriptors and the size are valid for the call; name and attributes may be null.
    let opened =
        unsafe { libc::openpty(&mut user, &mut command, std::ptr::null_mut(), std::ptr::null(), &size) };
    assert_eq!(opened, 0, "openpty: {}", std::io::Error::last_os_error());
    // SAFETY: both descriptors were opened by the call and have no other owner.
    unsafe { (File::from_raw_fd(user), OwnedFd::from_raw_fd(command)) }
}

/// What a command prints on a terminal, without attributes.
fn shown(columns: u16, arguments: &[&str]) -> String {
    let (mut user, side) = terminal(columns);
    let other = side.try_clone().expect("a descriptor");
    let mut child = Command::new(env!("CARGO_BIN_EXE_outboard"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(side)
        .stderr(other)
        .spawn()
        .expect("the command starts");
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    // After the command has ended, a read fails with EIO.
    while let Ok(count @ 1..) = user.read(&mut chunk) {
        bytes.extend_from_slice(&chunk[..count]);
    }
    child.wait().expect("it ends");
    String::from_utf8(bytes).expect("UTF-8").replace('\r', "")
}

/// The widest label, with the space after it. On narrow terminals text is below its label.
const LABEL: usize = 24;
const INDENT: usize = 6;

fn is_copied(line: &str) -> bool {
    let text = line.trim_start();
    line != text && ["outboard ", "sudo "].iter().any(|start| text.starts_with(start))
}

#[track_caller]
fn assert_fits(columns: u16, arguments: &[&str]) {
    let text = shown(columns, arguments);
    assert!(!text.trim().is_empty(), "{arguments:?}");
    for line in text.lines() {
        let fits = line.chars().count() <= usize::from(columns);
        // A path or a name below its label, of which no line could hold both.
        let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let indent = if columns < 60 { INDENT } else { LABEL };
        let is_long_word = longest + indent > usize::from(columns);
        assert!(fits || is_long_word || is_copied(line), "{columns} columns, {arguments:?}: {line:?}");
    }
}

fn path(relative: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(relative);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn status_of_recorded_trees_fits_the_terminal() {
    for tree in ["armada388-helios4", "rk3588-rock5b", "qat-server", "laptop-aesni", "pc-without-aes", "odd"]
    {
        let tree = path(&format!("inventory/tests/fixtures/{tree}"));
        for columns in [40, 100] {
            assert_fits(columns, &["status", "--from", &tree]);
            assert_fits(columns, &["status", "--verbose", "--from", &tree]);
            assert_fits(columns, &["status", "--reach", "--from", &tree]);
        }
    }
}

#[test]
fn pasted_texts_fit_the_terminal() {
    for text in ["helios4-interrupts", "ti-time-v", "openwrt-dump-info", "pfsense-dashboard", "openwrt-opkg"]
    {
        let text = path(&format!("inventory/tests/pasted/{text}.txt"));
        for columns in [40, 100] {
            assert_fits(columns, &["status", "--from", &text]);
        }
    }
    assert_fits(40, &["status", "--from", &path("cli/Cargo.toml")]);
}

#[test]
fn results_and_explanations_fit_the_terminal() {
    for columns in [40, 100] {
        for name in ["bench", "bench-file"] {
            let file = path(&format!("report/tests/data/{name}.json"));
            assert_fits(columns, &["bench", "--show", &file]);
            assert_fits(columns, &["bench", "--verbose", "--show", &file]);
        }
        assert_fits(columns, &["explain"]);
        assert_fits(columns, &["explain", "slow-aes"]);
        assert_fits(columns, &["explain", "openwrt"]);
        assert_fits(columns, &["catalogue"]);
        assert_fits(columns, &["catalogue", "omap"]);
        assert_fits(columns, &["check", "no-such-driver"]);
    }
}

#[test]
fn no_more_than_two_warnings_and_two_notes_follow_a_result() {
    let place = tempfile::tempdir().expect("a directory");
    let text = std::fs::read_to_string(path("report/tests/data/bench-file.json")).expect("a document");
    let mut bench: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    bench["warnings"] = ["a", "b", "c", "d", "e", "f", "g", "h"].into();
    bench["notes"] = ["AES-128-CBC: x", "AES-256-CBC: x", "y", "z", "z"].into();
    let file = place.path().join("bench.json");
    std::fs::write(&file, bench.to_string()).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let text = shown(100, &["bench", "--show", file]);
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("Warning: "), count("Note: ")), (2, 2), "{text}");
    assert!(text.contains("And 6 more warnings (--verbose)."), "{text}");
    assert!(
        text.contains("Note: AES-128-CBC, AES-256-CBC: x.") && text.contains("And 1 more note (--verbose)."),
        "{text}"
    );
    let text = shown(100, &["bench", "--verbose", "--show", file]);
    assert_eq!(text.lines().filter(|line| line.starts_with("Warning: ")).count(), 8, "{text}");
}
