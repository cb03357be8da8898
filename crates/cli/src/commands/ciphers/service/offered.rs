//! The suites that a service offers, in its order.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use outboard_services::enable::Tree;
use outboard_services::negotiation::{Negotiation, OPENVPN_DEFAULT, Offered, OfferedSuite};
use outboard_services::suites::{self, SuiteSetting, TlsSettings};

/// nginx's default of ssl_ciphers.
const NGINX_DEFAULT: &str = "HIGH:!aNULL:!MD5";

/// OpenSSL's own default, which Apache without SSLCipherSuite uses.
const OPENSSL_DEFAULT: &str = "DEFAULT";

/// The suites in the order of the service, and where they are set.
pub fn offered(negotiation: Negotiation, tree: &Tree) -> Result<Offered> {
    match negotiation {
        Negotiation::Nginx => {
            let settings = suites::nginx(tree);
            // Without parameters nginx does not offer DHE (ssl_dhparam).
            let has_dhe = !settings.dh_parameters.is_empty();
            of_tls(&settings, NGINX_DEFAULT, has_dhe)
        }
        Negotiation::Apache => of_tls(&suites::apache(tree), OPENSSL_DEFAULT, true),
        // What is measured: their settings are not read.
        Negotiation::Ipsec | Negotiation::Disk => Ok(negotiation.by_default()),
        Negotiation::Sshd => of_ssh("sshd", &["-T"]),
        Negotiation::Ssh => of_ssh("ssh", &["-G", "localhost"]),
        Negotiation::OpenVpn => {
            let settings = suites::openvpn(tree);
            let lists = values(&settings, OPENVPN_DEFAULT);
            let suites = unique(lists.iter().flat_map(|list| list.split(':')).map(OfferedSuite::of_openvpn));
            Ok(Offered { suites, macs: Vec::new(), sources: sources(&settings, "OpenVPN's default") })
        }
    }
}

/// The same, or the default of a service that does not list its suites: sshd without host keys, or a
/// system without the openssl command.
pub fn offered_or_default(negotiation: Negotiation, tree: &Tree) -> Offered {
    offered(negotiation, tree).unwrap_or_else(|_| negotiation.by_default())
}

fn of_tls(settings: &TlsSettings, default: &str, has_dhe: bool) -> Result<Offered> {
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
    let suites = unique(first.into_iter().chain(then));
    Ok(Offered { suites, macs: Vec::new(), sources: sources(&set, "the default") })
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

fn of_ssh(program: &'static str, arguments: &[&str]) -> Result<Offered> {
    // sshd(8) must be started by its path.
    let path = if program == "sshd" { "/usr/sbin/sshd" } else { "/usr/bin/ssh" };
    let listed = succeeded(Command::new(path).args(arguments).stdin(Stdio::null()), program)?;
    let list = |word: &str| {
        let list = listed.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
        list.with_context(|| format!("{program} {} prints no {word}", arguments.join(" ")))
    };
    let suites = unique(list("ciphers")?.split(',').map(OfferedSuite::of_ssh));
    let macs = list("macs")?.split(',').map(str::to_owned).collect();
    Ok(Offered { suites, macs, sources: vec![format!("{program} {}", arguments.join(" "))] })
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
}
