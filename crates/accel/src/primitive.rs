//! The algorithms that drivers implement and outboard supports: ciphers, digests and HMAC.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use crate::check::{Checked, Fault, check_hash_seeded, check_seeded};
use crate::device::Device;
use crate::{Accelerator, Algorithm, Error, HashAlgorithm, HashSession, Reached, reach, reach_hash};

use outboard_catalog::kernel_name;
use outboard_drivers::reach::TagCheck;

/// The algorithm of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// A cipher.
    Cipher(Algorithm),
    /// A digest or an HMAC.
    Hash(HashAlgorithm),
}

/// An open interface to a driver.
pub enum Subject {
    /// Of a cipher.
    Cipher(Box<dyn Accelerator>, Algorithm),
    /// Of a digest or an HMAC.
    Hash(Box<dyn Accelerator<dyn HashSession>>, HashAlgorithm),
}

impl Primitive {
    /// Returns the algorithm by its kernel name.
    pub fn by_kernel_name(name: &str) -> Option<Primitive> {
        let hash = || HashAlgorithm::by_kernel_name(name).map(Primitive::Hash);
        Algorithm::by_kernel_name(name).map(Primitive::Cipher).or_else(hash)
    }

    /// The kernel's name.
    pub fn kernel_name(self) -> &'static str {
        match self {
            Primitive::Cipher(algorithm) => algorithm.kernel_name(),
            Primitive::Hash(algorithm) => algorithm.kernel_name(),
        }
    }

    /// Returns the algorithm by OpenSSL's name of a cipher or a digest; an HMAC is `HMAC-SHA1`.
    pub fn by_openssl_name(name: &str) -> Option<Primitive> {
        Primitive::by_kernel_name(kernel_name(name)?)
    }

    /// Lists the valid names.
    pub fn names() -> String {
        let ciphers = Algorithm::ALL.iter().map(|algorithm| algorithm.kernel_name());
        let hashes = HashAlgorithm::all().map(HashAlgorithm::kernel_name);
        ciphers.chain(hashes).collect::<Vec<_>>().join(", ")
    }

    /// Opens a driver over the first interface that reaches it, or returns the error of each
    /// interface. The purpose is the check, so the driver need not have passed the check of tags.
    pub fn reach(self, driver: &str) -> Result<Subject, Vec<Error>> {
        match self {
            Primitive::Cipher(algorithm) => {
                let Reached { accelerator, passed } = reach(driver, algorithm, TagCheck::Passed);
                accelerator.map(|found| Subject::Cipher(found, algorithm)).ok_or(passed)
            }
            Primitive::Hash(algorithm) => {
                let Reached { accelerator, passed } = reach_hash(driver, algorithm);
                accelerator.map(|found| Subject::Hash(found, algorithm)).ok_or(passed)
            }
        }
    }

    /// Opens a driver that root has allowed, through /dev/outboard.
    pub fn reach_device(self, driver: &str) -> Result<Subject, Error> {
        Ok(match self {
            Primitive::Cipher(algorithm) => {
                Subject::Cipher(Box::new(Device::reach(driver, algorithm)?), algorithm)
            }
            Primitive::Hash(algorithm) => {
                Subject::Hash(Box::new(Device::reach_hash(driver, algorithm)?), algorithm)
            }
        })
    }
}

impl Subject {
    /// Returns the interface's name.
    pub fn interface(&self) -> &'static str {
        match self {
            Subject::Cipher(accelerator, _) => accelerator.interface(),
            Subject::Hash(accelerator, _) => accelerator.interface(),
        }
    }

    /// Checks published examples first, then requests of many lengths; the same seed gives the same
    /// requests.
    pub fn check(&self, seed: u64) -> Result<Checked, Fault> {
        match self {
            Subject::Cipher(accelerator, algorithm) => check_seeded(&**accelerator, *algorithm, seed),
            Subject::Hash(accelerator, algorithm) => check_hash_seeded(&**accelerator, *algorithm, seed),
        }
    }
}

/// Returns a random seed for [`Subject::check`], below 10^9 so that it is short to type.
pub fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        for name in Primitive::names().split(", ") {
            assert_eq!(Primitive::by_kernel_name(name).map(Primitive::kernel_name), Some(name));
        }
        assert_eq!(Primitive::by_kernel_name("md5"), None);
        let of_openssl = |name| Primitive::by_openssl_name(name).map(Primitive::kernel_name);
        assert_eq!([of_openssl("SHA1"), of_openssl("AES-128-CCM")], [Some("sha1"), Some("ccm(aes)")]);
        assert_eq!(of_openssl("MD5"), None);
    }
}
