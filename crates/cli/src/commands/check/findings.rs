//! Saves findings for `allow`, `status` and the provider.

use std::io;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use outboard_accel::check::Fault;
use outboard_console::advice;
use outboard_documents::check::{Check, CheckVerdict};
use outboard_documents::now;
use outboard_measure::machine;
use outboard_policy::{FINDINGS_FILE, Finding, FindingVerdict, Findings, module_version};

use super::work::Candidate;
use crate::etc::Replacement;

const HEADER: &str = "\
# What checks found last (`outboard check`, and faults by `outboard allow`), for each driver on this kernel and in this
# version. The provider does not use those that were wrong, until `outboard check --forget DRIVER`, and those that were
# unanswered, until a check finds them exact.
";

/// Replaces the findings of the drivers that were checked to the end, or were wrong.
pub fn save(check: &Check, candidates: &[Candidate]) -> Result<()> {
    let is_known = |verdict: CheckVerdict| match verdict {
        CheckVerdict::Exact => !check.interrupted,
        CheckVerdict::Wrong | CheckVerdict::Unanswered => true,
        CheckVerdict::Refuses | CheckVerdict::Unreached => false,
    };
    let found = check.drivers.iter().filter(|driver| is_known(driver.verdict)).filter_map(|driver| {
        let candidate = candidates.iter().find(|candidate| candidate.name == driver.name)?;
        Some(Finding {
            driver: &driver.name,
            verdict: match driver.verdict {
                CheckVerdict::Exact => FindingVerdict::Exact,
                CheckVerdict::Unanswered => FindingVerdict::Unanswered,
                _ => FindingVerdict::Wrong,
            },
            kernel: &check.machine.kernel,
            module: &candidate.module,
            version: "",
            made: &check.made,
            requests: driver.requests,
            bytes: driver.bytes,
            seed: check.seed,
            fault: driver.fault.as_deref().unwrap_or_default(),
        })
    });
    store(&found.collect::<Vec<_>>())
}

/// Saves what the check of `outboard allow` found about a driver of `module`, if the provider must
/// not use it. Returns whether that is so.
pub fn save_fault(driver: &str, module: &str, seed: u64, fault: &Fault) -> Result<bool> {
    let verdict = match fault {
        Fault::Wrong { .. } | Fault::Accepted { .. } => FindingVerdict::Wrong,
        Fault::Failed { error, .. } if error.is_without_answer() => FindingVerdict::Unanswered,
        Fault::Failed { .. } => return Ok(false),
    };
    let (kernel, made, fault) = (&machine::here().kernel, &now(), &fault.to_string());
    let (version, requests, bytes) = ("", 0, 0);
    store(&[Finding { driver, verdict, kernel, module, version, made, requests, bytes, seed, fault }])?;
    Ok(true)
}

/// Removes the finding of a driver that did not answer in an earlier check, and does now.
pub fn save_answer(driver: &str) -> Result<()> {
    let path = Path::new(FINDINGS_FILE);
    let is_over =
        |finding: &Finding<'_>| finding.driver == driver && finding.verdict == FindingVerdict::Unanswered;
    if !Findings::read(path).unwrap_or_default().all().any(|finding| is_over(&finding)) {
        return Ok(());
    }
    change(|known| {
        Ok(known.all().filter(|finding| !is_over(finding)).map(|finding| finding.line()).collect())
    })
}

/// Replaces the findings of these drivers; `version` is that of the module now. The finding of a
/// driver that was wrong is kept: faults are intermittent, and a check without a fault does not
/// disprove an earlier one.
fn store(found: &[Finding<'_>]) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let root = Path::new("/");
    change(|known| {
        let was_wrong =
            |name: &str| known.of(name, root).is_some_and(|finding| finding.verdict == FindingVerdict::Wrong);
        let is_found = |name: &str| found.iter().any(|finding| finding.driver == name);
        let old = known.all().filter(|finding| was_wrong(finding.driver) || !is_found(finding.driver));
        let old = old.map(|finding| finding.line());
        let new = found.iter().filter(|finding| !was_wrong(finding.driver));
        let new =
            new.map(|finding| Finding { version: &module_version(root, finding.module), ..*finding }.line());
        Ok(old.chain(new).collect())
    })
}

pub fn forget(drivers: &[String]) -> Result<()> {
    change(|known| {
        if let Some(unknown) =
            drivers.iter().find(|name| !known.all().any(|finding| finding.driver == **name))
        {
            bail!("{FINDINGS_FILE} has no entry for {unknown}");
        }
        let others = known.all().filter(|finding| !drivers.iter().any(|name| name == finding.driver));
        Ok(others.map(|finding| finding.line()).collect())
    })
}

/// Returns the wrong result of a driver in its present version, its time, and the next step; `None`
/// without one.
pub fn wrong(driver: &str) -> Result<Option<String>> {
    let path = Path::new(FINDINGS_FILE);
    let known = Findings::read(path).map_err(|why| anyhow!("{FINDINGS_FILE}: {why}"))?;
    let finding = known.of(driver, Path::new("/")).filter(|finding| finding.verdict == FindingVerdict::Wrong);
    Ok(finding.map(|finding| {
        format!(
            "a check found a wrong result of {driver} on {} (seed {}): {}; outboard check --forget {driver} forgets that",
            finding.made, finding.seed, finding.fault
        )
    }))
}

pub fn forget_all() -> Result<()> {
    change(|_| Ok(Vec::new()))
}

/// Whether a check found each result of a driver right, in its present version.
pub fn is_exact(driver: &str) -> bool {
    let known = Findings::read(Path::new(FINDINGS_FILE)).unwrap_or_default();
    known.of(driver, Path::new("/")).is_some_and(|finding| finding.verdict == FindingVerdict::Exact)
}

fn change(lines: impl FnOnce(&Findings) -> Result<Vec<String>>) -> Result<()> {
    let path = Path::new(FINDINGS_FILE);
    let new = Replacement::open(path, explained)?;
    // A file that other users can write to is not trusted, and is replaced.
    let known = Findings::read(path).unwrap_or_default();
    let text: String = lines(&known)?.into_iter().map(|line| line + "\n").collect();
    if text.is_empty() {
        return new.remove();
    }
    new.store(&format!("{HEADER}{text}"))
}

fn explained(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{}: {error}; {}", path.display(), advice(error, None))
}
