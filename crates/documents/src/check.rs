//! `outboard-check/1`: the document of `outboard check`. Sizes in bytes.

use serde::{Deserialize, Serialize};

use crate::Machine;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Check {
    /// Time of the run, in UTC: `2026-11-21T12:34:56Z`.
    pub made: String,
    /// The machine: a driver may be right with one kernel and wrong with the next.
    pub machine: Machine,
    pub seed: u64,
    pub drivers: Vec<CheckedDriver>,
    pub interrupted: bool,
    /// Drivers that were not checked because the time was over or a signal arrived.
    #[serde(default)]
    pub not_checked: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CheckedDriver {
    pub name: String,
    pub algorithm: String,
    /// The result of the kernel's own test in /proc/crypto: `passed`, or another text.
    pub selftest: String,
    pub interface: Option<String>,
    pub verdict: CheckVerdict,
    pub fault: Option<String>,
    pub requests: u64,
    pub bytes: u64,
    /// Packets of IPsec that arrived as they were sent, from 64 to 1500 bytes.
    #[serde(default)]
    pub packets: u64,
    /// Why it was not checked with packets of IPsec, which request its algorithm; null if it was, or they
    /// do not.
    #[serde(default)]
    pub no_packets: Option<String>,
    /// Interrupts of accelerators during the check; null if they cannot be counted or would prove
    /// nothing.
    pub interrupts: Option<u64>,
}

outboard_catalog::texts! { words:
    /// In this order: what a check that finds several reports.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum CheckVerdict {
        Exact = "exact",
        Wrong = "wrong",
        /// A request was not completed within the time limit.
        Unanswered = "no answer",
        /// A request or a key was refused, or a result is missing.
        Refuses = "refuses requests",
        Unreached = "not reached",
    }
}

impl Check {
    pub fn new(seed: u64, machine: Machine, made: String) -> Self {
        Check { made, machine, seed, drivers: Vec::new(), interrupted: false, not_checked: Vec::new() }
    }

    pub fn is_right(&self) -> bool {
        self.not_checked.is_empty() && self.is_right_so_far()
    }

    /// Returns whether a driver was checked, and every result was right.
    pub fn is_right_so_far(&self) -> bool {
        let is_bad = |driver: &CheckedDriver| driver.verdict.is_failure();
        let is_exact = |driver: &CheckedDriver| driver.verdict == CheckVerdict::Exact;
        !self.drivers.iter().any(is_bad) && self.drivers.iter().any(is_exact)
    }
}

impl CheckVerdict {
    pub fn is_failure(self) -> bool {
        matches!(self, CheckVerdict::Wrong | CheckVerdict::Unanswered | CheckVerdict::Refuses)
    }
}
