//! Two ends of IKE, each a charon in its own network namespace: one sets up connections, the other
//! is the server.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Error, Result, anyhow};
use outboard_measure::kernel_users::namespace::Namespace;

use super::proposal::Proposal;
use super::vici::{Control, Message, Response};
use crate::applications::cable::{self, CABLE, INTERFACE, MTU};
use crate::applications::certificate::Certificate;
use crate::applications::configurations::{OpensslConfiguration, WorkFolder};
use crate::applications::measure::UserSystemTime;
use crate::applications::server_process::ServerProcess;
use crate::applications::tool::IP;
use crate::applications::tools;

const NAME: &str = "outboard";

/// Proposal for ESP, which the kernel computes. No packet is sent.
const ESP: &str = "aes128gcm16";

/// Time limit for a command. charon sends a lost message again after 4 s.
const LIMIT: Duration = Duration::from_secs(60);

/// What charon loads: `openssl` for all cryptography, and what a connection needs besides it.
const PLUGINS: &str = "random nonce openssl pem pkcs1 pkcs8 x509 pubkey kernel-netlink socket-default vici";

pub struct Charon(PathBuf);

impl Charon {
    /// Finds the installed programs. An error names the package of a missing one.
    ///
    /// charon is copied: no AppArmor profile applies to the copy. That of the installed file
    /// forbids the private directory.
    pub fn find(work: &WorkFolder) -> Result<Charon> {
        let installed = tools::find(&["charon-systemd"], "charon-systemd", "there is none")?;
        IP.version("-V")?;
        let copy = work.file("charon-systemd");
        fs::copy(&installed, &copy)
            .with_context(|| format!("{} cannot be copied to {}", installed.display(), copy.display()))?;
        Ok(Charon(copy))
    }

    /// Starts both ends. The server has this OpenSSL configuration, the initiator OpenSSL alone.
    /// Their files are in `folder`.
    pub fn start(&self, work: &WorkFolder, folder: &Path, server: &OpensslConfiguration) -> Result<Ends> {
        let spaces = [Namespace::new()?, Namespace::new()?];
        cable::join(&spaces[0], &spaces[1], MTU)?;
        let server = self.end("server", &spaces[0], folder, &server.openssl_cnf)?;
        let initiator = self.end("initiator", &spaces[1], folder, &work.plain())?;
        Ok(Ends { initiator, server, _spaces: spaces })
    }

    fn end(&self, role: &str, space: &Namespace, folder: &Path, openssl_cnf: &Path) -> Result<End> {
        let [settings, socket, log] =
            ["conf", "vici", "log"].map(|ending| folder.join(format!("{role}.{ending}")));
        fs::write(&settings, strongswan_conf(&socket)).with_context(|| settings.display().to_string())?;
        let mut command = Command::new(&self.0);
        command.env("STRONGSWAN_CONF", &settings).env("OPENSSL_CONF", openssl_cnf).current_dir(folder);
        space.enter(&mut command);
        let started = ServerProcess::start(&format!("charon, the {role},"), command, log);
        let mut process = started.map_err(|error| self.explained(error))?;
        let mut control = Err(ErrorKind::NotFound.into());
        let opened = process.until("it does not open its control socket", || {
            control = Control::connect(&socket);
            control.is_ok()
        });
        opened?;
        let control = control.with_context(|| socket.display().to_string())?;
        Ok(End { process, control })
    }

    fn explained(&self, error: Error) -> Error {
        let kind = error.root_cause().downcast_ref::<io::Error>().map(io::Error::kind);
        match kind {
            Some(ErrorKind::PermissionDenied) => error.context(format!(
                "{} cannot be executed: if its file system is mounted with noexec, point TMPDIR elsewhere",
                self.0.display()
            )),
            _ => error,
        }
    }
}

struct End {
    process: ServerProcess,
    control: Control,
}

impl End {
    fn run(&mut self, command: &str, message: &Message) -> Result<Response> {
        let result = self.control.run(command, message, LIMIT);
        result.map_err(|error| anyhow!("charon: {error}; log: {}", self.process.words()))
    }

    /// Sets up one connection and ends it. Returns the seconds until it was up.
    fn connect(&mut self) -> Result<f64, String> {
        let timeout = LIMIT.as_millis().to_string();
        let named = |message: Message| message.value("ike", NAME).value("timeout", &timeout);
        let start = Instant::now();
        let up = self.control.run("initiate", &named(Message::default().value("child", NAME)), LIMIT);
        let took = start.elapsed().as_secs_f64();
        up.and_then(|_| self.control.run("terminate", &named(Message::default()), LIMIT))
            .map_err(|error| format!("{error}; log of the initiator: {}", self.process.words()))?;
        Ok(took)
    }
}

