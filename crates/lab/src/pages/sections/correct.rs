//! Is it correct?

use crate::documents::Report;
use outboard_documents::check::{Check, CheckVerdict, CheckedDriver};
use outboard_documents::shell;
use outboard_documents::status::Checked;

use super::not_given;
use crate::pages::page::{Cell, Section, Tone, count, judged, listed, number, words};
use outboard_console::amount;

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("correct", "Is it correct?");
    if !is_checked(report) {
        not_given(&mut section, "a check");
    } else if !report.checks.is_empty() {
        section.text(
            "Each driver got published examples and random requests with every key length, alone and many at a time, and every \
             result was compared byte for byte with the result of outboard's own code without CPU instructions.",
        );
    }
    report.checks.iter().for_each(|check| one(&mut section, check));
    saved(&mut section, report);
    for proof in &report.proofs {
        for algorithm in proof.algorithms.iter().filter(|one| one.work.mismatches > 0) {
            let text = format!(
                "In a run of {}, {} of the driver for {} differed from software's. Those were computed again in software",
                proof.command_line(),
                count(algorithm.work.mismatches, "result"),
                algorithm.name
            );
            match proof.injected_faults.is_empty() {
                true => section.note(format!("{text}; results that were not compared may be wrong.")),
                false => section.text(format!(
                    "{text}. The simulated accelerator had been told to make this fault: {}.",
                    proof.injected_faults.join(", ")
                )),
            }
        }
    }
    section
}

/// Whether there is a result of a check: in a document of its own, or stored by the machine.
pub fn is_checked(report: &Report) -> bool {
    !report.checks.is_empty() || report.status.iter().any(|status| !status.checked.is_empty())
}

/// Adds the saved results of earlier checks.
fn saved(section: &mut Section, report: &Report) {
    let checked = report.status.iter().flat_map(|status| &status.checked);
    // Results that are in a table are not repeated.
    let is_shown = |one: &&Checked| report.checks.iter().any(|check| check.made == one.made);
    let lines = checked.filter(|one| !is_shown(one)).map(|one| match &one.fault {
        None => format!("{}: exact, {} requests on {}.", one.driver, one.requests, one.made),
        Some(fault) => {
            let (driver, verdict, made) = (&one.driver, one.verdict.words(), &one.made);
            format!("{driver}: {verdict} on {made} ({fault}), so the provider does not use it.")
        }
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        section.text("Results of earlier checks that the machine has stored:");
        section.list(lines);
    }
}

fn one(section: &mut Section, check: &Check) {
    let head = vec![
        words("driver"),
        words("verdict"),
        words("algorithm"),
        words("over"),
        number("requests"),
        number("data"),
        number("interrupts"),
        words("the kernel's test"),
    ];
    let caption = format!(
        "Results of the check of {} on Linux {}, with seed {}",
        check.made, check.machine.kernel, check.seed
    );
    section.table(caption, head, check.drivers.iter().map(row).collect());
    for driver in &check.drivers {
        if let Some(fault) = &driver.fault {
            section.note(format!("{}: {fault}.", driver.name));
        }
        if driver.verdict == CheckVerdict::Exact && driver.interrupts == Some(0) {
            section.note(format!(
                "{}: no interrupt came, so its driver computed all of it on the CPU, and no accelerator was checked.",
                driver.name
            ));
        }
    }
    if check.interrupted {
        section.note("The check was interrupted: it is not complete.");
    }
    if !check.not_checked.is_empty() {
        section.note(format!("Not checked: {}.", listed(&check.not_checked)));
    }
    let drivers: String = check.drivers.iter().map(|d| format!(" {}", shell::word(&d.name))).collect();
    section.command(
        "The same requests again:",
        format!("sudo outboard check --seed {} --{drivers}", check.seed),
    );
}

fn row(driver: &CheckedDriver) -> Vec<Cell> {
    let tone = match driver.verdict {
        CheckVerdict::Exact if driver.interrupts == Some(0) => Tone::Doubt,
        CheckVerdict::Exact => Tone::Good,
        CheckVerdict::Wrong | CheckVerdict::Unanswered | CheckVerdict::Refuses => Tone::Bad,
        CheckVerdict::Unreached => Tone::Doubt,
    };
    vec![
        driver.name.as_str().into(),
        judged(driver.verdict.words(), tone),
        driver.algorithm.as_str().into(),
        driver.interface.as_deref().unwrap_or("-").into(),
        driver.requests.to_string().into(),
        amount(driver.bytes).into(),
        driver.interrupts.map_or_else(|| "-".to_owned(), |count| count.to_string()).into(),
        driver.selftest.as_str().into(),
    ]
}
