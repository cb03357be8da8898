//! `outboard completions` as a command: the script of bash completes in bash.

mod both;

use std::process::Command;

fn outboard(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(both::outboard()).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// The words that bash offers after these words.
fn completed(words: &str) -> String {
    let (code, script) = outboard(&["completions", "bash"]);
    assert_eq!(code, Some(0));
    let last = words.split(' ').count() - 1;
    let (current, previous) = (words.split(' ').nth(last).unwrap(), words.split(' ').nth(last - 1).unwrap());
    let ask = format!(
        "{script}\nCOMP_WORDS=({words}); COMP_CWORD={last}; _outboard outboard '{current}' '{previous}'; \
         echo \"${{COMPREPLY[@]}}\""
    );
    let output = Command::new("bash").args(["-c", &ask]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn bash_completes_commands_and_options() {
    assert_eq!(completed("outboard enab"), "enable");
    assert_eq!(completed("outboard enable --dry"), "--dry-run");
    assert_eq!(completed("outboard bench op"), "openvpn");
    assert_eq!(completed("outboard prove --serv"), "--service");
    assert_eq!(completed("outboard metrics --out"), "--output");
    assert_eq!([completed("outboard wat"), completed("outboard cata")], ["watch", "catalogue"]);
}

#[test]
fn every_shell_has_a_script_and_others_are_a_mistake_of_use() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (code, script) = outboard(&["completions", shell]);
        assert!(code == Some(0) && script.contains("enable"), "{shell}");
    }
    assert_eq!(outboard(&["completions", "tcsh"]).0, Some(2));
}

#[test]
fn help_lists_the_commands_in_the_order_of_the_task() {
    let (_, help) = outboard(&["--help"]);
    let place = |command: &str| {
        let start = format!("  {command} ");
        help.lines().position(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{command}: {help}"))
    };
    let task = ["status", "check", "allow", "tune", "enable", "prefer", "prove", "watch", "report"];
    assert!(task.map(place).is_sorted(), "{help}");
}
