//! The configuration of Apache.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Result, anyhow};

use super::{Site, Worker};

const MODULES: [&str; 5] = [
    "/usr/lib/apache2/modules",
    "/usr/lib64/httpd/modules",
    "/usr/lib/httpd/modules",
    "/usr/lib/apache2",
    "/usr/libexec/apache2",
];

pub fn configuration(
    built: &str,
    folder: &Path,
    address: SocketAddr,
    worker: Option<&Worker>,
    site: &Site<'_>,
) -> Result<String> {
    let modules = MODULES.iter().map(Path::new).find(|folder| folder.join("mod_ssl.so").is_file());
    let modules = modules
        .ok_or_else(|| anyhow!("Apache's mod_ssl.so is in none of {}: install it", MODULES.join(", ")))?;
    let has = |name: &&str| built.contains(&format!("mod_{name}.c")) || built.contains(&format!("{name}.c"));
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
    for (protocol, names) in site.cipher_lists() {
        line(format_args!("SSLCipherSuite {protocol} {names}"));
    }
    Ok(text)
}
