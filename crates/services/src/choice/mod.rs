//! Which suite a service should prefer on this machine: with the accelerator, in software, or by
//! another cipher. All commands that recommend a cipher use this.

mod negotiation;

use std::fmt::Write as _;

use outboard_documents::choice::{Entrant, ServiceChoice};
use outboard_documents::{Goal, LONGEST_WALL_TIME};
use outboard_policy::CipherFigure;

pub use negotiation::{Negotiation, OPENVPN_DEFAULT, Offered, OfferedSuite};

/// The cipher that competes with AES.
pub const CHACHA20: &str = "ChaCha20-Poly1305";
/// The same for disks.
pub const ADIANTUM: &str = "Adiantum";

/// Selects entrants.
type IsOfKind = fn(&Entrant) -> bool;

/// A difference that counts, beyond the spread of both.
const MARGIN: f64 = 0.1;

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

/// The suites of a service with the figures of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    negotiation: Negotiation,
    offered: Offered,
    bytes: usize,
    goal: Goal,
    entrants: Vec<Entrant>,
}

/// The size at which a service's ciphers are compared: whole blocks of all ciphers.
#[must_use]
pub fn size(bytes: u32) -> usize {
    bytes as usize / 64 * 64
}

/// Name of the figure of a MAC of OpenSSH.
fn figure_of_mac(mac: &str) -> Option<&'static str> {
    let name = mac.split('@').next().unwrap_or_default();
    let name = name.strip_suffix("-etm").unwrap_or(name);
    MACS.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure)
}

impl Offered {
    /// Names of the figures of the ciphers and the MACs that are compared.
    #[must_use]
    pub fn figures(&self) -> Vec<&'static str> {
        let mut all: Vec<&'static str> = Vec::new();
        let mut add = |name: Option<&'static str>| {
            if let Some(name) = name.filter(|name| !all.contains(name)) {
                all.push(name);
            }
        };
        self.suites.iter().for_each(|suite| add(figure_of(suite)));
        let is_cbc = self.macs.is_empty() && self.suites.iter().any(OfferedSuite::is_legacy);
        add(is_cbc.then_some(MAC_OF_CBC));
        self.macs.iter().for_each(|mac| add(figure_of_mac(mac)));
        all
    }

    /// The MACs of a suite: the service's name, if it is negotiated, and that of the figure.
    fn macs_of(&self, suite: &OfferedSuite) -> Vec<(Option<&str>, Option<&'static str>)> {
        let needs_one = |cipher: &&str| cipher.ends_with("-CTR") || cipher.ends_with("-CBC");
        match (suite.cipher.filter(needs_one), self.macs.is_empty()) {
            (None, _) => vec![(None, None)],
            (Some(_), true) => vec![(None, Some(MAC_OF_CBC))],
            (Some(_), false) => {
                let known = self.macs.iter().filter_map(|mac| Some((mac.as_str(), figure_of_mac(mac)?)));
                known.map(|(mac, figure)| (Some(mac), Some(figure))).collect()
            }
        }
    }
}

fn figure_of(suite: &OfferedSuite) -> Option<&'static str> {
    suite.cipher.or(suite.is_chacha20().then_some(CHACHA20))
}

