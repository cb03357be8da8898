//! A web server with a private configuration that serves one directory.

mod apache;
mod nginx;

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::ValueEnum;

use super::super::certificate::Certificate;
use super::super::server_process::{ServerProcess, free_port};
use super::super::tools;
use super::suite::Suite;

pub const FILE: &str = "file";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Nginx,
    Apache,
}

pub struct Program {
    kind: Kind,
    file: PathBuf,
    /// `nginx/1.26.3`
    pub version: String,
    /// nginx: its build options. Apache: its built-in modules.
    built: String,
}

pub struct Site<'a> {
    pub root: &'a Path,
    pub certificates: &'a [Certificate],
    pub suites: &'a [Suite],
    pub address: IpAddr,
}

impl Site<'_> {
    /// Returns the cipher lists for TLS 1.2 and TLS 1.3 that are not empty.
    fn cipher_lists(&self) -> impl Iterator<Item = (&'static str, String)> {
        let of = |is_tls13: bool| {
            let suites = self.suites.iter().filter(|suite| suite.is_tls13() == is_tls13);
            suites.map(|suite| suite.name.as_str()).collect::<Vec<_>>().join(":")
        };
        [("SSL", of(false)), ("TLSv1.3", of(true))].into_iter().filter(|(_, names)| !names.is_empty())
    }
}

pub struct Server {
    pub process: ServerProcess,
    pub address: SocketAddr,
}

/// The user of the worker processes if root starts the server: `nobody`. It need not be in the
/// device's group, because the master process opens the device.
struct Worker {
    user: &'static str,
    gid: u32,
    group: String,
}

impl Program {
    pub fn find(wanted: Option<Kind>) -> Result<Program> {
        let of = |kind| match kind {
            Kind::Nginx => tools::find(&["nginx"], "nginx-light", "nginx-ssl"),
            Kind::Apache => tools::find(&["apache2", "httpd"], "apache2-bin", "apache"),
        };
        let (kind, file) = match wanted {
            Some(kind) => (kind, of(kind)?),
            None => match (of(Kind::Nginx), of(Kind::Apache)) {
                (Ok(file), _) => (Kind::Nginx, file),
                (_, Ok(file)) => (Kind::Apache, file),
                _ => bail!(
                    "there is neither nginx nor Apache: install the package nginx-light or apache2-bin (on OpenWrt nginx-ssl)"
                ),
            },
        };
        let ask = |word: &str| tools::run(Command::new(&file).arg(word));
        // nginx version: nginx/1.26.3; Server version: Apache/2.4.65 (Debian)
        let shown = ask("-v")?;
        let first = shown.lines().next().unwrap_or_default().trim();
        let version = first.rsplit_once(": ").map_or(first, |(_, version)| version).to_owned();
        let built = ask(if kind == Kind::Nginx { "-V" } else { "-l" })?;
        Ok(Program { kind, file, version, built })
    }

    pub fn serve(&self, folder: &Path, openssl_cnf: &Path, site: &Site<'_>) -> Result<Server> {
        let address = free_port(site.address)?;
        let worker = rustix::process::geteuid().is_root().then(worker).transpose()?;
        let worker = worker.as_ref();
        let file = folder.join("configuration");
        let mut command = Command::new(&self.file);
        let text = match self.kind {
            Kind::Nginx => {
                command.args(["-e", "stderr", "-p"]).arg(folder).arg("-c").arg(&file);
                nginx::configuration(&self.built, folder, address, worker, site)
            }
            Kind::Apache => {
                command.args(["-D", "FOREGROUND", "-d"]).arg(folder).arg("-f").arg(&file);
                apache::configuration(&self.built, folder, address, worker, site)?
            }
        };
        fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
        command.env("OPENSSL_CONF", openssl_cnf);
        let mut process = ServerProcess::start(&self.version, command, folder.join("log"))?;
        process.answers(address)?;
        Ok(Server { process, address })
    }
}

fn worker() -> Result<Worker> {
    let [users, groups] =
        ["/etc/passwd", "/etc/group"].map(|file| fs::read_to_string(file).with_context(|| file.to_owned()));
    let (gid, group) = nobodys(&users?, &groups?)
        .ok_or_else(|| anyhow!("/etc/passwd has no user nobody, or /etc/group not its group: add them"))?;
    Ok(Worker { user: "nobody", gid, group })
}

fn nobodys(users: &str, groups: &str) -> Option<(u32, String)> {
    let entry = |text: &str, at: usize, is: &str| {
        let mut lines = text.lines().map(|line| line.split(':').map(str::to_owned).collect::<Vec<_>>());
        lines.find(|fields| fields.get(at).is_some_and(|field| field == is))
    };
    let gid = entry(users, 0, "nobody")?.into_iter().nth(3)?;
    let group = entry(groups, 2, &gid)?.into_iter().next()?;
    Some((gid.parse().ok()?, group))
}

#[cfg(test)]
mod tests {
    use super::super::super::server_process::LOCALHOST;
    use super::*;

    #[test]
    fn nobodys_group_has_a_name_that_differs() {
        let users =
            "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin\n";
        let groups = "root:x:0:\nnobody:x:1:\nnogroup:x:65533:\n";
        assert_eq!(nobodys(users, groups), Some((65533, "nogroup".to_owned())));
        assert_eq!(nobodys(groups, groups), None);
        assert_eq!(nobodys(users, ""), None);
    }

    /// Calls `test` with a site of three suites, of both versions.
    pub fn with_site(test: impl FnOnce(&Site<'_>, &Worker, SocketAddr)) {
        let suites = ["AES128-SHA", "TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-SHA"]
            .map(|name| super::super::suite::parse(name).unwrap());
        let certificate = Certificate { key: "/run/k".into(), certificate: "/run/c".into() };
        let site = Site {
            root: Path::new("/run/www"),
            certificates: &[certificate],
            suites: &suites,
            address: LOCALHOST,
        };
        let worker = Worker { user: "nobody", gid: 7, group: "nogroup".into() };
        test(&site, &worker, SocketAddr::from(([127, 0, 0, 1], 4433)));
    }
}
