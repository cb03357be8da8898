//! Who can reach a driver on this kernel: the users inside the kernel, and the interfaces for user space. The decision
//! is made from files alone, so that it works for a saved tree; on the running system a probe of AF_ALG outweighs it.

mod decide;
mod probe;

pub use decide::{Facts, decide, pick};
pub use probe::{Probe, af_alg_type, probe_af_alg};

/// A way to a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Our module's device.
    DevOutboard,
    /// cryptodev-linux.
    DevCrypto,
    /// The kernel's socket interface.
    AfAlg,
    /// IPsec in the kernel (xfrm).
    Ipsec,
    /// TLS records in the kernel.
    Ktls,
    /// Disk encryption (LUKS).
    DmCrypt,
    /// File encryption in ext4, f2fs, ubifs, btrfs.
    Fscrypt,
}

impl Interface {
    /// Its name for people and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::DevOutboard => "/dev/outboard",
            Self::DevCrypto => "/dev/crypto",
            Self::AfAlg => "AF_ALG",
            Self::Ipsec => "IPsec",
            Self::Ktls => "kTLS",
            Self::DmCrypt => "dm-crypt",
            Self::Fscrypt => "fscrypt",
        }
    }

    /// Programs in user space come this way.
    pub fn is_for_programs(self) -> bool {
        matches!(self, Self::DevOutboard | Self::DevCrypto | Self::AfAlg)
    }
}

/// Does the way lead to the driver?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The files do not tell.
    Unclear,
}

impl Answer {
    /// A word for people and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unclear => "unclear",
        }
    }
}

/// One way, the answer, and why in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The way.
    pub interface: Interface,
    /// Does it lead to the driver?
    pub answer: Answer,
    /// Why, in one sentence.
    pub why: String,
}
