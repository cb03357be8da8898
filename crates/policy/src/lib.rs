//! Policy: which requests go to the accelerator, which stay in software, and how much entropy the
//! hardware random number generator is assumed to deliver.
//!
//! The policy is read from the keys of the provider's section in openssl.cnf, see [`Policy::set`],
//! and from the file that `outboard tune` wrote, see [`Tuned`]. Algorithms have OpenSSL's names.

mod algorithms;
mod drivers;
mod error;
mod file;
mod findings;
mod lookahead;
mod min_entropy;
mod programs;
mod shadow;
mod threshold;
mod tuned;

pub use algorithms::{Algorithms, Digests, known};
pub use drivers::{Drivers, SoftDrivers};
pub use error::Error;
pub use file::PolicyFile;
pub use findings::{FINDINGS_FILE, Finding, Findings};
pub use lookahead::{LOOKAHEAD_START, LookaheadMode, LookaheadPolicy, LookaheadRow, LookaheadUse};
pub use min_entropy::MinEntropy;
pub use programs::{EVERY_PROGRAM, Programs};
pub use shadow::ShadowChecks;
pub use threshold::Thresholds;
pub use tuned::{CipherRow, POLICY_FILE, SystemFiles, Tuned, Unfit, cpu_identity, from_text, module_version};

/// Prefix of messages about the provider's section in openssl.cnf; the name of the provider
/// follows.
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
    /// Key `THRESHOLDS`: minimum size of a request that goes to the accelerator.
    pub thresholds: Thresholds,
    /// Key `POLICY`: file with the thresholds of algorithms that `THRESHOLDS` does not set.
    pub file: PolicyFile,
    /// Key `HWRNG_ENTROPY`: assumed entropy of a byte of the hardware random number generator.
    pub hwrng_entropy: MinEntropy,
    /// Key `SHADOW_CHECKS`: share of the accelerator's results that is compared with software.
    pub shadow_checks: ShadowChecks,
    /// Keys `LOOKAHEAD` and `LOOKAHEAD_...`: key stream that is computed before it is requested.
    pub lookahead: LookaheadPolicy,
    /// Key `PROGRAMS`: which programs use outboard.
    pub programs: Programs,
}

impl Policy {
    /// The keys that [`set`](Self::set) accepts.
    pub const KEYS: [&str; 13] = [
        "CIPHERS",
        "DIGESTS",
        "DRIVERS",
        "USE_SOFTDRIVERS",
        "THRESHOLDS",
        "POLICY",
        "SHADOW_CHECKS",
        "HWRNG_ENTROPY",
        "LOOKAHEAD",
        "LOOKAHEAD_MEMORY",
        "LOOKAHEAD_START",
        "LOOKAHEAD_WINDOW",
        "PROGRAMS",
    ];

    /// Applies one `key = value` line of the configuration. Returns one [`Error`] for each name
    /// that was skipped in a list of algorithms.
    ///
    /// # Errors
    /// An unknown key or an invalid value. The errors do not contain the section and the key: the
    /// caller adds them.
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
            "LOOKAHEAD" => self.lookahead.mode = lookahead::mode(value)?,
            "LOOKAHEAD_MEMORY" => self.lookahead.memory = lookahead::bytes(value)?,
            "LOOKAHEAD_START" => self.lookahead.start = Some(lookahead::bytes(value)?),
            "LOOKAHEAD_WINDOW" => self.lookahead.window = lookahead::bytes(value)?,
            "PROGRAMS" => self.programs = value.parse()?,
            _ => return Err(Error::UnknownKey(key.to_owned())),
        }
        Ok(skipped)
    }
}