impl Contest {
    /// Combines the figures of one size. `None` if fewer than two suites were measured.
    #[must_use]
    pub fn of(
        negotiation: Negotiation,
        offered: Offered,
        bytes: u32,
        goal: Goal,
        figures: &[CipherFigure],
    ) -> Option<Self> {
        let bytes = size(bytes);
        let at_size = || figures.iter().filter(|figure| figure.bytes == bytes);
        let mut entrants: Vec<Entrant> = Vec::new();
        for suite in &offered.suites {
            let Some(cipher) = figure_of(suite) else { continue };
            for (mac, figure_of_mac) in offered.macs_of(suite) {
                let software = |name: &&str| at_size().find(|one| one.name == **name && one.driver.is_none());
                let with = figure_of_mac.as_ref().map(software);
                let with = match with {
                    Some(None) => continue,
                    other => other.flatten(),
                };
                let is_legacy = suite.is_legacy() || offered.is_below_others(suite);
                for figure in at_size().filter(|figure| figure.name == cipher) {
                    let one = entrant(suite, mac, figure, with, is_legacy);
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
        Self::of_entrants(negotiation, offered, bytes, goal, entrants)
    }

    /// Compares suites that were measured as a whole, of a user within the kernel. `None` if there are
    /// fewer than two.
    #[must_use]
    pub fn of_entrants(
        negotiation: Negotiation,
        offered: Offered,
        bytes: usize,
        goal: Goal,
        entrants: Vec<Entrant>,
    ) -> Option<Self> {
        (entrants.len() > 1).then_some(Self { negotiation, offered, bytes, goal, entrants })
    }

    /// The same without other ciphers than AES, where that is required.
    #[must_use]
    pub fn of_aes(mut self) -> Self {
        self.entrants.retain(|one| !is_other(one));
        self
    }

    /// Whether each suite with this cipher's mode by the accelerator is beaten by both time and CPU
    /// time. `false` if none was measured.
    #[must_use]
    pub fn is_beaten(&self, cipher: &str) -> bool {
        let mode = |cipher: &str| outboard_catalog::kernel_name(cipher);
        let mut its =
            self.entrants.iter().filter(|one| one.driver.is_some() && mode(&one.cipher) == mode(cipher));
        its.clone().next().is_some() && its.all(|one| self.winner_over(one).is_some())
    }

    /// A suite with another cipher in software that needs less time and less CPU time.
    fn winner_over(&self, with: &Entrant) -> Option<&Entrant> {
        let others = self.choosable().filter(|one| one.driver.is_none() && is_other(one));
        fastest(others.filter(|one| beats(one, with)))
    }

    fn choosable(&self) -> impl Iterator<Item = &Entrant> + Clone {
        self.entrants.iter().filter(|one| !one.is_legacy)
    }

    fn fastest(&self) -> Option<&Entrant> {
        fastest(self.choosable())
    }

    fn cheapest(&self) -> Option<&Entrant> {
        self.choosable().min_by(|a, b| cpu(a).total_cmp(&cpu(b)))
    }

    /// The suite to prefer for the goal.
    #[must_use]
    pub fn best(&self) -> Option<&Entrant> {
        let fastest = self.fastest()?;
        let fast_enough =
            |one: &&Entrant| one.megabytes_per_second * LONGEST_WALL_TIME >= fastest.megabytes_per_second;
        let product = |one: &Entrant| cpu(one) / one.megabytes_per_second;
        match self.goal {
            Goal::Throughput => Some(fastest),
            Goal::Cpu => self.cheapest(),
            Goal::Balanced => {
                self.choosable().filter(fast_enough).min_by(|a, b| product(a).total_cmp(&product(b)))
            }
        }
    }

    /// Lines of the service's configuration with which a suite is negotiated; empty if it is already.
    fn settings_for(&self, one: &Entrant) -> Vec<String> {
        let default = self.negotiation.default_suite(&self.offered);
        let is_first_mac = one.mac.as_ref().is_none_or(|mac| self.offered.macs.first() == Some(mac));
        let its = self.offered.suites.iter().find(|suite| suite.name == one.suite);
        match its {
            Some(suite) if default != Some(suite) || !is_first_mac => {
                self.negotiation.settings(&self.offered, suite, one.mac.as_deref())
            }
            _ => Vec::new(),
        }
    }

    /// Lines of the service's configuration with which the best suite is negotiated.
    #[must_use]
    pub fn settings(&self) -> Vec<String> {
        self.best().map(|best| self.settings_for(best)).unwrap_or_default()
    }

    /// The fastest and the cheapest, and the best one of each kind, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let (Some(first), Some(cheapest)) = (self.fastest(), self.cheapest()) else {
            return "only suites with CBC were measured, which lower security".to_owned();
        };
        let mut text = match first == cheapest {
            true => format!("the fastest, and the cheapest in CPU time, is {}", named(first)),
            false => {
                format!("the fastest is {}, the cheapest in CPU time {}", named(first), named(cheapest))
            }
        };
        let kinds: [(&str, IsOfKind); 3] = [
            ("with the accelerator", |one| one.driver.is_some()),
            ("AES in software", |one| one.driver.is_none() && !is_other(one)),
            ("another cipher", is_other),
        ];
        let mut separator = ": ";
        for (kind, is_its) in kinds {
            if let Some(one) = fastest(self.choosable().filter(|one| is_its(one))) {
                // Writing to a string cannot fail.
                let _ = write!(text, "{separator}{kind} {}", figures(one));
                separator = ", ";
            }
        }
        let _ = write!(text, " ({} bytes)", self.bytes);
        text
    }

    /// Why the service should not use the accelerator: another cipher wins over all that it serves, by
    /// time and by CPU time.
    #[must_use]
    pub fn refusal(&self, service: &str) -> Option<String> {
        let (winner, why) = self.beaten(service)?;
        let remedy = match &self.settings_for(winner)[..] {
            [] => format!("peers negotiate {} already", winner.suite),
            lines => format!("prefer {}: `{}`", winner.suite, lines.join("` `")),
        };
        let hint = "where AES is required, --aes-required enables it all the same";
        Some(format!("{why}; {remedy}; {hint}"))
    }

    /// The same without the next step.
    #[must_use]
    pub fn reason(&self, service: &str) -> Option<String> {
        self.beaten(service).map(|(_, why)| why)
    }

    /// The winner, if another cipher wins over all that the accelerator serves.
    fn beaten(&self, service: &str) -> Option<(&Entrant, String)> {
        let mut with = self.entrants.iter().filter(|one| one.driver.is_some());
        // The accelerator's best against the other cipher.
        let best = fastest(with.clone())?;
        let winner = self.winner_over(best).filter(|_| with.all(|one| self.winner_over(one).is_some()))?;
        let why = format!(
            "another cipher that {service} offers is faster without the accelerator, and cheaper in CPU time: {}; {}",
            with_figures(winner),
            with_figures(best),
        );
        Some((winner, why))
    }

    /// As a part of a document.
    #[must_use]
    pub fn document(&self, service: &str) -> ServiceChoice {
        ServiceChoice {
            service: service.to_owned(),
            bytes: self.bytes,
            sentence: self.sentence(),
            settings: self.settings(),
            entrants: self.entrants.clone(),
        }
    }
}

/// The text of a choice: the sentence, and the lines of the configuration.
#[must_use]
pub fn text(choice: &ServiceChoice) -> String {
    let lines: String = choice.settings.iter().map(|line| format!("  {line}\n")).collect();
    format!("{}: {}.\n{lines}", choice.service, choice.sentence)
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

/// Whether it has a cipher that competes with AES: ChaCha20-Poly1305, or Adiantum for disks.
fn is_other(one: &Entrant) -> bool {
    [CHACHA20, ADIANTUM].contains(&one.cipher.as_str())
}

/// Without CPU time, wall time decides.
fn cpu(one: &Entrant) -> f64 {
    one.cpu_ms_per_megabyte.unwrap_or(1e3 / one.megabytes_per_second)
}

/// The first of the fastest.
fn fastest<'a>(entrants: impl Iterator<Item = &'a Entrant>) -> Option<&'a Entrant> {
    entrants.min_by(|a, b| b.megabytes_per_second.total_cmp(&a.megabytes_per_second))
}

/// Whether one needs less time and less CPU time, beyond the spread of both.
fn beats(one: &Entrant, other: &Entrant) -> bool {
    let margin = 1.0 + MARGIN + one.spread + other.spread;
    one.megabytes_per_second > other.megabytes_per_second * margin && cpu(one) * margin < cpu(other)
}

fn named(one: &Entrant) -> String {
    let mac = one.mac.as_ref().map(|mac| format!(" with {mac}")).unwrap_or_default();
    let by = one.driver.as_ref().map_or("in software".to_owned(), |driver| format!("by {driver}"));
    format!("{}{mac} {by}", one.suite)
}

fn figures(one: &Entrant) -> String {
    let cpu = one.cpu_ms_per_megabyte.map(|cpu| format!(" and {cpu:.1} ms of CPU time per MB"));
    format!("{:.1} MB/s{}", one.megabytes_per_second, cpu.unwrap_or_default())
}

fn with_figures(one: &Entrant) -> String {
    format!("{} {}", named(one), figures(one))
}

#[cfg(test)]
mod tests;
