//! `outboard enable --restart` and `disable --restart`: change, restart and verify; undo the change
//! if that fails.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use outboard_advice::ServiceFacts;
use outboard_console::{answer, progress};
use outboard_services::enable::{self, Applied, Plan, Record, State, Tree};
use serde::Serialize;

use crate::running_services::{Broken, LiveService, Verification};
use crate::signals;

/// The document of `--json`. Fields are only added within a version.
#[derive(Serialize)]
struct Restarted<'a> {
    /// `outboard-restart/1`.
    schema: &'static str,
    service: &'a str,
    enabled: bool,
    changed: bool,
    #[serde(flatten)]
    verification: Verification,
}

#[derive(Clone, Copy)]
pub struct Flags {
    /// The service may stay in software.
    pub force: bool,
    /// Edited files are replaced.
    pub overwrite: bool,
    /// Print a document.
    pub json: bool,
}

/// Enables a service. The caller holds the lock. A process that is killed leaves a record that says
/// that the service was not verified; a signal that can be held has the change undone.
pub fn enable(tree: &Tree, plan: &Plan, module: &Path, found: &ServiceFacts, flags: Flags) -> Result<()> {
    let plan = &Plan { unverified: true, ..plan.clone() };
    let service = LiveService::find(tree, &plan.service, &plan.files)?;
    let before = complete_record(tree, &plan.service)?;
    signals::check()?;
    let applied = enable::enable(tree, plan, flags.overwrite)?;
    // A test's client sends, and the service decrypts.
    let reachable = found.ciphers.iter().filter(|one| one.is_served(None) && !one.only_encrypts);
    let ciphers: Vec<String> = reachable.map(|one| one.cipher.clone()).collect();
    let verified = service.restart().and_then(|()| service.verify(module, &ciphers, flags.force));
    let verification = match verified {
        Ok(verification) => {
            enable::set_verified(tree, &plan.service)?;
            verification
        }
        Err(broken) if applied == Applied::Unchanged && before.is_some() => {
            progress("");
            return Err(anyhow!("{broken}\nIt was enabled before, and stays so: nothing was changed"));
        }
        Err(broken) => {
            progress("");
            let undo = || match &before {
                Some(record) => enable::enable(tree, &Plan::of_record(record), true).map(drop),
                None => enable::disable(tree, &plan.service, true).map(drop),
            };
            return Err(undone(&broken, &service, undo));
        }
    };
    let is_changed = applied == Applied::Written;
    shown(&plan.service, true, is_changed, &plan.notes, verification, flags.json)
}

/// Disables a service that is enabled. The caller holds the lock.
pub fn disable(tree: &Tree, record: &Record, module: &Path, overwrite: bool, json: bool) -> Result<()> {
    let service = LiveService::find(tree, &record.service, &record.files)?;
    let before = complete_record(tree, &record.service)?;
    signals::check()?;
    let kept = enable::disable(tree, &record.service, overwrite)?;
    let kept: Vec<String> =
        kept.iter().map(|path| format!("the edited file is {}", path.display())).collect();
    match service.restart().and_then(|()| service.verify_without(module)) {
        Ok(verification) => shown(&record.service, false, true, &kept, verification, json),
        Err(broken) => {
            progress("");
            let Some(before) = before else {
                return Err(anyhow!("{broken}\nIts files are removed; they were incomplete before"));
            };
            let undo = || enable::enable(tree, &Plan::of_record(&before), true).map(drop);
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

/// Undoes a change, restarts the service with its earlier files, and describes the result.
fn undone(
    broken: &Broken,
    service: &LiveService,
    undo: impl FnOnce() -> Result<(), enable::Failure>,
) -> anyhow::Error {
    let restored = signals::without_interruption(|| {
        undo().context("the change cannot be undone")?;
        service.restart()?;
        service.answers()?;
        Ok::<_, anyhow::Error>(())
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
        return Ok(answer(&outboard_documents::pretty(&document)?)?);
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
            "accelerators: requests {}, bytes {}, interrupts {}",
            number(verification.hardware_requests),
            number(verification.hardware_bytes),
            number(verification.interrupts)
        );
    }
    verification.notes.iter().for_each(|note| _ = writeln!(out, "note: {note}"));
    out
}
