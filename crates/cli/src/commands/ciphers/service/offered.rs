//! The suites that a service offers, in its order.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use outboard_services::enable::Tree;
use outboard_services::suites::{self, SuiteSetting, TlsSettings};

/// How the suites of a service are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negotiation {
    Nginx,
    Apache,
    /// The server.
    Sshd,
    /// The client.
    Ssh,
    OpenVpn,
}

/// A suite and its cipher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedSuite {
    /// The service's name for it.
    pub name: String,
    /// OpenSSL's name of the cipher, if outboard knows it.
    pub cipher: Option<&'static str>,
}

/// OpenVPN's default since 2.6 (openvpn(8), --data-ciphers).
const OPENVPN_DEFAULT: &str = "AES-256-GCM:AES-128-GCM:CHACHA20-POLY1305";

/// The default of OpenSSH 10's ssh_config(5) and sshd_config(5).
const SSH_DEFAULT: [&str; 6] = [
    "chacha20-poly1305@openssh.com",
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
];

/// The default of SSL_CTX_set_ciphersuites(3), with OpenSSL's names of the ciphers.
const TLS_DEFAULT: [(&str, Option<&str>); 3] = [
    ("TLS_AES_256_GCM_SHA384", Some("AES-256-GCM")),
    ("TLS_CHACHA20_POLY1305_SHA256", None),
    ("TLS_AES_128_GCM_SHA256", Some("AES-128-GCM")),
];

/// nginx's default of ssl_ciphers.
const NGINX_DEFAULT: &str = "HIGH:!aNULL:!MD5";

/// OpenSSL's own default, which Apache without SSLCipherSuite uses.
const OPENSSL_DEFAULT: &str = "DEFAULT";

impl Negotiation {
    /// Of a service by its name.
    pub fn of(service: &str) -> Option<Self> {
        Some(match service {
            "nginx" => Self::Nginx,
            "apache" => Self::Apache,
            "sshd" => Self::Sshd,
            "ssh" => Self::Ssh,
            "openvpn" => Self::OpenVpn,
            _ => return None,
        })
    }

    /// The suites of a service without settings, of TLS those of version 1.3.
    pub fn by_default(self) -> Vec<OfferedSuite> {
        let suite = |name: &str, cipher| OfferedSuite { name: name.to_owned(), cipher };
        match self {
            Self::Nginx | Self::Apache => TLS_DEFAULT.map(|(name, cipher)| suite(name, cipher)).to_vec(),
            Self::Sshd | Self::Ssh => SSH_DEFAULT.map(|name| suite(name, by_ssh(name))).to_vec(),
            Self::OpenVpn => OPENVPN_DEFAULT.split(':').map(|name| suite(name, by_name(name))).collect(),
        }
    }

    /// The suites in the order of the service, and where they are set.
    pub fn offered(self, tree: &Tree) -> Result<(Vec<OfferedSuite>, Vec<String>)> {
        match self {
            Self::Nginx => {
                let settings = suites::nginx(tree);
                // Without parameters nginx does not offer DHE (ssl_dhparam).
                let has_dhe = !settings.dh_parameters.is_empty();
                of_tls(&settings, NGINX_DEFAULT, has_dhe)
            }
            Self::Apache => of_tls(&suites::apache(tree), OPENSSL_DEFAULT, true),
            Self::Sshd => of_ssh("sshd", &["-T"]),
            Self::Ssh => of_ssh("ssh", &["-G", "localhost"]),
            Self::OpenVpn => {
                let settings = suites::openvpn(tree);
                let lists = values(&settings, OPENVPN_DEFAULT);
                let names = lists.iter().flat_map(|list| list.split(':'));
                Ok((
                    unique(names.map(|name| OfferedSuite { name: name.to_owned(), cipher: by_name(name) })),
                    sources(&settings, "OpenVPN's default"),
                ))
            }
        }
    }
}

