//! The configuration of HAProxy, which decrypts for a server without TLS.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::super::super::certificate::Certificate;
use super::{Site, Worker};

/// Returns the configuration, for a server without TLS at `behind`. Each certificate is written to
/// `folder`, together with its key, as HAProxy reads them.
pub fn configuration(
    folder: &Path,
    address: SocketAddr,
    behind: SocketAddr,
    worker: Option<&Worker>,
    site: &Site<'_>,
) -> Result<String> {
    let mut text = "global\nmaxconn 256\n".to_owned();
    if let Some(worker) = worker {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "user {}\ngroup {}", worker.user, worker.group);
    }
    text += "defaults\nmode http\ntimeout connect 10s\ntimeout client 600s\ntimeout server 600s\n";
    let _ = write!(text, "frontend tls\nbind {address} ssl ssl-min-ver TLSv1.2");
    // A client that connects to an address names no server and gets the first one. The last is RSA's,
    // if a suite requires RSA; TLS 1.3 takes either.
    for (index, one) in site.certificates.iter().rev().enumerate() {
        let file = folder.join(format!("certificate-{index}.pem"));
        write_both(one, &file).with_context(|| format!("{}", file.display()))?;
        let _ = write!(text, " crt \"{}\"", file.display());
    }
    for (protocol, names) in site.cipher_lists() {
        let word = if protocol == "TLSv1.3" { "ciphersuites" } else { "ciphers" };
        let _ = write!(text, " {word} {names}");
    }
    let _ = writeln!(text, "\ndefault_backend file\nbackend file\nserver plain {behind}");
    Ok(text)
}

fn write_both(one: &Certificate, file: &Path) -> Result<()> {
    let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    for part in [&one.certificate, &one.key] {
        written.write_all(&fs::read(part).with_context(|| format!("{}", part.display()))?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_site;
    use super::*;

    #[test]
    fn it_has_both_lists_of_ciphers_and_the_certificates_with_their_keys() {
        let folder = tempfile::tempdir().unwrap();
        let [key, certificate] = ["k", "c"].map(|name| folder.path().join(name));
        fs::write(&key, "key\n").unwrap();
        fs::write(&certificate, "certificate\n").unwrap();
        with_site(|site, worker, address| {
            let behind = SocketAddr::from(([127, 0, 0, 1], 80));
            let certificates = [Certificate { key: key.clone(), certificate: certificate.clone() }];
            let site = Site { certificates: &certificates, ..*site };
            let text = configuration(folder.path(), address, behind, Some(worker), &site).unwrap();
            let both = folder.path().join("certificate-0.pem");
            let bind = format!(
                "bind 127.0.0.1:4433 ssl ssl-min-ver TLSv1.2 crt \"{}\" ciphers AES128-SHA:ECDHE-ECDSA-AES128-SHA \
                 ciphersuites TLS_AES_128_GCM_SHA256",
                both.display()
            );
            for line in ["user nobody", "group nogroup", &bind, "server plain 127.0.0.1:80"] {
                assert!(text.lines().any(|one| one == line), "{line}: {text}");
            }
            assert_eq!(fs::read_to_string(&both).unwrap(), "certificate\nkey\n");
        });
    }
}
