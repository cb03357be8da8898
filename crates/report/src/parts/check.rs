//! `outboard-check/1`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Check {
    pub seed: u64,
    pub drivers: Vec<Driver>,
    pub interrupted: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Driver {
    pub name: String,
    pub algorithm: String,
    pub selftest: String,
    pub interface: Option<String>,
    pub verdict: Verdict,
    pub fault: Option<String>,
    pub requests: u64,
    pub bytes: u64,
    pub interrupts: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Exact,
    Wrong,
    Refuses,
    Unreached,
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Wrong => "wrong",
            Verdict::Refuses => "refuses requests",
            Verdict::Unreached => "not reached",
        }
    }
}
