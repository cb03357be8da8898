//! How services negotiate: the suites that they offer by default, and the lines of their configuration
//! with which one is preferred.

use outboard_catalog::CIPHER_NAMES;
use serde::{Deserialize, Deserializer, Serialize};

/// How the suites of a service are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negotiation {
    Nginx,
    Apache,
    Sshd,
    Ssh,
    OpenVpn,
    /// IPsec in the kernel: ESP of strongSwan's connections.
    Ipsec,
    Disk,
}

/// One of the names of the catalogue.
type CipherName = &'static str;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct OfferedSuite {
    /// The service's name for it.
    pub name: String,
    /// OpenSSL's name of the cipher, if outboard has it.
    #[serde(deserialize_with = "known_cipher")]
    pub cipher: Option<CipherName>,
}

fn known_cipher<'d, D: Deserializer<'d>>(from: D) -> Result<Option<&'static str>, D::Error> {
    let name = Option::<String>::deserialize(from)?;
    Ok(CIPHER_NAMES.into_iter().find(|known| name.as_deref() == Some(known)))
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Offered {
    pub suites: Vec<OfferedSuite>,
    /// MACs by the service's names, for suites that do not have one of their own.
    pub macs: Vec<String>,
    /// Where they are set.
    pub sources: Vec<String>,
}

/// OpenVPN's default since 2.6 (openvpn(8), --data-ciphers).
pub const OPENVPN_DEFAULT: &str = "AES-256-GCM:AES-128-GCM:CHACHA20-POLY1305";

/// The default of OpenSSH 10's ssh_config(5) and sshd_config(5).
const SSH_DEFAULT: [&str; 6] = [
    "chacha20-poly1305@openssh.com",
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
];

/// The same for MACs, the first ones.
const SSH_MACS: [&str; 3] =
    ["umac-64-etm@openssh.com", "umac-128-etm@openssh.com", "hmac-sha2-256-etm@openssh.com"];

/// The default of SSL_CTX_set_ciphersuites(3), with OpenSSL's names of the ciphers.
const TLS_DEFAULT: [(&str, Option<&str>); 3] = [
    ("TLS_AES_256_GCM_SHA384", Some("AES-256-GCM")),
    ("TLS_CHACHA20_POLY1305_SHA256", None),
    ("TLS_AES_128_GCM_SHA256", Some("AES-128-GCM")),
];

/// Words of strongSwan's `esp_proposals` that are measured.
const IPSEC: [(&str, Option<&str>); 3] = [
    ("aes128gcm16", Some("AES-128-GCM")),
    ("chacha20poly1305", None),
    ("aes128-sha256", Some("AES-128-CBC")),
];

/// Ciphers of cryptsetup(8) that are measured, its default first.
const DISK: [(&str, Option<&str>); 4] = [
    ("aes-xts-plain64", Some("AES-256-XTS")),
    ("xchacha12,aes-adiantum-plain64", None),
    ("aes-cbc-essiv:sha256", Some("AES-256-CBC")),
    ("aes-cbc-plain64", Some("AES-256-CBC")),
];

impl OfferedSuite {
    /// A suite of OpenVPN, by OpenSSL's names in any case.
    #[must_use]
    pub fn of_openvpn(name: &str) -> Self {
        let known = CIPHER_NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name));
        Self { name: name.to_owned(), cipher: known }
    }

    /// A cipher of OpenSSH.
    #[must_use]
    pub fn of_ssh(name: &str) -> Self {
        let cipher = match name {
            "aes128-ctr" => Some("AES-128-CTR"),
            "aes192-ctr" => Some("AES-192-CTR"),
            "aes256-ctr" => Some("AES-256-CTR"),
            "aes128-cbc" => Some("AES-128-CBC"),
            "aes256-cbc" => Some("AES-256-CBC"),
            "aes128-gcm@openssh.com" => Some("AES-128-GCM"),
            "aes256-gcm@openssh.com" => Some("AES-256-GCM"),
            _ => None,
        };
        Self { name: name.to_owned(), cipher }
    }

    /// Whether it uses CBC, which today's protocols have replaced.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        self.cipher.is_some_and(|cipher| cipher.ends_with("-CBC"))
    }

    /// Whether it is ChaCha20-Poly1305, which each service calls otherwise.
    #[must_use]
    pub fn is_chacha20(&self) -> bool {
        self.name.to_ascii_lowercase().contains("chacha20")
    }

    fn is_of_13(&self) -> bool {
        self.name.starts_with("TLS_")
    }
}

