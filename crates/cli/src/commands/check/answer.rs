//! What was found. Serialized, this is the schema `outboard-check/1`: sizes in bytes, fields are only added.

use serde::{Deserialize, Serialize};

/// The value of [`Answer::schema`].
pub const SCHEMA: &str = "outboard-check/1";

/// All of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// `outboard-check/1`.
    pub schema: &'static str,
    /// Repeats the same requests.
    pub seed: u64,
    /// One for each driver.
    pub drivers: Vec<Driver>,
    /// ^C came first.
    pub interrupted: bool,
}

/// A driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Driver {
    /// Its name in /proc/crypto.
    pub name: String,
    /// The kernel's name of what it does.
    pub algorithm: String,
    /// The kernel's own test of it, from /proc/crypto: `passed`, or what it says instead.
    pub selftest: String,
    /// What leads there; null when nothing does.
    pub interface: Option<String>,
    /// In one word.
    pub verdict: Verdict,
    /// What went wrong, with the request; null when nothing did.
    pub fault: Option<String>,
    /// Requests with right results.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Interrupts of accelerators meanwhile; null when they cannot be counted or would prove nothing.
    pub interrupts: Option<u64>,
}

/// What it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every result was right.
    Exact,
    /// One was not.
    Wrong,
    /// A request or a key was refused, or its result did not come.
    Refuses,
    /// No interface leads there.
    Unreached,
}

/// What one process found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Requests with right results.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What ended it.
    pub fault: Option<(Outcome, String)>,
}

/// What a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// A wrong result.
    Wrong,
    /// None.
    None,
}

impl Share {
    /// Both together; a wrong result counts for more than none.
    pub fn and(self, other: Share) -> Share {
        let fault = match (self.fault, other.fault) {
            (Some((Outcome::None, _)), Some(wrong @ (Outcome::Wrong, _))) => Some(wrong),
            (mine, theirs) => mine.or(theirs),
        };
        Share { requests: self.requests + other.requests, bytes: self.bytes + other.bytes, fault }
    }
}

impl Answer {
    /// Whether something was checked, and all that was asked for was exact.
    pub fn is_right(&self) -> bool {
        let is_bad = |driver: &Driver| matches!(driver.verdict, Verdict::Wrong | Verdict::Refuses);
        let is_exact = |driver: &Driver| driver.verdict == Verdict::Exact;
        !self.drivers.iter().any(is_bad) && self.drivers.iter().any(is_exact)
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
