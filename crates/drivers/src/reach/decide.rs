//! Decides from kernel release, flags and files which routes lead to a driver.

use outboard_catalog::{Algorithm, HashAlgorithm};

use super::kernel_users::{self, Found, picked};
use super::probe::Probe;
use super::{
    ProgramInterface, Reachable, Route, RouteDecision, TagCheck, limits_kept_elsewhere, refused,
    tags_unchecked,
};
use crate::allow_list::AllowedDriver;
use crate::find::Judged;
use crate::flags::Flags;
use crate::judge::Verdict;
use crate::kernel::Release;
use crate::permission::MAY_NOT_OPEN;
use crate::proc_crypto::DriverType;

#[derive(Debug, Default)]
pub struct ReachFacts {
    pub release: Option<Release>,
    /// sysctl crypto.af_alg_restrict, which exists since Linux 7.3.
    pub af_alg_restrict: Option<u32>,
    /// Whether lockdown lets the kernel load signed modules only.
    pub is_locked_down: bool,
    /// The result of binding a socket to the driver's exact name; `None` when that was not tried.
    pub probe: Option<Probe>,
    /// Whether this process may open /dev/crypto; `None` if it does not exist.
    pub dev_crypto: Option<bool>,
    /// Whether this process may open /dev/outboard; `None` if it does not exist.
    pub dev_outboard: Option<bool>,
    /// The allowed drivers; `None` if the list cannot be read.
    pub allowed: Option<Vec<AllowedDriver>>,
    pub tags: TagCheck,
    /// What `outboard check` found wrong with the driver: [`found_wrong`](super::found_wrong).
    pub found_wrong: Option<String>,
}

/// The driver that the kernel selects for a user of `algorithm` that excludes the flags in `mask`:
/// the highest priority, and among equals the driver that was registered last, which is listed
/// first (`__crypto_alg_lookup` in crypto/api.c).
pub fn pick<'a>(drivers: &'a [Judged], algorithm: &str, mask: u32) -> Option<&'a Judged> {
    drivers
        .iter()
        .filter(|j| j.driver.algorithm == algorithm && j.driver.is_usable())
        .filter(|j| !j.flags.unwrap_or_default().any(mask))
        .reduce(|best, j| if j.driver.priority > best.driver.priority { j } else { best })
}

/// Every route to one of the judged `drivers`; those for programs in the order of preference. The
/// kernel's users cannot select instructions that outboard executes.
pub fn decide(target: &Judged, drivers: &[Judged], facts: &ReachFacts) -> Vec<RouteDecision> {
    let kind = &target.driver.kind;
    let aead = *kind == DriverType::Aead;
    let is_for_dev_crypto = aead
        || matches!(
            kind,
            DriverType::Skcipher | DriverType::Lskcipher | DriverType::Ahash | DriverType::Shash
        );
    let selftest = "the kernel does not use a driver whose self-test has not passed";
    let refused = refused(&target.driver.name);
    let excluded = match &refused {
        Some(why) => Some(why.as_str()),
        None if target.driver.is_usable() => facts.found_wrong.as_deref(),
        None => Some(selftest),
    };
    let mut routes = Vec::new();
    for &interface in ProgramInterface::preferred_first(&target.driver.name) {
        let found = match (excluded, interface) {
            (Some(why), _) => (Reachable::No, why.to_owned()),
            (None, ProgramInterface::DevOutboard) => dev_outboard(target, facts),
            (None, _) if !interface.keeps_limits_of(&target.driver.name) => {
                (Reachable::No, limits_kept_elsewhere(&target.driver.name))
            }
            (None, ProgramInterface::DevCrypto) if !is_for_dev_crypto => continue,
            (None, ProgramInterface::DevCrypto) => dev_crypto(facts, picked(target, drivers, 0)),
            (None, ProgramInterface::AfAlg) => af_alg(target, facts),
            (None, ProgramInterface::Instructions) => {
                (Reachable::Yes, "outboard executes the instructions itself".into())
            }
        };
        routes.push(for_programs(interface, aead, &target.driver.name, facts.tags, found));
    }
    if routes.iter().any(|one| one.route == Route::Program(ProgramInterface::Instructions)) {
        return routes;
    }
    for (route, (reachable, why)) in kernel_users::decide(target, drivers, facts) {
        let (reachable, why) =
            if target.driver.is_usable() { (reachable, why) } else { (Reachable::No, selftest.to_owned()) };
        routes.push(RouteDecision { route, reachable, why, awaits_check: false });
    }
    routes
}

