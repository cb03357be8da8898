//! The kernel's drivers, the accelerators among them and the devices.

use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::{DriverType, Selftest};
use outboard_drivers::reach::{ProgramInterface, Reachable, Route, RouteDecision};
use serde::{Deserialize, Serialize};

/// A family of accelerator drivers on this system.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Accelerator {
    /// The family's id, or the module's name if the family is not known.
    pub id: String,
    /// The engine's name.
    pub chip: String,
    /// `SoC engine`, `coprocessor`, `card`, `firmware` or `paravirtual`; null if it is not in the
    /// catalogue.
    pub kind: Option<String>,
    /// The kernel module, or `kernel`.
    pub module: String,
    /// How requests complete.
    pub completion: Completion,
    /// Its devices.
    pub devices: Vec<Device>,
    /// Its drivers' names.
    pub drivers: Vec<String>,
    /// Why it is judged an accelerator.
    pub evidence: Vec<Reason>,
    /// The driver that `reach` describes.
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

    /// Whether an interface for programs leads to it.
    pub fn reach_by(&self, interface: ProgramInterface) -> Option<&ReachRow> {
        self.reach.iter().find(|r| r.interface == Route::Program(interface))
    }
}

/// How the requests of an accelerator complete.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completion {
    /// By interrupts of its devices.
    OwnInterrupt,
    /// Without interrupts.
    Polled,
    /// By something else, named here.
    #[serde(untagged)]
    Through(String),
}

/// A device of an accelerator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Device {
    /// Its bus.
    pub bus: String,
    /// Its device driver.
    pub driver: String,
    /// Its name.
    pub name: String,
    /// Labels of its lines in /proc/interrupts.
    pub lines: Vec<String>,
    /// Interrupts since boot.
    pub interrupts: u64,
}

/// A reason, and the file or interface that it was read from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[expect(missing_docs, reason = "see above")]
pub struct Reason {
    pub text: String,
    pub source: String,
}

/// A route to a driver.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ReachRow {
    /// The interface or user.
    #[serde(with = "crate::named")]
    pub interface: Route,
    /// Whether programs use it; otherwise kernel code does.
    pub for_programs: bool,
    /// Whether it leads to the driver.
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

/// One driver of the kernel.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DriverView {
    /// Its name.
    pub name: String,
    /// The algorithm.
    pub algorithm: String,
    /// The kernel module, or `kernel`.
    pub module: String,
    /// The priority.
    pub priority: i32,
    /// The kind of algorithm.
    #[serde(with = "crate::named")]
    pub kind: DriverType,
    /// The state of its self-test.
    #[serde(with = "crate::named")]
    pub selftest: Selftest,
    /// Whether it is a helper of another driver.
    #[serde(default)]
    pub internal: bool,
    /// Names of its flags; `null` if the kernel could not be queried.
    pub flags: Option<Vec<String>>,
    /// What it is.
    #[serde(with = "crate::named")]
    pub verdict: Verdict,
    /// Whether it uses the CPU's crypto instructions, not only its vectors.
    #[serde(skip)]
    pub uses_crypto_instructions: bool,
    /// For a wrapper: the drivers inside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<String>,
    /// The signs for the verdict.
    #[serde(default)]
    pub evidence: Vec<Reason>,
}

/// An algorithm for which an accelerator has a driver, or for which the selection is bad.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Algorithm {
    /// Its name in the kernel.
    pub name: String,
    /// The driver that the kernel selects among those registered now.
    pub picked: Pick,
    /// The accelerator's driver, if there is a usable one.
    pub accelerator: Option<Pick>,
    /// The driver for the CPU's own crypto instructions, if the accelerator outranks it.
    pub outranked: Option<Pick>,
    /// Why the selection may be a bad one.
    pub note: Option<String>,
}

/// A driver that is a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Pick {
    /// The driver.
    pub driver: String,
    /// Its priority.
    pub priority: i32,
    /// Its verdict.
    #[serde(with = "crate::named")]
    pub verdict: Verdict,
    /// Whether it is a template around an accelerator's driver.
    #[serde(default)]
    pub around_accelerator: bool,
}

/// A device without a driver.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct UnboundDevice {
    /// The bus.
    pub bus: String,
    /// The device's name there.
    pub device: String,
    /// The engine.
    pub chip: String,
    /// The id of its entry in the catalogue; null if it has none.
    pub family: Option<String>,
    /// The modules to try, the most likely first. The first is that of modules.alias, if that names
    /// one.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Why it has no driver.
    #[serde(default)]
    pub state: UnboundState,
    /// Options that this kernel was built without.
    #[serde(default)]
    pub missing_options: Vec<String>,
    /// What shows the state.
    #[serde(default)]
    pub evidence: String,
    /// The next step.
    #[serde(default)]
    pub next: String,
}

/// Why a device has no driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnboundState {
    /// Linux has no driver.
    NoDriver,
    /// The kernel was built without the driver, or its module is not installed.
    NotBuilt,
    /// The module is not loaded.
    NotLoaded,
    /// The driver is registered and is not bound to the device.
    ProbeFailed,
    /// The driver waits for another device.
    Deferred,
    /// Not known, because files are missing that show it. Linux has a driver.
    #[default]
    Unknown,
}
