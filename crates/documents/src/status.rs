//! `outboard-status/1`: what reports show of the document of `outboard status`, which
//! `outboard_inventory::Status` defines. Its test `status_document` compares the two. Structs of which
//! reports show all fields are defined here for both.

#![expect(missing_docs, reason = "outboard_inventory::Status documents the fields")]

use serde::{Deserialize, Serialize};

use crate::Document;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Status {
    pub saved_tree: Option<String>,
    pub kernel: Kernel,
    pub machine: Machine,
    pub cpu: Cpu,
    pub accelerators: Vec<Accelerator>,
    #[serde(default)]
    pub algorithms: Vec<Algorithm>,
    #[serde(default)]
    pub unbound_devices: Vec<UnboundDevice>,
    pub hwrng: Option<Hwrng>,
    pub openssl: OpenSsl,
    pub policy: Option<Policy>,
    #[serde(default)]
    pub services: Vec<Service>,
    #[serde(default)]
    pub checked: Vec<Checked>,
    pub drivers: Vec<Driver>,
    pub verdict: Option<Verdict>,
    #[serde(default)]
    pub problems: Vec<Problem>,
    #[serde(default)]
    pub reach: Vec<MatrixRow>,
    #[serde(default)]
    pub offload: Vec<CipherOffload>,
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Document for Status {
    const SCHEMA: &'static str = "outboard-status/1";
}

impl Status {
    /// The names of the services that are enabled.
    pub fn enabled_services(&self) -> Vec<String> {
        self.services.iter().filter(|service| service.enabled).map(|service| service.name.clone()).collect()
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Service {
    pub name: String,
    pub enabled: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Verdict {
    pub text: String,
    pub next: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Problem {
    pub id: String,
    pub is_note: bool,
    pub text: String,
    pub evidence: String,
    pub next: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MatrixRow {
    pub driver: String,
    pub algorithm: String,
    pub consumers: Vec<MatrixCell>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MatrixCell {
    pub consumer: String,
    pub answer: String,
    pub why: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CipherOffload {
    pub cipher: String,
    pub direct: Option<DirectRequests>,
    pub lookahead: Option<KeyStreamUse>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DirectRequests {
    pub driver: String,
    pub from: [Option<u64>; 2],
    pub is_measured: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KeyStreamUse {
    pub driver: String,
    pub from: u64,
    pub to: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Kernel {
    pub release: Option<String>,
    pub fips: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Machine {
    pub model: Option<String>,
    pub platform: Option<Platform>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Platform {
    pub name: String,
    pub remark: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Cpu {
    pub architecture: String,
    pub model: Option<String>,
    pub cpus: u64,
    pub aes: Vec<String>,
    #[serde(default)]
    pub gcm: Vec<String>,
    #[serde(default)]
    pub sha: Vec<String>,
    #[serde(default)]
    pub padlock: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Accelerator {
    pub id: String,
    pub chip: String,
    pub module: String,
    pub completion: String,
    pub devices: Vec<Device>,
    pub drivers: Vec<String>,
    pub evidence: Vec<Reason>,
    pub reach_of: String,
    pub preferred: Option<String>,
    pub reach: Vec<ReachRow>,
}

/// A device of an accelerator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Device {
    pub bus: String,
    /// Its device driver.
    pub driver: String,
    pub name: String,
    /// Labels of its lines in /proc/interrupts.
    pub lines: Vec<String>,
    /// Interrupts since boot.
    pub interrupts: u64,
}

/// A reason, and the file or interface that it was read from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Reason {
    pub text: String,
    pub source: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ReachRow {
    pub interface: String,
    pub for_programs: bool,
    pub answer: String,
    pub why: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Algorithm {
    pub name: String,
    pub picked: Pick,
    pub note: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Pick {
    pub driver: String,
    pub priority: i64,
    pub verdict: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UnboundDevice {
    pub bus: String,
    pub device: String,
    pub chip: String,
    #[serde(default)]
    pub next: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Hwrng {
    pub current: Option<String>,
    pub quality: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OpenSsl {
    pub version: Option<String>,
    #[serde(default)]
    pub providers: Vec<String>,
}

/// The policy file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Policy {
    pub path: String,
    /// The time of the measurement; null if it cannot be read.
    pub made: Option<String>,
    /// The goal: `throughput`, `cpu` or `balanced`; null if it cannot be read.
    pub goal: Option<String>,
    /// Whether the provider applies it.
    pub in_force: bool,
    /// Why the provider does not apply it, or null.
    pub problem: Option<String>,
}

/// A driver that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Checked {
    pub driver: String,
    /// `exact`, `wrong` or `unanswered`; the provider uses only exact ones.
    pub verdict: String,
    /// The time of the check, in UTC.
    pub made: String,
    /// Number of requests with correct results.
    pub requests: u64,
    /// The fault, or null.
    pub fault: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Driver {
    pub name: String,
    pub algorithm: String,
    pub module: String,
    pub priority: i64,
    pub selftest: String,
    #[serde(default)]
    pub internal: bool,
    pub verdict: String,
}

impl Status {
    /// Returns whether programs can reach an accelerator through this interface.
    pub fn is_reached_by(&self, interface: &str) -> bool {
        let ways = self.accelerators.iter().flat_map(|accelerator| &accelerator.reach);
        ways.into_iter().any(|row| row.for_programs && row.interface == interface && row.answer == "yes")
    }
}
