//! nginx or Apache with a private configuration that serves one directory.

use std::fmt::Write as _;
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

/// Directories of Apache's modules in different distributions.
const MODULES: [&str; 5] = [
    "/usr/lib/apache2/modules",
    "/usr/lib64/httpd/modules",
    "/usr/lib/httpd/modules",
    "/usr/lib/apache2",
    "/usr/libexec/apache2",
];

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Nginx,
    Apache,
}

/// An installed server program.
pub struct Program {
    kind: Kind,
    file: PathBuf,
    /// `nginx/1.26.3`
    pub version: String,
    /// nginx: its build options. Apache: its built-in modules.
    built: String,
}

/// The contents and parameters of a server.
pub struct Site<'a> {
    pub root: &'a Path,
    pub certificates: &'a [Certificate],
    pub suites: &'a [Suite],
    /// Where it is served.
    pub address: IpAddr,
}

/// A running server.
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
    /// Finds the requested program, else nginx, else Apache.
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
        let output = ask("-v")?;
        let first = output.lines().next().unwrap_or_default();
        let version = first.rsplit_once(": ").map_or(first, |(_, version)| version).trim().to_owned();
        let built = ask(if kind == Kind::Nginx { "-V" } else { "-l" })?;
        Ok(Program { kind, file, version, built })
    }

    /// Starts a server with this openssl.cnf; its files are in `folder`.
    pub fn serve(&self, folder: &Path, openssl_cnf: &Path, site: &Site<'_>) -> Result<Server> {
        let address = free_port(site.address)?;
        let worker = rustix::process::geteuid().is_root().then(worker).transpose()?;
        let (text, file) = match self.kind {
            Kind::Nginx => {
                (nginx(&self.built, folder, address, worker.as_ref(), site), folder.join("nginx.conf"))
            }
            Kind::Apache => {
                (self.apache(folder, address, worker.as_ref(), site)?, folder.join("apache.conf"))
            }
        };
        fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
        let mut command = Command::new(&self.file);
        match self.kind {
            Kind::Nginx => command.args(["-e", "stderr", "-p"]).arg(folder).arg("-c").arg(&file),
            Kind::Apache => command.args(["-D", "FOREGROUND", "-d"]).arg(folder).arg("-f").arg(&file),
        };
        command.env("OPENSSL_CONF", openssl_cnf);
        let mut process = ServerProcess::start(&self.version, command, folder.join("log"))?;
        process.answers(address)?;
        Ok(Server { process, address })
    }

    fn apache(
        &self,
        folder: &Path,
        address: SocketAddr,
        worker: Option<&Worker>,
        site: &Site<'_>,
    ) -> Result<String> {
        let modules = MODULES.iter().map(Path::new).find(|folder| folder.join("mod_ssl.so").is_file());
        let modules = modules
            .ok_or_else(|| anyhow!("Apache's mod_ssl.so is in none of {}: install it", MODULES.join(", ")))?;
        let has = |name: &&str| {
            self.built.contains(&format!("mod_{name}.c")) || self.built.contains(&format!("{name}.c"))
        };
        let wanted = [&["mpm_event", "mpm_worker", "mpm_prefork"][..], &["unixd"], &["authz_core"], &["ssl"]];
        let loaded = wanted
            .into_iter()
            .filter(|names| !names.iter().any(has))
            .filter_map(|names| names.iter().find(|name| modules.join(format!("mod_{name}.so")).is_file()));
        let mut text = format!("ServerRoot \"{}\"\nServerName {}\n", folder.display(), site.address);
        let mut line = |args: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{args}");
        };
        for name in loaded {
            line(format_args!("LoadModule {name}_module \"{}/mod_{name}.so\"", modules.display()));
        }
        if let Some(worker) = worker {
            line(format_args!("User {}\nGroup #{}", worker.user, worker.gid));
        }
        let here = folder.display();
        line(format_args!("Listen {address}\nPidFile \"{here}/pid\"\nDefaultRuntimeDir \"{here}\""));
        line(format_args!("Mutex \"file:{here}\"\nErrorLog /dev/stderr\nLogLevel warn\nTimeout 600"));
        line(format_args!(
            "DocumentRoot \"{}\"\nSSLEngine on\nSSLProtocol -all +TLSv1.2 +TLSv1.3",
            site.root.display()
        ));
        for one in site.certificates {
            let (certificate, key) = (one.certificate.display(), one.key.display());
            line(format_args!("SSLCertificateFile \"{certificate}\"\nSSLCertificateKeyFile \"{key}\""));
        }
        for (protocol, names) in suites(site.suites) {
            line(format_args!("SSLCipherSuite {protocol} {names}"));
        }
        Ok(text)
    }
}

