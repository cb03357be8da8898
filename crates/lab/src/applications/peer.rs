//! Another machine, on which the clients of a benchmark run: then they do not share the CPUs of the
//! server that is measured.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::Args;

use super::configurations::WorkFolder;
use super::tools;

/// The commands of the session that stays open at the other machine. Its directory is removed when
/// its standard input ends, also if this process is killed.
const SESSION: &str = "set -eu; umask 077; dir=$(mktemp -d); trap 'rm -rf \"$dir\"' EXIT; trap 'exit 1' HUP INT TERM; \
    : >\"$dir/plain.cnf\"; echo \"$dir\"; echo \"$SSH_CONNECTION\"; cat >/dev/null";

#[derive(Args)]
pub struct PeerOption {
    /// Run the clients on another machine, which this one reaches by ssh without a password: root@pc
    #[arg(long, value_name = "DESTINATION")]
    peer: Option<String>,
}

impl PeerOption {
    /// Connects, if a machine was named.
    pub fn reach(&self, work: &WorkFolder) -> Result<Option<Peer>> {
        self.peer.as_deref().map(|destination| Peer::reach(destination, work)).transpose()
    }
}

/// A machine that is reached by ssh(1). Commands share one connection.
pub struct Peer {
    destination: String,
    ssh: PathBuf,
    control: PathBuf,
    folder: String,
    /// Address of this machine, as seen from there.
    pub address: IpAddr,
    session: Child,
    input: Option<ChildStdin>,
}

impl Peer {
    /// Connects. The user's ssh configuration applies; nothing is asked for.
    pub fn reach(destination: &str, work: &WorkFolder) -> Result<Peer> {
        ensure!(
            !destination.starts_with('-'),
            "--peer {destination}: name a destination of ssh, such as root@pc"
        );
        let ssh = tools::find(&["ssh"], "openssh-client", "openssh-client")?;
        let control = work.file("peer");
        let mut command = Command::new(&ssh);
        command.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ControlMaster=yes", "-o"]);
        command.arg(format!("ControlPath={}", control.display()));
        command.args(["-o", "ControlPersist=no", "-o", "LogLevel=ERROR", destination, SESSION]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut session = command.spawn().context("ssh cannot be run")?;
        let input = session.stdin.take();
        let output = session.stdout.take().context("ssh has no output")?;
        let mut lines = BufReader::new(output).lines();
        let mut next = || lines.next().transpose().ok().flatten();
        let (Some(folder), Some(connection)) = (next(), next()) else {
            // Its message is on stderr.
            let status = session.wait()?;
            bail!(
                "--peer {destination}: no session there ({status}): does \"ssh {destination} true\" work without a password?"
            );
        };
        let address = own_address(&connection).ok_or_else(|| {
            anyhow!("--peer {destination}: it names no address of this machine: \"{connection}\"")
        })?;
        Ok(Peer { destination: destination.to_owned(), ssh, control, folder, address, session, input })
    }

    pub fn file(&self, name: &str) -> PathBuf {
        Path::new(&self.folder).join(name)
    }

    /// Copies a file into the directory there, readable by its owner only. Returns its path.
    pub fn put(&self, file: &Path, name: &str) -> Result<PathBuf> {
        let path = self.file(name);
        let mut command = self.ssh(&format!("umask 077; cat >{}", quoted(&path.to_string_lossy())));
        let content = File::open(file).with_context(|| format!("{}", file.display()))?;
        let done = command.stdin(content).output().context("ssh cannot be run")?;
        let words = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "{}: {}: {}", self.destination, path.display(), words.trim());
        Ok(path)
    }

    pub fn needs(&self, program: &str) -> Result<()> {
        let found = tools::run(&mut self.ssh(&format!("command -v {program}")));
        found
            .map(drop)
            .map_err(|_| anyhow!("{} has no {program} command: install it there", self.destination))
    }

    pub fn place(peer: Option<&Peer>, command: Command) -> Command {
        match peer {
            Some(peer) => peer.command(&command),
            None => command,
        }
    }

    /// The same command, run there with an empty openssl.cnf: its program by name, its arguments as
    /// they are.
    pub fn command(&self, local: &Command) -> Command {
        let program = Path::new(local.get_program()).file_name().unwrap_or_default();
        let words =
            std::iter::once(program).chain(local.get_args()).map(|word| quoted(&word.to_string_lossy()));
        let words: Vec<String> = words.collect();
        let configuration = quoted(&self.file("plain.cnf").to_string_lossy());
        self.ssh(&format!("OPENSSL_CONF={configuration} exec {}", words.join(" ")))
    }

    fn ssh(&self, script: &str) -> Command {
        let mut ssh = Command::new(&self.ssh);
        ssh.args(["-o", "BatchMode=yes", "-o", "ControlMaster=no", "-o"]);
        ssh.arg(format!("ControlPath={}", self.control.display()));
        ssh.args(["-o", "LogLevel=ERROR", &self.destination, script]);
        ssh
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.input.take());
        // A command that has not ended there, such as a client that waits, would keep the connection
        // open. Without it the session's input has ended, too.
        let mut exit = Command::new(&self.ssh);
        exit.args(["-O", "exit", "-o"]).arg(format!("ControlPath={}", self.control.display()));
        let _ = exit.arg(&self.destination).output();
        let _ = self.session.wait();
    }
}

/// The client's address in SSH_CONNECTION: `client port server port`.
fn own_address(connection: &str) -> Option<IpAddr> {
    // A link-local address is followed by its interface, which is the peer's.
    connection.split(' ').next()?.parse().ok()
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_are() {
        for word in ["", "a b", "it's", "$HOME `id` \"x\" \\", "-n"] {
            let script = format!("printf '<%s>' {}", quoted(word));
            let output = tools::run(Command::new("sh").args(["-c", &script])).unwrap();
            assert_eq!(output, format!("<{word}>"));
        }
    }

    #[test]
    fn the_own_address_is_the_first_of_a_connection() {
        assert_eq!(own_address("10.77.0.1 40022 10.77.0.2 22"), Some([10, 77, 0, 1].into()));
        assert_eq!(own_address("fd00::1 40022 fd00::2 22"), "fd00::1".parse().ok());
        assert_eq!(own_address("fe80::1%eth0 1 fe80::2%eth0 22"), None);
        assert_eq!(own_address(""), None);
    }
}
