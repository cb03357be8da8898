//! The machine, its kernel and its CPU.

use outboard_catalog::instructions::Architecture;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Kernel {
    pub release: Option<String>,
    pub fips: bool,
    /// sysctl crypto.af_alg_restrict, since Linux 7.3.
    pub af_alg_restrict: Option<u32>,
    /// The mode of lockdown; null without support.
    pub lockdown: Option<Lockdown>,
}

outboard_catalog::texts! { name:
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Lockdown {
        None = "none",
        Integrity = "integrity",
        Confidentiality = "confidentiality",
    }
}

impl Kernel {
    /// Whether it loads signed modules only.
    pub fn is_locked_down(&self) -> bool {
        self.lockdown.is_some_and(|mode| mode != Lockdown::None)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Machine {
    /// From the device tree or DMI.
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compatible: Vec<String>,
    pub platform: Option<Platform>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Platform {
    pub name: String,
    pub engine: Option<String>,
    pub remark: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Cpu {
    /// The architecture; an empty text if it was not recognised.
    #[serde(with = "crate::named")]
    pub architecture: Architecture,
    pub model: Option<String>,
    /// The board or chip that /proc/cpuinfo names: `system type`, `machine` (MIPS, Power) or
    /// `Hardware` (Arm).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub systems: Vec<String>,
    /// Whether the kernel has 32 bits and the CPU 64.
    pub kernel_is_narrower: bool,
    /// Number of CPUs online.
    pub cpus: u64,
    pub aes: Vec<String>,
    /// Features that speed up GCM's carry-less multiplication.
    pub gcm: Vec<String>,
    pub sha: Vec<String>,
    /// VIA PadLock units. Programs use them by outboard's provider, or by the engine padlock of OpenSSL 3.
    pub padlock: Vec<String>,
    #[serde(skip)]
    pub features: Vec<String>,
}

impl Cpu {
    /// Whether the CPU has AES instructions that OpenSSL's own code uses.
    pub fn has_aes(&self) -> bool {
        !self.aes.is_empty()
    }

    pub fn has_padlock_aes(&self) -> bool {
        self.padlock.iter().any(|unit| unit.starts_with("ace"))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CpuInstructions {
    pub name: String,
    pub serves: String,
    /// Whether the kernel's crypto API has a driver that uses them; `None` if that is not known.
    pub kernel_uses: Option<bool>,
    /// The driver, the module to load, or why not.
    pub kernel: String,
    /// Whether and when OpenSSL uses them.
    pub openssl: String,
    /// The environment variable with which OpenSSL does not use them; null if there is none.
    pub off: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Node {
    pub path: String,
    /// Whether it exists. In a saved tree any file of that name counts, and so does the device in
    /// /sys/class/misc, since device nodes are hard to copy.
    pub exists: bool,
    /// Whether this user may read and write it; `None` for a saved tree.
    pub openable: Option<bool>,
    /// The group that owns it, e.g. `crypto`; `None` for a saved tree.
    pub group: Option<String>,
    /// The permission bits in octal, e.g. `0660`; `None` for a saved tree.
    pub mode: Option<String>,
}

impl Node {
    /// `None`: it does not exist. `Some(false)`: it exists, but this user may not open it. In a
    /// saved tree permissions are ignored.
    pub fn reach(&self) -> Option<bool> {
        self.exists.then(|| self.openable.unwrap_or(true))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Hwrng {
    /// The generator behind /dev/hwrng; `None` if none is in use.
    pub current: Option<String>,
    pub available: Vec<String>,
    /// Entropy that the kernel credits, in bits per 1024 bits.
    pub quality: Option<u32>,
}
