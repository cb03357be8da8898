//! Allows one driver after its check. Until then it is on trial: only this process can use it, and
//! the trial ends with this process, also by SIGKILL.

use anyhow::{Context, Result, anyhow, bail};
use outboard_accel::check::{Checked, Fault};
use outboard_accel::checkable::any_seed;
use outboard_accel::device::Access;

use super::candidate::Candidate;
use super::list;
use crate::commands::check::findings;
use crate::signals::{self, SignalGuard};

/// Checks a driver, and if it passes allows it with what `prepare` returns, and calls `commit`. If
/// one of them fails, the previous list is kept, except that a driver that was allowed and fails the
/// check is removed. A wrong result, and a driver that does not answer, is saved, so that the
/// provider does not take the driver over another interface. The caller holds no lock of
/// /etc/outboard; `prepare` may take it.
pub fn grant<P>(
    candidate: &Candidate<'_>,
    prepare: impl FnOnce() -> Result<P>,
    commit: impl FnOnce(P) -> Result<()>,
) -> Result<String> {
    let Candidate { driver, algorithm, .. } = *candidate;
    let seed = any_seed();
    let was_known = is_known(driver)?;
    let access = if was_known { Access::Allowed } else { Access::OnTrial };
    let unreachable = |error| Fault::Failed { doing: "to reach it".to_owned(), error };
    let subject = algorithm.reach_device(driver, access).map_err(unreachable);
    // The subject keeps the descriptor of the trial.
    let checked = subject.and_then(|subject| subject.check(seed).map(|checked| (checked, subject)));
    match checked {
        Ok((Checked { requests, bytes }, _subject)) => {
            // Before `prepare`, which takes the lock of the directory: saving needs it too.
            let allowed = findings::save_answer(driver)
                .and_then(|()| prepare())
                .and_then(|prepared| admit(driver, || commit(prepared)));
            allowed.with_context(|| match was_known {
                true => format!("{driver} stays allowed as it was"),
                false => format!("{driver} passed its check, but is not allowed"),
            })?;
            signals::check().map_err(|why| anyhow!("{driver} is allowed; {why}"))?;
            Ok(format!("{driver} is allowed: {requests} requests, {bytes} bytes, every result right"))
        }
        // If other processes use up the driver's key memory, the driver stays allowed for them.
        Err(why @ Fault::Failed { .. }) if was_known && is_scarcity(&why) => {
            bail!("{driver} could not be checked now, and stays allowed: {why}")
        }
        Err(why) => {
            // Also a driver that root has allowed during its trial.
            if is_known(driver)? {
                list::remove(driver)
                    .with_context(|| format!("{driver} failed its check ({why}), and is still allowed"))?;
            }
            let is_saved = findings::save_fault(driver, &candidate.module, seed, &why)
                .with_context(|| format!("{driver} is not allowed: {why}; that could not be saved"))?;
            let unused =
                if is_saved { "; from now on the provider does not use it over any interface" } else { "" };
            bail!("{driver} is not allowed: {why}{unused}")
        }
    }
}

fn is_known(driver: &str) -> Result<bool> {
    Ok(list::read()?.iter().any(|entry| entry.driver == driver))
}

/// Allows a driver and calls `commit`, or does neither.
fn admit(driver: &str, commit: impl FnOnce() -> Result<()>) -> Result<()> {
    let _guard = SignalGuard::hold();
    // Another command may have allowed it since its check began.
    let was_known = is_known(driver)?;
    if !was_known {
        list::add(driver)?;
    }
    commit().or_else(|error| {
        if !was_known && is_known(driver)? {
            list::remove(driver).with_context(|| format!("{driver} is still allowed ({error:#})"))?;
        }
        Err(error)
    })
}

fn is_scarcity(fault: &Fault) -> bool {
    matches!(fault, Fault::Failed { error, .. } if error.is_scarcity() && !error.is_without_answer())
}