fn of_tls(settings: &TlsSettings, default: &str, has_dhe: bool) -> Result<(Vec<OfferedSuite>, Vec<String>)> {
    let mut all = Vec::new();
    let suites: Vec<Option<&str>> = match settings.suites.len() {
        0 => vec![None],
        _ => settings.suites.iter().map(|setting| Some(setting.value.as_str())).collect(),
    };
    for list in values(&settings.ciphers, default) {
        for suites in &suites {
            let mut command = Command::new("openssl");
            command.args(["ciphers", "-s", "-v"]);
            if let Some(suites) = suites {
                command.args(["-ciphersuites", suites]);
            }
            command.arg("--").arg(list).stdin(Stdio::null());
            let listed = succeeded(&mut command, "openssl ciphers")?;
            all.extend(parse(&listed, has_dhe, |version| settings.allows(version)));
        }
    }
    // TLS 1.3 is negotiated first where both ends have it.
    let (first, then): (Vec<_>, Vec<_>) = all.into_iter().partition(|suite| suite.name.starts_with("TLS_"));
    let set: Vec<SuiteSetting> = settings.ciphers.iter().chain(&settings.suites).cloned().collect();
    Ok((unique(first.into_iter().chain(then)), sources(&set, "the default")))
}

/// Reads `openssl ciphers -v`: the name, the version that introduced it, and `Enc=AESGCM(256)`.
/// Suites for DSA certificates, which no authority issues, and for DHE where the server has none,
/// are left out: they are never negotiated.
fn parse(listed: &str, has_dhe: bool, allows: impl Fn(&str) -> bool) -> Vec<OfferedSuite> {
    let suite = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?);
        let is_allowed = match version {
            "TLSv1.3" => allows("TLSv1.3"),
            "TLSv1.2" => allows("TLSv1.2"),
            _ => ["TLSv1.2", "TLSv1.1", "TLSv1"].into_iter().any(&allows),
        };
        let is_negotiable = !line.contains(" Au=DSS ") && (has_dhe || !line.contains(" Kx=DH "));
        let encryption = words.find_map(|word| word.strip_prefix("Enc="))?;
        (is_allowed && is_negotiable)
            .then(|| OfferedSuite { name: name.to_owned(), cipher: by_encryption(encryption) })
    };
    listed.lines().filter_map(suite).collect()
}

fn by_encryption(name: &str) -> Option<&'static str> {
    Some(match name {
        "AESGCM(128)" => "AES-128-GCM",
        "AESGCM(256)" => "AES-256-GCM",
        "AES(128)" => "AES-128-CBC",
        "AES(256)" => "AES-256-CBC",
        "AESCCM(128)" | "AESCCM8(128)" => "AES-128-CCM",
        "AESCCM(256)" | "AESCCM8(256)" => "AES-256-CCM",
        "3DES(168)" => "DES-EDE3-CBC",
        _ => return None,
    })
}

/// OpenSSL's names, in any case.
fn by_name(name: &str) -> Option<&'static str> {
    outboard_catalog::CIPHER_NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

fn of_ssh(program: &'static str, arguments: &[&str]) -> Result<(Vec<OfferedSuite>, Vec<String>)> {
    // sshd(8) must be started by its path.
    let path = if program == "sshd" { "/usr/sbin/sshd" } else { "/usr/bin/ssh" };
    let listed = succeeded(Command::new(path).args(arguments).stdin(Stdio::null()), program)?;
    let list = listed.lines().find_map(|line| line.strip_prefix("ciphers "));
    let list = list.with_context(|| format!("{program} {} prints no ciphers", arguments.join(" ")))?;
    let suites = list.split(',').map(|name| OfferedSuite { name: name.to_owned(), cipher: by_ssh(name) });
    Ok((unique(suites), vec![format!("{program} {}", arguments.join(" "))]))
}

