//! Compares the suites of a service: with the accelerator, in software, and with another cipher.

use std::cmp::Ordering;
use std::fmt::Write as _;

use outboard_documents::decision::Entrant;
use outboard_documents::{Goal, LONGEST_WALL_TIME};

use crate::entrants::{ADIANTUM, CHACHA20};
use crate::service::ServiceFacts;
use crate::spread::compare;

type IsOfKind = fn(&Entrant) -> bool;

/// What another cipher has to win by, beyond the spread of both, before a service should change.
const MARGIN: f64 = 0.1;

impl ServiceFacts {
    /// The suites that may be preferred.
    fn choosable(&self) -> impl Iterator<Item = &Entrant> + Clone {
        self.entrants.iter().filter(|one| !(one.is_legacy || self.is_aes_required && is_other(one)))
    }

    /// The suite to prefer for the goal: that which is negotiated already, unless another one wins by more
    /// than the spread. `None` if fewer than two were measured, or none may be preferred.
    #[must_use]
    pub fn best(&self) -> Option<&Entrant> {
        let fastest = fastest(self.choosable())?;
        let is_fast_enough = |one: &Entrant| {
            self.goal != Goal::Balanced
                || one.megabytes_per_second * LONGEST_WALL_TIME >= fastest.megabytes_per_second
        };
        let cost = |one: &Entrant| match self.goal {
            Goal::Throughput => 1.0 / one.megabytes_per_second,
            Goal::Cpu => cpu(one),
            Goal::Balanced => cpu(one) / one.megabytes_per_second,
        };
        let order = |one: &&Entrant, other: &&Entrant| cost(one).total_cmp(&cost(other));
        let best = self.choosable().filter(|one| is_fast_enough(one)).min_by(order)?;
        let negotiated = self.choosable().filter(|one| self.is_negotiated(one) && is_fast_enough(one));
        let kept = negotiated
            .min_by(order)
            .filter(|one| compare(cost(one), cost(best), one.spread + best.spread) != Ordering::Greater);
        (self.entrants.len() > 1).then_some(kept.unwrap_or(best))
    }

    /// Lines of the service's configuration with which a suite is negotiated; empty if it is already.
    #[must_use]
    pub fn settings_for(&self, one: &Entrant) -> Vec<String> {
        let Some((negotiation, offered)) = self.negotiation().zip(self.offered.as_ref()) else {
            return Vec::new();
        };
        let default = negotiation.default_suite(offered);
        let is_first_mac = one.mac.as_ref().is_none_or(|mac| offered.macs.first() == Some(mac));
        match offered.suites.iter().find(|suite| suite.name == one.suite) {
            Some(suite) if default != Some(suite) || !is_first_mac => {
                negotiation.settings(offered, suite, one.mac.as_deref())
            }
            _ => Vec::new(),
        }
    }

    /// Whether a peer of default configuration negotiates it.
    pub(crate) fn is_negotiated(&self, one: &Entrant) -> bool {
        self.settings_for(one).is_empty()
    }

    /// The winner and why, if another cipher in software wins by time and by CPU time over all that the
    /// accelerator serves.
    pub(crate) fn beaten(&self) -> Option<(&Entrant, String)> {
        let others = || self.choosable().filter(|one| one.driver.is_none() && is_other(one));
        let winner_over = |with: &Entrant| fastest(others().filter(|one| beats(one, with)));
        let mut with = self.entrants.iter().filter(|one| one.driver.is_some());
        let best = fastest(with.clone())?;
        let winner = winner_over(best).filter(|_| with.all(|one| winner_over(one).is_some()))?;
        let why = format!(
            "another cipher that {} offers is faster without the accelerator, and cheaper in CPU time: {} {}; {} {}",
            self.name,
            named(winner),
            figures(winner),
            named(best),
            figures(best),
        );
        Some((winner, why))
    }

    /// The fastest and the cheapest, and the best one of each kind, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let cheapest = self.choosable().min_by(|a, b| cpu(a).total_cmp(&cpu(b)));
        let (Some(first), Some(cheapest)) = (fastest(self.choosable()), cheapest) else {
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
        match self.bytes {
            Some(bytes) => text + &format!(" ({} bytes)", crate::entrants::compared_size(bytes)),
            None => text,
        }
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

fn fastest<'a>(entrants: impl Iterator<Item = &'a Entrant>) -> Option<&'a Entrant> {
    entrants.min_by(|a, b| b.megabytes_per_second.total_cmp(&a.megabytes_per_second))
}

/// Whether one needs less time and less CPU time, beyond the spread of both.
fn beats(one: &Entrant, other: &Entrant) -> bool {
    let spread = MARGIN + one.spread + other.spread;
    compare(one.megabytes_per_second, other.megabytes_per_second, spread) == Ordering::Greater
        && compare(cpu(one), cpu(other), spread) == Ordering::Less
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
