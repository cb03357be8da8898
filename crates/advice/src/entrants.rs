//! What each suite of a service costs on this machine, by the figures of `outboard tune` for its cipher
//! and its MAC.

use outboard_documents::decision::Entrant;
use outboard_policy::CipherFigure;
use outboard_services::negotiation::{Offered, OfferedSuite};

/// The cipher that competes with AES.
pub const CHACHA20: &str = "ChaCha20-Poly1305";
/// The same for disks.
pub const ADIANTUM: &str = "Adiantum";

/// The MACs that are measured: names in OpenSSH, without `-etm` and domain, and names of figures.
const MACS: [(&str, &str); 5] = [
    ("umac-64", "UMAC-64"),
    ("umac-128", "UMAC-128"),
    ("hmac-sha2-256", "HMAC-SHA2-256"),
    ("hmac-sha2-512", "HMAC-SHA2-512"),
    ("hmac-sha1", "HMAC-SHA1"),
];

/// The cheapest HMAC that TLS and OpenVPN have next to CBC; another one costs more.
const MAC_OF_CBC: &str = "HMAC-SHA1";

/// The size at which a service's ciphers are compared: whole blocks of all ciphers.
#[must_use]
pub fn compared_size(bytes: u32) -> usize {
    bytes as usize / 64 * 64
}

/// Name of the figure of a MAC of OpenSSH.
pub(crate) fn figure_of_mac(mac: &str) -> Option<&'static str> {
    let name = mac.split('@').next().unwrap_or_default();
    let name = name.strip_suffix("-etm").unwrap_or(name);
    MACS.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure)
}

fn figure_of_suite(suite: &OfferedSuite) -> Option<&'static str> {
    suite.cipher.or(suite.is_chacha20().then_some(CHACHA20))
}

/// Names of the figures of the ciphers and MACs that are compared. Ciphers that no service prefers (CBC,
/// CCM, keys of 192 bits) are, only if `is_served` says that the accelerator serves them.
#[must_use]
pub fn compared_names(offered: &Offered, is_served: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let is_common = |name: &str| {
        !["-CBC", "-CCM"].iter().any(|mode| name.ends_with(mode)) && !name.starts_with("AES-192")
    };
    let ciphers = offered.suites.iter().filter_map(figure_of_suite);
    let ciphers = ciphers.filter(|name| is_common(name) || is_served(name));
    let has_cbc = offered.macs.is_empty() && offered.suites.iter().any(OfferedSuite::is_legacy);
    let macs = offered.macs.iter().filter_map(|mac| figure_of_mac(mac));
    let mut names: Vec<&'static str> = Vec::new();
    for name in ciphers.chain(has_cbc.then_some(MAC_OF_CBC)).chain(macs) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[must_use]
pub fn entrants(offered: &Offered, bytes: u32, figures: &[CipherFigure]) -> Vec<Entrant> {
    let at_size = || figures.iter().filter(|figure| figure.bytes == compared_size(bytes));
    let mut entrants: Vec<Entrant> = Vec::new();
    for suite in &offered.suites {
        for (mac, figure_of_mac) in macs_of(offered, suite) {
            let software = |name: &str| at_size().find(|one| one.name == name && one.driver.is_none());
            let with = figure_of_mac.map(software);
            if with == Some(None) {
                continue;
            }
            for figure in at_size().filter(|figure| Some(figure.name.as_str()) == figure_of_suite(suite)) {
                let is_legacy = suite.is_legacy() || offered.is_below_others(suite);
                let one = entrant(suite, mac, figure, with.flatten(), is_legacy);
                // Suites that differ in the exchange of keys only, and later ones of another version.
                let is_same = |known: &Entrant| {
                    (&known.cipher, &known.mac, &known.driver) == (&one.cipher, &one.mac, &one.driver)
                };
                if !entrants.iter().any(is_same) {
                    entrants.push(one);
                }
            }
        }
    }
    entrants
}

/// The MACs of a suite: the service's name, if it is negotiated, and that of the figure.
fn macs_of<'a>(offered: &'a Offered, suite: &OfferedSuite) -> Vec<(Option<&'a str>, Option<&'static str>)> {
    let needs_one = |cipher: &&str| cipher.ends_with("-CTR") || cipher.ends_with("-CBC");
    match (suite.cipher.filter(needs_one), offered.macs.is_empty()) {
        (None, _) => vec![(None, None)],
        (Some(_), true) => vec![(None, Some(MAC_OF_CBC))],
        (Some(_), false) => {
            let known = offered.macs.iter().filter_map(|mac| Some((mac.as_str(), figure_of_mac(mac)?)));
            known.map(|(mac, figure)| (Some(mac), Some(figure))).collect()
        }
    }
}

/// The times of both parts add up, since the MAC is computed on the CPU before or after the cipher.
fn entrant(
    suite: &OfferedSuite,
    mac: Option<&str>,
    cipher: &CipherFigure,
    with: Option<&CipherFigure>,
    is_legacy: bool,
) -> Entrant {
    let time = |one: &CipherFigure| 1.0 / one.megabytes_per_second;
    let both = time(cipher) + with.map_or(0.0, time);
    let cpu = match with {
        None => cipher.cpu_ms_per_megabyte,
        Some(mac) => cipher.cpu_ms_per_megabyte.zip(mac.cpu_ms_per_megabyte).map(|(a, b)| a + b),
    };
    let spread =
        with.map_or(cipher.spread, |mac| (cipher.spread * time(cipher)).hypot(mac.spread * time(mac)) / both);
    Entrant {
        suite: suite.name.clone(),
        mac: mac.map(str::to_owned),
        cipher: cipher.name.clone(),
        driver: cipher.driver.clone(),
        megabytes_per_second: with.map_or(cipher.megabytes_per_second, |_| 1.0 / both),
        spread,
        cpu_ms_per_megabyte: cpu,
        is_legacy,
    }
}
