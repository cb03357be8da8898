//! Keys and certificates for the duration of a measurement.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::tools;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// ECDSA on P-256.
    Ec,
    Rsa,
}

pub struct Certificate {
    pub key: PathBuf,
    pub certificate: PathBuf,
}

/// Creates a key and a certificate for `address` with the openssl command; `configuration` is its
/// openssl.cnf.
pub fn make(folder: &Path, kind: Kind, address: IpAddr, configuration: &Path) -> Result<Certificate> {
    let (name, key): (_, &[&str]) = match kind {
        Kind::Ec => ("ec", &["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
        Kind::Rsa => ("rsa", &["rsa:2048"]),
    };
    let [key_file, certificate] =
        ["key", "certificate"].map(|what| folder.join(format!("{name}-{what}.pem")));
    let mut openssl = Command::new(tools::find(&["openssl"], "openssl", "openssl-util")?);
    openssl.env("OPENSSL_CONF", configuration).args(["req", "-x509", "-nodes", "-days", "2", "-newkey"]);
    openssl.args(key).args(["-subj", &format!("/CN={address}")]);
    openssl.args(["-addext", &format!("subjectAltName=IP:{address}")]);
    openssl.arg("-keyout").arg(&key_file).arg("-out").arg(&certificate);
    tools::run(&mut openssl).context("no certificate")?;
    Ok(Certificate { key: key_file, certificate })
}

pub fn bundle(all: &[Certificate], file: &Path) -> Result<()> {
    let mut text = String::new();
    for one in all {
        text += &fs::read_to_string(&one.certificate)
            .with_context(|| format!("{}", one.certificate.display()))?;
    }
    fs::write(file, text).with_context(|| format!("{}", file.display()))
}
