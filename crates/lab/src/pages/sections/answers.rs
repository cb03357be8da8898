//! The summary box: correct? faster? less CPU? switched on?

use crate::documents::Report;
use crate::documents::bench::{Application, Bench, ContestantKind, Evidence, Row};
use outboard_documents::Figure;
use outboard_documents::check::CheckVerdict;
use outboard_documents::tune::{Point, Tune, TunedCipher};

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
    let drivers: Vec<_> = report.checks.iter().flat_map(|check| &check.drivers).collect();
    let earlier = report.status.iter().flat_map(|status| &status.checked);
    let now = drivers.iter().filter(|one| one.verdict.is_failure());
    let before = earlier.clone().filter(|one| one.fault.is_some()).map(|one| &one.driver);
    let mut failed: Vec<String> = now.map(|one| &one.name).chain(before).cloned().collect();
    failed.sort_unstable();
    failed.dedup();
    let exact = drivers.iter().filter(|one| one.verdict == CheckVerdict::Exact).count() as u64;
    if !failed.is_empty() {
        let word = if exact == 0 { "no" } else { "not every driver" };
        return answer(QUESTION, word, Tone::Bad, format!("Failed a check: {}.", listed(&failed)));
    }
    let on_cpu = drivers.iter().filter(|one| one.verdict == CheckVerdict::Exact && one.interrupts == Some(0));
    match (exact, on_cpu.count() as u64, earlier.count() as u64) {
        (0, _, 0) => unknown(QUESTION, "outboard check --json"),
        (0, _, earlier) => {
            let because = format!("{} passed an earlier check.", count(earlier, "driver"));
            answer(QUESTION, "yes", Tone::Good, because)
        }
        (exact, 0, _) => {
            let injected = match report.proofs.iter().any(|proof| !proof.injected_faults.is_empty()) {
                true => " A fault that was injected on purpose was caught.",
                false => "",
            };
            let because = format!("Every result of {} was right.{injected}", count(exact, "driver"));
            answer(QUESTION, "yes", Tone::Good, because)
        }
        (_, on_cpu, _) => {
            let because = format!("{} computed on the CPU: no interrupt came.", count(on_cpu, "driver"));
            answer(QUESTION, "not known", Tone::Doubt, because)
        }
    }
}

fn faster(compared: &[Compared<'_>]) -> Answer {
    const QUESTION: &str = "Is it faster?";
    let ratio = |one: &Compared<'_>| one.hardware.megabytes_per_second / one.software.megabytes_per_second;
    let best = compared.iter().filter(|one| ratio(one).is_finite());
    let Some(best) = best.max_by(|a, b| ratio(a).total_cmp(&ratio(b))) else {
        return unknown(QUESTION, "outboard tune --dry-run --json");
    };
    // As the tables below: by the medians.
    let is_faster = |one: &&Compared<'_>| ratio(one) > 1.0;
    let because = format!("Up to {} times the software's speed: {}.", figure(ratio(best)), best.what);
    match (compared.iter().filter(is_faster).count(), compared.len()) {
        (0, _) => answer(QUESTION, "no", Tone::Plain, because),
        (faster, all) if faster == all => answer(QUESTION, "yes", Tone::Good, because),
        (faster, all) => {
            answer(QUESTION, &format!("at {faster} of {all} measured points"), Tone::Good, because)
        }
    }
}

fn less_cpu(compared: &[Compared<'_>]) -> Answer {
    const QUESTION: &str = "Does it take less CPU time?";
    let share = |one: &Compared<'_>| {
        let (hardware, software) = (one.hardware.cpu_ms_per_megabyte?, one.software.cpu_ms_per_megabyte?);
        (software > 0.0).then_some(hardware / software)
    };
    let known: Vec<(f64, &Compared<'_>)> =
        compared.iter().filter_map(|one| Some((share(one)?, one))).collect();
    let Some((least, best)) = known.iter().min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return unknown(QUESTION, "outboard tune --dry-run --json");
    };
    let because = format!("Down to {} % of the software's CPU time: {}.", figure(least * 100.0), best.what);
    match (known.iter().filter(|(share, _)| *share < 1.0).count(), known.len()) {
        (0, _) => answer(QUESTION, "no", Tone::Plain, because),
        (less, all) if less == all => answer(QUESTION, "yes", Tone::Good, because),
        (less, all) => answer(QUESTION, &format!("at {less} of {all} measured points"), Tone::Good, because),
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
    let hardware = one.runs.iter().filter(|run| {
        run.fault.is_none() && run.connections.is_none() && run.evidence == Some(Evidence::Interrupts)
    });
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
