//! Collects the status. On the running system that takes well under 50 ms, plus the wait for
//! `openssl`, which runs in the background.

use outboard_catalog::families::Completion;
use outboard_catalog::{Algorithm, Hash, HashAlgorithm};
use std::io;

use outboard_documents::status::{Device, ReachRow};
use outboard_drivers::find::{Error, Judged, Survey, survey};
use outboard_drivers::interrupts::{DeviceInterrupts, snapshot_of};
use outboard_drivers::kernel::Release;
use outboard_drivers::padlock;
use outboard_drivers::reach::{Reachable, decide};
use outboard_drivers::root::Root;

use crate::cpu::Cpu;
use crate::hwrng::Hwrng;
use crate::interfaces::Node;
use crate::machine::Machine;
use crate::openssl::Question;
use crate::pasted::Pasted;
use crate::reach_matrix::{self, Surroundings};
use crate::status::{Accelerator, DriverView, Kernel, SCHEMA, Status, reasons};
use crate::{
    algorithms, checked, choices, devices, instructions, offload, problems, services, tunnels, verdict,
};

/// Reads the running system or a saved tree. Fails only if /proc/crypto cannot be read, and a saved
/// tree has no other file of the kernel either.
pub fn collect(root: &Root) -> Result<Status, Error> {
    collect_from(root, None)
}

/// The same for files that were found in a text, with what else the text shows.
pub fn collect_from(root: &Root, pasted: Option<Pasted>) -> Result<Status, Error> {
    let question = Question::ask(root);
    let survey = surveyed(root, pasted.is_some())?;
    let mut warnings: Vec<String> = survey.warnings.iter().map(ToString::to_string).collect();
    if let Some(error) = &survey.no_flags {
        warnings.push(format!("the drivers' flags are not known: {error}"));
    }
    let cpu = Cpu::read(root);
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
    let nodes = vec![Node::read(root, "/dev/outboard"), Node::read(root, "/dev/crypto")];
    let findings = checked::read(root);
    let found = findings.as_ref().ok();
    let around = Surroundings::read(root, &kernel, &nodes, found, &survey.drivers);
    kernel.af_alg_restrict = around.af_alg_restrict;
    let accelerators = accelerators(root, &survey, &around, &mut warnings);
    let hwrng = Hwrng::read(root);
    let reach = reach_matrix::matrix(&survey, &around, hwrng.as_ref());
    let (policy, tuned) = crate::policy::find(root).unzip();
    let tuned = tuned.flatten();
    let key_stream = reach_matrix::key_stream_drivers(&survey, &around);
    let offload = offload::list(&reach, &key_stream, tuned.as_ref());
    let names = || accelerators.iter().flat_map(|accelerator| &accelerator.drivers).map(String::as_str);
    let checked = found.map(|found| checked::of_drivers(root, found, names())).unwrap_or_default();
    warnings.extend(findings.err());
    let release = kernel.release.clone();
    let mut status = Status {
        schema: SCHEMA,
        saved_tree: (!root.is_live()).then(|| root.path().display().to_string()),
        machine: Machine::read(root, &cpu),
        algorithms: algorithms::list(&survey.drivers, &cpu),
        cpu,
        kernel,
        accelerators,
        unbound_devices: devices::unbound(root, release.as_deref()),
        cpu_instructions: Vec::new(),
        tunnels: Vec::new(),
        choices: Vec::new(),
        nodes,
        hwrng,
        reach,
        openssl: question.answer(root),
        policy,
        services: services::list(root, &offload, tuned.as_ref()),
        offload,
        checked,
        pasted,
        missing: Vec::new(),
        drivers: survey.drivers.iter().map(DriverView::new).collect(),
        problems: Vec::new(),
        verdict: None,
        advice: Vec::new(),
        warnings,
    };
    status.cpu_instructions = instructions::of(&status.cpu, &status.drivers);
    if !root.is_live() {
        status.missing = missing(&status, root);
    }
    let contests = choices::all(tuned.as_ref());
    status.tunnels =
        tunnels::advise(&status, contests.iter().find(|(name, _)| *name == "openvpn").map(|(_, it)| it));
    status.choices = contests.iter().map(|(name, contest)| contest.document(name)).collect();
    status.problems = problems::find(&status, root);
    let verdict = verdict::conclude(&status);
    let steps = status.problems.iter().filter(|problem| !problem.is_note);
    let steps = steps.map(|problem| format!("{}: {}", problem.text, problem.next));
    status.advice = verdict.next.iter().cloned().chain(steps).collect();
    status.verdict = Some(verdict);
    Ok(status)
}

