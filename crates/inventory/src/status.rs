//! The output of `outboard status --json`. Fields are only added to schema 1, never changed or
//! removed.

use outboard_documents::choice::ServiceChoice;
use outboard_documents::named;
use outboard_documents::status::{Checked, CipherOffload, Device, MatrixRow, Policy, ReachRow, Reason};
use outboard_drivers::find::Judged;
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::{ProgramInterface, Reachable, Route};
use serde::Serialize;

use crate::algorithms::Algorithm;
use crate::cpu::Cpu;
use crate::devices::UnboundDevice;
use crate::hwrng::Hwrng;
use crate::instructions::CpuInstructions;
use crate::interfaces::Node;
use crate::machine::Machine;
use crate::openssl::OpenSsl;
use crate::pasted::Pasted;
use crate::problems::Problem;
use crate::services::Service;
use crate::tunnels::TunnelCipher;
use crate::verdict::Conclusion;

/// The value of [`Status::schema`].
pub const SCHEMA: &str = "outboard-status/1";

/// The status of a system.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// `outboard-status/1`.
    pub schema: &'static str,
    /// The tree that was read, if it was not the running system.
    pub saved_tree: Option<String>,
    /// The kernel.
    pub kernel: Kernel,
    /// The machine.
    pub machine: Machine,
    /// Its CPU.
    pub cpu: Cpu,
    /// Its cryptographic instructions.
    pub cpu_instructions: Vec<CpuInstructions>,
    /// The accelerators, one entry for each family of drivers.
    pub accelerators: Vec<Accelerator>,
    /// Each driver of an accelerator and each random number generator, with the consumers that get
    /// it on this kernel.
    pub reach: Vec<MatrixRow>,
    /// Ciphers that accelerators can serve, and how the provider processes them.
    pub offload: Vec<CipherOffload>,
    /// Algorithms that accelerators offer, and the driver that the kernel itself would select.
    pub algorithms: Vec<Algorithm>,
    /// Crypto devices without a driver.
    pub unbound_devices: Vec<UnboundDevice>,
    /// Device nodes for programs.
    pub nodes: Vec<Node>,
    /// Hardware random number generators.
    pub hwrng: Option<Hwrng>,
    /// OpenSSL.
    pub openssl: OpenSsl,
    /// The measured policy, and whether it is in force; null if there is none.
    pub policy: Option<Policy>,
    /// Services that `outboard enable` knows and that are installed or enabled.
    pub services: Vec<Service>,
    /// The findings of `outboard check` about the accelerators' drivers.
    pub checked: Vec<Checked>,
    /// What was recognised in a pasted text; null for a machine, a saved tree or a bundle.
    pub pasted: Option<Pasted>,
    /// What a saved tree or a text cannot show, each with the command that shows it.
    pub missing: Vec<String>,
    /// All drivers of the kernel.
    pub drivers: Vec<DriverView>,
    /// The problems that were found, the most important first.
    pub problems: Vec<Problem>,
    /// The answer in one sentence; never null.
    pub verdict: Option<Conclusion>,
    /// Ciphers for VPNs, for both ends.
    pub tunnels: Vec<TunnelCipher>,
    /// What the suites of services cost on this machine; empty if `outboard tune` did not measure it.
    pub choices: Vec<ServiceChoice>,
    /// The next steps: that of the verdict, then those of the problems.
    pub advice: Vec<String>,
    /// Files that could not be read, or only in part.
    pub warnings: Vec<String>,
}

/// The kernel.
#[derive(Debug, Clone, Serialize)]
pub struct Kernel {
    /// Its release.
    pub release: Option<String>,
    /// Whether it runs in FIPS mode.
    pub fips: bool,
    /// sysctl crypto.af_alg_restrict, since Linux 7.3.
    pub af_alg_restrict: Option<u32>,
    /// The mode of lockdown: `none`, `integrity` or `confidentiality`; null without support.
    pub lockdown: Option<String>,
}

impl Kernel {
    /// Whether it loads signed modules only (kernel_lockdown.7).
    pub(crate) fn is_locked_down(&self) -> bool {
        self.lockdown.as_deref().is_some_and(|mode| mode != "none")
    }
}

/// A family of accelerator drivers on this system.
#[derive(Debug, Clone, Serialize)]
pub struct Accelerator {
    /// The family's id, or the module's name if the family is not known.
    pub id: String,
    /// The engine's name.
    pub chip: String,
    /// `SoC engine`, `coprocessor`, `card`, `firmware` or `paravirtual`; null if it is not in the
    /// catalogue.
    pub kind: Option<&'static str>,
    /// The kernel module, or `kernel`.
    pub module: String,
    /// How requests complete: `own-interrupt`, `polled`, or the other cause.
    pub completion: String,
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
    pub preferred: Option<&'static str>,
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

/// One driver of the kernel.
#[derive(Debug, Clone, Default, Serialize)]
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
    pub kind: String,
    /// `passed`, `unknown` or another word of the kernel.
    pub selftest: String,
    /// Whether it is a helper of another driver.
    pub internal: bool,
    /// Names of its flags; `null` if the kernel could not be queried.
    pub flags: Option<Vec<&'static str>>,
    /// What it is.
    #[serde(serialize_with = "named::serialize")]
    pub verdict: Verdict,
    /// Whether it uses the CPU's crypto instructions, not only its vectors.
    #[serde(skip)]
    pub uses_crypto_instructions: bool,
    /// For a wrapper: the drivers inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<String>,
    /// The signs for the verdict.
    pub evidence: Vec<Reason>,
}

impl DriverView {
    /// The view of a judged driver.
    pub fn new(j: &Judged) -> Self {
        use outboard_drivers::proc_crypto::Selftest;
        let d = &j.driver;
        Self {
            name: d.name.clone(),
            algorithm: d.algorithm.clone(),
            module: d.module.clone(),
            priority: d.priority,
            kind: d.kind.name().to_string(),
            selftest: match &d.selftest {
                // The word of /proc/crypto.
                Selftest::Unknown => "unknown".to_string(),
                other => other.name().to_string(),
            },
            internal: d.internal,
            flags: j.flags.map(|f| f.names()),
            verdict: j.judgement.verdict,
            // Vector instructions do not make AES or SHA fast.
            uses_crypto_instructions: j.judgement.verdict == Verdict::CpuInstructions
                && j.judgement.family().is_some_and(|family| family.id != "neon"),
            inner: j.inner().into_iter().map(str::to_owned).collect(),
            evidence: reasons(j),
        }
    }
}

/// Converts the signs of a verdict.
pub(crate) fn reasons(j: &Judged) -> Vec<Reason> {
    j.evidence().into_iter().map(|e| Reason { text: e.text, source: e.source.to_owned() }).collect()
}
