//! What is concluded from the facts, from the policy and from findings.

use outboard_drivers::reach::{Consumer, Reachable};
use serde::{Deserialize, Serialize};

use crate::check::CheckVerdict;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Conclusion {
    #[serde(default)]
    pub answer: Answer,
    pub text: String,
    pub next: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Reached,
    Unreached,
    /// There is an accelerator, and it must not be used.
    Unusable,
    NoDriver,
    CpuInstructions,
    Nothing,
    OtherSystem,
    #[default]
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MatrixRow {
    pub driver: String,
    /// The kernel's name of its algorithm; `random numbers` for a generator.
    pub algorithm: String,
    /// Each consumer, in a fixed order; a generator has one.
    pub consumers: Vec<MatrixCell>,
}

/// A user within the kernel that gets drivers of an accelerator because of their priority.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct KernelUse {
    #[serde(with = "crate::named")]
    pub user: Consumer,
    /// The accelerator's id.
    pub accelerator: String,
    pub drivers: Vec<String>,
    /// What shows that the user is in use; null: nothing does.
    pub in_use: Option<String>,
    /// Whether `outboard enable` or `outboard prefer` made the kernel select these drivers.
    pub is_chosen: bool,
    /// What `outboard tune` measured of these drivers and of software.
    pub measured: Vec<KernelUserFigures>,
}

/// A driver and the best software, at what a user within the kernel requests.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct KernelUserFigures {
    /// The setting: `aes128gcm16`, `aes-xts-plain64`.
    pub setting: String,
    pub driver: String,
    pub megabytes_per_second: f64,
    pub software_megabytes_per_second: f64,
    /// Whether it is slower than software, beyond the spread, and takes no less CPU time.
    pub is_slower: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MatrixCell {
    #[serde(with = "crate::named")]
    pub consumer: Consumer,
    #[serde(with = "crate::named")]
    pub answer: Reachable,
    pub why: String,
}

impl MatrixRow {
    /// Whether programs with OpenSSL certainly get the driver, by the provider.
    pub fn is_for_openssl(&self) -> bool {
        let is_it = |cell: &MatrixCell| cell.consumer == Consumer::OpenSsl && cell.answer == Reachable::Yes;
        self.consumers.iter().any(is_it)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CipherOffload {
    pub cipher: String,
    pub direct: Option<DirectRequests>,
    /// Look-ahead; null if it is not used.
    pub lookahead: Option<KeyStreamUse>,
    /// Why look-ahead is not used; null where it is, and for ciphers without a key stream.
    #[serde(default)]
    pub no_lookahead: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct DirectRequests {
    pub driver: String,
    /// Smallest request in bytes for encryption and decryption; null if none wins.
    pub from: [Option<usize>; 2],
    /// Whether `outboard tune` measured that; otherwise software does all.
    pub is_measured: bool,
}

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

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Policy {
    pub path: String,
    /// The time of the measurement; null if it cannot be read.
    pub made: Option<String>,
    /// The goal: `throughput`, `cpu` or `balanced`; null if it cannot be read.
    pub goal: Option<String>,
    pub in_force: bool,
    /// Why the provider does not apply it, or null.
    pub problem: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Checked {
    pub driver: String,
    /// The provider uses only exact ones.
    pub verdict: CheckVerdict,
    pub made: String,
    pub requests: u64,
    pub fault: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Service {
    pub name: String,
    pub enabled: bool,
}
