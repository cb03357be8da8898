//! The way down by /dev/outboard, the module's own interface (docs/uapi.md).
//!
//! A process has one descriptor for each driver, and maps arenas from it. A request takes part of an arena, is copied
//! in, submitted by one write(2) together with its other pieces, and copied out by the caller. After a session exists,
//! nothing but write, mmap, fstat (which may be refused) and poll is called, so it works in sandboxes such as OpenSSH's.
//!
//! - `link`: the descriptor, its records, its arenas; what changes with a fork
//! - `arena`, `units`, `region`: the mapping, what of it is in use, and the part that a batch has
//! - `session`: a key; `pieces`: how requests are cut
//! - `allowed`: root's list of drivers

mod allowed;
mod arena;
mod link;
mod pieces;
mod refusal;
mod region;
mod session;
mod units;
mod wait;

use std::sync::Arc;

use outboard_uapi as uapi;

use crate::current::Current;
use crate::{Accelerator, Algorithm, Error, Session};
pub use allowed::{Allowed, allowed};
use link::Link;
use session::DeviceSession;

const INTERFACE: &str = uapi::DEVICE;

/// A driver reached through /dev/outboard.
pub struct Device(Arc<Driver>);

impl Device {
    /// Checks that root has allowed `driver`, an exact driver name of `/proc/crypto`, and that this process may open
    /// the device.
    pub fn reach(driver: &str, algorithm: Algorithm) -> Result<Device, Error> {
        let link = Link::open().map_err(refusal::no_interface)?;
        let list = allowed().map_err(|source| refusal::no_list(driver, source))?;
        let entry = list.into_iter().find(|entry| entry.driver == driver);
        let entry = entry.ok_or_else(|| refusal::not_allowed(driver))?;
        match entry.algorithm.as_deref() {
            Some(name) if name == algorithm.kernel_name() => {}
            Some(other) => return Err(refusal::other_algorithm(driver, other)),
            // No driver of this name has been seen: whether there is one now, a session tells.
            None => {
                let session = link.new_session(entry.number, number(algorithm), &algorithm.sample_key());
                link.free_session(session.map_err(|source| refusal::never_seen(driver, source))?);
            }
        }
        Ok(Device(Arc::new(Driver {
            name: entry.driver,
            number: entry.number,
            algorithm,
            link: Current::new(link),
        })))
    }
}

impl Accelerator for Device {
    fn driver(&self) -> &str {
        &self.0.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        Ok(Box::new(DeviceSession::new(Arc::clone(&self.0), key)?))
    }
}

/// An allowed driver, and the link that leads there.
struct Driver {
    name: String,
    /// Its number in root's list.
    number: u16,
    algorithm: Algorithm,
    link: Current<Link>,
}

impl Driver {
    /// The link; a new one if the application has closed the descriptor of the old.
    fn link(&self) -> Result<Arc<Link>, Error> {
        let link = self.link.or_replace(Link::is_ours, Link::open);
        link.map_err(|_| Error::DescriptorLost { driver: self.name.clone() })
    }
}

/// The module's number of an algorithm.
fn number(algorithm: Algorithm) -> u16 {
    match algorithm {
        Algorithm::CbcAes => uapi::CBC_AES,
        Algorithm::CtrAes => uapi::CTR_AES,
        Algorithm::EcbAes => uapi::ECB_AES,
        Algorithm::XtsAes => uapi::XTS_AES,
        Algorithm::CbcDes3Ede => uapi::CBC_DES3,
    }
}
