//! `outboard allow --restore`: allows the saved drivers at boot.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};

use super::memory::{Memory, SavedDriver};
use super::{candidate, grant, list, say, warn};
use crate::signals;

const COMMAND: &str = "allow --restore";

const PAUSE: Duration = Duration::from_millis(250);

/// Allows the saved drivers in their order, each after a new check: kernel, driver or board may
/// have changed.
pub fn restore(wait: Duration) -> Result<()> {
    // Fails without the module even if no driver is saved, so that the caller learns of it.
    list::read()?;
    wait_for(&Memory::read()?.drivers().0, wait)?;
    let (drivers, mistakes) = Memory::read()?.drivers();
    let mut failed = mistakes.len();
    mistakes.iter().for_each(|mistake| warn(COMMAND, &anyhow!("{mistake}")));
    for saved in &drivers {
        signals::check()?;
        match restored(saved) {
            Ok(text) => say(&text)?,
            Err(error) => {
                failed += 1;
                warn(COMMAND, &error);
            }
        }
    }
    match failed {
        0 if drivers.is_empty() => {
            say("No driver is saved: outboard allow DRIVER allows one, now and after each boot.")
        }
        0 => Ok(()),
        _ => bail!(
            "{failed} of {} in {} could not be restored and stay saved; outboard disallow DRIVER forgets one",
            drivers.len() + mistakes.len(),
            super::memory::FILE
        ),
    }
}

fn restored(saved: &SavedDriver) -> Result<String> {
    let SavedDriver { driver, forced } = saved;
    if list::read()?.iter().any(|entry| entry.driver == *driver) {
        return Ok(format!("{driver} is allowed already"));
    }
    // Read again under the lock, so that a driver that root removed meanwhile is not allowed.
    let still_saved = || -> Result<Memory> {
        let memory = Memory::locked()?;
        match memory.has(driver) {
            true => Ok(memory),
            false => bail!("{} lists it no more", super::memory::FILE),
        }
    };
    grant::grant(&candidate::judge(driver, *forced)?, still_saved, |_memory| Ok(()))
}

/// Waits for device drivers that are registered after the module. Waits for all drivers before the
/// first is allowed, because the order is the preference.
fn wait_for(drivers: &[SavedDriver], wait: Duration) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < wait && !candidate::are_there(drivers.iter().map(|known| known.driver.as_str()))?
    {
        thread::sleep(PAUSE);
    }
    Ok(())
}
