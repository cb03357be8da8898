//! The kernel's drivers, the accelerators among them and the devices.

use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::{DriverType, Selftest};
use outboard_drivers::reach::{ProgramInterface, Reachable, Route, RouteDecision};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Accelerator {
    /// The family's id, or the module's name if the family is not known.
    pub id: String,
    pub chip: String,
    /// `SoC engine`, `coprocessor`, `card`, `firmware` or `paravirtual`; null if it is not in the
    /// catalogue.
    pub kind: Option<String>,
    /// The kernel module, or `kernel`.
    pub module: String,
    pub completion: Completion,
    pub devices: Vec<Device>,
    pub drivers: Vec<String>,
    pub evidence: Vec<Reason>,
    pub reach_of: String,
    /// The best route for programs, which outboard's provider uses: the first in `reach` that
    /// certainly leads to the driver.
    pub preferred: Option<String>,
    /// The routes and whether they lead to it; those for programs in the order of preference.
    pub reach: Vec<ReachRow>,
    /// Whether programs would reach it if `outboard check` had found that it rejects forged tags.
    #[serde(skip)]
    pub awaits_check: bool,
}

impl Accelerator {
    /// Whether a program can use it over at least one interface.
    pub fn is_reachable_by_programs(&self) -> bool {
        self.reach.iter().any(|r| r.for_programs && r.answer == Reachable::Yes)
    }

    pub fn reach_by(&self, interface: ProgramInterface) -> Option<&ReachRow> {
        self.reach.iter().find(|r| r.interface == Route::Program(interface))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completion {
    OwnInterrupt,
    Polled,
    /// By something else, named here.
    #[serde(untagged)]
    Through(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Device {
    pub bus: String,
    pub driver: String,
    pub name: String,
    /// Labels of its lines in /proc/interrupts.
    pub lines: Vec<String>,
    /// Interrupts since boot.
    pub interrupts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Reason {
    pub text: String,
    pub source: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ReachRow {
    #[serde(with = "crate::named")]
    pub interface: Route,
    /// Whether programs use it; otherwise kernel code does.
    pub for_programs: bool,
    #[serde(with = "crate::named")]
    pub answer: Reachable,
    pub why: String,
}

impl From<RouteDecision> for ReachRow {
    fn from(decision: RouteDecision) -> Self {
        let RouteDecision { route, reachable: answer, why, .. } = decision;
        Self { interface: route, for_programs: route.is_for_programs(), answer, why }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DriverView {
    pub name: String,
    pub algorithm: String,
    /// The kernel module, or `kernel`.
    pub module: String,
    pub priority: i32,
    #[serde(with = "crate::named")]
    pub kind: DriverType,
    #[serde(with = "crate::named")]
    pub selftest: Selftest,
    #[serde(default)]
    pub internal: bool,
    /// Names of its flags; `null` if the kernel could not be queried.
    pub flags: Option<Vec<String>>,
    #[serde(with = "crate::named")]
    pub verdict: Verdict,
    #[serde(skip)]
    pub uses_crypto_instructions: bool,
    /// For a wrapper: the drivers inside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<String>,
    #[serde(default)]
    pub evidence: Vec<Reason>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Algorithm {
    pub name: String,
    /// The driver that the kernel selects among those registered now.
    pub picked: Pick,
    pub accelerator: Option<Pick>,
    /// The driver for the CPU's own crypto instructions, if the accelerator outranks it.
    pub outranked: Option<Pick>,
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Pick {
    pub driver: String,
    pub priority: i32,
    #[serde(with = "crate::named")]
    pub verdict: Verdict,
    #[serde(default)]
    pub around_accelerator: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct UnboundDevice {
    pub bus: String,
    pub device: String,
    pub chip: String,
    /// The id of its entry in the catalogue; null if it has none.
    pub family: Option<String>,
    /// The modules to try, the most likely first. The first is that of modules.alias, if that names
    /// one.
    #[serde(default)]
    pub modules: Vec<String>,
    #[serde(default)]
    pub state: UnboundState,
    #[serde(default)]
    pub missing_options: Vec<String>,
    #[serde(default)]
    pub evidence: String,
    #[serde(default)]
    pub next: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnboundState {
    NoDriver,
    /// The kernel was built without the driver, or its module is not installed.
    NotBuilt,
    NotLoaded,
    /// The driver is registered and is not bound to the device.
    ProbeFailed,
    Deferred,
    /// Not known, because files are missing that show it. Linux has a driver.
    #[default]
    Unknown,
}
