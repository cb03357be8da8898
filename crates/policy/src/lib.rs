//! Which request goes to the accelerator and which stays in software, and what the hardware's
//! randomness is worth.
//!
//! Read from the keys of the provider's section in openssl.cnf, see [`Policy::set`], and from what
//! `outboard tune` wrote, see [`Tuned`]. Names of algorithms are OpenSSL's.

mod algorithms;
mod drivers;
mod error;
mod file;
mod findings;
mod min_entropy;
mod shadow;
mod threshold;
mod tuned;

pub use algorithms::{Algorithms, Digests, known};
pub use drivers::{Drivers, SoftDrivers};
pub use error::Error;
pub use file::PolicyFile;
pub use findings::{FINDINGS_FILE, Finding, Findings};
pub use min_entropy::MinEntropy;
pub use shadow::ShadowChecks;
pub use threshold::Thresholds;
pub use tuned::{CipherRow, POLICY_FILE, Tuned, Unfit, cpu_identity, from_text, module_version};

/// The beginning of what the provider reports about its section of openssl.cnf; the provider's name follows.
pub const IN_SECTION: &str = "openssl.cnf, section of provider";

/// The policy in force for one loaded provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Key `CIPHERS`: which ciphers may be offered.
    pub ciphers: Algorithms,
    /// Key `DIGESTS`: which digests may be offered.
    pub digests: Digests,
    /// Key `DRIVERS`: which kernel drivers may be used.
    pub drivers: Drivers,
    /// Key `USE_SOFTDRIVERS`: whether a driver must be an accelerator.
    pub soft_drivers: SoftDrivers,
    /// Key `THRESHOLDS`: from which size on a request goes to the accelerator.
    pub thresholds: Thresholds,
    /// Key `POLICY`: the file with the thresholds of algorithms that `THRESHOLDS` does not name.
    pub file: PolicyFile,
    /// Key `HWRNG_ENTROPY`: what a byte of the hardware random number generator is worth.
    pub hwrng_entropy: MinEntropy,
    /// Key `SHADOW_CHECKS`: which share of the accelerator's results is compared with software's.
    pub shadow_checks: ShadowChecks,
}

impl Policy {
    /// The keys that [`set`](Self::set) accepts.
    pub const KEYS: [&str; 8] = [
        "CIPHERS",
        "DIGESTS",
        "DRIVERS",
        "USE_SOFTDRIVERS",
        "THRESHOLDS",
        "POLICY",
        "SHADOW_CHECKS",
        "HWRNG_ENTROPY",
    ];

    /// Applies one `key = value` line of the configuration. Returns the names in a list of algorithms that were skipped, as
    /// what is wrong with each. The errors name neither section nor key: the caller adds them.
    #[inline(never)]
    pub fn set(&mut self, key: &str, value: &str) -> Result<Vec<Error>, Error> {
        let mut skipped = Vec::new();
        match key {
            "CIPHERS" => self.ciphers = Algorithms::read(value, &mut skipped)?,
            "DIGESTS" => self.digests = Digests::read(value, &mut skipped)?,
            "DRIVERS" => self.drivers = value.parse()?,
            "USE_SOFTDRIVERS" => self.soft_drivers = value.parse()?,
            "THRESHOLDS" => self.thresholds = value.parse()?,
            "POLICY" => self.file = value.parse()?,
            "HWRNG_ENTROPY" => self.hwrng_entropy = value.parse()?,
            "SHADOW_CHECKS" => self.shadow_checks = value.parse()?,
            _ => return Err(Error::UnknownKey(key.to_owned())),
        }
        Ok(skipped)
    }
}
