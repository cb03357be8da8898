//! Whether the accelerator is the best choice for a service: the suites that it offers, with the
//! figures of this machine.

use std::path::Path;

use crate::tuning::panel::{self, Accelerated};
use anyhow::Result;
use outboard_console::progress;
use outboard_documents::Goal;
use outboard_measure::Measuring;
use outboard_policy::CipherFigure;
use outboard_services::choice::{self, Contest, Negotiation, Offered};
use outboard_services::enable::Tree;

use super::suitability::Suitability;
use crate::commands::ciphers::service::offered_or_default;

/// Compares the suites of a service, with the figures of `outboard tune`, or with new ones if these
/// lack a cipher that the accelerator serves. Refuses the service if another cipher wins over all of
/// these. Nothing is measured for a service that is refused anyway.
pub fn compare(service: &str, tree: &Tree, module: &Path, goal: Goal, found: &mut Suitability) -> Result<()> {
    let Some(negotiation) = Negotiation::of(service).filter(|_| found.refusal.is_none()) else {
        return Ok(());
    };
    let Some(bytes) = found.bytes else { return Ok(()) };
    let offered = offered_or_default(negotiation, tree);
    let missing = {
        let served = served(&offered, found, bytes);
        let has = |one: &Accelerated<'_>| {
            found.figures.iter().any(|figure| {
                figure.bytes == choice::size(bytes)
                    && figure.name == one.cipher
                    && figure.driver.as_deref() == Some(one.driver)
            })
        };
        !served.iter().all(has)
    };
    if missing {
        found.figures = measure(service, module, goal, &offered, found, bytes)?;
    }
    let contest = Contest::of(negotiation, offered, bytes, goal, &found.figures);
    found.refusal = contest.as_ref().and_then(|contest| contest.refusal(service));
    found.contest = contest;
    Ok(())
}

/// The same with the figures of `outboard tune` alone, and without a refusal.
pub fn of_policy(service: &str, tree: &Tree, goal: Goal, found: &Suitability) -> Option<Contest> {
    let negotiation = Negotiation::of(service)?;
    Contest::of(negotiation, offered_or_default(negotiation, tree), found.bytes?, goal, &found.figures)
}

/// The ciphers that the service offers and the accelerator serves.
fn served<'a>(offered: &Offered, found: &'a Suitability, bytes: u32) -> Vec<Accelerated<'a>> {
    let names = offered.figures();
    let ciphers = found.ciphers.iter().filter(|one| one.measured && one.wins(Some(bytes)));
    let ciphers = ciphers.filter(|one| names.contains(&one.cipher.as_str()));
    let of = |one: &'a super::suitability::Outlook| {
        let (driver, _) = one.by.as_ref().ok()?;
        Some(Accelerated { cipher: &one.cipher, driver, task: one.task })
    };
    ciphers.filter_map(of).collect()
}

fn measure(
    service: &str,
    module: &Path,
    goal: Goal,
    offered: &Offered,
    found: &Suitability,
    bytes: u32,
) -> Result<Vec<CipherFigure>> {
    let served = served(offered, found, bytes);
    let names = names(offered, &served);
    progress(&format!("{service}: measuring {}, some seconds", names.join(", ")));
    let _measuring = Measuring::begin()?;
    let panel = panel::measure(module, goal, choice::size(bytes), &names, &served);
    progress("");
    crate::signals::check()?;
    let panel = panel?.unwrap_or_default();
    panel.faults.iter().for_each(|fault| outboard_console::say(&format!("{service}: {fault}")));
    Ok(panel.figures)
}

/// The ciphers that are compared: those that no service prefers (CBC, CCM, keys of 192 bits) only if
/// the accelerator serves them.
pub fn names(offered: &Offered, served: &[Accelerated<'_>]) -> Vec<&'static str> {
    let is_common = |name: &str| {
        !["-CBC", "-CCM"].iter().any(|mode| name.ends_with(mode)) && !name.starts_with("AES-192")
    };
    let is_served = |name: &str| served.iter().any(|one| one.cipher == name);
    offered.figures().into_iter().filter(|name| is_common(name) || is_served(name)).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::commands::enable::suitability::Outlook;
    use crate::tuning::panel::DriverTask;

    fn figure(name: &str, driver: Option<&str>, speed: f64) -> CipherFigure {
        CipherFigure {
            bytes: 16384,
            name: name.to_owned(),
            driver: driver.map(str::to_owned),
            megabytes_per_second: speed,
            spread: 0.0,
            cpu_ms_per_megabyte: Some(1000.0 / speed),
        }
    }

    /// A cipher that needs more than twice the time and the CPU time of ChaCha20.
    pub fn lost(negotiation: Negotiation, cipher: &str) -> Contest {
        let figures = [figure(cipher, Some("eng"), 9.0), figure(choice::CHACHA20, None, 24.0)];
        Contest::of(negotiation, negotiation.by_default(), 16384, Goal::Balanced, &figures)
            .expect("two suites")
    }

    fn found(figures: Vec<CipherFigure>) -> Suitability {
        let outlook = |cipher: &str, from, measured| Outlook {
            cipher: cipher.to_owned(),
            by: Ok(("eng".to_owned(), from)),
            measured,
            task: DriverTask::Ahead { direct_from: None },
        };
        let ciphers = vec![
            outlook("AES-128-GCM", Some(512), false),
            outlook("AES-192-GCM", Some(512), true),
            outlook("AES-256-GCM", Some(512), true),
            outlook("AES-128-CBC", Some(65536), true),
        ];
        Suitability { ciphers, bytes: Some(16384), refusal: None, contest: None, figures }
    }

    #[test]
    fn suites_that_the_service_offers_and_the_policy_measured_are_compared() {
        let offered = Negotiation::Nginx.by_default();
        let found = found(Vec::new());
        let served = served(&offered, &found, 16384);
        assert_eq!(served.iter().map(|one| one.cipher).collect::<Vec<_>>(), ["AES-256-GCM"]);
        assert_eq!(names(&offered, &served), ["AES-256-GCM", choice::CHACHA20, "AES-128-GCM"]);
        let mut with_cbc = Negotiation::OpenVpn.by_default();
        with_cbc.suites.push(choice::OfferedSuite::of_openvpn("AES-128-CBC"));
        assert!(!names(&with_cbc, &[]).contains(&"AES-128-CBC"));
        let cbc = Accelerated { cipher: "AES-128-CBC", driver: "eng", task: DriverTask::Direct };
        assert!(names(&with_cbc, &[cbc]).contains(&"AES-128-CBC"));
    }

    #[test]
    fn figures_of_the_policy_are_not_measured_again() {
        let tree = tempfile::tempdir().expect("a directory");
        let tree = Tree::at(tree.path());
        // The provider is not there: a measurement would fail.
        let module = Path::new("/nowhere/outboard.so");
        let figures = vec![figure("AES-256-GCM", Some("eng"), 9.0), figure(choice::CHACHA20, None, 24.0)];
        let mut found = found(figures);
        compare("apache", &tree, module, Goal::Balanced, &mut found).expect("nothing is measured");
        let why = found.refusal.as_deref().expect("ChaCha20 wins");
        assert!(why.contains("TLS_AES_256_GCM_SHA384 by eng 9.0 MB/s"), "{why}");
        assert!(found.is_beaten("AES-256-GCM"));
    }
}