fn by_ssh(name: &str) -> Option<&'static str> {
    Some(match name {
        "aes128-ctr" => "AES-128-CTR",
        "aes192-ctr" => "AES-192-CTR",
        "aes256-ctr" => "AES-256-CTR",
        "aes128-cbc" => "AES-128-CBC",
        "aes256-cbc" => "AES-256-CBC",
        "aes128-gcm@openssh.com" => "AES-128-GCM",
        "aes256-gcm@openssh.com" => "AES-256-GCM",
        _ => return None,
    })
}

fn succeeded(command: &mut Command, what: &str) -> Result<String> {
    let output = command.output().with_context(|| format!("{what} cannot be run"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("{what}: {}", errors.lines().next().unwrap_or("it failed").trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn values<'a>(settings: &'a [SuiteSetting], default: &'a str) -> Vec<&'a str> {
    match settings.len() {
        0 => vec![default],
        _ => settings.iter().map(|setting| setting.value.as_str()).collect(),
    }
}

fn sources(settings: &[SuiteSetting], default: &str) -> Vec<String> {
    let place = |setting: &SuiteSetting| format!("{}:{}", setting.file.display(), setting.line);
    match settings.len() {
        0 => vec![default.to_owned()],
        _ => settings.iter().map(place).collect(),
    }
}

fn unique(suites: impl Iterator<Item = OfferedSuite>) -> Vec<OfferedSuite> {
    let mut all: Vec<OfferedSuite> = Vec::new();
    for suite in suites {
        if !all.contains(&suite) {
            all.push(suite);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "\
TLS_AES_256_GCM_SHA384         TLSv1.3 Kx=any      Au=any   Enc=AESGCM(256)            Mac=AEAD
TLS_CHACHA20_POLY1305_SHA256   TLSv1.3 Kx=any      Au=any   Enc=CHACHA20/POLY1305(256) Mac=AEAD
ECDHE-RSA-AES128-GCM-SHA256    TLSv1.2 Kx=ECDH     Au=RSA   Enc=AESGCM(128)            Mac=AEAD
DHE-RSA-AES128-GCM-SHA256      TLSv1.2 Kx=DH       Au=RSA   Enc=AESGCM(128)            Mac=AEAD
DHE-DSS-AES128-GCM-SHA256      TLSv1.2 Kx=DH       Au=DSS   Enc=AESGCM(128)            Mac=AEAD
AES128-SHA                     SSLv3   Kx=RSA      Au=RSA   Enc=AES(128)               Mac=SHA1
odd
";

    #[test]
    fn the_list_of_openssl_is_read_for_the_versions_that_are_allowed() {
        let of = |versions: &[&str]| -> Vec<_> {
            let suites = parse(LISTED, false, |version| versions.contains(&version));
            suites.into_iter().map(|suite| (suite.name, suite.cipher)).collect()
        };
        let all = of(&["TLSv1.2", "TLSv1.3"]);
        let ciphers: Vec<_> = all.iter().map(|(_, cipher)| *cipher).collect();
        assert_eq!(ciphers, [Some("AES-256-GCM"), None, Some("AES-128-GCM"), Some("AES-128-CBC")]);
        assert_eq!(of(&["TLSv1.3"]).len(), 2);
        assert_eq!(of(&["TLSv1.2"])[0].0, "ECDHE-RSA-AES128-GCM-SHA256");
        assert_eq!(parse(LISTED, true, |_| true).len(), 5, "DHE, and no certificates of DSA");
        assert_eq!(of(&["TLSv1"]), [("AES128-SHA".to_owned(), Some("AES-128-CBC"))]);
    }

    #[test]
    fn ciphers_of_ssh_and_openvpn_have_names_of_openssl() {
        for name in ["aes128-ctr", "aes256-gcm@openssh.com", "aes192-ctr", "aes128-cbc"] {
            assert!(outboard_catalog::CIPHER_NAMES.contains(&by_ssh(name).unwrap()), "{name}");
        }
        assert_eq!(by_ssh("chacha20-poly1305@openssh.com"), None);
        assert_eq!(by_name("aes-256-gcm"), Some("AES-256-GCM"));
        assert_eq!(Negotiation::of("disk"), None);
    }
}
