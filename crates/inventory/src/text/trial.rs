//! What the trial of the kit (packaging/kit/try) has left in a bundle: findings, the decision about each
//! service, and the engine compared with the catalogue's model of it.

use std::collections::HashSet;

use outboard_advice::words as decision_words;
use outboard_catalog::families::{Completion, Family, by_name, values};
use outboard_documents::check::{Check, CheckVerdict};
use outboard_documents::prove::Prove;
use outboard_documents::tune::{Point, Tune, TunedCipher};
use outboard_drivers::root::Root;
use serde::de::DeserializeOwned;

use super::layout::{Page, Style};
use crate::bundle::TRIAL;

/// A time that differs from the model's by more than this factor contradicts it.
const CLOSE: f64 = 1.5;

/// Formats what a trial has found; `None` if the bundle is of none.
pub fn trial(root: &Root, style: Style) -> Option<String> {
    let steps = root.text(&format!("{TRIAL}/steps.txt"))?;
    let mut page = Page::new(style);
    page.blank();
    for line in steps.lines() {
        page.row("Trial", line);
    }
    let check: Option<Check> = document(root, "check", &mut page);
    let tune: Option<Tune> = document(root, "tune", &mut page);
    let proof: Option<Prove> = document(root, "prove", &mut page);
    for driver in check.iter().flat_map(|check| &check.drivers) {
        let words = driver.verdict.words();
        let by =
            driver.interface.as_deref().map(|interface| format!(" over {interface}")).unwrap_or_default();
        let fault = driver.fault.as_deref().map(|fault| format!(": {fault}")).unwrap_or_default();
        let (name, seed) = (&driver.name, check.as_ref().map_or(0, |check| check.seed));
        page.row("Check", &format!("{name}{by}: {words}{fault}"));
        if driver.verdict.is_failure() {
            page.sub("repeat", &format!("outboard check --seed {seed} {name}"));
        }
    }
    if let Some(check) = check.as_ref().filter(|check| !check.not_checked.is_empty()) {
        page.row("Check", &format!("no time was left for {}", check.not_checked.join(", ")));
    }
    for service in tune.iter().flat_map(|tune| &tune.services) {
        page.row(&service.service, &format!("{}: {}", decision_words(&service.decision), service.why));
        service.next.iter().for_each(|next| page.sub("next step", next));
        let mut entrants: Vec<_> = service.entrants.iter().collect();
        entrants.sort_by(|a, b| b.megabytes_per_second.total_cmp(&a.megabytes_per_second));
        // OpenSSH has an entrant for each MAC.
        let mut seen = HashSet::new();
        for one in entrants.into_iter().filter(|one| seen.insert((&one.suite, &one.driver))) {
            let (by, speed) = (one.driver.as_deref().unwrap_or("software"), one.megabytes_per_second);
            let cpu = or_dash(one.cpu_ms_per_megabyte);
            page.sub(
                "measured",
                &format!("{} by {by}: {speed:.1} MB/s, {cpu} ms of CPU time a megabyte", one.suite),
            );
        }
    }
    for text in tune.iter().flat_map(|tune| tune.reasons.iter().chain(&tune.warnings)) {
        page.row("Measured", text);
    }
    if let Some(proof) = proof {
        page.row("Proof", &format!("{}: {}", proof.verdict.words(), proof.summary));
    }
    for (label, name) in [("Copies", "ssh"), ("OpenSSL", "speed"), ("Kernel", "kernel")] {
        let text = root.text(&format!("{TRIAL}/{name}.txt")).unwrap_or_default();
        text.lines().for_each(|line| page.row(label, line));
    }
    let ciphers = tune.map(|tune| tune.ciphers).unwrap_or_default();
    page.blank();
    compare(&mut page, check.as_ref(), &ciphers);
    Some(page.finish())
}

fn document<D: DeserializeOwned>(root: &Root, name: &str, page: &mut Page) -> Option<D> {
    let bytes = root.read(&format!("{TRIAL}/{name}.json")).ok().filter(|bytes| !bytes.is_empty())?;
    let read = serde_json::from_slice(&bytes);
    read.map_err(|error| page.row("Trial", &format!("{TRIAL}/{name}.json cannot be read: {error}"))).ok()
}

