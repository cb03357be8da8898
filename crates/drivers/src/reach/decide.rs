//! The decision from kernel release, flags and files.

use super::probe::Probe;
use super::{Answer, Interface, Reach};
use crate::find::Judged;
use crate::flags::Flags;
use crate::judge::Verdict;
use crate::kernel::Release;
use crate::proc_crypto::Kind;

/// What the decision rests on, besides the driver.
#[derive(Debug, Default)]
pub struct Facts {
    /// The kernel's release.
    pub release: Option<Release>,
    /// sysctl crypto.af_alg_restrict, which exists since Linux 7.3.
    pub af_alg_restrict: Option<u32>,
    /// What a bind of the driver's exact name answered; `None` when nothing was asked.
    pub probe: Option<Probe>,
    /// /dev/crypto exists; this process may open it.
    pub dev_crypto: Option<bool>,
    /// /dev/outboard exists; this process may open it.
    pub dev_outboard: Option<bool>,
    /// The drivers that root has allowed to it; `None` when the list cannot be read.
    pub allowed: Option<Vec<String>>,
}

/// The driver that the kernel hands to a user of `algorithm` who excludes the flags in `mask` (`__crypto_alg_lookup` in
/// crypto/api.c: the highest priority, and of equals the one that was registered last, which stands first).
pub fn pick<'a>(drivers: &'a [Judged], algorithm: &str, mask: u32) -> Option<&'a Judged> {
    drivers
        .iter()
        .filter(|j| j.driver.algorithm == algorithm && j.driver.is_usable())
        .filter(|j| !j.flags.unwrap_or_default().any(mask))
        .reduce(|best, j| if j.driver.priority > best.driver.priority { j } else { best })
}

/// Every way to one of the judged `drivers`; those for programs in the provider's order of preference.
pub fn decide(target: &Judged, drivers: &[Judged], facts: &Facts) -> Vec<Reach> {
    let by_name = |mask| picked(target, drivers, mask);
    let cipher = matches!(target.driver.kind, Kind::Skcipher | Kind::Lskcipher);
    let hash = matches!(target.driver.kind, Kind::Ahash | Kind::Shash);
    let aead = target.driver.kind == Kind::Aead;
    if !target.driver.is_usable() {
        let why = "the kernel does not use a driver whose self-test has not passed";
        return [Interface::DevOutboard, Interface::DevCrypto, Interface::AfAlg]
            .map(|interface| way(interface, (Answer::No, why.into())))
            .into();
    }
    let mut ways = vec![way(Interface::DevOutboard, dev_outboard(target, facts))];
    if cipher || hash || aead {
        ways.push(way(Interface::DevCrypto, dev_crypto(facts, by_name(0))));
    }
    ways.push(way(Interface::AfAlg, af_alg(target, facts)));
    if cipher || hash || aead {
        ways.push(way(Interface::Ipsec, by_name(0)));
    }
    if aead && ["gcm(aes)", "ccm(aes)"].contains(&target.driver.algorithm.as_str()) {
        ways.push(way(Interface::Ktls, by_name(0)));
    }
    if cipher {
        ways.push(way(Interface::DmCrypt, dm_crypt(target, facts, &by_name)));
        ways.push(way(Interface::Fscrypt, fscrypt(target, facts)));
    }
    ways
}

type Said = (Answer, String);

fn way(interface: Interface, (answer, why): Said) -> Reach {
    Reach { interface, answer, why }
}

/// Users who ask for the algorithm get what the kernel prefers.
fn picked(target: &Judged, drivers: &[Judged], mask: u32) -> Said {
    let algorithm = &target.driver.algorithm;
    match pick(drivers, algorithm, mask) {
        Some(best) if best.driver.name == target.driver.name => (
            Answer::Yes,
            format!("for {algorithm} the kernel picks it (priority {})", target.driver.priority),
        ),
        Some(best) => (
            Answer::No,
            format!(
                "for {algorithm} the kernel picks {} (priority {} against {})",
                best.driver.name, best.driver.priority, target.driver.priority
            ),
        ),
        None => (Answer::No, format!("nothing is left for {algorithm}")),
    }
}

