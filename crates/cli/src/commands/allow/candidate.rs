//! Decides whether a driver may be allowed to /dev/outboard.

use anyhow::{Result, bail};
use outboard_accel::primitive::Primitive;
use outboard_drivers::find::survey;
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::refused;
use outboard_drivers::root::Root;

use crate::commands::check::findings;

pub fn are_there<'a>(drivers: impl IntoIterator<Item = &'a str>) -> Result<bool> {
    let survey = survey(&Root::live())?;
    Ok(drivers.into_iter().all(|wanted| survey.drivers.iter().any(|judged| judged.driver.name == wanted)))
}

/// A driver that may be allowed if it passes its check.
pub struct Candidate<'a> {
    pub driver: &'a str,
    pub module: String,
    pub algorithm: Primitive,
}

pub fn judge(driver: &str, force: bool) -> Result<Candidate<'_>> {
    if let Some(refused) = refused(driver) {
        bail!("{refused}");
    }
    let survey = survey(&Root::live())?;
    let Some(found) = survey.drivers.iter().find(|judged| judged.driver.name == driver) else {
        bail!(
            "/proc/crypto lists no driver {driver}: is its module loaded, and the name exact (outboard status --verbose)?"
        );
    };
    let Some(algorithm) = Primitive::by_kernel_name(&found.driver.algorithm) else {
        bail!("{driver} does {}, and outboard can check {} only", found.driver.algorithm, Primitive::names());
    };
    if let Some(wrong) = findings::wrong(driver)? {
        bail!("{wrong}");
    }
    let why = || found.evidence().first().map_or_else(String::new, |e| format!(" ({})", e.text));
    let candidate = Candidate { driver, module: found.driver.module.clone(), algorithm };
    match found.judgement.verdict {
        Verdict::Accelerator | Verdict::Unknown => Ok(candidate),
        Verdict::CpuInstructions | Verdict::Software | Verdict::Wrapper if force => Ok(candidate),
        verdict => bail!(
            "{driver} is no accelerator but {}{}: OpenSSL's own code is faster than a call of it in the kernel; --force \
             allows it all the same",
            verdict.name(),
            why()
        ),
    }
}
