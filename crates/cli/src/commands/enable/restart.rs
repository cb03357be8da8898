//! `outboard enable --restart` and `disable --restart`: change, restart and verify; undo the change
//! if that fails.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use outboard_console::{answer, progress};
use outboard_services::enable::{self, Applied, Plan, Record, State, Tree};
use serde::Serialize;

use super::suitability::Suitability;
use crate::live_service::{Broken, LiveService, Verification};

/// The document of `--json`. Fields are only added within a version.
#[derive(Serialize)]
struct Restarted<'a> {
    /// `outboard-restart/1`.
    schema: &'static str,
    /// Name of the service.
    service: &'a str,
    /// Whether it is enabled now.
    enabled: bool,
    /// Whether files were changed.
    changed: bool,
    #[serde(flatten)]
    verification: Verification,
}

/// Enables a service. The caller holds the lock.
pub fn enable(
    tree: &Tree,
    plan: &Plan,
    module: &Path,
    found: &Suitability,
    (force, json): (bool, bool),
) -> Result<()> {
    let service = LiveService::find(tree, &plan.service, &plan.files)?;
    let before = complete_record(tree, &plan.service)?;
    let applied = enable::enable(tree, plan, force)?;
    let reachable = found.ciphers.iter().filter(|one| one.by.as_ref().is_ok_and(|(_, from)| from.is_some()));
    let ciphers: Vec<String> = reachable.map(|one| one.cipher.clone()).collect();
    let verified = service.restart().and_then(|()| service.verify(module, &ciphers, force));
    let verification = match verified {
        Ok(verification) => verification,
        Err(broken) if applied == Applied::Unchanged => {
            progress("");
            return Err(anyhow!("{broken}\nIt was enabled before, and stays so: nothing was changed"));
        }
        Err(broken) => {
            progress("");
            let undo = || match &before {
                Some(record) => enable::enable(tree, &Plan::of_record(record), true).map(drop),
                None => enable::disable(tree, &plan.service, true),
            };
            return Err(undone(&broken, &service, undo()));
        }
    };
    let is_changed = applied == Applied::Written;
    shown(&plan.service, true, is_changed, &plan.notes, verification, json)
}

/// Disables a service that is enabled. The caller holds the lock.
pub fn disable(tree: &Tree, record: &Record, module: &Path, force: bool, json: bool) -> Result<()> {
    let service = LiveService::find(tree, &record.service, &record.files)?;
    let before = complete_record(tree, &record.service)?;
    enable::disable(tree, &record.service, force)?;
    match service.restart().and_then(|()| service.verify_without(module)) {
        Ok(verification) => shown(&record.service, false, true, &[], verification, json),
        Err(broken) => {
            progress("");
            let Some(before) = before else {
                return Err(anyhow!("{broken}\nIts files are removed; they were incomplete before"));
            };
            let undo = enable::enable(tree, &Plan::of_record(&before), true).map(drop);
            Err(undone(&broken, &service, undo))
        }
    }
}

/// The record of a service whose files are all in place.
fn complete_record(tree: &Tree, service: &str) -> Result<Option<Record>> {
    let record = Record::read(tree, service).map_err(|why| anyhow!(why))?;
    let Some(record) = record else { return Ok(None) };
    Ok((enable::state(tree, &record)? == State::Complete).then_some(record))
}

/// Restarts a service with its earlier files, and describes the result.
fn undone(broken: &Broken, service: &LiveService, undo: Result<(), enable::Failure>) -> anyhow::Error {
    let restored = undo.context("the change cannot be undone").and_then(|()| {
        service.restart()?;
        service.answers()?;
        Ok(())
    });
    match restored {
        Ok(()) => anyhow!("{broken}\nThe change was undone; the service was restarted and works as before"),
        Err(worse) => anyhow!("{broken}\nAfter that, the earlier state could not be restored: {worse:#}"),
    }
}

fn shown(
    service: &str,
    enabled: bool,
    changed: bool,
    notes: &[String],
    mut verification: Verification,
    json: bool,
) -> Result<()> {
    verification.notes.splice(0..0, notes.iter().cloned());
    if json {
        let document = Restarted { schema: "outboard-restart/1", service, enabled, changed, verification };
        return Ok(answer(&(serde_json::to_string_pretty(&document)? + "\n"))?);
    }
    let state = match (enabled, changed) {
        (true, true) => "is enabled",
        (true, false) => "is enabled already",
        (false, _) => "is disabled",
    };
    Ok(answer(&format!("{service} {state}\n{}", text(&verification, enabled)))?)
}

fn text(verification: &Verification, enabled: bool) -> String {
    let mut out = format!("restarted: {}\n", verification.units.join(", "));
    let _ = match verification.processes_with_outboard {
        None => Ok(()),
        Some(0) => writeln!(out, "outboard is active in none of its processes"),
        Some(1) => writeln!(out, "outboard is active in 1 process"),
        Some(more) => writeln!(out, "outboard is active in {more} processes"),
    };
    for exchange in &verification.exchanges {
        let cipher = exchange.cipher.as_deref().unwrap_or("a cipher that the client does not report");
        let size = match exchange.bytes {
            0 => "a handshake".to_owned(),
            bytes => format!("{bytes} bytes"),
        };
        let _ = writeln!(out, "  {}  {size} with {cipher}", exchange.endpoint.address);
    }
    if enabled {
        let number = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
        let _ = writeln!(
            out,
            "accelerators: {} requests of {} bytes, {} interrupts",
            number(verification.hardware_requests),
            number(verification.hardware_bytes),
            number(verification.interrupts)
        );
    }
    verification.notes.iter().for_each(|note| _ = writeln!(out, "note: {note}"));
    out
}
