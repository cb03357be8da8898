//! Finds programs of other packages, and runs them until they end or ^C is pressed.

use std::env;
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::requests::process::die_with_parent;
use anyhow::{Context as _, Result, anyhow, bail};
use outboard_measure::stop;

const SERVERS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Interval between checks for ^C, in milliseconds.
const LOOK: i32 = 200;

pub fn find(names: &[&str], package: &str, on_openwrt: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).chain(SERVERS.map(PathBuf::from)).collect();
    let files = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let missing = || anyhow!(missing(&names.join(" or "), package, on_openwrt));
    files.into_iter().find(|file| is_executable(file)).ok_or_else(missing)
}

pub fn missing(name: &str, package: &str, on_openwrt: &str) -> String {
    format!("there is no {name} command: install the package {package} (on OpenWrt {on_openwrt})")
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

pub fn run(command: &mut Command) -> Result<String> {
    let name = name(command);
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("{name} cannot be run"))?;
    let [out, words] = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    if !done.status.success() {
        bail!("{name}: {}: {}", done.status, words.trim());
    }
    Ok(format!("{out}{words}"))
}

/// Runs commands concurrently until all have ended. If one fails or ^C is pressed, the others are
/// terminated.
pub fn run_at_once(commands: impl IntoIterator<Item = Command>) -> Result<(), String> {
    let mut clients = Vec::new();
    for command in commands {
        clients.push(Client::start(command)?);
    }
    while clients.iter().any(|client| !client.is_done) {
        if stop::asked() {
            return Err("interrupted".to_owned());
        }
        let waits = |client: &&mut Client| !client.is_done;
        let mut waiting: Vec<&mut Client> = clients.iter_mut().filter(waits).collect();
        let mut ears: Vec<libc::pollfd> = waiting.iter().map(|client| client.ear()).collect();
        // SAFETY: the pointer and the length describe the array. A signal interrupts poll(2)
        // regardless of the handler's flags.
        let ready = unsafe { libc::poll(ears.as_mut_ptr(), ears.len() as libc::nfds_t, LOOK) };
        if ready > 0 {
            for (client, _) in waiting.iter_mut().zip(&ears).filter(|(_, ear)| ear.revents != 0) {
                client.hear()?;
            }
        }
    }
    Ok(())
}

/// A command that was started. Dropping this value kills it.
struct Client {
    name: String,
    child: Child,
    words: Vec<u8>,
    is_done: bool,
}

impl Client {
    fn start(mut command: Command) -> Result<Client, String> {
        let name = name(&command);
        // Only this program receives ^C.
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        die_with_parent(&mut command, libc::SIGTERM);
        let child = command.spawn().map_err(|error| format!("{name} cannot be run: {error}"))?;
        Ok(Client { name, child, words: Vec::new(), is_done: false })
    }

    /// Returns the descriptor of the command's stderr, which is also closed when the command ends.
    fn ear(&self) -> libc::pollfd {
        let fd = self.child.stderr.as_ref().map_or(-1, |pipe| pipe.as_raw_fd());
        libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
    }

    fn hear(&mut self) -> Result<(), String> {
        let mut some = [0; 4096];
        let Some(pipe) = &mut self.child.stderr else { return Ok(()) };
        let count = pipe.read(&mut some).map_err(|error| format!("{}: {error}", self.name))?;
        self.words.extend_from_slice(&some[..count]);
        self.is_done = count == 0;
        if self.is_done { self.end() } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), String> {
        let status = self.child.wait().map_err(|error| format!("{}: {error}", self.name))?;
        let words = String::from_utf8_lossy(&self.words);
        if status.success() { Ok(()) } else { Err(format!("{}: {status}: {}", self.name, words.trim())) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let (Ok(None), Ok(pid)) = (self.child.try_wait(), i32::try_from(self.child.id())) {
            // SAFETY: no pointer is passed. The group ID is that of a child that was not waited
            // for, so it cannot have been reused.
            unsafe { libc::kill(-pid, libc::SIGKILL) };
            // After SIGKILL the process ends soon.
            let _ = self.child.wait();
        }
    }
}

fn name(command: &Command) -> String {
    let program = Path::new(command.get_program());
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn shell(script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        assert!(find(&["no-such-shell", "sh"], "dash", "busybox").unwrap().ends_with("sh"));
        let error = find(&["nginy", "apachy"], "nginx-light", "nginx-ssl").unwrap_err().to_string();
        let says =
            "there is no nginy or apachy command: install the package nginx-light (on OpenWrt nginx-ssl)";
        assert_eq!(error, says);
    }

    #[test]
    fn a_command_says_what_it_prints_or_why_it_failed() {
        assert_eq!(run(&mut shell("echo out; echo more >&2")).unwrap(), "out\nmore\n");
        let error = run(&mut shell("echo no key >&2; exit 4")).unwrap_err().to_string();
        assert_eq!(error, "sh: exit status: 4: no key");
    }

    #[test]
    fn commands_run_at_once_and_none_outlives_the_failure_of_another() {
        let folder = tempfile::tempdir().unwrap();
        // Each ends when the other has started.
        let meet = |mine: &str, other: &str| {
            shell(&format!(
                "cd {}; : >{mine}; until [ -e {other} ]; do sleep 0.01; done",
                folder.path().display()
            ))
        };
        run_at_once([meet("a", "b"), meet("b", "a")]).unwrap();
        let start = Instant::now();
        let error = run_at_once([shell("echo no route >&2; exit 7"), shell("exec sleep 1000")]);
        assert_eq!(error.unwrap_err(), "sh: exit status: 7: no route");
        assert!(start.elapsed().as_secs() < 500);
    }
}
