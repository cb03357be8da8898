//! The kernel's drivers, and the accelerators among them with their devices.

use outboard_catalog::{Algorithm, Hash, HashAlgorithm, families};
use outboard_documents::status::{Accelerator, Completion, Device, DriverView, ReachRow, Reason};
use outboard_drivers::find::{Judged, Survey};
use outboard_drivers::interrupts::{DeviceInterrupts, snapshot_of};
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::{Reachable, decide};
use outboard_drivers::root::Root;

use crate::reach_matrix::{self, Surroundings};

pub(crate) fn view(j: &Judged) -> DriverView {
    let d = &j.driver;
    DriverView {
        name: d.name.clone(),
        algorithm: d.algorithm.clone(),
        module: d.module.clone(),
        priority: d.priority,
        kind: d.kind.clone(),
        selftest: d.selftest.clone(),
        internal: d.internal,
        flags: j.flags.map(|flags| flags.names().into_iter().map(str::to_owned).collect()),
        verdict: j.judgement.verdict,
        // Vector instructions do not make AES or SHA fast.
        uses_crypto_instructions: j.judgement.verdict == Verdict::CpuInstructions
            && j.judgement.family().is_some_and(|family| family.id != "neon"),
        inner: j.inner().into_iter().map(str::to_owned).collect(),
        evidence: reasons(j),
    }
}

fn reasons(j: &Judged) -> Vec<Reason> {
    j.evidence().into_iter().map(|e| Reason { text: e.text, source: e.source.to_owned() }).collect()
}

pub(crate) fn accelerators(
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
        kind: family.map(|f| f.kind.name().to_owned()),
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
            .map(|one| one.route.name().to_owned()),
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

fn completion(completion: Option<families::Completion>) -> Completion {
    match completion {
        None | Some(families::Completion::OwnInterrupt) => Completion::OwnInterrupt,
        Some(families::Completion::Polled) => Completion::Polled,
        Some(families::Completion::Through(what)) => Completion::Through(what.to_owned()),
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
