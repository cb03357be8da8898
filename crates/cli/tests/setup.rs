//! `outboard setup` and `outboard undo` as commands: what they show, on any machine.

use std::process::{Command, Output};

fn outboard(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outboard")).args(arguments).output().expect("the command runs")
}

#[test]
fn a_dry_run_prints_a_document_with_a_schema() {
    for (arguments, schema) in [
        (&["setup", "--dry-run", "--json"][..], "outboard-setup/1"),
        (&["setup", "--dry-run", "--json", "--progress"], "outboard-setup/1"),
        (&["undo", "--dry-run", "--json"], "outboard-undo/1"),
    ] {
        let output = outboard(arguments);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(document["schema"], schema);
        let is_line = output.stdout.iter().filter(|&&byte| byte == b'\n').count() == 1;
        assert_eq!(is_line, arguments.contains(&"--progress"));
    }
}

/// A machine where nothing can be set up gets one sentence, and at most one next step.
#[test]
fn a_machine_that_cannot_be_set_up_gets_one_sentence_and_exit_code_1() {
    let shown: serde_json::Value =
        serde_json::from_slice(&outboard(&["setup", "--dry-run", "--json"]).stdout).expect("JSON");
    let obstacles = shown["obstacles"].as_array().expect("a list");
    let output = outboard(&["setup", "--dry-run"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Some(obstacle) = obstacles.first() {
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.starts_with(obstacle["text"].as_str().expect("a sentence")), "{text}");
        assert!(text.lines().count() <= 2 * obstacles.len(), "{text}");
    }
}

#[test]
fn to_act_and_only_to_show_exclude_each_other() {
    for command in ["setup", "undo"] {
        assert_eq!(outboard(&[command, "--dry-run", "--yes"]).status.code(), Some(2));
    }
}