/// The decision for an interface, which is negative if the interface is not open to the driver.
fn for_programs(
    interface: ProgramInterface,
    is_aead: bool,
    driver: &str,
    tags: TagCheck,
    (reachable, why): Found,
) -> RouteDecision {
    let route = Route::Program(interface);
    if reachable == Reachable::No || interface.is_open_to(is_aead, tags) {
        return RouteDecision { route, reachable, why, awaits_check: false };
    }
    RouteDecision { route, reachable: Reachable::No, why: tags_unchecked(driver), awaits_check: true }
}

fn dev_outboard(target: &Judged, facts: &ReachFacts) -> Found {
    let (name, algorithm) = (target.driver.name.as_str(), target.driver.algorithm.as_str());
    let has_number =
        Algorithm::by_kernel_name(algorithm).is_some() || HashAlgorithm::by_kernel_name(algorithm).is_some();
    match (facts.dev_outboard, &facts.allowed) {
        (None, _) if facts.is_locked_down => (
            Reachable::No,
            "the outboard module is not loaded, and lockdown requires that it is signed".into(),
        ),
        (None, _) => (Reachable::No, "the outboard module is not loaded".into()),
        (Some(false), _) => (Reachable::No, format!("it exists, but {MAY_NOT_OPEN}")),
        (Some(true), _) if !has_number => (Reachable::No, format!("it does not do {algorithm}")),
        (Some(true), None) => (
            Reachable::Unclear,
            "the outboard module is loaded, but root's list of drivers cannot be read".into(),
        ),
        (Some(true), Some(list)) => match list.iter().find(|allowed| allowed.driver == name) {
            Some(allowed) if allowed.allows(name, algorithm) => {
                (Reachable::Yes, "root has allowed it".into())
            }
            Some(AllowedDriver { algorithm, .. }) => {
                let other = algorithm.as_deref().unwrap_or_default();
                (Reachable::No, format!("root has allowed it for {other}"))
            }
            None => (Reachable::No, format!("root has not allowed it (outboard allow {name})")),
        },
    }
}

fn dev_crypto(facts: &ReachFacts, by_name: Found) -> Found {
    match facts.dev_crypto {
        Some(true) => by_name,
        Some(false) => (Reachable::No, format!("it exists, but {MAY_NOT_OPEN}")),
        None => (Reachable::No, "cryptodev-linux is not loaded (it is not part of the kernel)".into()),
    }
}

fn af_alg(target: &Judged, facts: &ReachFacts) -> Found {
    let kind = &target.driver.kind;
    if super::af_alg_type(kind).is_none() {
        return (Reachable::No, format!("AF_ALG has no sockets for {kind}"));
    }
    let from_files = af_alg_from_files(target, facts);
    match &facts.probe {
        None => from_files,
        Some(Probe::Bound) => (Reachable::Yes, "a socket was bound to it just now".into()),
        Some(refused) if from_files.0 == Reachable::No => {
            (Reachable::No, format!("{} ({refused})", from_files.1))
        }
        Some(refused) => (Reachable::No, format!("this kernel refuses it: {refused}")),
    }
}

fn af_alg_from_files(target: &Judged, facts: &ReachFacts) -> Found {
    if facts.af_alg_restrict == Some(2) {
        return (Reachable::No, "AF_ALG is switched off (sysctl crypto.af_alg_restrict is 2)".into());
    }
    let Some(release) = &facts.release else {
        return (Reachable::Unclear, "the kernel's release is not known".into());
    };
    if !release.is_at_least(7, 2) {
        return (Reachable::Yes, format!("Linux {} is older than 7.2", release.text));
    }
    let accelerator = target.judgement.verdict == Verdict::Accelerator;
    match target.flags.map(|f| f.names_of(Flags::OFF_CPU)) {
        Some(flags) if flags.is_empty() => {
            (Reachable::Yes, "it has none of the flags that Linux 7.2 refuses".into())
        }
        Some(flags) => (
            Reachable::No,
            format!(
                "Linux 7.2 closed AF_ALG to drivers with the flags of accelerators (here {})",
                flags.join(", ")
            ),
        ),
        None if accelerator => (Reachable::No, "Linux 7.2 closed AF_ALG to accelerators".into()),
        None => (Reachable::Unclear, "Linux 7.2 decides by the driver's flags, which are not known".into()),
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
