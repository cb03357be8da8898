//! Accelerators that users within the kernel get without having asked.

use std::collections::BTreeSet;

use outboard_catalog::families;
use outboard_catalog::search::url;
use outboard_documents::status::{Accelerator, KernelUse, KernelUserFigures, Status};

use super::Because;
use crate::facts::Facts;

/// A user in use gets a driver that is wrong, known for faults, or slower than software.
pub fn in_use(facts: &Facts) -> Vec<Because> {
    found(facts, |one, harms, _| one.in_use.is_some() && !harms.is_empty())
}

/// The same, and no user of the accelerator is known to be in use.
pub fn if_used(facts: &Facts) -> Vec<Because> {
    found(facts, |_, harms, is_any_in_use| !is_any_in_use && !harms.is_empty())
}

pub fn unmeasured(facts: &Facts) -> Vec<Because> {
    let is_open = |one: &KernelUse| one.in_use.is_some() && !one.is_chosen && one.measured.is_empty();
    found(facts, |one, harms, _| is_open(one) && harms.is_empty())
}

/// An entry for each accelerator with such users; the last argument of `is_it` is whether any of its users
/// is in use.
fn found(facts: &Facts, is_it: impl Fn(&KernelUse, &[Harm], bool) -> bool) -> Vec<Because> {
    let of_one = |accelerator: &Accelerator| {
        let uses = || facts.status.kernel_use.iter().filter(|one| one.accelerator == accelerator.id);
        let is_any_in_use = uses().any(|one| one.in_use.is_some());
        let harmed = uses().map(|one| (one, harm(&facts.status, accelerator, one)));
        let shown = harmed.filter(|(one, harms)| is_it(one, harms, is_any_in_use));
        let (uses, harms): (Vec<&KernelUse>, Vec<_>) = shown.unzip();
        let mut seen = BTreeSet::new();
        let mut harms: Vec<Harm> = harms.into_iter().flatten().collect();
        harms.retain(|one| seen.insert(one.text.clone()));
        because(facts, accelerator, &uses, &harms)
    };
    facts.status.accelerators.iter().filter_map(of_one).collect()
}

struct Harm {
    text: String,
    source: String,
}

/// What a driver does to a user: found, measured, or reported by others where nothing was measured. Root's
/// own choice is left alone unless the driver is wrong.
fn harm(status: &Status, accelerator: &Accelerator, one: &KernelUse) -> Vec<Harm> {
    let found = status.checked.iter().filter(|checked| one.drivers.contains(&checked.driver));
    let mut all: Vec<Harm> = found
        .filter_map(|checked| {
            let fault = checked.fault.as_ref()?;
            let text = format!("{}: {}, {fault}", checked.driver, checked.verdict.words());
            Some(Harm { text, source: format!("/etc/outboard/checked: {}", checked.made) })
        })
        .collect();
    if one.is_chosen {
        return all;
    }
    all.extend(one.measured.iter().filter(|figures| figures.is_slower).map(slower));
    if !all.is_empty() || !one.measured.is_empty() {
        return all;
    }
    let family = families::accelerators().find(|family| family.id == accelerator.id);
    let reports = family.map(|family| family.harm).unwrap_or_default();
    if let [first, ..] = reports {
        let sources: Vec<String> = reports.iter().map(|limit| url(limit.source)).collect();
        return vec![Harm { text: format!("reported: {}", first.text), source: sources.join(", ") }];
    }
    let outranked = status.algorithms.iter().find_map(|algorithm| {
        Some((algorithm, algorithm.outranked.as_ref()?))
            .filter(|_| one.drivers.contains(&algorithm.picked.driver))
    });
    all.extend(outranked.map(|(algorithm, other)| Harm {
        text: "the CPU's own instructions are usually far faster".to_owned(),
        source: format!(
            "/proc/crypto: {} has priority {}, {} has {}",
            algorithm.picked.driver, algorithm.picked.priority, other.driver, other.priority
        ),
    }));
    all
}

fn slower(figures: &KernelUserFigures) -> Harm {
    let text = format!(
        "measured here: {} by {} {:.1} MB/s, in software {:.1}",
        figures.setting, figures.driver, figures.megabytes_per_second, figures.software_megabytes_per_second
    );
    Harm { text, source: outboard_policy::POLICY_FILE.to_owned() }
}

fn because(facts: &Facts, accelerator: &Accelerator, uses: &[&KernelUse], harms: &[Harm]) -> Option<Because> {
    let users: Vec<&str> = uses.iter().map(|one| one.user.name()).collect();
    let mut drivers: Vec<&str> = uses.iter().flat_map(|one| &one.drivers).map(String::as_str).collect();
    drivers.sort_unstable();
    drivers.dedup();
    let names = match drivers[..] {
        [one] => one.to_owned(),
        [one, two] => format!("{one} and {two}"),
        [one, ..] => format!("{one} and {} more", drivers.len() - 1),
        [] => return None,
    };
    let all = if drivers.len() == 1 { &names } else { &accelerator.id };
    let last_resort = match accelerator.module.as_str() {
        "kernel" => "a kernel without this driver".to_owned(),
        module if facts.system.is_openwrt => format!("the line {module} out of its file in /etc/modules.d"),
        module => format!("`blacklist {module}` in /etc/modprobe.d"),
    };
    let texts: Vec<&str> = harms.iter().map(|harm| harm.text.as_str()).collect();
    let shown = uses.iter().filter_map(|one| one.in_use.as_deref());
    let evidence: Vec<&str> = shown.chain(harms.iter().map(|harm| harm.source.as_str())).collect();
    let values = [&*users.join(" and "), &names, &texts.join("; "), all, &last_resort];
    Some(Because::new(values, evidence.join("; ")))
}
