//! The commands of the laboratory: a program of its own in a package of its own, which `outboard`
//! starts as git(1) starts its commands.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_console::say;
use outboard_documents::status::Pasted;
use outboard_inventory::system;
use rustix::fs::{Access, access};

pub const PROGRAM: &str = "outboard-lab";

/// The commands with the words of `outboard --help`.
pub const COMMANDS: [(&[&str], &str); 6] = [
    (&["bench"], "Compare the speed and the CPU cost of software and accelerators"),
    (&["watch"], "Show live what accelerators do, and for which processes"),
    (&["metrics"], "Print counters in the text format of Prometheus"),
    (&["report"], "Make one page of what the other commands found"),
    (&["rng", "test"], "Test output with the block tests of FIPS 140-2"),
    (&["rng", "assess"], "Estimate the min-entropy of output with the estimators of SP 800-90B"),
];

/// Returns the arguments for the laboratory, if these request one of its commands or its help.
pub fn requested(words: impl Iterator<Item = OsString>) -> Option<Vec<OsString>> {
    let mut words: Vec<OsString> = words.collect();
    let is_help = words.first().is_some_and(|word| word == "help");
    if is_help {
        words.remove(0);
        words.push("--help".into());
    }
    let is_named = |command: &[&str]| {
        words.len() >= command.len() && words.iter().zip(command).all(|(word, name)| word == name)
    };
    COMMANDS.iter().any(|(command, _)| is_named(command)).then_some(words)
}

pub fn run(words: &[OsString]) -> ExitCode {
    let error = match command() {
        Ok(mut command) => anyhow!("{PROGRAM} cannot be started: {}", command.args(words).exec()),
        Err(missing) => missing,
    };
    let name = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    say(&format!("outboard {name}: {error:#}"));
    ExitCode::FAILURE
}

/// Returns the command that starts the laboratory.
/// Errors: it is not installed.
pub fn command() -> Result<Command> {
    find().map(Command::new).ok_or_else(|| {
        let step = system::here().part_step(PROGRAM, PROGRAM);
        anyhow!("this command is in the package {PROGRAM}, which is not installed: {step}")
    })
}

/// What a text that was pasted into a forum shows.
/// Errors: nothing is recognised, or the laboratory is not installed.
pub fn recognise(text: &[u8]) -> Result<Pasted> {
    let mut child = command()?
        .arg("pasted")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{PROGRAM} cannot be started"))?;
    // It reads everything before it answers. If it ends before, its message has the reason.
    let _ = child.stdin.take().map(|mut input| input.write_all(text));
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("{PROGRAM} is of another version"))
}

fn find() -> Option<PathBuf> {
    let own = std::env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|directory| directory.join(PROGRAM));
    own.into_iter().chain(on_path).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

pub(crate) fn help(parent: &[&str]) -> String {
    let rows = COMMANDS.iter().filter_map(|(command, about)| {
        let (name, above) = command.split_last()?;
        (above == parent).then(|| format!("\n  {name:<11}  {about}"))
    });
    format!("Laboratory (package {PROGRAM}):{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<String> {
        let found = requested(line.split_whitespace().map(OsString::from))?;
        Some(found.join(std::ffi::OsStr::new(" ")).to_string_lossy().into_owned())
    }

    #[test]
    fn only_the_commands_of_the_laboratory_are_passed_on() {
        for line in ["bench", "bench https --for 9s", "watch --once", "report -h", "rng test -", "rng assess"]
        {
            assert_eq!(words(line).as_deref(), Some(line));
        }
        assert_eq!(words("help bench disk").as_deref(), Some("bench disk --help"));
        for line in ["", "help", "help tune", "rng", "rng --json", "rng select x", "tune bench", "run bench"]
        {
            assert_eq!(words(line), None, "{line}");
        }
    }
}