/// The word in brackets of `none [integrity] confidentiality`.
fn lockdown(root: &Root) -> Option<String> {
    let modes = root.text("sys/kernel/security/lockdown")?;
    let (_, rest) = modes.split_once('[')?;
    let mode = rest.split_once(']')?.0;
    ["none", "integrity", "confidentiality"].contains(&mode).then(|| mode.to_owned())
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
    add(status.cpu.architecture.is_empty(), "whether the CPU has AES instructions: cat /proc/cpuinfo");
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

fn accelerators(
    root: &Root,
    survey: &Survey,
    around: &Surroundings,
    warnings: &mut Vec<String>,
) -> Vec<Accelerator> {
    let mut groups: Vec<(String, Vec<&Judged>)> = Vec::new();
    for j in reach_matrix::accelerators(survey) {
        let id = j.judgement.family().map_or(j.driver.module.as_str(), |f| f.id);
        match groups.iter_mut().find(|(known, _)| known == id) {
            Some((_, members)) => members.push(j),
            None => groups.push((id.to_string(), vec![j])),
        }
    }
    let of_groups = groups.iter().flat_map(|(_, members)| members.iter()).flat_map(|j| {
        let family = j.judgement.family();
        j.hardware.drivers.iter().cloned().map(move |d| (family, d))
    });
    let interrupts = match snapshot_of(root, of_groups) {
        Ok(snapshot) => snapshot.devices,
        Err(error) => {
            // Without it, a saved tree says so in `missing`.
            if root.is_live() {
                warnings.push(format!("/proc/interrupts cannot be read: {error}"));
            }
            Vec::new()
        }
    };
    groups.into_iter().map(|(id, members)| one(id, &members, &survey.drivers, &interrupts, around)).collect()
}

fn one(
    id: String,
    members: &[&Judged],
    drivers: &[Judged],
    interrupts: &[DeviceInterrupts],
    around: &Surroundings,
) -> Accelerator {
    let typical = typical(members);
    let facts = around.facts_of(&typical.driver.name);
    let family = typical.judgement.family();
    let mine = |d: &&DeviceInterrupts| {
        members.iter().flat_map(|m| m.hardware.devices()).any(|(driver, name)| {
            (driver.bus.as_str(), driver.name.as_str(), name)
                == (d.bus.as_str(), d.driver.as_str(), d.device.as_str())
        })
    };
    let routes = decide(typical, drivers, &facts);
    Accelerator {
        chip: family.map_or_else(
            || format!("the engine of the module {}", typical.driver.module),
            |f| f.chip.to_string(),
        ),
        id,
        kind: family.map(|f| f.kind.name()),
        module: typical.driver.module.clone(),
        completion: completion(
            interrupts.iter().find(mine).map(|d| d.completion).or(family.map(|f| f.completion)),
        ),
        devices: interrupts.iter().filter(mine).map(device).collect(),
        drivers: members.iter().map(|m| m.driver.name.clone()).collect(),
        evidence: reasons(typical),
        reach_of: typical.driver.name.clone(),
        preferred: routes
            .iter()
            .find(|one| one.route.is_for_programs() && one.reachable == Reachable::Yes)
            .map(|one| one.route.name()),
        awaits_check: routes.iter().any(|one| one.awaits_check),
        reach: routes.into_iter().map(ReachRow::from).collect(),
    }
}

/// The driver that represents its family: a usable one for the most used algorithm.
fn typical<'a>(members: &[&'a Judged]) -> &'a Judged {
    let most_used_first: Vec<&str> = Algorithm::MOST_USED_FIRST
        .into_iter()
        .map(Algorithm::kernel_name)
        .chain(Hash::MOST_USED_FIRST.map(|hash| HashAlgorithm { hash, hmac: false }.kernel_name()))
        .collect();
    let rank = |j: &Judged| {
        let place = most_used_first.iter().position(|name| *name == j.driver.algorithm);
        (!j.driver.is_usable(), place.unwrap_or(most_used_first.len()))
    };
    let mut best = members[0];
    for member in members {
        if rank(member) < rank(best) {
            best = member;
        }
    }
    best
}

fn completion(completion: Option<Completion>) -> String {
    match completion {
        None | Some(Completion::OwnInterrupt) => "own-interrupt".into(),
        Some(Completion::Polled) => "polled".into(),
        Some(Completion::Through(what)) => what.into(),
    }
}

fn device(d: &DeviceInterrupts) -> Device {
    Device {
        bus: d.bus.clone(),
        driver: d.driver.clone(),
        name: d.device.clone(),
        lines: d.lines.clone(),
        interrupts: d.total,
    }
}
