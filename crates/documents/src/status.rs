//! `outboard-status/1`: what reports show of the document of `outboard status`, which
//! `outboard_inventory::Status` defines. Its test `status_document` compares the two. Structs of which
//! reports show all fields are defined here for both.

#![expect(missing_docs, reason = "outboard_inventory::Status documents the fields")]

use outboard_drivers::judge::Verdict as DriverVerdict;
use outboard_drivers::reach::{Consumer, ProgramInterface, Reachable, Route, RouteDecision};
use serde::{Deserialize, Serialize};

use crate::Document;
use crate::check::CheckVerdict;

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

/// A driver and its consumers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MatrixRow {
    /// The driver, or the generator.
    pub driver: String,
    /// The kernel's name of its algorithm; `random numbers` for a generator.
    pub algorithm: String,
    /// Each consumer, in a fixed order; a generator has one.
    pub consumers: Vec<MatrixCell>,
}

/// Whether a consumer gets the driver.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MatrixCell {
    #[serde(with = "crate::named")]
    pub consumer: Consumer,
    #[serde(with = "crate::named")]
    pub answer: Reachable,
    /// The reason.
    pub why: String,
}

impl MatrixRow {
    /// Whether programs with OpenSSL certainly get the driver, by the provider.
    pub fn is_for_openssl(&self) -> bool {
        let is_it = |cell: &MatrixCell| cell.consumer == Consumer::OpenSsl && cell.answer == Reachable::Yes;
        self.consumers.iter().any(is_it)
    }
}

/// A cipher that an accelerator of this machine can serve.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CipherOffload {
    /// OpenSSL's name.
    pub cipher: String,
    /// Requests to an accelerator; null if there are none.
    pub direct: Option<DirectRequests>,
    /// Look-ahead; null if it is not used.
    pub lookahead: Option<KeyStreamUse>,
    /// Why look-ahead is not used; null where it is, and for ciphers without a key stream.
    #[serde(default)]
    pub no_lookahead: Option<String>,
}

/// The requests that go to an accelerator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct DirectRequests {
    pub driver: String,
    /// Smallest request in bytes for encryption and decryption; null if none wins.
    pub from: [Option<usize>; 2],
    /// Whether `outboard tune` measured that; otherwise it is the built-in threshold.
    pub is_measured: bool,
}

/// The requests that use key stream.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct KeyStreamUse {
    /// The driver of ECB mode that computes it.
    pub driver: String,
    /// Smallest request in bytes.
    pub from: usize,
    /// Largest request in bytes; null: there is no limit.
    pub to: Option<usize>,
    /// Number of bytes with a key after which it starts.
    #[serde(default)]
    pub start: usize,
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

/// A route to a driver.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ReachRow {
    #[serde(with = "crate::named")]
    pub interface: Route,
    /// Whether programs use it; otherwise kernel code does.
    pub for_programs: bool,
    #[serde(with = "crate::named")]
    pub answer: Reachable,
    /// The reason.
    pub why: String,
}

impl From<RouteDecision> for ReachRow {
    fn from(decision: RouteDecision) -> Self {
        let RouteDecision { route, reachable: answer, why, .. } = decision;
        Self { interface: route, for_programs: route.is_for_programs(), answer, why }
    }
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
    #[serde(with = "crate::named")]
    pub verdict: DriverVerdict,
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
    /// The provider uses only exact ones.
    pub verdict: CheckVerdict,
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
    #[serde(with = "crate::named")]
    pub verdict: DriverVerdict,
}

impl Status {
    /// Returns whether programs can reach an accelerator through this interface.
    pub fn is_reached_by(&self, interface: ProgramInterface) -> bool {
        let routes = self.accelerators.iter().flat_map(|accelerator| &accelerator.reach);
        let interface = Route::Program(interface);
        routes.into_iter().any(|row| row.interface == interface && row.answer == Reachable::Yes)
    }
}
