//! Commands that a test runs: `openssl`, `valgrind`, and the helpers of src/bin.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The executable of this name on PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A helper of src/bin: next to the test executable, one directory above it, or in
/// OUTBOARD_HELPERS.
pub fn helper(name: &str) -> Result<PathBuf, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let next_to_it = executable.ancestors().skip(1).take(2).map(Path::to_path_buf);
    let named = std::env::var_os("OUTBOARD_HELPERS").map(PathBuf::from);
    named
        .into_iter()
        .chain(next_to_it)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| format!("the helper {name} (copy it next to the test executable)"))
}

/// Options with which valgrind exits with 9 after an error or a leak.
pub const MEMCHECK: &[&str] = &[
    "--quiet",
    "--leak-check=full",
    "--errors-for-leak-kinds=definite",
    "--show-leak-kinds=definite",
    // Without it the frames of providers have no names, because they are unloaded at the end.
    "--keep-debuginfo=yes",
    "--error-exitcode=9",
    // For IBM Z, LLVM branches on a field of an Option that is None where both branches give the
    // same result.
    if cfg!(target_arch = "s390x") { "--undef-value-errors=no" } else { "--undef-value-errors=yes" },
];

/// Runs a command until it ends. Its OpenSSL reads only this configuration.
#[track_caller]
pub fn run(program: &Path, config: &Path, arguments: &[&str]) -> Output {
    command(program, config, arguments)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// The command, for a caller that needs its streams.
pub fn command(program: &Path, config: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).env("OPENSSL_CONF", config).env_remove("SSL_CERT_FILE");
    command
}

/// The status and the output of a command, for a message.
pub fn status_and_output(output: &Output) -> String {
    format!(
        "{}\n--- stdout\n{}\n--- stderr\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The output of a command that must succeed.
#[track_caller]
pub fn succeeded(output: &Output, arguments: &[&str]) -> String {
    assert!(output.status.success(), "{arguments:?}: {}", status_and_output(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The error output of a command that must end with this code.
#[track_caller]
pub fn failed(output: &Output, arguments: &[&str], code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", status_and_output(output));
    String::from_utf8_lossy(&output.stderr).into_owned()
}
