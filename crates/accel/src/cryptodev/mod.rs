//! The way down by /dev/crypto, the device of cryptodev-linux, which is no part of the kernel.
//!
//! A process has one descriptor for each driver; sessions belong to it. A request is one ioctl(2) that returns when it is
//! done. A program cannot choose a driver there: it names an algorithm and gets what the kernel prefers for it, so a
//! session is asked which driver it has got before its first request.
//!
//! - [`abi`]: structures and numbers
//! - `node`: the descriptor and its ioctls; what changes with a fork
//! - `session`: a key
//! - `refusal`: why it does not lead to a driver, and what to do about it
//!
//! Sources: crypto/cryptodev.h, ioctl.c, main.c and zc.c of cryptodev-linux 1.14.

pub mod abi;
mod node;
mod refusal;
mod session;

use std::sync::Arc;

use zeroize::Zeroizing;

use crate::current::Current;
use crate::{Accelerator, Algorithm, Error, Session};
use node::Node;
use session::{CryptodevSession, Keyed};

const INTERFACE: &str = "/dev/crypto";

/// A driver reached through /dev/crypto.
pub struct Cryptodev(Arc<Driver>);

impl Cryptodev {
    /// Checks that this process may open the device, and that it leads to `driver`, an exact driver name of
    /// `/proc/crypto`: a session is made with a key of no meaning, asked, and ended.
    pub fn reach(driver: &str, algorithm: Algorithm) -> Result<Cryptodev, Error> {
        let number = number(algorithm)
            .ok_or_else(|| Error::NoTags { interface: INTERFACE, driver: driver.to_owned() })?;
        let node = Node::open().map_err(refusal::no_interface)?;
        let driver =
            Arc::new(Driver { name: driver.to_owned(), algorithm, number, node: Current::new(node) });
        let key = Zeroizing::new(algorithm.sample_key());
        Keyed::new(&driver, key).map_err(|error| refusal::no_probe(error, algorithm))?;
        Ok(Cryptodev(driver))
    }
}

impl Accelerator for Cryptodev {
    fn driver(&self) -> &str {
        &self.0.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        Ok(Box::new(CryptodevSession::new(Arc::clone(&self.0), key)?))
    }
}

/// A driver, and the node that leads there.
struct Driver {
    name: String,
    algorithm: Algorithm,
    /// Of the algorithm.
    number: u32,
    node: Current<Node>,
}

impl Driver {
    /// The node; a new one if the application has closed the descriptor of the old.
    fn node(&self) -> Result<Arc<Node>, Error> {
        let node = self.node.or_replace(Node::is_ours, Node::open);
        node.map_err(|_| Error::DescriptorLost { driver: self.name.clone() })
    }
}

/// The number of an algorithm, of those that are asked for here.
fn number(algorithm: Algorithm) -> Option<u32> {
    match algorithm {
        Algorithm::CbcAes => Some(abi::AES_CBC),
        Algorithm::CtrAes => Some(abi::AES_CTR),
        Algorithm::EcbAes => Some(abi::AES_ECB),
        Algorithm::XtsAes => Some(abi::AES_XTS),
        Algorithm::CbcDes3Ede => Some(abi::DES3_CBC),
        Algorithm::GcmAes | Algorithm::CcmAes => None,
    }
}
