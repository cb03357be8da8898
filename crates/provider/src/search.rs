//! Searches for the driver of each algorithm: the first one that the policy allows, that was not found
//! wrong, and that an interface reaches.

use std::path::Path;
use std::sync::Arc;

use outboard_accel::{Error, Reached, Share};
use outboard_counters::{Decision, SoftwareReason};
use outboard_drivers::find_drivers;
use outboard_drivers::judge::Verdict;
use outboard_drivers::padlock::is_padlock;
use outboard_drivers::reach::{TagCheck, found_unanswered, found_wrong};
use outboard_drivers::root::Root;
use outboard_policy::{
    Drivers, FINDINGS_FILE, Finding, FindingVerdict, Findings, PadlockUse, Policy, SoftDrivers,
};

use crate::hardware::Hardware;
use crate::log::Level;
use crate::provider::Provider;

const NO_DRIVER: Why<'_> = Why { reason: SoftwareReason::NoDriver, text: "no driver was looked for" };

#[derive(Clone, Copy)]
pub(crate) struct Why<'a> {
    pub(crate) reason: SoftwareReason,
    pub(crate) text: &'a str,
}

impl Why<'_> {
    pub(crate) fn decision(self) -> Decision {
        Decision::Left { reason: self.reason, why: self.text.to_owned() }
    }
}

pub(crate) type Found<A, S> = (A, Result<Arc<Hardware<S>>, (SoftwareReason, String)>);

pub(crate) fn driver_of<'f, A: PartialEq, S: ?Sized>(
    found: &'f [Found<A, S>],
    algorithm: &A,
) -> Result<&'f Arc<Hardware<S>>, Why<'f>> {
    let (_, driver) = found.iter().find(|(of, _)| of == algorithm).ok_or(NO_DRIVER)?;
    driver.as_ref().map_err(|(reason, text)| Why { reason: *reason, text })
}

/// For each algorithm in `wanted`, the best driver of the system at `root` that the policy allows
/// and that can be reached. `names` are theirs in the kernel. `are_named`: the configuration lists
/// them by name. One result in `share` is compared with software.
pub(crate) fn find<A: Copy, S: ?Sized + Share>(
    root: &Root,
    provider: &Provider,
    wanted: &[A],
    names: &[&str],
    are_named: bool,
    share: u32,
    reach: fn(&str, A, TagCheck) -> Reached<S>,
) -> Vec<Found<A, S>> {
    let nothing = || (SoftwareReason::NoDriver, String::new());
    let mut found: Vec<Found<A, S>> = wanted.iter().map(|&one| (one, Err(nothing()))).collect();
    let reasons = find_each(root, provider, names, are_named, &mut |place, driver, tags| {
        let Reached { accelerator, passed } = reach(driver, wanted[place], tags);
        let interface = accelerator.and_then(|accelerator| {
            let interface = accelerator.interface();
            let hardware = Hardware::new(accelerator, share, provider.log)?;
            found[place].1 = Ok(Arc::new(hardware));
            Some(interface)
        });
        (interface, passed)
    });
    for ((_, driver), reason) in found.iter_mut().zip(reasons) {
        if let Err(why) = driver {
            *why = reason;
        }
    }
    found
}

