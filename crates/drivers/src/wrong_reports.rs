//! Reports to the module about wrong results of allowed drivers, from
//! `/sys/class/misc/outboard/drivers/NAME/wrong` (docs/uapi.md).

use std::fmt;

use crate::root::Root;

/// Reports of one user's processes about one driver, since root allowed the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongReports {
    /// The user ID; `None` for all users for whom the module had no room.
    pub user: Option<u32>,
    /// The number of reports.
    pub count: u64,
}

impl WrongReports {
    /// The reports about `driver`; empty if the module is not loaded or the driver is not allowed.
    pub fn read(root: &Root, driver: &str) -> Vec<WrongReports> {
        if driver.contains('/') {
            return Vec::new();
        }
        let path = format!("sys/class/misc/outboard/drivers/{driver}/wrong");
        let text = root.text(&path).unwrap_or_default();
        text.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<WrongReports> {
        let (user, count) = line.split_once(' ')?;
        let user = if user == "-" { None } else { Some(user.parse().ok()?) };
        Some(WrongReports { user, count: count.parse().ok().filter(|&count| count > 0)? })
    }

    /// Whether a process of `user` trusts them: those of root and of its own user. Others may be
    /// false.
    pub fn are_trusted_by(&self, user: u32) -> bool {
        self.user.is_some_and(|reporter| reporter == 0 || reporter == user)
    }
}

impl fmt::Display for WrongReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if self.count == 1 { String::from("once") } else { format!("{} times", self.count) };
        match self.user {
            Some(0) => write!(f, "{times} by root"),
            Some(user) => write!(f, "{times} by user {user}"),
            None => write!(f, "{times} by other users"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn reports_are_read_by_user_and_lines_not_understood_are_skipped() {
        let tree = tempfile::tempdir().unwrap();
        let directory = tree.path().join("sys/class/misc/outboard/drivers/sim-cbc-aes");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("wrong"), "0 2\n1000 7\n- 3\n\nodd\n-1 4\n5 0\n5 x\n").unwrap();
        let root = Root::saved(tree.path()).unwrap();
        let reports = WrongReports::read(&root, "sim-cbc-aes");
        let expected = [(Some(0), 2), (Some(1000), 7), (None, 3)];
        assert!(reports.iter().map(|reports| (reports.user, reports.count)).eq(expected), "{reports:?}");
        let trusted = |user| reports.iter().filter(|reports| reports.are_trusted_by(user)).count();
        assert_eq!([0, 1000, 1001].map(trusted), [1, 2, 1]);
        for absent in ["sim-ctr-aes", "../drivers/sim-cbc-aes"] {
            assert!(WrongReports::read(&root, absent).is_empty());
        }
    }
}
