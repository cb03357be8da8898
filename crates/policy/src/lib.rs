//! Which request goes to the accelerator and which stays in software.
//!
//! Read from the keys of the provider's section in openssl.cnf; see [`Policy::set`] for the keys. Names
//! of algorithms are OpenSSL's.

mod algorithms;
mod drivers;
mod error;
mod threshold;

pub use algorithms::{Algorithms, CIPHERS};
pub use drivers::{Drivers, SoftDrivers};
pub use error::Error;
pub use threshold::{DEFAULT_THRESHOLD, Thresholds};

/// The policy in force for one loaded provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Key `CIPHERS`: which ciphers may be offered.
    pub ciphers: Algorithms,
    /// Key `DRIVERS`: which kernel drivers may be used.
    pub drivers: Drivers,
    /// Key `USE_SOFTDRIVERS`: whether a driver must be an accelerator.
    pub soft_drivers: SoftDrivers,
    /// Key `THRESHOLDS`: from which size on a request goes to the accelerator.
    pub thresholds: Thresholds,
}

impl Policy {
    /// The keys that [`set`](Self::set) knows.
    pub const KEYS: [&str; 4] = ["CIPHERS", "DRIVERS", "USE_SOFTDRIVERS", "THRESHOLDS"];

    /// Applies one `key = value` line of the configuration. The error names neither section nor key: who
    /// reads the file knows them.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Error> {
        match key {
            "CIPHERS" => self.ciphers = value.parse()?,
            "DRIVERS" => self.drivers = value.parse()?,
            "USE_SOFTDRIVERS" => self.soft_drivers = value.parse()?,
            "THRESHOLDS" => self.thresholds = value.parse()?,
            _ => return Err(Error::UnknownKey(key.to_owned())),
        }
        Ok(())
    }
}
