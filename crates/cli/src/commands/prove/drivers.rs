//! Checks `--driver` before the command runs: with an unknown name the provider uses software
//! without an error.

use anyhow::{Result, bail};
use outboard_drivers::find::survey;
use outboard_drivers::root::Root;

/// Fails with the first driver that /proc/crypto does not list.
pub fn require_listed(names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let survey = survey(&Root::live())?;
    let is_listed = |name: &&String| survey.for_programs().any(|judged| judged.driver.name == **name);
    match names.iter().find(|name| !is_listed(name)) {
        None => Ok(()),
        Some(missing) => bail!(
            "--driver {missing}: /proc/crypto lists no driver of this name; load its module, or take the exact name from \
             outboard status --verbose"
        ),
    }
}
