//! Programs do not reach the accelerator, or reach what they should not.

use outboard_documents::status::{Accelerator, Node, Status};
use outboard_drivers::kernel::Release;
use outboard_drivers::permission::{MAY_NOT_OPEN, next_step};
use outboard_drivers::reach::{ProgramInterface, Reachable, module_only};

use super::Because;
use crate::facts::Facts;
use crate::system::ModuleStep;

/// Why no program reaches an accelerator.
enum Unreached<'f> {
    NotAllowed(&'f str),
    Unchecked(&'f Accelerator),
    Other(&'f Accelerator),
}

fn why_unreached(status: &Status) -> Option<Unreached<'_>> {
    if status.accelerators.iter().any(Accelerator::is_reachable_by_programs) {
        return None;
    }
    let unchecked = status.accelerators.iter().find(|a| a.awaits_check).map(Unreached::Unchecked);
    let is_used = |a: &&Accelerator| !status.is_wrong(&a.reach_of) && status.is_usable(&a.reach_of);
    // A device that may not be opened is a problem of its own.
    let is_closed = status.nodes.iter().any(|node| node.reach() == Some(false));
    let other =
        status.accelerators.first().filter(|_| !is_closed && status.accelerators.iter().any(|a| is_used(&a)));
    not_allowed_driver(status).map(Unreached::NotAllowed).or(unchecked).or(other.map(Unreached::Other))
}

/// A driver that programs could use if root allowed it.
fn not_allowed_driver(status: &Status) -> Option<&str> {
    let list = node(status, ProgramInterface::DevOutboard)?;
    let mut candidates = status.accelerators.iter().map(|a| a.reach_of.as_str());
    let is_candidate = |name: &&str| status.is_usable(name) && !status.is_wrong(name);
    if list.reach() == Some(true) { candidates.find(is_candidate) } else { None }
}

fn node(status: &Status, interface: ProgramInterface) -> Option<&Node> {
    status.nodes.iter().find(|node| node.path == interface.name())
}

/// The routes of programs to a driver, with the reasons.
fn routes(status: &Status, driver: &str) -> String {
    let accelerator = status.accelerators.iter().find(|a| a.reach_of == driver);
    let routes = accelerator.into_iter().flat_map(|a| &a.reach).filter(|route| route.for_programs);
    let routes: Vec<String> =
        routes.map(|route| format!("{}: {}", route.interface.name(), route.why)).collect();
    routes.join("; ")
}

pub fn not_allowed(facts: &Facts) -> Vec<Because> {
    match why_unreached(&facts.status) {
        Some(Unreached::NotAllowed(driver)) => vec![Because::new([], routes(&facts.status, driver))],
        _ => Vec::new(),
    }
}

pub fn tags_unchecked(facts: &Facts) -> Vec<Because> {
    match why_unreached(&facts.status) {
        Some(Unreached::Unchecked(a)) => {
            vec![Because::new([&a.reach_of], routes(&facts.status, &a.reach_of))]
        }
        _ => Vec::new(),
    }
}

pub fn perhaps_unreached(facts: &Facts) -> Vec<Because> {
    match (why_unreached(&facts.status), &facts.status.kernel.release) {
        (Some(Unreached::Other(a)), None) => vec![Because::new([], routes(&facts.status, &a.reach_of))],
        _ => Vec::new(),
    }
}

pub fn unreached(facts: &Facts) -> Vec<Because> {
    let (Some(Unreached::Other(a)), Some(release)) =
        (why_unreached(&facts.status), &facts.status.kernel.release)
    else {
        return Vec::new();
    };
    let next = match facts.system.module_step() {
        ModuleStep::Loaded => "ls -l /dev/outboard: outboard's module is loaded".to_owned(),
        ModuleStep::Command(line) => format!("{line}, for /dev/outboard"),
        ModuleStep::Document(file) => format!("install outboard's module (/dev/outboard): {file}"),
    };
    let is_before_7_2 = Release::parse(release).is_some_and(|it| !it.is_at_least(7, 2));
    let others = match (facts.system.is_openwrt, is_before_7_2) {
        _ if module_only(&a.reach_of).is_some() => "",
        (true, true) => {
            "; the packages kmod-crypto-user (AF_ALG) and kmod-cryptodev (/dev/crypto) let every user reach it"
        }
        (true, false) => "; the package kmod-cryptodev (/dev/crypto) lets every user reach it",
        (false, true) => {
            "; modprobe algif_skcipher (AF_ALG) and cryptodev-linux (/dev/crypto) let every user reach it"
        }
        (false, false) => "; cryptodev-linux (/dev/crypto) or a kernel before 7.2 (AF_ALG) reach it too",
    };
    vec![Because::new([release, &(next + others)], routes(&facts.status, &a.reach_of))]
}

/// Without an accelerator, /dev/crypto leads to the kernel's software.
pub fn dev_crypto_of_software(facts: &Facts) -> Vec<Because> {
    let status = &facts.status;
    let is_here = node(status, ProgramInterface::DevCrypto).is_some_and(|node| node.exists);
    let is_it = is_here && status.accelerators.is_empty() && !status.drivers.is_empty();
    let step = facts.system.without_openwrt_package(
        "kmod-cryptodev",
        "unload cryptodev, or take it out of the programs' configuration",
    );
    is_it
        .then(|| Because::new([&step], "/dev/crypto exists, and /proc/crypto has no accelerator"))
        .into_iter()
        .collect()
}

/// The module of outboard is not part of the kernel, so that its signature depends on the system.
pub fn locked_down(facts: &Facts) -> Vec<Because> {
    let status = &facts.status;
    let is_loaded = node(status, ProgramInterface::DevOutboard).is_some_and(|node| node.exists);
    let is_it = status.kernel.is_locked_down() && !status.accelerators.is_empty() && !is_loaded;
    let mode = status.kernel.lockdown.filter(|_| is_it);
    mode.map(|mode| Because::new([], format!("/sys/kernel/security/lockdown: {}", mode.name())))
        .into_iter()
        .collect()
}

/// A device that this user may not open.
pub fn no_permission(facts: &Facts) -> Vec<Because> {
    let closed = facts.status.nodes.iter().filter(|node| node.reach() == Some(false));
    let of_node = |node: &Node| {
        let (mode, group) = (node.mode.as_deref(), node.group.as_deref());
        let evidence = format!("{}: mode {}, group {}", node.path, mode.unwrap_or("?"), group.unwrap_or("?"));
        Because::new([&node.path, MAY_NOT_OPEN, &next_step(&node.path, mode, group)], evidence)
    };
    closed.map(of_node).collect()
}

pub fn af_alg_opened(facts: &Facts) -> Vec<Because> {
    let is_open = facts.status.kernel.af_alg_restrict == Some(0);
    is_open.then(|| Because::new([], "sysctl crypto.af_alg_restrict is 0")).into_iter().collect()
}

/// Before Linux 7.3 every user may use AF_ALG; from then on unless root opens it.
pub fn af_alg_of_all(facts: &Facts) -> Vec<Because> {
    let status = &facts.status;
    let release = status.kernel.release.as_deref().and_then(Release::parse);
    let release = release.filter(|it| !it.is_at_least(7, 3) && status.kernel.af_alg_restrict.is_none());
    let is_reached = |a: &Accelerator| {
        a.reach_by(ProgramInterface::AfAlg).is_some_and(|route| route.answer == Reachable::Yes)
    };
    let release = release.filter(|_| status.accelerators.iter().any(is_reached));
    let step = facts.system.without_openwrt_package(
        "kmod-crypto-user",
        "`install af_alg /bin/false` in a file of /etc/modprobe.d",
    );
    release
        .map(|it| Because::new([&step], format!("Linux {} has no sysctl crypto.af_alg_restrict", it.text)))
        .into_iter()
        .collect()
}
