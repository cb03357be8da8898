//! The end of `outboard tune`: what the suites of each service cost on this machine.

use std::collections::BTreeMap;
use std::path::Path;

use crate::tuning::panel::{self, Accelerated, DriverTask};
use anyhow::Result;
use outboard_console::progress;
use outboard_documents::tune::Tune;
use outboard_policy::CipherFigure;
use outboard_services::choice::{self, Contest, Negotiation, Offered};
use outboard_services::enable::{APPLICATIONS, Tree};

use crate::commands::ciphers::service::offered_or_default;
use crate::commands::enable::contest;

/// Measures what the services may choose between, for each size of requests once, and adds a choice
/// for each service of which all usual ciphers were tuned. Returns the figures. An interruption is recorded in the answer.
pub fn compare(module: &Path, tuned: &[&str], answer: &mut Tune) -> Result<Vec<CipherFigure>> {
    let tree = Tree::at(Path::new("/"));
    let services = APPLICATIONS.iter().filter_map(|known| {
        let negotiation = Negotiation::of(known.name)?;
        Some((known.name, negotiation, offered_or_default(negotiation, &tree), known.requests.bytes?))
    });
    let services = services.filter(|(_, _, offered, _)| has_all(offered, tuned));
    let services: Vec<(&str, Negotiation, Offered, u32)> = services.collect();
    let mut sizes: BTreeMap<u32, Vec<&'static str>> = BTreeMap::new();
    for (_, _, offered, bytes) in &services {
        let names = sizes.entry(*bytes).or_default();
        for name in contest::names(offered, &served(answer, choice::size(*bytes))) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut figures = Vec::new();
    let mut faults = Vec::new();
    for (bytes, names) in sizes {
        let size = choice::size(bytes);
        progress(&format!("what services may choose between, {size} bytes"));
        let mut served = served(answer, size);
        served.retain(|one| names.contains(&one.cipher));
        let panel = panel::measure(module, answer.goal, size, &names, &served);
        progress("");
        let Some(panel) = panel? else {
            answer.interrupted = true;
            return Ok(figures);
        };
        figures.extend(panel.figures);
        faults.extend(panel.faults);
    }
    faults.into_iter().for_each(|fault| answer.warn(fault));
    for (name, negotiation, offered, bytes) in services {
        let contest = Contest::of(negotiation, offered, bytes, answer.goal, &figures);
        answer.services.extend(contest.map(|contest| contest.document(name)));
    }
    Ok(figures)
}

/// Whether the usual ciphers of AES that a service offers are among those that were tuned.
fn has_all(offered: &Offered, tuned: &[&str]) -> bool {
    let mut usual = contest::names(offered, &[]).into_iter().filter(|name| name.starts_with("AES-"));
    usual.all(|name| tuned.contains(&name))
}

/// The ciphers of which the new policy gives requests of this size to the accelerator.
fn served(answer: &Tune, bytes: usize) -> Vec<Accelerated<'_>> {
    let mut all: Vec<Accelerated<'_>> = Vec::new();
    for ahead in &answer.lookahead {
        let requests = &ahead.requests;
        let is_served = !requests.undecided
            && requests.from.is_some_and(|from| from <= bytes)
            && requests.to.is_none_or(|to| bytes <= to);
        if is_served {
            let direct_from = ahead.direct_from.and_then(|from| u32::try_from(from).ok());
            all.push(Accelerated {
                cipher: &ahead.name,
                driver: &ahead.driver,
                task: DriverTask::Ahead { direct_from },
            });
        }
    }
    for direct in &answer.ciphers {
        let is_served = !direct.encrypt.undecided && direct.encrypt.from.is_some_and(|from| from <= bytes);
        if is_served && all.iter().all(|one| one.cipher != direct.name) {
            let (cipher, driver) = (direct.name.as_str(), direct.driver.as_str());
            all.push(Accelerated { cipher, driver, task: DriverTask::Direct });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::answer;
    use super::*;

    #[test]
    fn a_service_is_compared_if_its_usual_ciphers_were_tuned() {
        let nginx = Negotiation::Nginx.by_default();
        assert!(has_all(&nginx, &["AES-128-GCM", "AES-256-GCM"]));
        assert!(!has_all(&nginx, &["AES-128-GCM", "AES-128-CBC"]));
        assert!(!has_all(&Negotiation::Sshd.by_default(), &["AES-128-GCM", "AES-256-GCM"]), "and CTR");
    }

    #[test]
    fn look_ahead_serves_a_size_before_direct_requests_do() {
        let answer = answer();
        let served = served(&answer, 16384);
        let of = |cipher: &str| {
            served.iter().find(|one| one.cipher == cipher).map(|one| one.task != DriverTask::Direct)
        };
        assert_eq!(of("AES-128-GCM"), Some(true));
        assert_eq!(of("AES-192-GCM"), Some(true), "it is the largest size");
        assert_eq!(of("AES-128-CBC"), Some(false));
        for cipher in ["AES-256-CBC", "AES-192-CTR", "AES-256-CTR"] {
            assert_eq!(of(cipher), None, "{cipher}");
        }
        assert!(super::served(&answer, 32768).iter().all(|one| one.cipher != "AES-192-GCM"));
    }
}