fn dev_outboard(target: &Judged, facts: &Facts) -> Said {
    let name = &target.driver.name;
    match (facts.dev_outboard, &facts.allowed) {
        (Some(true), Some(list)) if list.contains(name) => (Answer::Yes, "root has allowed it".into()),
        (Some(true), Some(_)) => (Answer::No, format!("root has not allowed it (outboard allow {name})")),
        (Some(true), None) => (
            Answer::Unclear,
            "the outboard module is loaded, but root's list of drivers cannot be read".into(),
        ),
        (Some(false), _) => (Answer::No, "it exists, but this user may not open it".into()),
        (None, _) => (Answer::No, "the outboard module is not loaded".into()),
    }
}

fn dev_crypto(facts: &Facts, by_name: Said) -> Said {
    match facts.dev_crypto {
        Some(true) => by_name,
        Some(false) => (Answer::No, "it exists, but this user may not open it".into()),
        None => (Answer::No, "cryptodev-linux is not loaded (it is not part of the kernel)".into()),
    }
}

fn af_alg(target: &Judged, facts: &Facts) -> Said {
    let kind = &target.driver.kind;
    if super::af_alg_type(kind).is_none() {
        return (Answer::No, format!("AF_ALG has no sockets for {kind}"));
    }
    let from_files = af_alg_from_files(target, facts);
    match &facts.probe {
        None => from_files,
        Some(Probe::Bound) => (Answer::Yes, "a socket was bound to it just now".into()),
        Some(refused) if from_files.0 == Answer::No => (Answer::No, format!("{} ({refused})", from_files.1)),
        Some(refused) => (Answer::No, format!("this kernel refuses it: {refused}")),
    }
}

fn af_alg_from_files(target: &Judged, facts: &Facts) -> Said {
    if facts.af_alg_restrict == Some(2) {
        return (Answer::No, "AF_ALG is switched off (sysctl crypto.af_alg_restrict is 2)".into());
    }
    let Some(release) = &facts.release else {
        return (Answer::Unclear, "the kernel's release is not known".into());
    };
    if !release.is_at_least(7, 2) {
        return (Answer::Yes, format!("Linux {} is older than 7.2", release.text));
    }
    let accelerator = target.judgement.verdict == Verdict::Accelerator;
    match target.flags.map(|f| f.names_of(Flags::OFF_CPU)) {
        Some(flags) if flags.is_empty() => {
            (Answer::Yes, "it has none of the flags that Linux 7.2 refuses".into())
        }
        Some(flags) => (
            Answer::No,
            format!(
                "Linux 7.2 closed AF_ALG to drivers with the flags of accelerators (here {})",
                flags.join(", ")
            ),
        ),
        None if accelerator => (Answer::No, "Linux 7.2 closed AF_ALG to accelerators".into()),
        None => (Answer::Unclear, "Linux 7.2 decides by the driver's flags, which are not known".into()),
    }
}

fn dm_crypt(target: &Judged, facts: &Facts, by_name: &dyn Fn(u32) -> Said) -> Said {
    if !["cbc(aes)", "xts(aes)"].contains(&target.driver.algorithm.as_str()) {
        return (Answer::No, format!("disks are not usually encrypted with {}", target.driver.algorithm));
    }
    let old = facts.release.as_ref().is_some_and(|r| !r.is_at_least(5, 10));
    match target.flags {
        _ if old => by_name(0),
        Some(flags) if flags.any(Flags::ALLOCATES_MEMORY) => {
            (Answer::No, "since Linux 5.10 it leaves out drivers with the flag ALLOCATES_MEMORY".into())
        }
        Some(_) => by_name(Flags::ALLOCATES_MEMORY),
        None => {
            (Answer::Unclear, "since Linux 5.10 the flag ALLOCATES_MEMORY decides, which is not known".into())
        }
    }
}

fn fscrypt(target: &Judged, facts: &Facts) -> Said {
    let algorithm = target.driver.algorithm.as_str();
    // cbc(aes) inside of cts() and essiv(), which take over its flags.
    if !["xts(aes)", "cbc(aes)", "cts(cbc(aes))"].contains(&algorithm) {
        return (Answer::No, format!("it does not use {algorithm}"));
    }
    let off_cpu =
        target.flags.map_or(target.judgement.verdict == Verdict::Accelerator, |f| f.any(Flags::OFF_CPU));
    match &facts.release {
        Some(r) if r.is_at_least(6, 17) && off_cpu => {
            (Answer::No, "since Linux 6.17 it leaves out drivers beside the CPU".into())
        }
        _ if off_cpu => (
            Answer::Unclear,
            "Linux 6.17 closed it to drivers beside the CPU, and stable kernels took that over in 2025"
                .into(),
        ),
        _ => (Answer::Unclear, "the driver's flags decide".into()),
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
