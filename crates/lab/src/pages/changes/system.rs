//! Compares everything except figures.

use crate::documents::Report;
use outboard_documents::status::{Accelerator, Algorithm, ReachRow, Status};
use outboard_drivers::judge::Verdict;

use super::{Change, Topic, lists};
use outboard_console::percent;

type Pairs = Vec<(String, String)>;

fn statuses<'a>(old: &'a Report, new: &'a Report) -> Option<(&'a Status, &'a Status)> {
    old.status.as_ref().zip(new.status.as_ref())
}

fn by_status(
    topic: Topic,
    old: &Report,
    new: &Report,
    list: fn(&Status) -> Pairs,
    better: impl Fn(Option<&str>, Option<&str>) -> Option<bool>,
) -> Vec<Change> {
    let Some((old, new)) = statuses(old, new) else { return Vec::new() };
    lists(topic, &list(old), &list(new), better)
}

pub fn of(old: &Report, new: &Report) -> Vec<Change> {
    let list = |status: &Status| {
        let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "not known".to_owned());
        let words = |all: &[String]| if all.is_empty() { "none".to_owned() } else { all.join(", ") };
        let mut pairs = vec![
            ("kernel".to_owned(), known(&status.kernel.release)),
            ("machine".to_owned(), known(&status.machine.model)),
            ("CPU".to_owned(), known(&status.cpu.model)),
            ("CPUs".to_owned(), status.cpu.cpus.to_string()),
            ("AES instructions".to_owned(), words(&status.cpu.aes)),
            ("OpenSSL".to_owned(), known(&status.openssl.version)),
            ("OpenSSL's providers".to_owned(), words(&status.openssl.providers)),
        ];
        if let Some(policy) = &status.policy {
            let state = if policy.in_force { "in force" } else { "not in force" };
            pairs.push((format!("policy {}", policy.path), state.to_owned()));
        }
        pairs
    };
    by_status(Topic::System, old, new, list, |_, _| None)
}

pub fn accelerators(old: &Report, new: &Report) -> Vec<Change> {
    let list = |status: &Status| {
        let chips = status
            .accelerators
            .iter()
            .map(|one| (format!("accelerator {}", one.chip), format!("module {}", one.module)));
        let drivers = status.drivers.iter().filter(|one| one.verdict == Verdict::Accelerator).map(|one| {
            let selftest = one.selftest.word();
            let is = format!("{}, priority {}, self-test {selftest}", one.algorithm, one.priority);
            (format!("driver {}", one.name), is)
        });
        chips.chain(drivers).collect()
    };
    by_status(Topic::Accelerators, old, new, list, |_, _| None)
}

pub fn reach(old: &Report, new: &Report) -> Vec<Change> {
    // A new interface that does not reach the accelerator is no loss.
    let better = |was: Option<&str>, now: Option<&str>| match (was, now) {
        (_, Some("yes")) | (Some("no"), Some(_)) => Some(true),
        (Some("yes"), _) | (Some(_), Some("no")) => Some(false),
        _ => None,
    };
    let answers =
        |status: &Status| ways(status).map(|(name, route)| (name, route.answer.name().to_owned())).collect();
    let picks = |status: &Status| {
        let pick = |one: &Algorithm| {
            let what = format!("the kernel's pick for {}", one.name);
            (what, format!("{} ({})", one.picked.driver, one.picked.verdict.name()))
        };
        status.algorithms.iter().map(pick).collect()
    };
    let mut moved = by_status(Topic::Reach, old, new, answers, better);
    // Only the answers are compared; the reason for the new answer is added.
    for change in &mut moved {
        let why = new.status.as_ref().and_then(|status| ways(status).find(|(name, _)| *name == change.what));
        change.now = change.now.take().map(|now| match why {
            Some((_, route)) => format!("{now}: {}", route.why),
            None => now,
        });
    }
    moved.extend(by_status(Topic::Reach, old, new, picks, |_, _| None));
    moved
}

fn ways(status: &Status) -> impl Iterator<Item = (String, &ReachRow)> {
    let of_one = |one: &Accelerator, route: &ReachRow| format!("{} to {}", route.interface.name(), one.chip);
    status
        .accelerators
        .iter()
        .flat_map(move |one| one.reach.iter().map(move |route| (of_one(one, route), route)))
}

pub fn checks(old: &Report, new: &Report) -> Vec<Change> {
    if old.checks.is_empty() || new.checks.is_empty() {
        return Vec::new();
    }
    let list = |report: &Report| -> Pairs {
        let all = report.checks.iter().flat_map(|check| &check.drivers);
        all.map(|driver| (driver.name.clone(), driver.verdict.words().to_owned())).collect()
    };
    let better = |_: Option<&str>, now: Option<&str>| match now {
        Some("exact") => Some(true),
        Some("wrong" | "no answer" | "refuses requests") => Some(false),
        _ => None,
    };
    lists(Topic::Correct, &list(old), &list(new), better)
}

pub fn proofs(old: &Report, new: &Report) -> Vec<Change> {
    if old.proofs.is_empty() || new.proofs.is_empty() {
        return Vec::new();
    }
    let list = |report: &Report| -> Pairs {
        let all = report.proofs.iter().flat_map(|proof| {
            let command = proof.command_line();
            let verdict = (command.clone(), proof.verdict.words().to_owned());
            let shares = proof.algorithms.iter().filter_map(move |one| {
                let percent = format!("{} by hardware", percent(one.work.hardware_percent?));
                Some((format!("{} of {command}", one.name), percent))
            });
            std::iter::once(verdict).chain(shares)
        });
        all.collect()
    };
    lists(Topic::Proofs, &list(old), &list(new), |_, _| None)
}
