//! What can be checked of what drivers do: ciphers, digests and HMAC.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use outboard_accel::check::{Checked, Fault, check_hash_seeded, check_seeded};
use outboard_accel::device::Device;
use outboard_accel::{Accelerator, Algorithm, Error, HashAlgorithm, HashSession, Reached, reach, reach_hash};

/// What a driver does, of what can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkable {
    /// A cipher.
    Cipher(Algorithm),
    /// A digest or an HMAC.
    Hash(HashAlgorithm),
}

/// A driver that can be reached.
pub enum Subject {
    /// Of a cipher.
    Cipher(Box<dyn Accelerator>, Algorithm),
    /// Of a digest or an HMAC.
    Hash(Box<dyn Accelerator<dyn HashSession>>, HashAlgorithm),
}

impl Checkable {
    /// The algorithm of this name in the kernel.
    pub fn by_kernel_name(name: &str) -> Option<Checkable> {
        let hash = || HashAlgorithm::by_kernel_name(name).map(Checkable::Hash);
        Algorithm::by_kernel_name(name).map(Checkable::Cipher).or_else(hash)
    }

    /// The kernel's name.
    pub fn kernel_name(self) -> &'static str {
        match self {
            Checkable::Cipher(algorithm) => algorithm.kernel_name(),
            Checkable::Hash(algorithm) => algorithm.kernel_name(),
        }
    }

    /// What could have been named.
    pub fn names() -> String {
        let ciphers = Algorithm::ALL.iter().map(|algorithm| algorithm.kernel_name());
        let hashes = HashAlgorithm::all().map(HashAlgorithm::kernel_name);
        ciphers.chain(hashes).collect::<Vec<_>>().join(", ")
    }

    /// A driver by the best way down, or why none leads there.
    pub fn reach(self, driver: &str) -> Result<Subject, Vec<Error>> {
        match self {
            Checkable::Cipher(algorithm) => {
                let Reached { accelerator, passed } = reach(driver, algorithm);
                accelerator.map(|found| Subject::Cipher(found, algorithm)).ok_or(passed)
            }
            Checkable::Hash(algorithm) => {
                let Reached { accelerator, passed } = reach_hash(driver, algorithm);
                accelerator.map(|found| Subject::Hash(found, algorithm)).ok_or(passed)
            }
        }
    }

    /// A driver that root has allowed, through /dev/outboard.
    pub fn reach_device(self, driver: &str) -> Result<Subject, Error> {
        Ok(match self {
            Checkable::Cipher(algorithm) => {
                Subject::Cipher(Box::new(Device::reach(driver, algorithm)?), algorithm)
            }
            Checkable::Hash(algorithm) => {
                Subject::Hash(Box::new(Device::reach_hash(driver, algorithm)?), algorithm)
            }
        })
    }
}

impl Subject {
    /// What leads there.
    pub fn interface(&self) -> &'static str {
        match self {
            Subject::Cipher(accelerator, _) => accelerator.interface(),
            Subject::Hash(accelerator, _) => accelerator.interface(),
        }
    }

    /// Published examples first, then requests of many lengths; the same ones for the same seed.
    pub fn check(&self, seed: u64) -> Result<Checked, Fault> {
        match self {
            Subject::Cipher(accelerator, algorithm) => check_seeded(&**accelerator, *algorithm, seed),
            Subject::Hash(accelerator, algorithm) => check_hash_seeded(&**accelerator, *algorithm, seed),
        }
    }
}

/// A seed for [`Subject::check`], another one each time; short enough to be typed again.
pub fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        for name in Checkable::names().split(", ") {
            assert_eq!(Checkable::by_kernel_name(name).map(Checkable::kernel_name), Some(name));
        }
        assert_eq!(Checkable::by_kernel_name("md5"), None);
    }
}
