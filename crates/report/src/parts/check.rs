//! `outboard-check/1`: as `outboard check` writes it, and reports keep it. Sizes in bytes, fields are only added.

use serde::{Deserialize, Serialize};

pub use super::tune::Machine;

/// All of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Check {
    /// `2026-11-21T12:34:56Z`
    pub made: String,
    /// Where: a driver may be right with one kernel and wrong with the next.
    pub machine: Machine,
    /// Repeats the same requests.
    pub seed: u64,
    /// One for each driver.
    pub drivers: Vec<Driver>,
    /// Memory was kept scarce meanwhile.
    #[serde(default)]
    pub memory_pressure: bool,
    /// A signal came before all was done.
    pub interrupted: bool,
    /// Drivers that were to be checked and were not: the time was over, or a signal came.
    #[serde(default)]
    pub not_checked: Vec<String>,
}

/// A driver.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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

impl Verdict {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Wrong => "wrong",
            Verdict::Refuses => "refuses requests",
            Verdict::Unreached => "not reached",
        }
    }
}
