//! Text of others does not reach a terminal as it is: names of files, arguments.

mod both;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HOSTILE: &str = "x\u{1b}]0;pwn\u{7}\u{1b}[31m\u{9b}2J\u{202e}y";

#[test]
fn file_names_and_arguments_are_printed_without_escape_sequences() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join(format!("{HOSTILE}.json")), "{\"schema\":\"x\"}").unwrap();
    for arguments in [
        &["report", "."][..],
        &["report", HOSTILE],
        &["report", "--output", HOSTILE, HOSTILE],
        &["status", "--from", HOSTILE],
        &["bench", "--show", HOSTILE],
        &["bundle", "--output", &format!("/{HOSTILE}/x")],
        &["metrics", "--output", &format!("/{HOSTILE}/x")],
        &["explain", HOSTILE],
        &["catalogue", HOSTILE],
        &["allow", HOSTILE],
        &["enable", "--unit", HOSTILE],
        &["prove", "--module", HOSTILE, "--", "true"],
        &["run", "--", HOSTILE],
        &["rng", "test", "--file", HOSTILE],
        &[HOSTILE],
        &["status", &format!("--{HOSTILE}")],
        &["bench", "--size", HOSTILE],
    ] {
        let output =
            Command::new(both::outboard()).args(arguments).current_dir(place.path()).output().unwrap();
        let text =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(!output.status.success() || text.contains("left out"), "{arguments:?}: {text}");
        assert!(!text.is_empty(), "{arguments:?}");
        let is_safe = |c: char| c == '\n' || c == '\t' || !outboard_console::is_unprintable(c);
        assert!(text.chars().all(is_safe), "{arguments:?}: {text:?}");
    }
}

/// Files with other output than text for a person: bytes, a protocol between processes, a screen.
const OTHERS: [&str; 8] = [
    "lab/src/requests/serve.rs",
    "lab/src/requests/without_instructions.rs",
    "cli/src/commands/status.rs",
    "lab/src/commands/watch.rs",
    "lab/src/commands/watch/screen.rs",
    "cli/src/output.rs",
    "cli/src/output/destination.rs",
    "console/src/lib.rs",
];

#[test]
fn only_one_place_prints_text() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for part in ["cli", "console", "inventory", "lab", "measure", "monitor", "services"] {
        sources(&crates.join(part).join("src"), &mut found);
    }
    for file in found {
        let text = fs::read_to_string(&file).unwrap();
        let prints =
            ["io::stdout()", "io::stderr()", "println!", "print!("].iter().any(|word| text.contains(word));
        let name = file.strip_prefix(&crates).unwrap().to_str().unwrap();
        assert!(!prints || OTHERS.contains(&name), "{name} prints: use outboard_console");
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.to_str().is_some_and(|path| path.ends_with(".rs") && !path.ends_with("tests.rs")) {
            found.push(path);
        }
    }
}
