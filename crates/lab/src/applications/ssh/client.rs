//! scp with the key of a measurement, on this machine or another one.

use std::fs::File;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, ensure};

use super::super::configurations::WorkFolder;
use super::super::file::is_same;
use super::super::peer::Peer;
use super::super::server_process::LOCALHOST;
use super::super::tools;
use super::Negotiated;
use super::server::{Openssh, Server};

pub struct Scp {
    file: PathBuf,
    key: PathBuf,
    plain: PathBuf,
    copy: PathBuf,
    peer: Option<Peer>,
}

impl Scp {
    pub fn new(openssh: &Openssh, work: &WorkFolder, peer: Option<Peer>) -> Result<Scp> {
        let (key, plain) = (work.file("user"), work.plain());
        let (key, copy) = match &peer {
            Some(peer) => {
                peer.needs("scp")?;
                (peer.put(&key, "user")?, peer.file("copy"))
            }
            None => (key, work.file("copy")),
        };
        Ok(Scp { file: openssh.scp.clone(), key, plain, copy, peer })
    }

    pub fn address(&self) -> IpAddr {
        self.peer.as_ref().map_or(LOCALHOST, |peer| peer.address)
    }

    /// Returns a command that copies a file from the server with this cipher and MAC.
    pub fn copy(&self, server: &Server, job: &Negotiated, from: &Path, to: &Path) -> Command {
        let mut scp = Command::new(&self.file);
        scp.env("OPENSSL_CONF", &self.plain)
            .args(["-q", "-F", "none", "-c", &job.cipher, "-i"])
            .arg(&self.key);
        if let Some(mac) = &job.mac {
            scp.args(["-o", &format!("MACs={mac}")]);
        }
        let port = server.address.port().to_string();
        scp.args(["-P", &port]);
        for option in [
            "BatchMode=yes",
            "IdentitiesOnly=yes",
            "IdentityAgent=none",
            "StrictHostKeyChecking=no",
            "UserKnownHostsFile=/dev/null",
            "GlobalKnownHostsFile=/dev/null",
            "LogLevel=ERROR",
        ] {
            scp.args(["-o", option]);
        }
        let host = match server.address.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        scp.arg(format!("root@{host}:{}", from.display())).arg(to);
        Peer::place(self.peer.as_ref(), scp)
    }

    /// Verifies a copy before anything is timed.
    pub fn compare(&self, server: &Server, job: &Negotiated, file: &Path) -> Result<()> {
        let came = tools::run_at_once([self.copy(server, job, file, &self.copy)]);
        came.map_err(|error| anyhow!("{error}; log of the server: {}", server.process.words()))?;
        let mut cat = Command::new("cat");
        cat.arg(&self.copy);
        let mut cat =
            Peer::place(self.peer.as_ref(), cat).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut copy = cat.stdout.take().context("cat has no output")?;
        let is_same = is_same(&mut File::open(file)?, &mut copy)?;
        drop(copy);
        cat.wait()?;
        let mut remove = Command::new("rm");
        remove.arg(&self.copy);
        tools::run(&mut Peer::place(self.peer.as_ref(), remove))?;
        ensure!(is_same, "the copy is not the file: do not use outboard for it, and see outboard check");
        Ok(())
    }
}
