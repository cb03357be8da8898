//! Programs do not reach the accelerator, or reach what they should not.

use outboard_drivers::kernel::Release;
use outboard_drivers::permission::{MAY_NOT_OPEN, next_step};
use outboard_drivers::reach::{ProgramInterface, Reachable, module_only};

use super::{Found, ProblemId, Status};
use crate::installing::{Installing, ModuleStep};

pub(super) fn find(status: &Status, installing: &Installing<'_>, found: &mut Found) {
    if status.accelerators.is_empty() {
        dev_crypto_of_software(status, found);
    } else if !status.accelerators.iter().any(|a| a.is_reachable_by_programs()) {
        unreached(status, installing, found);
    }
    locked_down(status, found);
    closed_node(status, found);
    af_alg_open(status, found);
}

fn unreached(status: &Status, installing: &Installing<'_>, found: &mut Found) {
    let evidence = |name: &str| {
        let accelerator = status.accelerators.iter().find(|a| a.reach_of == name);
        let routes = accelerator.into_iter().flat_map(|a| &a.reach).filter(|route| route.for_programs);
        let routes: Vec<String> =
            routes.map(|route| format!("{}: {}", route.interface.name(), route.why)).collect();
        routes.join("; ")
    };
    if let Some(driver) = not_allowed(status) {
        found.problem(
            ProblemId::NotAllowed,
            "programs cannot reach the accelerator yet: root has not allowed its driver".into(),
            evidence(driver),
            "outboard setup (as root) checks it and allows it",
        );
        return;
    }
    if let Some(waiting) = status.accelerators.iter().find(|a| a.awaits_check) {
        found.problem(
            ProblemId::TagsUnchecked,
            "programs cannot reach the accelerator yet: its AEAD is not known to refuse forged tags, which is required \
             outside of /dev/outboard"
                .into(),
            evidence(&waiting.reach_of),
            format!("outboard check {}", waiting.reach_of),
        );
        return;
    }
    // Problems of their own.
    if is_closed(status) {
        return;
    }
    if status.accelerators.iter().all(|a| status.is_wrong(&a.reach_of) || !status.is_usable(&a.reach_of)) {
        return;
    }
    let Some(first) = status.accelerators.first() else { return };
    let kernel = status.kernel.release.as_ref();
    match kernel {
        None => found.note(
            ProblemId::Unreached,
            "whether programs reach the accelerator is not known, since the kernel's release is not".into(),
            evidence(&first.reach_of),
            "give the output of uname -a too, or a bundle",
        ),
        Some(release) => found.problem(
            ProblemId::Unreached,
            format!("programs cannot reach the accelerator on Linux {release}"),
            evidence(&first.reach_of),
            match installing.module(Some(release)) {
                ModuleStep::Loaded => "ls -l /dev/outboard: outboard's module is loaded".to_owned(),
                ModuleStep::Command(line) => format!("{line}, for /dev/outboard"),
                ModuleStep::Document(file) => format!("install outboard's module (/dev/outboard): {file}"),
            } + match module_only(&first.reach_of) {
                None => "; cryptodev-linux (/dev/crypto) or a kernel before 7.2 (AF_ALG) reach it too",
                Some(_) => "",
            },
        ),
    }
}

/// A driver that programs could use if root allowed it.
fn not_allowed(status: &Status) -> Option<&str> {
    let list = status.nodes.iter().find(|n| n.path == ProgramInterface::DevOutboard.name())?;
    let mut candidates = status.accelerators.iter().map(|a| a.reach_of.as_str());
    let is_candidate = |name: &&str| status.is_usable(name) && !status.is_wrong(name);
    if list.reach() == Some(true) { candidates.find(is_candidate) } else { None }
}

/// Without an accelerator, /dev/crypto leads to the kernel's software, which is slower than
/// OpenSSL's own.
fn dev_crypto_of_software(status: &Status, found: &mut Found) {
    let is_here = status.nodes.iter().any(|n| n.path == ProgramInterface::DevCrypto.name() && n.exists);
    if is_here && !status.drivers.is_empty() {
        found.problem(
            ProblemId::DevCryptoOfSoftware,
            "/dev/crypto leads to no accelerator: programs that use it get the kernel's software, which is slower than \
             OpenSSL's own"
                .into(),
            "/dev/crypto exists, and /proc/crypto has no accelerator",
            "unload cryptodev, or take it out of the programs' configuration",
        );
    }
}

/// The module of outboard is not part of the kernel, so that its signature depends on the system.
fn locked_down(status: &Status, found: &mut Found) {
    let is_loaded = status.nodes.iter().any(|n| n.path == ProgramInterface::DevOutboard.name() && n.exists);
    let Some(mode) = status.kernel.lockdown else { return };
    if !status.kernel.is_locked_down() || status.accelerators.is_empty() || is_loaded {
        return;
    }
    found.note(
        ProblemId::LockedDown,
        "the kernel loads signed modules only: the outboard module needs a signature".into(),
        format!("/sys/kernel/security/lockdown: {}", mode.name()),
        "enrol the key with which dkms signs it: mokutil --import /var/lib/dkms/mok.pub, and restart",
    );
}

/// Whether a device leads to drivers, and this user may not open it.
fn is_closed(status: &Status) -> bool {
    status.nodes.iter().any(|node| node.reach() == Some(false))
}

/// A device that this user may not open.
fn closed_node(status: &Status, found: &mut Found) {
    for node in status.nodes.iter().filter(|node| node.reach() == Some(false)) {
        let (mode, group) = (node.mode.as_deref().unwrap_or("?"), node.group.as_deref().unwrap_or("?"));
        found.problem(
            ProblemId::NoPermission,
            format!("{} exists, but {MAY_NOT_OPEN}", node.path),
            format!("{}: mode {mode}, group {group}", node.path),
            next_step(&node.path, node.mode.as_deref(), node.group.as_deref()),
        );
    }
}

/// Before Linux 7.3 every user may use AF_ALG; from then on unless root opens it.
fn af_alg_open(status: &Status, found: &mut Found) {
    let release = status.kernel.release.as_deref().and_then(Release::parse);
    let has_af_alg = status
        .accelerators
        .iter()
        .any(|a| a.reach_by(ProgramInterface::AfAlg).is_some_and(|route| route.answer == Reachable::Yes));
    match (release, status.kernel.af_alg_restrict) {
        (_, Some(0)) => found.problem(
            ProblemId::AfAlgOpen,
            "AF_ALG is open to all users, for every algorithm of the kernel".into(),
            "sysctl crypto.af_alg_restrict is 0",
            "sysctl crypto.af_alg_restrict=1; /dev/outboard does not need AF_ALG",
        ),
        (Some(release), None) if !release.is_at_least(7, 3) && has_af_alg => found.note(
            ProblemId::AfAlgOpen,
            "AF_ALG is open to all users, for every algorithm of the kernel".into(),
            format!("Linux {} has no sysctl crypto.af_alg_restrict", release.text),
            "where /dev/outboard is used instead: `install af_alg /bin/false` in a file of /etc/modprobe.d",
        ),
        _ => {}
    }
}
