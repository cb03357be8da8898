//! `outboard run` as a command: the environment and the exit code of what it runs.

use std::fs;
use std::process::{Command, Output};

/// Runs `outboard run` with a file that stands for the provider, which these commands do not load.
fn outboard(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    let module = folder.path().join("outboard.so");
    fs::write(&module, "").unwrap();
    let temporary = folder.path().join("temporary");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_outboard"));
    command.arg("run").arg("--no-system-config").arg("--module").arg(module).args(arguments);
    let output = command.env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "nothing is left");
    output
}

#[test]
fn the_command_gets_a_configuration_with_outboard_and_its_exit_code_is_returned() {
    let folder = tempfile::tempdir().unwrap();
    let output = outboard(&folder, &["--threshold", "512", "--", "sh", "-c", "cat $OPENSSL_CONF; exit 3"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("default_properties = ?provider=outboard\n"), "{text}");
    assert!(text.contains("THRESHOLDS = ALL:512\n"), "{text}");
    assert_eq!(output.stderr, b"");
}

#[test]
fn failures_have_codes_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let code = |arguments: &[&str]| outboard(&folder, arguments).status.code();
    assert_eq!(code(&["--", "no such command"]), Some(127));
    assert_eq!(code(&["--", "/"]), Some(126));
    assert_eq!(code(&["--", "sh", "-c", "kill -TERM $$"]), Some(143));
    assert_eq!(code(&[]), Some(125));
    assert_eq!(code(&["--threshold", "x", "--", "true"]), Some(125));
}
