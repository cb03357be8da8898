//! The summary box: correct? faster? less CPU? switched on?

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::documents::Report;
use crate::documents::bench::{Application, Bench, ContestantKind, Evidence, Row};
use outboard_advice::spread::{compare_cpu, compare_speed, of_both};
use outboard_documents::Figure;
use outboard_documents::check::{CheckVerdict, CheckedDriver};
use outboard_documents::tune::{Point, Tune, TunedCipher};

use super::switched_on::allowed;
use crate::pages::page::{Answer, Tone, count, figure, judged, listed};
use outboard_console::size as bytes;

/// Returns the four answers; none for an empty report.
pub fn answers(report: &Report) -> Vec<Answer> {
    if report.is_empty() {
        return Vec::new();
    }
    let compared = compared(report);
    vec![correct(report), faster(&compared), less_cpu(&compared), switched_on(report)]
}

fn answer(question: &'static str, text: &str, tone: Tone, because: String) -> Answer {
    Answer { question, answer: judged(text, tone), because }
}

fn unknown(question: &'static str, command: &str) -> Answer {
    answer(question, "not known", Tone::Doubt, format!("Run {command} and add its file."))
}

/// Wrong results in proofs, without those of faults that a test injected.
pub(super) fn real_mismatches(report: &Report) -> u64 {
    let real = report.proofs.iter().filter(|proof| proof.injected_faults.is_empty());
    real.fold(0, |sum, proof| sum.saturating_add(proof.mismatches()))
}

fn correct(report: &Report) -> Answer {
    const QUESTION: &str = "Is it correct?";
    let wrong = real_mismatches(report);
    if wrong > 0 {
        let because = format!("Proofs found {}: see Do applications use it?", count(wrong, "wrong result"));
        return answer(QUESTION, "no", Tone::Bad, because);
    }
    let drivers = || report.checks.iter().flat_map(|check| &check.drivers);
    let earlier = report.status.iter().flat_map(|status| &status.checked);
    // What was checked last counts, and each driver once.
    let mut results: BTreeMap<&str, bool> =
        earlier.map(|one| (one.driver.as_str(), one.fault.is_none())).collect();
    let is_exact = |one: &CheckedDriver| one.verdict == CheckVerdict::Exact;
    let decided = drivers().filter(|one| is_exact(one) || one.verdict.is_failure());
    results.extend(decided.map(|one| (one.name.as_str(), is_exact(one))));
    let names = |exact: bool| -> Vec<String> {
        results.iter().filter(|(_, it)| **it == exact).map(|(name, _)| (*name).to_owned()).collect()
    };
    let (exact, failed) = (names(true), names(false));
    if !failed.is_empty() {
        let word = if exact.is_empty() { "no" } else { "not every driver" };
        return answer(QUESTION, word, Tone::Bad, format!("Failed a check: {}.", listed(&failed)));
    }
    let on_cpu = drivers().filter(|one| is_exact(one) && one.interrupts == Some(0)).count() as u64;
    if exact.is_empty() {
        return unknown(QUESTION, "outboard check --json");
    }
    if on_cpu > 0 {
        let because = format!("{} computed on the CPU: no interrupt came.", count(on_cpu, "driver"));
        return answer(QUESTION, "not known", Tone::Doubt, because);
    }
    let injected = match report.proofs.iter().any(|proof| !proof.injected_faults.is_empty()) {
        true => " A fault that was injected on purpose was caught.",
        false => "",
    };
    let left: Vec<String> =
        allowed(report).into_iter().filter(|name| !results.contains_key(name.as_str())).collect();
    let left = if left.is_empty() { left.concat() } else { format!(" Not checked: {}.", listed(&left)) };
    let because = format!("Every result of {} was right.{injected}{left}", listed(&exact));
    answer(QUESTION, "yes", Tone::Good, because)
}

