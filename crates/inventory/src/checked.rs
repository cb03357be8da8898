//! What `outboard check` found of the accelerators' drivers as they are here.

use outboard_drivers::root::Root;
use outboard_drivers::wrong_reports::WrongReports;
use outboard_policy::{FINDINGS_FILE, Finding, Findings};
use serde::{Serialize, Serializer};

/// A driver that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Its name.
    pub driver: String,
    /// `exact` or `wrong`: then the provider passes over it.
    pub verdict: &'static str,
    /// When, in UTC.
    pub made: String,
    /// Right results.
    pub requests: u64,
    /// What was wrong, or null.
    pub fault: Option<String>,
}

/// A driver with wrong results that applications met since it was allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Caught {
    /// Its name.
    pub driver: String,
    /// The reports of the module, by user: `user` (null: users for whom the module had no room) and `count`.
    #[serde(serialize_with = "by_user")]
    pub reports: Vec<WrongReports>,
}

fn by_user<S: Serializer>(reports: &[WrongReports], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Row {
        user: Option<u32>,
        count: u64,
    }
    serializer.collect_seq(reports.iter().map(|reports| Row { user: reports.user, count: reports.count }))
}

/// Those of `drivers` that were caught.
pub fn caught<'a>(root: &Root, drivers: impl Iterator<Item = &'a str>) -> Vec<Caught> {
    let caught =
        drivers.map(|name| Caught { driver: name.to_owned(), reports: WrongReports::read(root, name) });
    caught.filter(|caught| !caught.reports.is_empty()).collect()
}

/// Those of `drivers` that were; and why nothing is known, if something should be.
pub fn read<'a>(root: &Root, drivers: impl Iterator<Item = &'a str>) -> (Vec<Checked>, Option<String>) {
    let path = root.path().join(FINDINGS_FILE.trim_start_matches('/'));
    match Findings::read(&path) {
        Ok(findings) => {
            (drivers.filter_map(|name| findings.of(name, root.path()).map(Checked::from)).collect(), None)
        }
        Err(why) => (Vec::new(), Some(format!("{FINDINGS_FILE}: {why}"))),
    }
}

impl From<Finding<'_>> for Checked {
    fn from(finding: Finding<'_>) -> Checked {
        Checked {
            driver: finding.driver.to_owned(),
            verdict: if finding.is_exact { "exact" } else { "wrong" },
            made: finding.made.to_owned(),
            requests: finding.requests,
            fault: (!finding.is_exact).then(|| finding.fault.to_owned()),
        }
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
        let (checked, problem) = read(&root, ["a", "b", "c", "d"].into_iter());
        let short: Vec<_> =
            checked.iter().map(|one| (one.driver.as_str(), one.verdict, one.requests)).collect();
        assert_eq!((short, problem), (vec![("a", "exact", 10), ("b", "wrong", 4)], None));
        assert_eq!(checked[1].fault.as_deref(), Some("from byte 7 on"));
        fs::remove_file(tree.path().join("etc/outboard/checked")).unwrap();
        fs::create_dir(tree.path().join("etc/outboard/checked")).unwrap();
        let (checked, problem) = read(&root, ["a"].into_iter());
        assert!(checked.is_empty() && problem.unwrap().contains("/etc/outboard/checked: "));
    }
}
