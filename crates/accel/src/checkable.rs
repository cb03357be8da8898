//! Drivers that `outboard check` and `outboard allow` can check.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use outboard_drivers::reach::TagCheck;

use crate::check::{Checked, Fault, again_while_stopped, check_hash_seeded, check_seeded};
use crate::device::{Access, Device, wait_for_late_requests};
use crate::primitive::Primitive;
use crate::{Accelerator, Algorithm, Error, HashAlgorithm, HashSession, Reached, reach, reach_hash};

pub enum Subject {
    Cipher(Box<dyn Accelerator>, Algorithm),
    Hash(Box<dyn Accelerator<dyn HashSession>>, HashAlgorithm),
}

impl Primitive {
    pub fn names() -> String {
        let ciphers = Algorithm::ALL.into_iter().map(Algorithm::kernel_name);
        let hashes = HashAlgorithm::all().map(HashAlgorithm::kernel_name);
        ciphers.chain(hashes).collect::<Vec<_>>().join(", ")
    }

    /// Over the first interface that reaches it. It need not have passed the check of tags.
    pub fn reach(self, driver: &str) -> Result<Subject, Vec<Error>> {
        wait_for_late_requests();
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

    pub fn reach_device(self, driver: &str, access: Access) -> Result<Subject, Error> {
        wait_for_late_requests();
        Ok(match self {
            Primitive::Cipher(algorithm) => {
                Subject::Cipher(Box::new(Device::reach_by(access, driver, algorithm)?), algorithm)
            }
            Primitive::Hash(algorithm) => {
                Subject::Hash(Box::new(Device::reach_hash_by(access, driver, algorithm)?), algorithm)
            }
        })
    }
}

impl Subject {
    pub fn interface(&self) -> &'static str {
        match self {
            Subject::Cipher(accelerator, _) => accelerator.interface(),
            Subject::Hash(accelerator, _) => accelerator.interface(),
        }
    }

    /// The same seed gives the same requests.
    pub fn check(&self, seed: u64) -> Result<Checked, Fault> {
        match self {
            Subject::Cipher(accelerator, algorithm) => {
                again_while_stopped(|| check_seeded(&**accelerator, *algorithm, seed))
            }
            Subject::Hash(accelerator, algorithm) => {
                again_while_stopped(|| check_hash_seeded(&**accelerator, *algorithm, seed))
            }
        }
    }
}

/// Below 10^9 so that it is short to type.
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
        // No interface for programs leads to these.
        for name in ["md5", "authenc(hmac(sha1),cbc(aes))"] {
            assert_eq!(Primitive::by_kernel_name(name), None);
        }
    }
}