/// Both ends. Fields are dropped in this order.
pub struct Ends {
    initiator: End,
    server: End,
    _spaces: [Namespace; 2],
}

impl Ends {
    /// Returns strongSwan's version, such as `6.0.1`.
    pub fn version(&mut self) -> Result<String> {
        let response = self.server.run("version", &Message::default())?;
        Ok(response.value("version").unwrap_or("of an unknown version").to_owned())
    }

    /// Configures both ends for this proposal and sets up some connections. Returns the bytes that
    /// the network carries for one.
    pub fn prepare(
        &mut self,
        proposal: &Proposal,
        certificate: &Certificate,
        connections: u32,
    ) -> Result<u64> {
        let read = |file: &PathBuf| fs::read_to_string(file).with_context(|| file.display().to_string());
        let key = Message::default().value("type", "any").value("data", &read(&certificate.key)?);
        let certificate = read(&certificate.certificate)?;
        for (end, addresses) in [(&mut self.server, CABLE), (&mut self.initiator, [CABLE[1], CABLE[0]])] {
            end.run("load-key", &key)?;
            // It replaces an earlier one.
            end.run("load-conn", &connection(proposal, &certificate, addresses))
                .with_context(|| format!("{}: strongSwan does not accept it", proposal.name))?;
        }
        let before = self.network_bytes()?;
        self.connect(connections)
            .map_err(|error| anyhow!("no connection with {}: {error}", proposal.name))?;
        Ok((self.network_bytes()? - before) / u64::from(connections.max(1)))
    }

    /// Sets up connections and ends them, one after another. Returns the CPU time of the server, and
    /// for each connection the seconds until it was up.
    pub fn connect(&mut self, connections: u32) -> Result<(UserSystemTime, Vec<f64>), String> {
        let Ends { initiator, server, .. } = self;
        let mut latencies = Vec::new();
        let spent = server.process.during(|| {
            for _ in 0..connections {
                latencies.push(initiator.connect()?);
            }
            Ok(())
        })?;
        Ok((spent, latencies))
    }

    /// Returns the number of bytes that the server has received and sent.
    fn network_bytes(&self) -> Result<u64> {
        let file = format!("/proc/{}/net/dev", self.server.process.pid());
        let text = fs::read_to_string(&file).with_context(|| file.clone())?;
        interface_bytes(&text).with_context(|| format!("{file}: no interface {INTERFACE}"))
    }
}

/// Received and sent bytes of the interface in /proc/net/dev.
fn interface_bytes(text: &str) -> Option<u64> {
    let fields = text.lines().find_map(|line| line.trim().strip_prefix(&format!("{INTERFACE}:")))?;
    let numbers: Vec<u64> = fields.split_whitespace().map_while(|field| field.parse().ok()).collect();
    Some(numbers.first()? + numbers.get(8)?)
}

/// strongswan.conf(5) of one end: nothing of the system's is read.
fn strongswan_conf(socket: &Path) -> String {
    format!(
        "charon-systemd {{
    load = {PLUGINS}
    install_routes = no
    install_virtual_ip = no
    close_ike_on_child_failure = yes
    journal {{
        default = -1
    }}
    filelog {{
        stderr {{
            default = 0
        }}
    }}
    plugins {{
        vici {{
            socket = \"unix://{}\"
        }}
    }}
}}
",
        socket.display()
    )
}

/// The connection of the end with the first address to the one with the second: both have the same
/// certificate, as gateways of one organization have those of one authority.
fn connection(proposal: &Proposal, certificate: &str, [own, other]: [&str; 2]) -> Message {
    let party = || Message::default().value("auth", "pubkey").list("certs", &[certificate]);
    let child =
        Message::default().value("mode", "transport").value("rekey_time", "0").list("esp_proposals", &[ESP]);
    let content = Message::default()
        .value("version", "2")
        .value("mobike", "no")
        .value("unique", "never")
        .value("rekey_time", "0")
        .list("local_addrs", &[own])
        .list("remote_addrs", &[other])
        .list("proposals", &[&proposal.name])
        .section("local", party())
        .section("remote", party())
        .section("children", Message::default().section(NAME, child));
    Message::default().section(NAME, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_of_the_cable_count() {
        let text = "Inter-|   Receive  |  Transmit\n face |bytes packets\n    lo: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n\
                    cable: 1000 9 0 0 0 0 0 0 234 8 0 0 0 0 0 0\n";
        assert_eq!(interface_bytes(text), Some(1234));
        assert_eq!(interface_bytes("lo: 7 1"), None);
        assert_eq!(interface_bytes("cable: 7 1"), None);
    }
}
