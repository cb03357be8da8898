//! `outboard-status/1`: what `outboard status` found on a system and what it concludes. docs/status.md
//! describes the document. Fields are only added, so each field that is not as old as the schema has a
//! default.

mod conclusions;
mod drivers;
mod openssl;
mod problem;
mod system;
mod text;

pub use conclusions::{
    Answer, Checked, CipherOffload, Conclusion, DirectRequests, KernelUse, KernelUserFigures, KeyStreamUse,
    MatrixCell, MatrixRow, Policy, Service,
};
pub use drivers::{
    Accelerator, Algorithm, Completion, Device, DriverView, Pick, ReachRow, Reason, UnboundDevice,
    UnboundState,
};
pub use openssl::{DigestsLine, Engines, OpenSsl, ProviderSection, RandomSources};
pub use problem::Problem;
pub use system::{Cpu, CpuInstructions, Hwrng, Kernel, Lockdown, Machine, Node, Platform};
pub use text::{Pasted, PastedText, Remark};

use outboard_catalog::instructions::Architecture;
use outboard_drivers::proc_crypto::Selftest;
use outboard_drivers::reach::{Consumer, Reachable};
use serde::{Deserialize, Serialize};

use crate::decision::ServiceDecision;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Status {
    /// The tree that was read, if it was not the running system.
    pub saved_tree: Option<String>,
    pub kernel: Kernel,
    pub machine: Machine,
    pub cpu: Cpu,
    #[serde(default)]
    pub cpu_instructions: Vec<CpuInstructions>,
    pub accelerators: Vec<Accelerator>,
    /// Each driver of an accelerator and each random number generator, with the consumers that get
    /// it on this kernel.
    #[serde(default)]
    pub reach: Vec<MatrixRow>,
    /// The users within the kernel that get an accelerator by its priority.
    #[serde(default)]
    pub kernel_use: Vec<KernelUse>,
    /// Ciphers that accelerators can serve, and how the provider processes them.
    #[serde(default)]
    pub offload: Vec<CipherOffload>,
    /// Algorithms that accelerators offer, and the driver that the kernel itself would select.
    #[serde(default)]
    pub algorithms: Vec<Algorithm>,
    #[serde(default)]
    pub unbound_devices: Vec<UnboundDevice>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    pub hwrng: Option<Hwrng>,
    pub openssl: OpenSsl,
    pub policy: Option<Policy>,
    #[serde(default)]
    pub services: Vec<Service>,
    #[serde(default)]
    pub checked: Vec<Checked>,
    /// What was recognised in a pasted text; null for a machine, a saved tree or a bundle.
    pub pasted: Option<PastedText>,
    /// What a saved tree or a text cannot show, each with the command that shows it.
    #[serde(default)]
    pub missing: Vec<String>,
    pub drivers: Vec<DriverView>,
    #[serde(default)]
    pub problems: Vec<Problem>,
    /// The answer in one sentence; never null.
    pub verdict: Option<Conclusion>,
    /// What to do with each service that is installed or enabled.
    #[serde(default)]
    pub decisions: Vec<ServiceDecision>,
    /// The next steps: that of the verdict, then those of the problems.
    #[serde(default)]
    pub advice: Vec<String>,
    /// Files that could not be read, or only in part.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Status {
    pub fn enabled_services(&self) -> Vec<String> {
        self.services.iter().filter(|service| service.enabled).map(|service| service.name.clone()).collect()
    }

    pub fn is_usable(&self, driver: &str) -> bool {
        self.drivers.iter().any(|one| one.name == driver && one.selftest == Selftest::Passed)
    }

    pub fn is_wrong(&self, driver: &str) -> bool {
        self.checked.iter().any(|checked| checked.driver == driver && checked.fault.is_some())
    }

    /// The users within the kernel that get any driver of an accelerator; with a question mark if that
    /// is unclear.
    pub fn kernel_users(&self, accelerator: &Accelerator) -> Vec<String> {
        let of_it = |row: &&MatrixRow| accelerator.drivers.contains(&row.driver);
        let cells = || self.reach.iter().filter(of_it).flat_map(|row| &row.consumers);
        let user = |consumer: Consumer| {
            let has =
                |answer: Reachable| cells().any(|cell| cell.consumer == consumer && cell.answer == answer);
            let name = consumer.name().to_owned();
            if has(Reachable::Yes) { Some(name) } else { has(Reachable::Unclear).then(|| name + "?") }
        };
        Consumer::ALL.into_iter().filter(|consumer| consumer.selects_by_priority()).filter_map(user).collect()
    }

    /// Whether the CPU has AES instructions; `None` if that is not known. The kernel registers drivers
    /// for them only on a CPU that has them.
    pub fn cpu_has_aes(&self) -> Option<bool> {
        if self.cpu.architecture != Architecture::Unknown {
            return Some(self.cpu.has_aes());
        }
        let is_of_aes =
            |driver: &&DriverView| driver.algorithm.contains("aes") && driver.uses_crypto_instructions;
        self.drivers.iter().find(is_of_aes).map(|_| true)
    }
}
