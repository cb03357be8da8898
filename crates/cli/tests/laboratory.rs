//! The command alone, without the laboratory, and next to one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A directory with the command and nothing else.
fn alone() -> TempDir {
    let place = TempDir::new().unwrap();
    let (from, to) = (Path::new(env!("CARGO_BIN_EXE_outboard")), place.path().join("outboard"));
    if fs::hard_link(from, &to).is_err() {
        assert!(Command::new("cp").args([from, &to]).status().unwrap().success());
    }
    place
}

fn run(place: &TempDir, words: &str) -> Output {
    let mut command = Command::new(place.path().join("outboard"));
    command.args(words.split(' ')).env("PATH", place.path()).env("TERM", "dumb").output().unwrap()
}

#[test]
fn without_the_laboratory_its_commands_name_the_package() {
    let place = alone();
    let text = format!("status --from {}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    for words in [
        "bench",
        "bench https --for 9s",
        "report",
        "watch --once",
        "metrics --output x",
        "rng test -",
        "help rng assess",
        &text,
    ] {
        let output = run(&place, words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{words}: {error}");
        assert!(error.contains("package outboard-lab, which is not installed: "), "{words}: {error}");
    }
}

#[test]
fn the_command_needs_no_laboratory_for_its_own_commands() {
    let place = alone();
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures/armada388-helios4");
    for words in [
        &format!("status --from {}", tree.display()),
        "catalogue omap",
        "explain slow-aes",
        "completions bash",
        "--help",
        "rng --help",
    ] {
        let output = run(&place, words);
        assert!(output.status.success() && !output.stdout.is_empty(), "{words}: {output:?}");
    }
}

#[test]
fn help_and_completions_have_the_commands_of_the_laboratory() {
    let place = alone();
    let text = |words: &str| String::from_utf8(run(&place, words).stdout).unwrap();
    let (help, script) = (text("--help"), text("completions bash"));
    let (own, lab) = help.split_once("\nLaboratory (package outboard-lab):\n").unwrap();
    for name in ["bench", "watch", "metrics", "report"] {
        let line = format!("  {name} ");
        assert!(lab.lines().any(|it| it.starts_with(&line)) && !own.contains(&format!("\n{line}")), "{help}");
        assert!(script.contains(&format!("outboard,{name})")), "{name}");
    }
    let rng = text("rng --help");
    let (_, lab) = rng.split_once("\nLaboratory (package outboard-lab):\n").unwrap();
    assert!(["test", "assess"].iter().all(|name| lab.contains(&format!("  {name} "))), "{rng}");
}

#[test]
fn the_laboratory_is_started_with_all_arguments_and_its_exit_code_is_returned() {
    let place = alone();
    let program = place.path().join("outboard-lab");
    // Written by another process: a descriptor that a child of another thread has open for writing would
    // make it busy.
    let script = "printf '#!/bin/sh\\necho \"$@\"\\nexit 42\\n' >\"$0\" && chmod 755 \"$0\"";
    assert!(Command::new("sh").args(["-c", script]).arg(&program).status().unwrap().success());
    for (words, passed) in [
        ("bench disk --for 9s -v", "bench disk --for 9s -v"),
        ("rng test --help", "rng test --help"),
        ("help bench disk", "bench disk --help"),
        ("completions zsh", "completions zsh"),
    ] {
        let output = run(&place, words);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!((output.status.code(), text.trim()), (Some(42), passed));
    }
    // A link to the command does not hide the laboratory next to it.
    let elsewhere = TempDir::new().unwrap();
    symlink(place.path().join("outboard"), elsewhere.path().join("outboard")).unwrap();
    assert_eq!(run(&elsewhere, "watch").status.code(), Some(42));
}
