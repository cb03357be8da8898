//! Allows the drivers and measures. What was done is undone when a signal comes.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use outboard_console::{expect_end, first_of, progress, say};
use outboard_documents::Goal;
use outboard_documents::check::CheckVerdict;
use outboard_measure::stop;

use super::document::{DriverState, Setup};
use super::found::Machine;
use super::needs::{Needs, PolicyState, is_to_do, time_of};
use crate::commands::allow::memory::Memory;
use crate::commands::allow::{allow, list};
use crate::commands::check;
use crate::commands::disallow::{disallow, forget};
use crate::commands::tune::{Wanted, measure};
use crate::signals::{self, SignalGuard};

pub enum Outcome {
    Done,
    /// A signal came, and the earlier state was restored.
    Interrupted,
    /// Every driver was refused.
    NoDriver,
}

/// A driver that was allowed here, as it was before.
struct Granted {
    driver: String,
    was_allowed: bool,
    was_saved: bool,
}

pub fn act(
    machine: &Machine,
    needs: &Needs,
    module: &Path,
    goal: Goal,
    result: &mut Setup,
) -> Result<Outcome> {
    let _guard = SignalGuard::hold();
    // The measurement ends when a signal comes; a second one must not end the undo.
    stop::listen_on();
    let mut granted = Vec::new();
    let outcome = steps(machine, needs, module, goal, result, &mut granted);
    expect_end(None);
    let is_interrupted = is_interrupted() && !matches!(outcome, Ok(Outcome::Done));
    if is_interrupted {
        signals::without_interruption(|| take_back(&granted))?;
        result.changed = false;
        return Ok(Outcome::Interrupted);
    }
    outcome
}

fn is_interrupted() -> bool {
    stop::by_signal() || signals::check().is_err()
}

fn steps(
    machine: &Machine,
    needs: &Needs,
    module: &Path,
    goal: Goal,
    result: &mut Setup,
    granted: &mut Vec<Granted>,
) -> Result<Outcome> {
    for step in result.drivers.iter_mut().filter(|step| is_to_do(step)) {
        if is_interrupted() {
            return Ok(Outcome::Interrupted);
        }
        progress(&format!("checking {}", step.driver));
        let done = match machine.has_device {
            true => grant(&step.driver, granted).map(|()| DriverState::Allowed),
            false => checked(&step.driver).map(|()| DriverState::Checked),
        };
        progress("");
        match done {
            Ok(state) => step.state = state,
            Err(error) => {
                (step.state, step.reason) = (DriverState::Refused, Some(format!("{error:#}")));
                say(&format!("outboard setup: {error:#}"));
            }
        }
        result.changed = true;
    }
    if result.drivers.iter().all(|step| step.state == DriverState::Refused) {
        return Ok(Outcome::NoDriver);
    }
    if matches!(needs.policy, PolicyState::ToMeasure(_)) {
        let mut pace = Pace::begin(&needs.ciphers);
        let wanted = Wanted { goal, ciphers: &needs.ciphers, module, is_written: true };
        let mut answer = wanted.begin();
        measure(&wanted, &mut answer, &mut |_| pace.next())?;
        if answer.interrupted {
            return Ok(Outcome::Interrupted);
        }
        let warnings = first_of(&answer.warnings, "warning", "outboard tune --dry-run", false);
        warnings.shown.iter().for_each(|warning| say(&format!("outboard setup: warning: {warning}")));
        warnings.more.iter().for_each(|more| say(&format!("outboard setup: {more}")));
        (result.policy, result.policy_reason, result.changed) = ("measured", None, true);
    }
    Ok(Outcome::Done)
}

fn grant(driver: &str, granted: &mut Vec<Granted>) -> Result<()> {
    let was_allowed = list::read()?.iter().any(|entry| entry.driver == driver);
    let was_saved = Memory::read()?.has(driver);
    granted.push(Granted { driver: driver.to_owned(), was_allowed, was_saved });
    allow(driver, false, false).map(drop)
}

/// Checks a driver that needs no permission.
fn checked(driver: &str) -> Result<()> {
    let check = check::briefly(&[driver.to_owned()])?;
    match check.drivers.first() {
        Some(one) if one.verdict == CheckVerdict::Exact => Ok(()),
        one => {
            let fault =
                one.and_then(|one| one.fault.clone()).unwrap_or_else(|| "it was not checked".to_owned());
            Err(anyhow::anyhow!("{driver}: {fault}"))
        }
    }
}

/// Restores what the drivers were before.
fn take_back(granted: &[Granted]) -> Result<()> {
    for one in granted.iter().rev() {
        let is_allowed = list::read()?.iter().any(|entry| entry.driver == one.driver);
        let is_saved = Memory::read()?.has(&one.driver);
        let undone = match (one.was_allowed, one.was_saved) {
            (false, false) if is_allowed || is_saved => disallow(&one.driver, false).map(drop),
            (false, true) if is_allowed => disallow(&one.driver, true).map(drop),
            (true, false) if is_saved => forget(&one.driver),
            _ => Ok(()),
        };
        undone.context("what was changed could not be undone: outboard undo")?;
    }
    Ok(())
}

/// The time that is left, by the time that the ciphers took so far.
struct Pace<'a> {
    ciphers: &'a [&'a str],
    done: usize,
    start: Instant,
}

impl<'a> Pace<'a> {
    fn begin(ciphers: &'a [&'a str]) -> Self {
        let pace = Self { ciphers, done: 0, start: Instant::now() };
        expect_end(Some(pace.end(Duration::ZERO)));
        pace
    }

    /// A cipher was measured.
    fn next(&mut self) {
        self.done += 1;
        expect_end(Some(self.end(self.start.elapsed())));
    }

    fn end(&self, elapsed: Duration) -> Instant {
        let guess = |ciphers: &[&str]| ciphers.iter().map(|cipher| time_of(cipher)).sum::<Duration>();
        let (done, left) = self.ciphers.split_at(self.done.min(self.ciphers.len()));
        let pace = match guess(done) {
            Duration::ZERO => 1.0,
            guess => elapsed.as_secs_f64() / guess.as_secs_f64(),
        };
        Instant::now() + guess(left).mul_f64(pace)
    }
}
