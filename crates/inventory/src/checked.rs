//! The findings of `outboard check` about the accelerators' drivers in their current form.

use std::io;
use std::path::Path;

use crate::policy::FilesOf;
use outboard_documents::check::CheckVerdict;
use outboard_documents::status::Checked;
use outboard_drivers::reach::{TagCheck, found_unanswered, found_wrong};
use outboard_drivers::root::Root;
use outboard_policy::{FINDINGS_FILE, Finding, FindingVerdict, Findings, Unfit};

/// Reads all findings. The error names the file and why it is not used.
pub fn read(root: &Root) -> Result<Findings, String> {
    // Also on the running system, so that a bundle has the file.
    let copy = root.read(FINDINGS_FILE.trim_start_matches('/'));
    let findings = match copy {
        _ if root.is_live() => Findings::read(Path::new(FINDINGS_FILE)),
        Ok(bytes) => Ok(Findings::parse(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Findings::default()),
        Err(error) => Err(error.into()),
    };
    findings.map_err(|why: Unfit| format!("{FINDINGS_FILE}: {why}"))
}

pub fn of_drivers<'a>(
    root: &Root,
    findings: &Findings,
    drivers: impl Iterator<Item = &'a str>,
) -> Vec<Checked> {
    drivers.filter_map(|name| findings.of(name, &FilesOf(root)).map(checked)).collect()
}

/// Whether a driver is known to reject forged tags.
pub fn tags_of(root: &Root, findings: &Findings, driver: &str) -> TagCheck {
    match findings.of(driver, &FilesOf(root)) {
        Some(Finding { verdict: FindingVerdict::Exact, .. }) => TagCheck::Passed,
        _ => TagCheck::Missing,
    }
}

pub fn fault_of(root: &Root, findings: &Findings, driver: &str) -> Option<String> {
    let Finding { verdict, made, fault, .. } = findings.of(driver, &FilesOf(root))?;
    match verdict {
        FindingVerdict::Exact => None,
        FindingVerdict::Wrong => Some(found_wrong(driver, made, fault)),
        FindingVerdict::Unanswered => Some(found_unanswered(driver, made)),
    }
}

fn checked(finding: Finding<'_>) -> Checked {
    Checked {
        driver: finding.driver.to_owned(),
        verdict: match finding.verdict {
            FindingVerdict::Exact => CheckVerdict::Exact,
            FindingVerdict::Wrong => CheckVerdict::Wrong,
            FindingVerdict::Unanswered => CheckVerdict::Unanswered,
        },
        made: finding.made.to_owned(),
        requests: finding.requests,
        fault: (finding.verdict != FindingVerdict::Exact).then(|| finding.fault.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_what_was_checked_as_it_is_here_counts() {
        let tree = tempfile::tempdir().unwrap();
        for directory in ["etc/outboard", "proc/sys/kernel"] {
            fs::create_dir_all(tree.path().join(directory)).unwrap();
        }
        fs::write(tree.path().join("proc/sys/kernel/osrelease"), "7.2.0\n").unwrap();
        let text = "a exact 7.2.0 kernel - 2026-11-21T12:00:00Z 10 20 3\n\
                    b wrong 7.2.0 kernel - 2026-11-21T12:00:00Z 4 5 6 # from byte 7 on\n\
                    c exact 7.1.0 kernel - 2026-11-21T12:00:00Z 10 20 3\n";
        fs::write(tree.path().join("etc/outboard/checked"), text).unwrap();
        let root = Root::saved(tree.path()).unwrap();
        let findings = read(&root).unwrap();
        let checked = of_drivers(&root, &findings, ["a", "b", "c", "d"].into_iter());
        let short: Vec<_> =
            checked.iter().map(|one| (one.driver.as_str(), one.verdict, one.requests)).collect();
        assert_eq!(short, [("a", CheckVerdict::Exact, 10), ("b", CheckVerdict::Wrong, 4)]);
        let tags = ["a", "b", "c"].map(|driver| tags_of(&root, &findings, driver));
        assert_eq!(tags, [TagCheck::Passed, TagCheck::Missing, TagCheck::Missing]);
        assert_eq!(checked[1].fault.as_deref(), Some("from byte 7 on"));
        fs::remove_file(tree.path().join("etc/outboard/checked")).unwrap();
        fs::create_dir(tree.path().join("etc/outboard/checked")).unwrap();
        assert!(read(&root).unwrap_err().contains("/etc/outboard/checked: "));
    }
}
