//! Saves findings for `allow`, `status` and the provider.

use std::io;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use outboard_console::advice;
use outboard_documents::check::{Check, CheckVerdict};
use outboard_policy::{FINDINGS_FILE, Finding, Findings, module_version};

use super::work::Candidate;
use crate::etc::Replacement;

/// Comment at the start of the file.
const HEADER: &str = "\
# What `outboard check` found last, for each driver on this kernel and in this version: the provider and `outboard allow`
# pass over those that were wrong, until `outboard check --forget DRIVER`.
";

/// Replaces the findings of the drivers that were checked to the end, or were wrong. The finding of
/// a driver that was wrong is kept: faults are intermittent, and a check without a fault does not
/// disprove an earlier one.
pub fn save(check: &Check, candidates: &[Candidate]) -> Result<()> {
    let is_known = |verdict: CheckVerdict| match verdict {
        CheckVerdict::Exact => !check.interrupted,
        CheckVerdict::Wrong => true,
        CheckVerdict::Refuses | CheckVerdict::Unreached => false,
    };
    let root = Path::new("/");
    let found: Vec<(String, String)> = (check.drivers.iter())
        .filter(|driver| is_known(driver.verdict))
        .filter_map(|driver| {
            let module = &candidates.iter().find(|candidate| candidate.name == driver.name)?.module;
            let finding = Finding {
                driver: &driver.name,
                is_exact: driver.verdict == CheckVerdict::Exact,
                kernel: &check.machine.kernel,
                module,
                version: &module_version(root, module),
                made: &check.made,
                requests: driver.requests,
                bytes: driver.bytes,
                seed: check.seed,
                fault: driver.fault.as_deref().unwrap_or_default(),
            };
            Some((driver.name.clone(), finding.line()))
        })
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    change(|known| {
        let was_wrong = |name: &str| known.of(name, root).is_some_and(|finding| !finding.is_exact);
        let is_found = |name: &str| found.iter().any(|(driver, _)| driver == name);
        let old = known.all().filter(|finding| was_wrong(finding.driver) || !is_found(finding.driver));
        let old = old.map(|finding| finding.line());
        let new = found.iter().filter(|(driver, _)| !was_wrong(driver)).map(|(_, line)| line.clone());
        Ok(old.chain(new).collect())
    })
}

/// Removes the findings of these drivers.
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

/// Returns the fault of a driver in its present version, its time, and the next step; `None`
/// without one.
pub fn wrong(driver: &str) -> Result<Option<String>> {
    let path = Path::new(FINDINGS_FILE);
    let known = Findings::read(path).map_err(|why| anyhow!("{FINDINGS_FILE}: {why}"))?;
    let finding = known.of(driver, Path::new("/")).filter(|finding| !finding.is_exact);
    Ok(finding.map(|finding| {
        format!(
            "outboard check found a wrong result of {driver} on {} (seed {}): {}; outboard check --forget {driver} forgets that",
            finding.made, finding.seed, finding.fault
        )
    }))
}

/// Removes all findings.
pub fn forget_all() -> Result<()> {
    change(|_| Ok(Vec::new()))
}

/// Whether a check found each result of a driver right, in its present version.
pub fn is_exact(driver: &str) -> bool {
    let known = Findings::read(Path::new(FINDINGS_FILE)).unwrap_or_default();
    known.of(driver, Path::new("/")).is_some_and(|finding| finding.is_exact)
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
