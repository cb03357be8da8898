//! Allows one driver after its check. Until then it is on trial: only this process can use it, and
//! the trial ends with this process, also by SIGKILL.

use anyhow::{Context, Result, anyhow, bail};
use outboard_accel::check::{Checked, Fault};
use outboard_accel::checkable::any_seed;
use outboard_accel::device::Access;
use outboard_accel::primitive::Primitive;

use super::list;
use crate::signals::{self, SignalGuard};

/// Checks a driver, and if it passes allows it and calls `commit`. If the check or `commit` fails,
/// the previous list is kept, except that a driver that was allowed and fails the check is removed.
pub fn grant(driver: &str, algorithm: Primitive, commit: impl FnOnce() -> Result<()>) -> Result<String> {
    let is_known = || -> Result<bool> { Ok(list::read()?.iter().any(|entry| entry.driver == driver)) };
    let was_known = is_known()?;
    let access = if was_known { Access::Allowed } else { Access::OnTrial };
    let unreachable = |error| Fault::Failed { doing: "to reach it".to_owned(), error };
    let subject = algorithm.reach_device(driver, access).map_err(unreachable);
    // The subject keeps the descriptor of the trial.
    let checked = subject.and_then(|subject| subject.check(any_seed()).map(|checked| (checked, subject)));
    match checked {
        Ok((Checked { requests, bytes }, subject)) => {
            let guard = SignalGuard::hold();
            let added = if was_known { Ok(()) } else { list::add(driver) };
            let committed = added.and_then(|()| commit());
            if let Err(error) = committed {
                if !was_known && is_known()? {
                    list::remove(driver).with_context(|| format!("{driver} is still allowed ({error:#})"))?;
                }
                return Err(match was_known {
                    true => error.context(format!("{driver} stays allowed as it was")),
                    false => error.context(format!("{driver} passed its check, but is not allowed")),
                });
            }
            drop((subject, guard));
            signals::check().map_err(|why| anyhow!("{driver} is allowed; {why}"))?;
            Ok(format!("{driver} is allowed: {requests} requests, {bytes} bytes, every result right"))
        }
        // If other processes use up the driver's key memory, the driver stays allowed for them.
        Err(why @ Fault::Failed { .. }) if was_known && is_scarcity(&why) => {
            bail!("{driver} could not be checked now, and stays allowed: {why}")
        }
        Err(why) => {
            // Also a driver that root has allowed during its trial.
            if is_known()? {
                list::remove(driver)
                    .with_context(|| format!("{driver} failed its check ({why}), and is still allowed"))?;
            }
            bail!("{driver} is not allowed: {why}")
        }
    }
}

fn is_scarcity(fault: &Fault) -> bool {
    matches!(fault, Fault::Failed { error, .. } if error.is_scarcity())
}
