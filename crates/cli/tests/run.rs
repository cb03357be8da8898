//! `outboard run` as a command: the environment and the exit code of what it runs.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
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

/// Root's command finds its own programs in the system's directories only; other users have theirs.
#[test]
fn the_command_has_the_caller_s_environment_and_root_starts_no_planted_program() {
    let (folder, planted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (program, mark) = (planted.path().join("openssl"), planted.path().join("mark"));
    fs::write(&program, format!("#!/bin/sh\n>{}\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let module = folder.path().join("outboard.so");
    fs::write(&module, "").unwrap();
    let path = format!("{}:/usr/bin:/bin", planted.path().display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_outboard"));
    command.arg("run").arg("--module").arg(&module).args(["--", "sh", "-c", "echo $PATH $LD_ORIGIN_PATH"]);
    command.env("PATH", &path).env("LD_ORIGIN_PATH", "mine").current_dir(planted.path());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{path} mine\n"), "{output:?}");
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    assert_eq!(mark.exists(), !is_root);
}
