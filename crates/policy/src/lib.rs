//! Policy: which requests go to the accelerator, which stay in software, and how much entropy the
//! hardware random number generator is assumed to deliver.
//!
//! The policy is read from the keys of the provider's section in openssl.cnf, see [`Policy::set`],
//! and from the file that `outboard tune` wrote, see [`Tuned`]. Algorithms have OpenSSL's names.

mod algorithms;
mod decision;
mod drivers;
mod error;
mod figures;
mod file;
mod findings;
mod lookahead;
mod min_entropy;
mod programs;
mod shadow;
mod threshold;
mod tuned;
mod written;

pub use algorithms::{Algorithms, Digests, known};
pub use decision::Refusal;
pub use drivers::{Drivers, PadlockUse, SoftDrivers};
pub use error::Error;
pub use figures::CipherFigure;
pub use file::PolicyFile;
pub use findings::{FINDINGS_FILE, Finding, FindingVerdict, Findings};
pub use lookahead::{LOOKAHEAD_START, LookaheadMode, LookaheadPolicy, LookaheadRow, LookaheadUse};
pub use min_entropy::MinEntropy;
pub use programs::{EVERY_PROGRAM, Programs};
pub use shadow::ShadowChecks;
pub use threshold::Thresholds;
pub use tuned::{CipherRow, POLICY_FILE, SystemFiles, Tuned, Unfit, cpu_identity, from_text, module_version};
pub use written::{Measured, PolicyText};

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
    /// Key `PADLOCK`: whether the instructions of VIA PadLock may be used.
    pub padlock: PadlockUse,
    /// Key `USE_SOFTDRIVERS`: whether a driver must be an accelerator.
    pub soft_drivers: SoftDrivers,
    /// Key `THRESHOLDS`: minimum size of a request that goes to the accelerator.
    pub thresholds: Thresholds,
    /// Key `KEY_BYTES`: number of bytes of a key from which it gets a session with a driver.
    pub key_bytes: Option<usize>,
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

/// Default of `KEY_BYTES`: a key with one request of up to 64 KiB stays in software. A session with a
/// driver costs as much as many requests.
pub const KEY_BYTES: usize = 64 * 1024 + 1;

impl Policy {
    /// Number of bytes of a key of the cipher with OpenSSL's name `name` from which it gets a session
    /// with a driver. The first of these decides: `KEY_BYTES`; `THRESHOLDS`, which then applies from
    /// the first request on; the measurement; the default.
    pub fn key_bytes(&self, row: Option<CipherRow<'_>>, name: &str) -> usize {
        let of_threshold = || self.thresholds.explicit(name).map(|_| 0);
        let measured = || row.and_then(|row| row.key_bytes);
        self.key_bytes.or_else(of_threshold).or_else(measured).unwrap_or(KEY_BYTES)
    }

    /// The keys that [`set`](Self::set) accepts.
    pub const KEYS: [&str; 15] = [
        "CIPHERS",
        "DIGESTS",
        "DRIVERS",
        "PADLOCK",
        "USE_SOFTDRIVERS",
        "THRESHOLDS",
        "KEY_BYTES",
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
    /// Errors: an unknown key or an invalid value. The errors do not contain the section and the
    /// key: the caller adds them.
    #[inline(never)]
    pub fn set(&mut self, key: &str, value: &str) -> Result<Vec<Error>, Error> {
        let mut skipped = Vec::new();
        match key {
            "CIPHERS" => self.ciphers = Algorithms::read(value, &mut skipped)?,
            "DIGESTS" => self.digests = Digests::read(value, &mut skipped)?,
            "DRIVERS" => self.drivers = value.parse()?,
            "PADLOCK" => self.padlock = value.parse()?,
            "USE_SOFTDRIVERS" => self.soft_drivers = value.parse()?,
            "THRESHOLDS" => self.thresholds = value.parse()?,
            "KEY_BYTES" => self.key_bytes = Some(threshold::bytes(value.trim())?),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_show_names_of_algorithms_and_no_other_part_of_a_value() {
        let with = |secret: &str| {
            ["", "ALL,", "AES-128-CBC:", "DES-", "MD5-", "HMAC-", "/"]
                .map(|before| format!("{before}{secret}"))
        };
        for secret in ["hunter2-90817", "90817264", "90817 hunter2 264", "hunter2,90817"] {
            for (key, value) in Policy::KEYS.iter().flat_map(|key| with(secret).map(|value| (key, value))) {
                let texts: Vec<String> = match Policy::default().set(key, &value) {
                    Ok(skipped) => skipped.iter().map(ToString::to_string).collect(),
                    Err(error) => vec![error.to_string()],
                };
                let are_clean = |text: &String| !text.contains("hunter2") && !text.contains("90817");
                assert!(texts.iter().all(are_clean), "{key} = {value}: {texts:?}");
            }
        }
        let text = Policy::default().set("CIPHERS", "ALL,BF-CBC,hunter2").map(|all| all[0].to_string());
        assert!(text.is_err(), "{text:?}");
        let skipped = Policy::default().set("CIPHERS", "BF-CBC,hunter2").expect("names may be unknown");
        let texts: Vec<String> = skipped.iter().map(ToString::to_string).collect();
        assert!(texts[0].starts_with("\"BF-CBC\" is none of"), "{texts:?}");
        assert!(texts[1].starts_with("a value of 1-7 bytes is none of"), "{texts:?}");
    }

    #[test]
    fn a_configured_threshold_applies_from_the_first_request_of_a_key() {
        let file = "outboard-policy 2\nAES-128-CTR 4096 4096 x 16384 20000\nAES-128-CBC 4096 4096 x\n";
        let tuned = Tuned::parse(file.to_owned()).expect("a policy file");
        let with = |keys: &[(&str, &str)], name| {
            let mut policy = Policy::default();
            for (key, value) in keys {
                policy.set(key, value).expect("a valid value");
            }
            policy.key_bytes(tuned.of(name), name)
        };
        assert_eq!(with(&[], "AES-128-CTR"), 20000);
        assert_eq!(with(&[], "AES-128-CBC"), KEY_BYTES);
        assert_eq!(with(&[("THRESHOLDS", "ALL:1")], "AES-128-CTR"), 0);
        assert_eq!(with(&[("THRESHOLDS", "AES-128-CBC:1")], "AES-128-CTR"), 20000);
        assert_eq!(with(&[("THRESHOLDS", "ALL:1"), ("KEY_BYTES", "5000")], "AES-128-CTR"), 5000);
    }
}
