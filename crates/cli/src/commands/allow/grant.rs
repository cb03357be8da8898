//! Allows one driver. A driver that fails its check is not allowed afterwards, even if the process
//! is interrupted.

use anyhow::{Context, Result, anyhow, bail};
use outboard_accel::check::{Checked, Fault};
use outboard_accel::checkable::{Checkable, any_seed};

use super::list;
use super::uninterrupted::Uninterrupted;

/// Allows a driver, checks it, and calls `commit` if it passed. If the check or `commit` fails, the
/// previous list is kept, except that a driver that was allowed and fails the check is removed.
pub fn grant(driver: &str, algorithm: Checkable, commit: impl FnOnce() -> Result<()>) -> Result<String> {
    let known = list::read()?.iter().any(|entry| entry.driver == driver);
    // Only an allowed driver can be checked, and one that is not checked yet must not stay allowed.
    let uninterrupted = Uninterrupted::new();
    // Locals are dropped in reverse order: `commit` releases what it holds before a blocked signal
    // ends this process.
    let commit = commit;
    if !known {
        list::add(driver)?;
    }
    let undo = || if known { Ok(()) } else { list::remove(driver) };
    let unreachable = |error| Fault::Failed { doing: "to reach it".to_owned(), error };
    let subject = algorithm.reach_device(driver).map_err(unreachable);
    match subject.and_then(|subject| subject.check(any_seed())) {
        Ok(Checked { requests, bytes }) => {
            let committed = match uninterrupted.is_over() {
                true => Err(anyhow!("interrupted")),
                false => commit(),
            };
            if let Err(error) = committed {
                undo().with_context(|| format!("{driver} is still allowed ({error:#})"))?;
                return Err(match known {
                    true => error.context(format!("{driver} stays allowed as it was")),
                    false => error.context(format!("{driver} passed its check, but is not allowed")),
                });
            }
            Ok(format!("{driver} is allowed: {requests} requests, {bytes} bytes, every result right"))
        }
        // If other processes use up the driver's key memory, the driver stays allowed for them.
        Err(why @ Fault::Failed { .. }) if known && is_scarcity(&why) => {
            bail!("{driver} could not be checked now, and stays allowed: {why}")
        }
        Err(why) => {
            list::remove(driver)
                .with_context(|| format!("{driver} failed its check ({why}), and is still allowed"))?;
            bail!("{driver} is not allowed: {why}")
        }
    }
}

fn is_scarcity(fault: &Fault) -> bool {
    matches!(fault, Fault::Failed { error, .. } if error.is_scarcity())
}
