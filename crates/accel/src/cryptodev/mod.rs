//! /dev/crypto, the device of cryptodev-linux, which is not part of the kernel.
//!
//! A process has one descriptor for each driver; sessions belong to it. A request is one ioctl(2)
//! that returns when it is complete. A program names an algorithm and gets the driver that the
//! kernel prefers, so a session is queried for its driver before its first request.
//!
//! Sources: crypto/cryptodev.h, ioctl.c, main.c, authenc.c and zc.c of cryptodev-linux 1.14.

pub mod abi;
mod hash;
mod keyed;
mod node;
mod refusal;
mod session;

use std::io;
use std::sync::Arc;

use crate::Wiped;
use outboard_drivers::reach::ProgramInterface;

use crate::current::Current;
use crate::immediate::Immediate;
use crate::memory::{Shared, boxed};
use crate::mode::sample_key;
use crate::{Accelerator, Algorithm, DriverName, Error, Hash, HashAlgorithm, HashSession, Session};
use hash::CryptodevHash;
use keyed::Keyed;
use node::{Node, Purpose};
use session::CryptodevKey;

const INTERFACE: &str = ProgramInterface::DevCrypto.name();

pub struct Cryptodev {
    driver: Arc<CryptodevDriver>,
    algorithm: Algorithm,
}

impl Cryptodev {
    /// Opens a session with a sample key, to see whether it leads to `driver`, an exact name of
    /// `/proc/crypto`.
    pub fn reach(driver: &str, algorithm: Algorithm) -> Result<Cryptodev, Error> {
        let (name, purpose) = (algorithm.kernel_name(), Purpose::Cipher(algorithm.cryptodev_number()));
        let driver = CryptodevDriver::reach(driver, name, purpose, sample_key(algorithm))?;
        Ok(Cryptodev { driver, algorithm })
    }

    pub fn reach_hash(driver: &str, algorithm: HashAlgorithm) -> Result<HashCryptodev, Error> {
        let (name, purpose) = (algorithm.kernel_name(), Purpose::Hash(algorithm.cryptodev_number()));
        let key = if algorithm.hmac { vec![0; 16] } else { Vec::new() };
        let driver = CryptodevDriver::reach(driver, name, purpose, key)?;
        Ok(HashCryptodev { driver, hash: algorithm.hash })
    }
}

impl Accelerator for Cryptodev {
    fn driver(&self) -> &str {
        &self.driver.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        self.open_with_tag(key, self.algorithm.full_tag())
    }

    fn open_with_tag(&self, key: &[u8], tag_len: usize) -> Result<Box<dyn Session>, Error> {
        let keyed = Keyed::new(&self.driver, key)?;
        let (driver, algorithm) = (Arc::clone(&self.driver), self.algorithm);
        Ok(boxed(Immediate::new(CryptodevKey { driver, algorithm, tag_len, keyed }))?)
    }
}

pub struct HashCryptodev {
    driver: Arc<CryptodevDriver>,
    hash: Hash,
}

impl Accelerator<dyn HashSession> for HashCryptodev {
    fn driver(&self) -> &str {
        &self.driver.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(CryptodevHash::new(Arc::clone(&self.driver), self.hash, key)?)?)
    }
}

struct CryptodevDriver {
    name: DriverName,
    algorithm: &'static str,
    purpose: Purpose,
    node: Current<Node>,
}

impl CryptodevDriver {
    fn reach(
        driver: &str,
        algorithm: &'static str,
        purpose: Purpose,
        sample_key: Vec<u8>,
    ) -> Result<Arc<CryptodevDriver>, Error> {
        let node = Current::new(Shared::new(Node::open().map_err(refusal::no_interface)?)?);
        let driver = Arc::new(CryptodevDriver { name: driver.into(), algorithm, purpose, node });
        let key = Wiped::new(sample_key);
        Keyed::new(&driver, &key).map_err(|error| refusal::no_probe(error, algorithm))?;
        Ok(driver)
    }

    /// Opened again if the application has closed its descriptor.
    fn node(&self) -> Result<Shared<Node>, Error> {
        let lost = |_| Error::DescriptorLost { driver: DriverName::clone(&self.name) };
        self.node.or_replace(Node::is_ours, || Shared::new(Node::open().map_err(lost)?))
    }

    fn failed(&self, call: &'static str, source: io::Error) -> Error {
        Error::Request { call, driver: DriverName::clone(&self.name), source }
    }
}
