//! The results of a run, and those of one process.

use outboard_report::check::{Check, Driver, Verdict};
use serde::Serialize;

/// The value of [`Answer::schema`].
pub const SCHEMA: &str = "outboard-check/1";

/// The document of `--json`, with the name of its schema.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// `outboard-check/1`.
    pub schema: &'static str,
    /// The results.
    #[serde(flatten)]
    pub check: Check,
}

/// The results of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Requests with right results.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The fault that ended the check.
    pub fault: Option<(Outcome, String)>,
}

/// The type of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A wrong result.
    Wrong,
    /// No result.
    None,
}

impl Share {
    /// Combines the results of two processes; a wrong result takes precedence over a missing one.
    pub fn and(self, other: Share) -> Share {
        let fault = match (self.fault, other.fault) {
            (Some((Outcome::None, _)), Some(wrong @ (Outcome::Wrong, _))) => Some(wrong),
            (mine, theirs) => mine.or(theirs),
        };
        Share { requests: self.requests + other.requests, bytes: self.bytes + other.bytes, fault }
    }
}

impl Answer {
    /// Returns whether a driver was checked, none was left out, and every result was right.
    pub fn is_right(&self) -> bool {
        let is_bad = |driver: &Driver| matches!(driver.verdict, Verdict::Wrong | Verdict::Refuses);
        let is_exact = |driver: &Driver| driver.verdict == Verdict::Exact;
        let drivers = &self.check.drivers;
        self.check.not_checked.is_empty() && !drivers.iter().any(is_bad) && drivers.iter().any(is_exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_result_is_worse_than_none() {
        let share = |outcome: Option<Outcome>| Share {
            requests: 2,
            bytes: 3,
            fault: outcome.map(|outcome| (outcome, format!("{outcome:?}"))),
        };
        let both = share(Some(Outcome::None)).and(share(Some(Outcome::Wrong)));
        assert_eq!((both.requests, both.bytes, both.fault), (4, 6, share(Some(Outcome::Wrong)).fault));
        assert_eq!(share(None).and(share(Some(Outcome::None))).fault, share(Some(Outcome::None)).fault);
        assert_eq!(share(Some(Outcome::Wrong)).and(share(None)).fault, share(Some(Outcome::Wrong)).fault);
    }
}