fn nginx(
    built: &str,
    folder: &Path,
    address: SocketAddr,
    worker: Option<&Worker>,
    site: &Site<'_>,
) -> String {
    let here = folder.display();
    let mut text = "daemon off;\nworker_processes auto;\n".to_owned();
    let mut line = |args: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{args}");
    };
    if let Some(worker) = worker {
        line(format_args!("user {} {};", worker.user, worker.group));
    }
    line(format_args!("pid \"{here}/pid\";\nevents {{ worker_connections 256; }}\nhttp {{\naccess_log off;"));
    line(format_args!("client_body_temp_path \"{here}/body\";"));
    // A module that is not built in has no such directive.
    for module in ["proxy", "fastcgi", "uwsgi", "scgi"] {
        if !built.contains(&format!("--without-http_{module}_module")) {
            line(format_args!("{module}_temp_path \"{here}/{module}\";"));
        }
    }
    line(format_args!(
        "server {{\nlisten {address} ssl;\nroot \"{}\";\nssl_protocols TLSv1.2 TLSv1.3;",
        site.root.display()
    ));
    for one in site.certificates {
        let (certificate, key) = (one.certificate.display(), one.key.display());
        line(format_args!("ssl_certificate \"{certificate}\";\nssl_certificate_key \"{key}\";"));
    }
    for (protocol, names) in suites(site.suites) {
        match protocol {
            "TLSv1.3" => line(format_args!("ssl_conf_command Ciphersuites {names};")),
            _ => line(format_args!("ssl_ciphers {names};")),
        }
    }
    text + "}\n}\n"
}

/// Returns the cipher lists for TLS 1.2 and TLS 1.3 that are not empty.
fn suites(all: &[Suite]) -> impl Iterator<Item = (&'static str, String)> {
    let of = |is_tls13: bool| {
        let names: Vec<&str> = all
            .iter()
            .filter(|suite| suite.is_tls13() == is_tls13)
            .map(|suite| suite.name.as_str())
            .collect();
        names.join(":")
    };
    [("SSL", of(false)), ("TLSv1.3", of(true))].into_iter().filter(|(_, names)| !names.is_empty())
}

/// Determines the worker's user from the system's files.
fn worker() -> Result<Worker> {
    let [users, groups] =
        ["/etc/passwd", "/etc/group"].map(|file| fs::read_to_string(file).with_context(|| file.to_owned()));
    let (gid, group) = nobodys(&users?, &groups?)
        .ok_or_else(|| anyhow!("/etc/passwd has no user nobody, or /etc/group not its group: add them"))?;
    Ok(Worker { user: "nobody", gid, group })
}

/// Returns the group ID and the group name of the user nobody.
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

    #[test]
    fn nginx_gets_no_directive_that_it_does_not_know_and_writes_nowhere_else() {
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
        let address = SocketAddr::from(([127, 0, 0, 1], 4433));
        let built = "--with-http_ssl_module --without-http_scgi_module";
        let text = nginx(built, Path::new("/run/x"), address, Some(&worker), &site);
        for says in [
            "user nobody nogroup;",
            "listen 127.0.0.1:4433 ssl;",
            "uwsgi_temp_path \"/run/x/uwsgi\";",
            "ssl_ciphers AES128-SHA:ECDHE-ECDSA-AES128-SHA;",
            "ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;",
            "ssl_certificate_key \"/run/k\";",
        ] {
            assert!(text.lines().any(|line| line == says), "{says}: {text}");
        }
        assert!(!text.contains("scgi_temp"), "{text}");
        assert!(!nginx(built, Path::new("/run/x"), address, None, &site).contains("user"));
    }
}