/// Lists what contradicts the catalogue's row of the engine, then the time of requests by size.
fn compare(page: &mut Page, check: Option<&Check>, ciphers: &[TunedCipher]) {
    let checked = || check.iter().flat_map(|check| &check.drivers);
    let Some((name, family)) = checked().find_map(|one| Some((&one.name, by_name(&one.name)?.family())))
    else {
        return page.row("Model", "no driver of the catalogue was checked: there is nothing to compare");
    };
    let mut wrong = Vec::new();
    for driver in checked() {
        if by_name(&driver.name).is_none_or(|known| known.family().id != family.id) {
            wrong.push(format!("names: {} is not of {}", driver.name, family.id));
        } else if !values(family.algorithms).any(|known| known == driver.algorithm) {
            wrong.push(format!("names: {} has {}, which is not in the row", driver.name, driver.algorithm));
        }
        if driver.verdict == CheckVerdict::Refuses {
            let fault = driver.fault.as_deref().unwrap_or_default();
            wrong.push(format!("limits: {} refuses requests: {fault}", driver.name));
        }
        let is_silent = driver.verdict == CheckVerdict::Exact && driver.interrupts == Some(0);
        if is_silent && family.completion == Completion::OwnInterrupt {
            wrong.push(format!("completion: {} was right without an interrupt of its device", driver.name));
        }
    }
    let rows: Vec<_> = ciphers.iter().filter(|one| one.driver == best(ciphers)).flat_map(of_sizes).collect();
    let table: Vec<Vec<String>> =
        rows.iter().map(|(cipher, point)| row(cipher, point, family, &mut wrong)).collect();
    page.row("Model", &format!("{} ({}), by {name}", family.id, family.chip));
    if wrong.is_empty() {
        page.row("Model", "nothing that was tried contradicts it");
    }
    wrong.iter().for_each(|text| page.row("Model wrong", text));
    if !table.is_empty() {
        page.table(&["Cipher", "bytes", "microseconds", "of the model", "CPU ms/MB", "interrupts"], &table);
        page.row("Profile", "vm/run LEG --model NAME,profile=FILE: a model of this engine's speed");
    }
}

/// The driver with the shortest time for a request.
fn best(ciphers: &[TunedCipher]) -> &str {
    let time = |one: &&TunedCipher| of_sizes(one).first().map_or(f64::MAX, |(_, point)| microseconds(point));
    ciphers.iter().min_by(|a, b| time(a).total_cmp(&time(b))).map_or("", |one| &one.driver)
}

fn of_sizes(one: &TunedCipher) -> Vec<(&str, &Point)> {
    let points = one.encrypt.by_size().into_iter();
    points
        .filter(|point| point.hardware.megabytes_per_second > 0.0)
        .map(|point| (&*one.name, point))
        .collect()
}

fn microseconds(point: &Point) -> f64 {
    point.bytes as f64 / point.hardware.megabytes_per_second
}

fn row(cipher: &str, point: &Point, family: &Family, wrong: &mut Vec<String>) -> Vec<String> {
    let (bytes, measured) = (point.bytes, microseconds(point));
    let modelled = family.speed.map(|speed| speed.microseconds(bytes));
    if let Some(modelled) = modelled.filter(|time| !(1.0 / CLOSE..=CLOSE).contains(&(measured / time))) {
        wrong.push(format!(
            "time: {cipher} of {bytes} bytes took {measured:.1} us, and the model has {modelled:.1}"
        ));
    }
    vec![
        cipher.to_owned(),
        bytes.to_string(),
        format!("{measured:.1}"),
        or_dash(modelled),
        or_dash(point.hardware.cpu_ms_per_megabyte),
        format!("{:.2}", point.hardware.interrupts_per_request),
    ]
}

fn or_dash(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.1}"))
}

#[cfg(test)]
#[path = "trial_tests.rs"]
mod tests;
