//! What was switched on?

use crate::documents::Report;
use outboard_documents::status::MatrixCell;
use outboard_drivers::reach::{Consumer, ProgramInterface, Reachable, Route};

use super::not_given;
use crate::pages::page::{Section, listed};

/// The interface for which root allows each driver.
pub const DEVICE: &str = "/dev/outboard";

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("switched-on", "What was switched on?");
    if report.status.is_none() && report.tunes.is_empty() {
        not_given(&mut section, "the status");
        return section;
    }
    let mut items = Vec::new();
    let allowed = allowed(report);
    if !allowed.is_empty() {
        items.push(format!("Root has allowed programs to use {} through {DEVICE}.", listed(&allowed)));
    }
    if let Some(status) = &report.status {
        items.push(match &status.policy {
            None => "There is no policy file: software does what THRESHOLDS does not name.".to_owned(),
            Some(policy) => {
                let made = policy.made.as_deref().unwrap_or("an unknown day");
                let goal =
                    policy.goal.as_ref().map(|goal| format!(", for the goal {goal}")).unwrap_or_default();
                let state = match (policy.in_force, &policy.problem) {
                    (true, _) => "is in force".to_owned(),
                    (false, Some(problem)) => format!("is not in force: {problem}"),
                    (false, None) => "is not in force".to_owned(),
                };
                format!("The policy {} of {made}{goal} {state}.", policy.path)
            }
        });
        items.push(match status.openssl.providers.iter().any(|name| name == "outboard") {
            true => "OpenSSL loads the provider for every application.".to_owned(),
            false => "OpenSSL does not load the provider by itself: only commands run with outboard prove, or with a \
                      configuration of their own, use it."
                .to_owned(),
        });
        let enabled = status.enabled_services();
        if !enabled.is_empty() {
            items.push(format!("outboard enable has switched it on for {}.", listed(&enabled)));
        }
    }
    for tune in &report.tunes {
        items.push(match &tune.written {
            Some(file) => format!("The measurement of {} wrote {file}.", tune.made),
            None => format!("The measurement of {} wrote nothing.", tune.made),
        });
    }
    section.list(items);
    section
}

/// Returns the drivers that were reached through the device, so they must be allowed.
pub fn allowed(report: &Report) -> Vec<String> {
    let accelerators = report.status.iter().flat_map(|status| &status.accelerators);
    let by_status = accelerators.filter_map(|accelerator| {
        let row = accelerator
            .reach
            .iter()
            .find(|row| row.interface == Route::Program(ProgramInterface::DevOutboard))?;
        (row.answer == Reachable::Yes).then_some(&accelerator.reach_of)
    });
    // Of each driver, not only the first of an accelerator.
    let rows = report.status.iter().flat_map(|status| &status.reach);
    let is_through = |cell: &MatrixCell| {
        cell.consumer == Consumer::OpenSsl
            && cell.answer == Reachable::Yes
            && cell.why.starts_with("through /dev/outboard")
    };
    let by_row = rows.filter(|row| row.consumers.iter().any(is_through)).map(|row| &row.driver);
    let checked = report.checks.iter().flat_map(|check| &check.drivers);
    let by_check = checked.filter(|one| one.interface.as_deref() == Some(DEVICE)).map(|one| &one.name);
    let tuned = report.tunes.iter().flat_map(|tune| &tune.ciphers);
    let by_tune = tuned.filter(|one| one.interface == DEVICE).map(|one| &one.driver);
    let ahead = report.tunes.iter().flat_map(|tune| &tune.lookahead).map(|one| &one.driver);
    let known = by_status.chain(by_row).chain(by_check).chain(by_tune).chain(ahead);
    let mut names: Vec<String> = known.cloned().collect();
    names.sort();
    names.dedup();
    names
}
