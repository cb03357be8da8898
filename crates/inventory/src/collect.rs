//! Collects the status. On the running system that takes well under 50 ms, plus the wait for
//! `openssl`, which runs in the background.

use std::io;

use outboard_advice::Facts;
use outboard_catalog::instructions::Architecture;
use outboard_documents::status::{Kernel, Lockdown, PastedText, Status};
use outboard_drivers::find::{Error, Survey, survey};
use outboard_drivers::kernel::Release;
use outboard_drivers::padlock;
use outboard_drivers::root::Root;

use crate::offload::Findable;
use crate::openssl::Question;
use crate::reach_matrix::{self, Surroundings};
use crate::services::Measured;
use crate::{
    algorithms, checked, cpu, devices, drivers, hwrng, instructions, interfaces, kernel_use, machine,
    services, system, tls_libraries,
};

/// Reads the running system or a saved tree. Fails only if /proc/crypto cannot be read, and a saved
/// tree has no other file of the kernel either.
pub fn collect(root: &Root) -> Result<Status, Error> {
    collect_from(root, None)
}

/// The same for files that were found in a text, with what else the text shows.
pub fn collect_from(root: &Root, pasted: Option<PastedText>) -> Result<Status, Error> {
    facts(root, pasted).map(Facts::advise)
}

/// All that advice depends on.
pub fn facts(root: &Root, pasted: Option<PastedText>) -> Result<Facts, Error> {
    let question = Question::ask(root);
    let survey = surveyed(root, pasted.is_some())?;
    let mut warnings: Vec<String> = survey.warnings.iter().map(ToString::to_string).collect();
    if let Some(error) = &survey.no_flags {
        warnings.push(format!("the drivers' flags are not known: {error}"));
    }
    let cpu = cpu::read(root);
    let mut kernel = Kernel {
        release: Release::read(root).map(|r| r.text),
        fips: root.text("proc/sys/crypto/fips_enabled").as_deref() == Some("1"),
        af_alg_restrict: None,
        lockdown: lockdown(root),
    };
    if kernel.release.is_none() && pasted.is_none() {
        warnings
            .push("the kernel's release is not known: no proc/sys/kernel/osrelease, no proc/version".into());
    }
    let nodes = ["/dev/outboard", "/dev/crypto"].map(|path| interfaces::read(root, path)).to_vec();
    let findings = checked::read(root);
    let found = findings.as_ref().ok();
    let around = Surroundings::read(root, &kernel, &nodes, found, &survey.drivers);
    kernel.af_alg_restrict = around.af_alg_restrict;
    let accelerators = drivers::accelerators(root, &survey, &around, &mut warnings);
    let hwrng = hwrng::read(root);
    let reach = reach_matrix::matrix(&survey, &around, hwrng.as_ref());
    let (policy, tuned) = crate::policy::find(root).unzip();
    let tuned = tuned.flatten();
    let order = reach_matrix::preferred_first(&survey, &reach);
    let key_stream = reach_matrix::key_stream_driver(&order, &survey, &around);
    let drivers = order.into_iter().map(|(_, row)| row).collect();
    let offload = Findable { drivers, key_stream, tuned: tuned.as_ref() }.list();
    let names = || accelerators.iter().flat_map(|accelerator| &accelerator.drivers).map(String::as_str);
    let checked = found.map(|found| checked::of_drivers(root, found, names())).unwrap_or_default();
    warnings.extend(findings.err());
    let release = kernel.release.clone();
    let kernel_users = services::kernel_users(root);
    let kernel_use =
        kernel_use::list(root, &survey.drivers, &accelerators, &reach, &kernel_users, tuned.as_ref());
    let mut status = Status {
        saved_tree: (!root.is_live()).then(|| root.path().display().to_string()),
        machine: machine::read(root, &cpu),
        algorithms: algorithms::list(&survey.drivers, &cpu),
        cpu,
        kernel,
        accelerators,
        unbound_devices: devices::unbound(root, release.as_deref()),
        cpu_instructions: Vec::new(),
        decisions: Vec::new(),
        nodes,
        hwrng,
        reach,
        kernel_use,
        openssl: question.answer(root),
        policy,
        services: Vec::new(),
        offload,
        checked,
        pasted,
        missing: Vec::new(),
        drivers: survey.drivers.iter().map(drivers::view).collect(),
        problems: Vec::new(),
        verdict: None,
        advice: Vec::new(),
        warnings,
    };
    status.cpu_instructions = instructions::views(&status.cpu, &status.drivers);
    if !root.is_live() {
        status.missing = missing(&status, root);
    }
    let measured =
        Measured { offload: &status.offload, policy: status.policy.as_ref(), tuned: tuned.as_ref() };
    let services = services::facts(root, &measured);
    let stopped = stopped(root, &status);
    let system = system::read(root, status.kernel.release.as_deref());
    let other_tls = if status.accelerators.is_empty() { Vec::new() } else { tls_libraries::read(root) };
    Ok(Facts { status, system, stopped, services, kernel_users, other_tls })
}

