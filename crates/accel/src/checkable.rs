//! The algorithms whose drivers `outboard check` and `outboard allow` can check: those that programs
//! reach through at least one interface.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use outboard_drivers::reach::TagCheck;

use crate::authenc::AuthencAccelerator;
use crate::check::{Checked, Fault, check_authenc_seeded, check_hash_seeded, check_seeded};
use crate::device::{Access, AuthencDevice, Device};
use crate::primitive::Primitive;
use crate::{Accelerator, Algorithm, Authenc, Error, HashAlgorithm, HashSession, Reached, reach, reach_hash};

/// The algorithm of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkable {
    /// An algorithm that OpenSSL has too.
    Primitive(Primitive),
    /// AES-CBC with HMAC.
    Authenc(Authenc),
}

/// An open interface to a driver.
pub enum Subject {
    /// Of a cipher.
    Cipher(Box<dyn Accelerator>, Algorithm),
    /// Of a digest or an HMAC.
    Hash(Box<dyn Accelerator<dyn HashSession>>, HashAlgorithm),
    /// Of AES-CBC with HMAC.
    Authenc(Box<dyn AuthencAccelerator>, Authenc),
}

impl Checkable {
    /// Returns the algorithm by its kernel name.
    pub fn by_kernel_name(name: &str) -> Option<Checkable> {
        let authenc = || Authenc::by_kernel_name(name).map(Checkable::Authenc);
        Primitive::by_kernel_name(name).map(Checkable::Primitive).or_else(authenc)
    }

    /// The kernel's name.
    pub fn kernel_name(self) -> &'static str {
        match self {
            Checkable::Primitive(primitive) => primitive.kernel_name(),
            Checkable::Authenc(algorithm) => algorithm.kernel_name(),
        }
    }

    /// Lists the valid names. They contain commas themselves.
    pub fn names() -> String {
        let ciphers = Algorithm::ALL.into_iter().map(Algorithm::kernel_name);
        let hashes = HashAlgorithm::all().map(HashAlgorithm::kernel_name);
        let authenc = Authenc::ALL.into_iter().map(Authenc::kernel_name);
        ciphers.chain(hashes).chain(authenc).collect::<Vec<_>>().join(", ")
    }

    /// Opens a driver over the first interface that reaches it, or returns the error of each
    /// interface. The purpose is the check, so the driver need not have passed the check of tags.
    pub fn reach(self, driver: &str) -> Result<Subject, Vec<Error>> {
        match self {
            Checkable::Primitive(Primitive::Cipher(algorithm)) => {
                let Reached { accelerator, passed } = reach(driver, algorithm, TagCheck::Passed);
                accelerator.map(|found| Subject::Cipher(found, algorithm)).ok_or(passed)
            }
            Checkable::Primitive(Primitive::Hash(algorithm)) => {
                let Reached { accelerator, passed } = reach_hash(driver, algorithm);
                accelerator.map(|found| Subject::Hash(found, algorithm)).ok_or(passed)
            }
            Checkable::Authenc(_) => self.reach_device(driver, Access::Allowed).map_err(|error| vec![error]),
        }
    }

    /// Opens a driver through /dev/outboard.
    pub fn reach_device(self, driver: &str, access: Access) -> Result<Subject, Error> {
        Ok(match self {
            Checkable::Primitive(Primitive::Cipher(algorithm)) => {
                Subject::Cipher(Box::new(Device::reach_by(access, driver, algorithm)?), algorithm)
            }
            Checkable::Primitive(Primitive::Hash(algorithm)) => {
                Subject::Hash(Box::new(Device::reach_hash_by(access, driver, algorithm)?), algorithm)
            }
            Checkable::Authenc(algorithm) => {
                Subject::Authenc(Box::new(AuthencDevice::reach_by(access, driver, algorithm)?), algorithm)
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
            Subject::Authenc(accelerator, _) => accelerator.interface(),
        }
    }

    /// Checks published examples first, then requests of many lengths; the same seed gives the same
    /// requests.
    pub fn check(&self, seed: u64) -> Result<Checked, Fault> {
        match self {
            Subject::Cipher(accelerator, algorithm) => check_seeded(&**accelerator, *algorithm, seed),
            Subject::Hash(accelerator, algorithm) => check_hash_seeded(&**accelerator, *algorithm, seed),
            Subject::Authenc(accelerator, algorithm) => {
                check_authenc_seeded(&**accelerator, *algorithm, seed)
            }
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
        for name in Checkable::names().split(", ") {
            assert_eq!(Checkable::by_kernel_name(name).map(Checkable::kernel_name), Some(name));
        }
        assert!(Checkable::names().ends_with("authenc(hmac(sha256),cbc(aes))"));
        assert_eq!(Checkable::by_kernel_name("md5"), None);
    }

    #[test]
    fn one_interface_leads_to_authenc_and_says_why_not() {
        let algorithm = Checkable::Authenc(Authenc::HmacSha1CbcAes);
        let errors = algorithm.reach("no-such-driver").err().expect("there is no such driver");
        let [error] = &errors[..] else { panic!("{errors:?}") };
        assert!(error.to_string().starts_with("/dev/outboard"), "{error}");
    }
}