fn faster(compared: &[Compared<'_>]) -> Answer {
    let ratio = |one: &Compared<'_>| one.hardware.megabytes_per_second / one.software.megabytes_per_second;
    let best =
        compared.iter().filter(|one| ratio(one).is_finite()).max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let because =
        best.map(|best| format!("Up to {} times the software's speed: {}", figure(ratio(best)), best.what));
    let orders = compared.iter().map(|one| compare_speed(one.hardware, one.software)).collect();
    gained("Is it faster?", orders, because, best)
}

fn less_cpu(compared: &[Compared<'_>]) -> Answer {
    let share = |one: &Compared<'_>| {
        let (hardware, software) = (one.hardware.cpu_ms_per_megabyte?, one.software.cpu_ms_per_megabyte?);
        (software > 0.0).then_some(hardware / software)
    };
    let known = compared.iter().filter_map(|one| Some((share(one)?, one)));
    let best = known.min_by(|a, b| a.0.total_cmp(&b.0));
    let because = best.map(|(least, best)| {
        format!("Down to {} % of the software's CPU time: {}", figure(least * 100.0), best.what)
    });
    let orders = compared.iter().filter_map(|one| compare_cpu(one.software, one.hardware)).collect();
    gained("Does it take less CPU time?", orders, because, best.map(|(_, best)| best))
}

/// At how many points hardware gains something, beyond the spread of both figures.
fn gained(
    question: &'static str,
    orders: Vec<Ordering>,
    because: Option<String>,
    best: Option<&Compared<'_>>,
) -> Answer {
    let Some((because, best)) = because.zip(best) else {
        return unknown(question, "outboard tune --dry-run --json");
    };
    let count = |wanted: Ordering| orders.iter().filter(|order| **order == wanted).count();
    let spread = figure(of_both(best.hardware, best.software) * 100.0);
    let because = format!("{because}, where both vary by {spread} %.");
    match (count(Ordering::Greater), count(Ordering::Less), orders.len()) {
        (0, 0, _) => answer(question, "no difference beyond the spread", Tone::Plain, because),
        (0, _, _) => answer(question, "no", Tone::Plain, because),
        (gains, _, all) if gains == all => answer(question, "yes", Tone::Good, because),
        (gains, _, all) => {
            answer(question, &format!("at {gains} of {all} measured points"), Tone::Good, because)
        }
    }
}

fn switched_on(report: &Report) -> Answer {
    const QUESTION: &str = "Is it switched on?";
    let Some(status) = &report.status else { return unknown(QUESTION, "outboard status --json") };
    if status.openssl.providers.is_empty() {
        let because = "The providers that OpenSSL loads could not be listed.".to_owned();
        return answer(QUESTION, "not known", Tone::Doubt, because);
    }
    let enabled = status.enabled_services();
    match (status.openssl.providers.iter().any(|name| name == "outboard"), &enabled[..]) {
        (true, _) => {
            let because = "OpenSSL loads the provider for every application.".to_owned();
            answer(QUESTION, "yes", Tone::Good, because)
        }
        (false, [_, ..]) => {
            let because = "Other programs do not load the provider by default.".to_owned();
            answer(QUESTION, &format!("for {}", listed(&enabled)), Tone::Good, because)
        }
        (false, []) => {
            let because =
                "OpenSSL does not load the provider by default; outboard prove loads it for one command.";
            answer(QUESTION, "no", Tone::Plain, because.to_owned())
        }
    }
}

struct Compared<'a> {
    what: String,
    software: &'a Figure,
    hardware: &'a Figure,
}

fn compared(report: &Report) -> Vec<Compared<'_>> {
    let tuned = report.tunes.iter().flat_map(tuned);
    let applications = report.benches.iter().flat_map(|bench| &bench.applications);
    let benched = report.benches.iter().flat_map(benched);
    tuned.chain(benched).chain(applications.flat_map(application)).collect()
}

