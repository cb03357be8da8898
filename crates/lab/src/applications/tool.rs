//! Programs that a benchmark runs to their end. None is left when this process ends, and their
//! output goes to unnamed files.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::requests::process::die_with_parent;
use anyhow::{Context, Result, anyhow};
use outboard_measure::stop;
use rustix::fs::{MemfdFlags, memfd_create};

use super::tools::missing;

const TICK: Duration = Duration::from_millis(5);

/// Time to end after SIGTERM, before the program is killed.
const FAREWELL: Duration = Duration::from_secs(5);

#[derive(Clone, Copy)]
pub struct Tool {
    pub name: &'static str,
    pub debian: &'static str,
    pub openwrt: &'static str,
}

pub const IP: Tool = Tool { name: "ip", debian: "iproute2", openwrt: "ip-full" };

pub struct ProgramOutput {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Tool {
    /// Returns the version as the program reports it; the error names the package if the program is
    /// missing.
    pub fn version(&self, argument: &str) -> Result<String> {
        let mut command = Command::new(self.name);
        command.arg(argument);
        let output = self.run(command, "", Duration::from_secs(60)).map_err(|error| anyhow!(error))?;
        Ok(output.stdout.lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Runs the program with `input` on standard input. Terminates it at ^C and after `limit`.
    pub fn run(&self, mut command: Command, input: &str, limit: Duration) -> Result<ProgramOutput, String> {
        let cannot = |error: io::Error| format!("{} cannot be run: {error}", self.name);
        let (mut stdout, mut stderr) = (unnamed().map_err(cannot)?, unnamed().map_err(cannot)?);
        let copy = |file: &File| file.try_clone().map(Stdio::from).map_err(cannot);
        command.stdin(Stdio::piped()).stdout(copy(&stdout)?).stderr(copy(&stderr)?).process_group(0);
        die_with_parent(&mut command, libc::SIGKILL);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => missing(self.name, self.debian, self.openwrt),
            _ => cannot(error),
        })?;
        if let Some(mut pipe) = child.stdin.take() {
            // A program that does not read its input reports why.
            let _ = pipe.write_all(input.as_bytes());
        }
        let status = wait(&mut child, limit).map_err(cannot)?;
        let status = status.ok_or_else(|| match stop::asked() {
            true => "interrupted".to_owned(),
            false => format!("{} did not end within {} s", self.name, limit.as_secs()),
        })?;
        let read = |file: &mut File| -> io::Result<String> {
            let mut bytes = Vec::new();
            file.rewind()?;
            file.read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(ProgramOutput {
            status,
            stdout: read(&mut stdout).map_err(cannot)?,
            stderr: read(&mut stderr).map_err(cannot)?,
        })
    }
}

impl ProgramOutput {
    /// Returns stdout, or the last lines of stderr if the program failed.
    pub fn checked(self, what: &str) -> Result<String, String> {
        if self.status.success() {
            return Ok(self.stdout);
        }
        let words: Vec<&str> =
            self.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).rev().take(3).collect();
        let words = words.into_iter().rev().collect::<Vec<_>>().join("; ");
        Err(format!("{what} failed ({}): {words}", self.status))
    }
}

/// Loads a kernel module. An error is harmless if the module is built in.
pub fn modprobe(module: &str) -> Result<()> {
    let tool = Tool { name: "modprobe", debian: "kmod", openwrt: "ubox" };
    let mut command = Command::new(tool.name);
    command.arg(module);
    let result = tool.run(command, "", Duration::from_secs(60)).and_then(|output| output.checked("modprobe"));
    result
        .map(|_| ())
        .map_err(|error| anyhow!(error))
        .with_context(|| format!("the kernel module {module} cannot be loaded"))
}

pub fn unnamed() -> io::Result<File> {
    Ok(File::from(memfd_create("outboard-bench", MemfdFlags::CLOEXEC)?))
}

/// Waits for the process. `None`: it was terminated.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if stop::asked() || start.elapsed() > limit {
            break;
        }
        sleep(TICK);
    }
    let group = i32::try_from(child.id()).unwrap_or(0);
    // SAFETY: no pointer is passed. The group ID is that of a child that was not waited for, so it
    // cannot have been reused.
    let send = |signal| unsafe { libc::kill(-group, signal) };
    send(libc::SIGTERM);
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > FAREWELL {
            send(libc::SIGKILL);
            child.wait()?;
        }
        sleep(TICK);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: Tool = Tool { name: "sh", debian: "dash", openwrt: "busybox" };

    fn shell(script: &str, input: &str, limit: Duration) -> Result<ProgramOutput, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        SHELL.run(command, input, limit)
    }

    #[test]
    fn the_output_of_a_program_is_returned() {
        let long = Duration::from_secs(60);
        let output = shell("cat; echo no >&2; exit 3", "yes", long).unwrap();
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str(), output.status.code()),
            ("yes", "no\n", Some(3))
        );
        assert_eq!(output.checked("it").unwrap_err(), "it failed (exit status: 3): no");
        assert_eq!(shell("cat", "yes", long).unwrap().checked("it").unwrap(), "yes");
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_all_that_it_started() {
        let error = shell("sleep 1000 & sleep 1000", "", Duration::from_millis(200)).err().unwrap();
        assert_eq!(error, "sh did not end within 0 s");
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let tool = Tool { name: "no-such-program", debian: "one", openwrt: "another" };
        let error = tool.version("--version").unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no no-such-program command: install the package one (on OpenWrt another)"
        );
    }
}