impl Offered {
    /// Clients that have TLS 1.3 would not negotiate a suite of TLS 1.2.
    #[must_use]
    pub fn is_below_others(&self, best: &OfferedSuite) -> bool {
        !best.is_of_13() && self.suites.iter().any(OfferedSuite::is_of_13)
    }
}

impl Negotiation {
    #[must_use]
    pub fn of(service: &str) -> Option<Self> {
        Some(match service {
            "nginx" => Self::Nginx,
            "apache" => Self::Apache,
            "sshd" => Self::Sshd,
            "ssh" => Self::Ssh,
            "openvpn" => Self::OpenVpn,
            "ipsec" => Self::Ipsec,
            "disk" => Self::Disk,
            _ => return None,
        })
    }

    /// What a service offers without settings, of TLS the suites of version 1.3.
    #[must_use]
    pub fn by_default(self) -> Offered {
        let suite = |(name, cipher): (&str, _)| OfferedSuite { name: name.to_owned(), cipher };
        let suites = match self {
            Self::Nginx | Self::Apache => TLS_DEFAULT.map(suite).to_vec(),
            Self::Sshd | Self::Ssh => SSH_DEFAULT.map(OfferedSuite::of_ssh).to_vec(),
            Self::OpenVpn => OPENVPN_DEFAULT.split(':').map(OfferedSuite::of_openvpn).collect(),
            Self::Ipsec => IPSEC.map(suite).to_vec(),
            Self::Disk => DISK.map(suite).to_vec(),
        };
        let macs = if self.has_macs() { SSH_MACS.map(str::to_owned).to_vec() } else { Vec::new() };
        Offered { suites, macs, sources: vec!["the default".to_owned()] }
    }

    /// Whether a MAC is negotiated next to the cipher.
    fn has_macs(self) -> bool {
        matches!(self, Self::Sshd | Self::Ssh)
    }

    /// The suite that a peer of default configuration negotiates. RFC 4253, 7.1: the first suite of the
    /// client's list that the server has is taken.
    #[must_use]
    pub fn default_suite(self, offered: &Offered) -> Option<&OfferedSuite> {
        let is_clients = |suite: &&OfferedSuite| self == Self::Sshd && suite.name == SSH_DEFAULT[0];
        offered.suites.iter().find(is_clients).or(offered.suites.first())
    }