/// The drivers whose engine has stopped.
fn stopped(root: &Root, status: &Status) -> Vec<String> {
    let has_stopped = |driver: &&String| {
        let file = format!("sys/class/misc/outboard/drivers/{driver}/stopped");
        root.text(&file).is_some_and(|text| text == "1")
    };
    let drivers = status.accelerators.iter().flat_map(|accelerator| &accelerator.drivers);
    drivers.filter(has_stopped).cloned().collect()
}

/// The word in brackets of `none [integrity] confidentiality`.
fn lockdown(root: &Root) -> Option<Lockdown> {
    let modes = root.text("sys/kernel/security/lockdown")?;
    let (_, rest) = modes.split_once('[')?;
    let word = rest.split_once(']')?.0;
    Lockdown::ALL.into_iter().find(|mode| mode.name() == word)
}

/// The drivers; none for a saved tree that has other files of the kernel but no /proc/crypto.
fn surveyed(root: &Root, is_pasted: bool) -> Result<Survey, Error> {
    let error = match survey(root) {
        Err(error) if !root.is_live() && error.cause.kind() == io::ErrorKind::NotFound => error,
        other => return other,
    };
    let has_others =
        ["proc/cpuinfo", "proc/interrupts", "sys/bus", "sys/firmware/devicetree/base", "proc/device-tree"];
    if is_pasted || has_others.iter().any(|file| root.exists(file)) {
        let instructions = padlock::drivers(root);
        return Ok(Survey { drivers: Vec::new(), instructions, warnings: Vec::new(), no_flags: None });
    }
    Err(error)
}

/// What a saved tree or text cannot show, each with the command that shows it.
fn missing(status: &Status, root: &Root) -> Vec<String> {
    let mut missing = Vec::new();
    let mut add = |is_missing: bool, what: &str| {
        if is_missing {
            missing.push(what.to_owned());
        }
    };
    if status.pasted.as_ref().is_some_and(|pasted| pasted.other_system.is_some()) {
        add(
            true,
            "what Linux and outboard would find on this hardware: boot Linux there and run outboard status",
        );
        return missing;
    }
    add(
        status.drivers.is_empty(),
        "which drivers the kernel has, and which of them it prefers: cat /proc/crypto",
    );
    add(
        status.cpu.architecture == Architecture::Unknown,
        "whether the CPU has AES instructions: cat /proc/cpuinfo",
    );
    add(
        status.kernel.release.is_none(),
        "the kernel's release, which decides whether AF_ALG is open: uname -a",
    );
    add(!root.exists("proc/interrupts"), "whether the hardware was used: cat /proc/interrupts");
    add(!root.exists("sys/bus"), "which devices are there, and whether they have a driver: they are in /sys");
    let has_flags = status.drivers.iter().any(|driver| driver.flags.is_some());
    add(
        !status.drivers.is_empty() && !has_flags,
        "the drivers' flags, which decide about dm-crypt and fscrypt",
    );
    missing
}
