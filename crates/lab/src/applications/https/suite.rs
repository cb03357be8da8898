//! Cipher suites by OpenSSL's names, and the cipher of each.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::super::tools;

/// What a client may negotiate with a server of default configuration, and whether it is measured on
/// every machine: ChaCha20-Poly1305 is the best software where the CPU has no AES instructions.
const USUAL: [(&str, bool); 4] = [
    ("TLS_AES_128_GCM_SHA256", true),
    ("TLS_AES_256_GCM_SHA384", false),
    ("TLS_AES_128_CCM_SHA256", false),
    ("TLS_CHACHA20_POLY1305_SHA256", true),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    pub name: String,
}

pub fn usual(is_offered: impl Fn(&str) -> bool) -> Vec<Suite> {
    let suites = USUAL.iter().map(|(name, always)| (Suite { name: (*name).to_owned() }, *always));
    let wanted = suites.filter(|(suite, always)| *always || suite.cipher().is_some_and(|it| is_offered(&it)));
    wanted.map(|(suite, _)| suite).collect()
}

/// Parses a name, as far as that is possible without OpenSSL.
pub fn parse(name: &str) -> Result<Suite> {
    let is_plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "-_".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(is_plain) {
        bail!("\"{name}\" is no cipher suite's name: write it as openssl ciphers does, such as AES128-SHA");
    }
    Ok(Suite { name: name.to_owned() })
}

impl Suite {
    /// Returns whether the suite belongs to TLS 1.3; all others are negotiated with TLS 1.2.
    pub fn is_tls13(&self) -> bool {
        self.name.starts_with("TLS_")
    }

    pub fn needs_rsa(&self) -> bool {
        !self.is_tls13() && !self.name.contains("ECDSA")
    }

    /// Returns whether the suite is weak: CBC modes, and key exchange by RSA.
    pub fn is_weak(&self) -> bool {
        let is_forward = ["TLS_", "ECDHE-", "DHE-"].iter().any(|start| self.name.starts_with(start));
        !is_forward || self.cipher().is_some_and(|cipher| cipher.ends_with("-CBC"))
    }

    /// Returns the provider's name of the cipher, if the provider has it.
    pub fn cipher(&self) -> Option<String> {
        if self.name.contains("DES-CBC3") {
            return Some("DES-EDE3-CBC".to_owned());
        }
        let has = |part: &str| self.name.contains(part);
        let bits = ["128", "256"]
            .into_iter()
            .find(|bits| has(&format!("AES{bits}")) || has(&format!("AES_{bits}")))?;
        let mode = ["GCM", "CCM"].into_iter().find(|mode| has(mode)).unwrap_or("CBC");
        Some(format!("AES-{bits}-{mode}"))
    }

    /// Fails if OpenSSL does not have the suite.
    pub fn check(&self, configuration: &Path) -> Result<()> {
        let mut openssl = Command::new("openssl");
        openssl.env("OPENSSL_CONF", configuration).arg("ciphers");
        match self.is_tls13() {
            true => openssl.args(["-tls1_3", "-ciphersuites", &self.name]),
            false => openssl.arg(&self.name),
        };
        let known = tools::run(&mut openssl);
        known.with_context(|| {
            format!("OpenSSL has no cipher suite {}: openssl ciphers -v ALL lists them", self.name)
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(name: &str) -> Suite {
        parse(name).unwrap()
    }

    #[test]
    fn a_suites_name_says_its_cipher_and_key() {
        for (name, cipher, rsa, weak) in [
            ("AES128-SHA", Some("AES-128-CBC"), true, true),
            ("ECDHE-ECDSA-AES256-SHA384", Some("AES-256-CBC"), false, true),
            ("ECDHE-RSA-AES128-GCM-SHA256", Some("AES-128-GCM"), true, false),
            ("AES256-CCM8", Some("AES-256-CCM"), true, true),
            ("TLS_AES_128_CCM_SHA256", Some("AES-128-CCM"), false, false),
            ("TLS_CHACHA20_POLY1305_SHA256", None, false, false),
            ("DES-CBC3-SHA", Some("DES-EDE3-CBC"), true, true),
            ("CAMELLIA128-SHA", None, true, true),
        ] {
            let suite = suite(name);
            assert_eq!(
                (suite.cipher().as_deref(), suite.needs_rsa(), suite.is_weak()),
                (cipher, rsa, weak),
                "{name}"
            );
        }
    }

    #[test]
    fn the_default_is_what_is_offered_and_the_best_software() {
        let names = |offered: &[&str]| {
            let suites = usual(|cipher| offered.contains(&cipher));
            suites.into_iter().map(|suite| suite.name).collect::<Vec<_>>()
        };
        let (gcm, chacha) = ("TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256");
        assert_eq!(names(&["AES-128-CBC"]), [gcm, chacha]);
        assert_eq!(names(&["AES-256-GCM"]), [gcm, "TLS_AES_256_GCM_SHA384", chacha]);
        assert!(usual(|_| true).iter().all(|suite| !suite.is_weak()));
    }

    #[test]
    fn an_invalid_name_is_written_into_no_configuration() {
        for wrong in ["", "-v", "AES128-SHA; user root", "aes128-sha", "AES\n", "A:B"] {
            assert!(parse(wrong).unwrap_err().to_string().contains("AES128-SHA"), "{wrong}");
        }
    }
}