type ReachOutcome = (Option<&'static str>, Vec<Error>);

/// Tries the drivers that the policy allows until `reach` (called with the index of the name)
/// reaches one. Returns for each name why no driver was reached; empty if one was.
fn find_each(
    root: &Root,
    provider: &Provider,
    names: &[&str],
    are_named: bool,
    reach: &mut dyn FnMut(usize, &str, TagCheck) -> ReachOutcome,
) -> Vec<(SoftwareReason, String)> {
    if names.is_empty() {
        return Vec::new();
    }
    let candidates = match find_drivers(root, names) {
        Ok(candidates) => candidates,
        Err(error) => {
            let why = error.to_string();
            say(provider, &why);
            return vec![(SoftwareReason::NoDriver, why); names.len()];
        }
    };
    let findings = findings(root.path(), provider);
    let (mut found, mut without, mut reasons) = (false, Vec::new(), Vec::new());
    let mut whys = Vec::new();
    for (place, &name) in names.iter().enumerate() {
        let of_name = candidates.iter().filter(|candidate| candidate.driver.algorithm == name);
        let judged = of_name.map(|candidate| (candidate.driver.name.as_str(), candidate.judgement.verdict));
        let drivers = allowed(&provider.policy, judged);
        let (mut why, mut kind): (Vec<String>, _) = (Vec::new(), SoftwareReason::NoDriver);
        if drivers.is_empty() {
            why.push(none_listed(name));
            without.push(name);
        }
        for driver in drivers {
            let tags = match checked(driver, findings.of(driver, root.path())) {
                Ok(tags) => tags,
                Err((reason, text)) => {
                    kind = reason;
                    why.push(text);
                    continue;
                }
            };
            let (interface, passed) = reach(place, driver, tags);
            let passed = passed.iter().map(Error::to_string);
            let Some(interface) = interface else {
                // A wrong driver is the more important reason.
                if kind == SoftwareReason::NoDriver {
                    kind = SoftwareReason::DriverUnreachable;
                }
                why.extend(passed);
                continue;
            };
            // Why earlier interfaces failed is of interest only at level info.
            passed.for_each(|why| provider.log.line(Level::Info, format_args!("{why}")));
            provider.log.line(Level::Info, format_args!("driver {driver} over {interface}"));
            found = true;
            why.clear();
            break;
        }
        whys.push((kind, why.join("; ")));
        // Algorithms without any listed driver are reported together below.
        reasons.extend(why.into_iter().filter(|_| without.last() != Some(&name)));
    }
    if !without.is_empty() {
        reasons.push(none_listed(&without.join(", ")));
    }
    // It is normal that an engine supports only some algorithms, so this is noted only if no driver
    // was found or the algorithms were configured by name.
    let is_news = !found || are_named;
    for reason in &reasons {
        provider.log.line(Level::Info, format_args!("{reason}"));
        if is_news {
            provider.counters.note(reason);
        }
    }
    whys
}

fn findings(root: &Path, provider: &Provider) -> Findings {
    let path = root.join(FINDINGS_FILE.trim_start_matches('/'));
    Findings::read(&path).unwrap_or_else(|why| {
        say(provider, &format!("{}: {why}", path.display()));
        Findings::default()
    })
}

/// Whether the driver verifies tags. `Err`: it must not be used, because it was wrong or did not
/// answer.
fn checked(driver: &str, finding: Option<Finding<'_>>) -> Result<TagCheck, (SoftwareReason, String)> {
    let Some(Finding { verdict, made, fault, .. }) = finding else { return Ok(TagCheck::Missing) };
    match verdict {
        FindingVerdict::Exact => Ok(TagCheck::Passed),
        FindingVerdict::Wrong => Err((SoftwareReason::DriverWrong, found_wrong(driver, made, fault))),
        FindingVerdict::Unanswered => Err((SoftwareReason::DriverFailed, found_unanswered(driver, made))),
    }
}

fn none_listed(names: &str) -> String {
    format!("/proc/crypto lists no driver for {names} that may be used")
}

fn say(provider: &Provider, text: &str) {
    provider.log.line(Level::Info, format_args!("{text}"));
    provider.counters.note(text);
}

/// In order of preference: accelerators first, otherwise in the kernel's order, that of
/// `candidates`.
fn allowed<'a>(policy: &'a Policy, candidates: impl Iterator<Item = (&'a str, Verdict)>) -> Vec<&'a str> {
    let (mut names, mut accelerators) = (Vec::new(), 0);
    for (name, verdict) in candidates {
        if is_padlock(name) && policy.padlock == PadlockUse::Off {
            continue;
        }
        match (verdict, policy.soft_drivers) {
            (Verdict::Accelerator, _) => {
                names.insert(accelerators, name);
                accelerators += 1;
            }
            (_, SoftDrivers::All) | (Verdict::Unknown, SoftDrivers::RejectSoftware) => names.push(name),
            _ => {}
        }
    }
    match &policy.drivers {
        Drivers::All => names,
        Drivers::Only(listed) => {
            listed.iter().map(String::as_str).filter(|name| names.contains(name)).collect()
        }
    }
}

#[cfg(test)]
mod tests;