    /// What it costs to prefer CBC, in one sentence; nothing for what the kernel does.
    #[must_use]
    pub fn price_of_cbc(self) -> Option<&'static str> {
        Some(match self {
            Self::Ipsec | Self::Disk => return None,
            Self::Nginx | Self::Apache => {
                "TLS 1.3 has no CBC and must be switched off, and a peer whose check of the padding is not constant in time lets an \
                 attacker read plaintext (Lucky 13, CVE-2013-0169)."
            }
            Self::Sshd | Self::Ssh => {
                "CBC in SSH lets an attacker on the network recover plaintext of a peer that lacks OpenSSH's countermeasures \
                 (CVE-2008-5161)."
            }
            Self::OpenVpn => {
                "the HMAC of each packet stays on the CPU, and OpenVPN's data channel offload in the kernel is not possible; the \
                 construction, encrypt-then-MAC, is sound."
            }
        })
    }

    /// Lines of the service's configuration with which a suite, and a MAC, are negotiated.
    #[must_use]
    pub fn settings(self, offered: &Offered, best: &OfferedSuite, mac: Option<&str>) -> Vec<String> {
        let others = offered.suites.iter().filter(|suite| suite.name != best.name);
        let same_kind = others.filter(|suite| suite.is_of_13() == best.is_of_13() && !suite.is_legacy());
        let names: Vec<&str> =
            std::iter::once(best).chain(same_kind).map(|suite| suite.name.as_str()).collect();
        let (colons, commas) = (names.join(":"), names.join(","));
        let mut settings = match self {
            Self::Nginx if best.is_of_13() => {
                vec![
                    format!("ssl_conf_command Ciphersuites {colons};"),
                    "ssl_prefer_server_ciphers on;".to_owned(),
                ]
            }
            Self::Nginx => {
                vec![format!("ssl_ciphers {colons};"), "ssl_prefer_server_ciphers on;".to_owned()]
            }
            Self::Apache if best.is_of_13() => {
                vec![format!("SSLCipherSuite TLSv1.3 {colons}"), "SSLHonorCipherOrder on".to_owned()]
            }
            Self::Apache => vec![format!("SSLCipherSuite {colons}"), "SSLHonorCipherOrder on".to_owned()],
            Self::Sshd => vec![
                format!("Ciphers {commas}    # sshd_config; the client's order decides"),
                format!("Ciphers ^{}    # ssh_config of the clients", best.name),
            ],
            Self::Ssh => vec![format!("Ciphers ^{}    # ssh_config", best.name)],
            Self::OpenVpn => {
                vec![format!("data-ciphers {colons}    # on both ends; the server's order decides")]
            }
            Self::Ipsec => vec![format!("esp_proposals = {commas}    # swanctl.conf, on both ends")],
            Self::Disk => vec![format!("cryptsetup luksFormat --cipher {}    # erases the disk", best.name)],
        };
        if offered.is_below_others(best) {
            match self {
                Self::Nginx => settings.push("ssl_protocols TLSv1.2;".to_owned()),
                Self::Apache => settings.push("SSLProtocol -all +TLSv1.2".to_owned()),
                _ => {}
            }
        }
        let of_clients = if self == Self::Sshd { " of the clients" } else { "" };
        let mac = mac.filter(|mac| self.has_macs() && offered.macs.first().is_none_or(|first| first != mac));
        settings.extend(mac.map(|mac| format!("MACs ^{mac}    # ssh_config{of_clients}")));
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_of_ssh_and_openvpn_have_names_of_openssl() {
        for name in ["aes128-ctr", "aes256-gcm@openssh.com", "aes192-ctr", "aes128-cbc"] {
            let cipher = OfferedSuite::of_ssh(name).cipher.expect("one of outboard's");
            assert!(CIPHER_NAMES.contains(&cipher), "{name}");
        }
        let chacha20 = OfferedSuite::of_ssh("chacha20-poly1305@openssh.com");
        assert!(chacha20.cipher.is_none() && chacha20.is_chacha20());
        assert_eq!(OfferedSuite::of_openvpn("aes-256-gcm").cipher, Some("AES-256-GCM"));
        assert_eq!(Negotiation::of("strongswan"), None);
    }

    #[test]
    fn a_mac_is_set_unless_it_is_the_first() {
        let offered = Negotiation::Sshd.by_default();
        let ctr = OfferedSuite::of_ssh("aes128-ctr");
        let lines = |mac| Negotiation::Sshd.settings(&offered, &ctr, mac);
        assert_eq!(lines(Some("umac-64-etm@openssh.com")).len(), 2);
        assert_eq!(
            lines(Some("umac-128-etm@openssh.com"))[1..],
            [
                "Ciphers ^aes128-ctr    # ssh_config of the clients",
                "MACs ^umac-128-etm@openssh.com    # ssh_config of the clients"
            ]
        );
    }
}
