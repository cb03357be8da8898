//! The end of `outboard tune`: what the suites of each service cost on this machine.

use std::collections::BTreeMap;
use std::path::Path;

use crate::tuning::panel::{self, Accelerated};
use anyhow::Result;
use outboard_advice::{
    CipherFacts, DriverTask, PolicyState, ServiceFacts, compared_names, compared_size, entrants,
};
use outboard_console::progress;
use outboard_documents::tune::Tune;
use outboard_policy::CipherFigure;
use outboard_services::enable::{APPLICATIONS, Record, Tree};
use outboard_services::negotiation::{Negotiation, Offered};

use crate::commands::ciphers::service::offered_or_default;

/// Measures what the services may choose between, for each size of requests once, and adds the decision
/// for each service of which all usual ciphers were tuned. Returns the figures. An interruption is
/// recorded in the answer.
pub fn compare(module: &Path, tuned: &[&str], answer: &mut Tune) -> Result<Vec<CipherFigure>> {
    let tree = Tree::at(Path::new("/"));
    let services = APPLICATIONS.iter().filter(|known| !known.programs.is_empty()).filter_map(|known| {
        let negotiation = Negotiation::of(known.name)?;
        Some((known.name, offered_or_default(negotiation, &tree), known.requests.bytes?))
    });
    let services: Vec<(&str, Offered, u32)> =
        services.filter(|(_, offered, _)| has_all(offered, tuned)).collect();
    let mut sizes: BTreeMap<u32, Vec<&'static str>> = BTreeMap::new();
    for (_, offered, bytes) in &services {
        let served = served(answer, compared_size(*bytes));
        let names = sizes.entry(*bytes).or_default();
        for name in compared_names(offered, |name| served.iter().any(|(one, _)| one.cipher == name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut figures = Vec::new();
    let mut faults = Vec::new();
    for (bytes, names) in sizes {
        let size = compared_size(bytes);
        progress(&format!("what services may choose between, {size} bytes"));
        let served = served(answer, size).into_iter().map(|(one, _)| one);
        let served: Vec<Accelerated<'_>> = served.filter(|one| names.contains(&one.cipher)).collect();
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
    for (name, offered, bytes) in services {
        let facts = facts(answer, name, offered, bytes, &figures);
        let record = Record::read(&tree, name).ok().flatten();
        let is_aes_required = record.as_ref().is_some_and(|record| record.aes_required.is_some());
        let facts = ServiceFacts { is_enabled: record.is_some(), is_aes_required, ..facts };
        answer.services.push(facts.decide());
    }
    Ok(figures)
}

/// The facts about a service by the new measurement.
pub fn facts(
    answer: &Tune,
    name: &str,
    offered: Offered,
    bytes: u32,
    figures: &[CipherFigure],
) -> ServiceFacts {
    let served = served(answer, compared_size(bytes));
    let of_cipher = |(one, from): &(Accelerated<'_>, usize)| CipherFacts {
        cipher: one.cipher.to_owned(),
        driver: Some(one.driver.to_owned()),
        from: u32::try_from(*from).ok(),
        is_measured: true,
        task: one.task,
        ..CipherFacts::default()
    };
    let others = answer.ciphers.iter().filter(|one| served.iter().all(|(other, _)| other.cipher != one.name));
    let others = others.map(|one| CipherFacts {
        cipher: one.name.clone(),
        driver: Some(one.driver.clone()),
        is_measured: true,
        ..CipherFacts::default()
    });
    ServiceFacts {
        name: name.to_owned(),
        bytes: Some(bytes),
        ciphers: served.iter().map(of_cipher).chain(others).collect(),
        entrants: entrants(&offered, bytes, figures),
        offered: Some(offered),
        policy: PolicyState::InForce,
        goal: answer.goal,
        ..ServiceFacts::default()
    }
}

/// Whether the usual ciphers of AES that a service offers are among those that were tuned.
fn has_all(offered: &Offered, tuned: &[&str]) -> bool {
    let mut usual = compared_names(offered, |_| false).into_iter().filter(|name| name.starts_with("AES-"));
    usual.all(|name| tuned.contains(&name))
}

/// The ciphers of which the new policy gives requests of this size to the accelerator, and the smallest
/// such request.
fn served(answer: &Tune, bytes: usize) -> Vec<(Accelerated<'_>, usize)> {
    let mut all: Vec<(Accelerated<'_>, usize)> = Vec::new();
    for ahead in &answer.lookahead {
        let requests = &ahead.requests;
        let from = requests.from.filter(|from| !requests.undecided && *from <= bytes);
        if let Some(from) = from.filter(|_| requests.to.is_none_or(|to| bytes <= to)) {
            let direct_from = ahead.direct_from.and_then(|from| u32::try_from(from).ok());
            let task = DriverTask::Ahead { direct_from };
            all.push((Accelerated { cipher: &ahead.name, driver: &ahead.driver, task }, from));
        }
    }
    for direct in &answer.ciphers {
        let from = direct.encrypt.from.filter(|from| !direct.encrypt.undecided && *from <= bytes);
        if let Some(from) = from.filter(|_| all.iter().all(|(one, _)| one.cipher != direct.name)) {
            let (cipher, driver) = (direct.name.as_str(), direct.driver.as_str());
            all.push((Accelerated { cipher, driver, task: DriverTask::Direct }, from));
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
            served.iter().find(|(one, _)| one.cipher == cipher).map(|(one, _)| one.task != DriverTask::Direct)
        };
        assert_eq!(of("AES-128-GCM"), Some(true));
        assert_eq!(of("AES-192-GCM"), Some(true), "it is the largest size");
        assert_eq!(of("AES-128-CBC"), Some(false));
        for cipher in ["AES-256-CBC", "AES-192-CTR", "AES-256-CTR"] {
            assert_eq!(of(cipher), None, "{cipher}");
        }
        assert!(super::served(&answer, 32768).iter().all(|(one, _)| one.cipher != "AES-192-GCM"));
    }
}