/// A job of an application, without outboard and with hardware that interrupts prove.
fn application(one: &Application) -> impl Iterator<Item = Compared<'_>> {
    let software = one.runs.iter().find(|run| run.driver.is_none() && run.fault.is_none());
    let hardware =
        one.runs.iter().filter(|run| run.fault.is_none() && run.evidence == Some(Evidence::Interrupts));
    hardware.filter_map(move |run| {
        Some(Compared {
            what: format!("{}, {}", one.name, one.cipher),
            software: &software?.figure,
            hardware: &run.figure,
        })
    })
}

fn tuned(tune: &Tune) -> impl Iterator<Item = Compared<'_>> {
    direct(tune).chain(ahead(tune))
}

/// Look-ahead where software does the rest, so that software is what it is compared with.
fn ahead(tune: &Tune) -> impl Iterator<Item = Compared<'_>> {
    tune.lookahead.iter().flat_map(|one| {
        let is_software = |point: &&Point| one.direct_from.is_none_or(|from| point.bytes < from);
        let valid = one.requests.points.iter().filter(|point| point.refused.is_none()).filter(is_software);
        valid.map(|point| Compared {
            what: format!("{} by look-ahead, {}", one.name, bytes(point.bytes as u64)),
            software: &point.software,
            hardware: &point.hardware,
        })
    })
}

fn direct(tune: &Tune) -> impl Iterator<Item = Compared<'_>> {
    tune.ciphers.iter().flat_map(|cipher: &TunedCipher| {
        cipher.ways().into_iter().flat_map(move |(verb, decision)| {
            let valid = decision.points.iter().filter(|point| point.refused.is_none());
            valid.map(move |point| Compared {
                what: format!("{} {verb}ion, {}", cipher.name, bytes(point.bytes as u64)),
                software: &point.software,
                hardware: &point.hardware,
            })
        })
    })
}

fn benched(bench: &Bench) -> impl Iterator<Item = Compared<'_>> {
    let is = |row: &Row, kind: ContestantKind| {
        bench.contestants.iter().any(|one| one.name == row.contestant && one.kind == kind)
    };
    let hardware = bench.rows.iter().filter(move |row| {
        is(row, ContestantKind::Accelerator)
            && row.fault.is_none()
            && row.evidence == Some(Evidence::Interrupts)
    });
    hardware.filter_map(move |row| {
        let is_same = |other: &&Row| {
            other.subject() == row.subject() && other.bytes == row.bytes && other.threads == row.threads
        };
        let software =
            bench.rows.iter().filter(|other| is(other, ContestantKind::Openssl) && other.fault.is_none());
        Some(Compared {
            what: format!("{}, {}, {} in flight", row.subject(), bytes(row.bytes), row.depth),
            software: software.filter(is_same).find_map(|other| other.figure.as_ref())?,
            hardware: row.figure.as_ref()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::bench::Run;

    /// U1: what bench calls no difference is none in the report.
    #[test]
    fn a_difference_within_the_spread_is_no_gain() {
        let run = |driver: Option<&str>, speed: f64, spread: f64| Run {
            contestant: String::new(),
            driver: driver.map(str::to_owned),
            figure: Figure {
                megabytes_per_second: speed,
                spread,
                samples: 5,
                cpu_ms_per_megabyte: Some(1000.0 / speed),
                ..Figure::default()
            },
            user_percent: 0.0,
            system_percent: 0.0,
            hardware_percent: None,
            evidence: driver.map(|_| Evidence::Interrupts),
            fault: None,
        };
        let answers = |speed: f64| {
            let runs = vec![run(None, 10.0, 0.14), run(Some("eng"), speed, 0.13)];
            let one = Application { name: "x".into(), cipher: "y".into(), bytes: 1, at_once: 1, runs };
            let compared: Vec<Compared<'_>> = application(&one).collect();
            [faster(&compared), less_cpu(&compared)].map(|one| one.answer.text)
        };
        for (speed, word) in [(11.0, "no difference beyond the spread"), (15.0, "yes"), (7.0, "no")] {
            for answer in answers(speed) {
                assert_eq!(answer, word, "{speed}");
            }
        }
    }
}
