//! /dev/outboard, the module's own interface (docs/uapi.md).
//!
//! A process has one descriptor for all drivers, and maps arenas from it. A request reserves part
//! of an arena, is copied in, submitted by one write(2) together with its other chunks, and copied
//! out by the caller. Once a session exists, only write, mmap, fstat (which may be refused) and
//! poll are called, so it works in sandboxes such as OpenSSH's.

mod arena;
#[cfg(all(test, loom))]
mod explored;
mod hash;
mod keyed;
mod link;
mod mapping;
mod paused;
mod pieces;
mod refusal;
mod region;
mod session;
mod units;
mod wait;

use std::io;
use std::sync::Arc;

use outboard_catalog::families::Bounds;
use outboard_drivers::allow_list;
use outboard_drivers::reach::ProgramInterface;
use outboard_drivers::root::Root;

use crate::current::Current;
use crate::memory::{Shared, boxed};
use crate::mode::sample_key;
use crate::{
    Accelerator, Algorithm, DriverName, Error, HashAlgorithm, HashSession, KeyStreamSegment, LONGEST_PIECE,
    Session,
};
use hash::DeviceHash;
use keyed::KeyParts;
use link::Link;
use mapping::ALIGN;
pub(crate) use region::wait_for_late_requests;
use session::DeviceSession;

const INTERFACE: &str = ProgramInterface::DevOutboard.name();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Allowed,
    /// Only this process and its children can use it, until they have closed the descriptor.
    /// Requires CAP_SYS_ADMIN (TRY in docs/uapi.md).
    OnTrial,
}

pub struct Device {
    driver: Arc<OutboardDriver>,
    algorithm: Algorithm,
}

impl Device {
    /// `driver` is an exact driver name of `/proc/crypto` that root has allowed.
    pub fn reach(driver: &str, algorithm: Algorithm) -> Result<Device, Error> {
        Device::reach_by(Access::Allowed, driver, algorithm)
    }

    pub(crate) fn reach_by(access: Access, driver: &str, algorithm: Algorithm) -> Result<Device, Error> {
        let sample = sample_key(algorithm);
        let name = algorithm.kernel_name();
        let sample = KeyParts { bytes: &sample, tag: algorithm.full_tag() };
        let driver = OutboardDriver::reach(access, driver, name, algorithm.uapi_number(), sample)?;
        Ok(Device { driver, algorithm })
    }

    pub fn reach_hash(driver: &str, algorithm: HashAlgorithm) -> Result<HashDevice, Error> {
        Device::reach_hash_by(Access::Allowed, driver, algorithm)
    }

    pub(crate) fn reach_hash_by(
        access: Access,
        driver: &str,
        algorithm: HashAlgorithm,
    ) -> Result<HashDevice, Error> {
        let sample: &[u8] = if algorithm.hmac { &[0; 16] } else { &[] };
        let name = algorithm.kernel_name();
        let sample = KeyParts { bytes: sample, tag: 0 };
        let driver = OutboardDriver::reach(access, driver, name, algorithm.uapi_number(), sample)?;
        Ok(HashDevice(OutboardHashDriver { driver, algorithm }))
    }
}

/// If no driver of the process is left.
pub fn close_unused() {
    Link::close_unused();
}

/// Finds the number of `driver`, which must implement the algorithm `name`. A trial belongs to its
/// descriptor, which is not shared.
fn lead(
    access: Access,
    driver: &str,
    name: &str,
    algorithm: u16,
    sample: KeyParts<'_>,
) -> Result<(u16, Bounds, Shared<Link>), Error> {
    let link = match access {
        Access::Allowed => Link::shared(),
        Access::OnTrial => Link::of_its_own(),
    };
    let link = link.map_err(refusal::no_interface)?;
    let entry = match access {
        Access::Allowed => {
            let list = allow_list::read(&Root::live()).map_err(|source| refusal::no_list(driver, source))?;
            list.into_iter()
                .find(|entry| entry.driver == driver)
                .ok_or_else(|| refusal::not_allowed(driver))?
        }
        Access::OnTrial => {
            let entry = link.try_driver(driver).and_then(|()| allow_list::read_one(&Root::live(), driver));
            entry.map_err(|source| refusal::no_trial(driver, source))?
        }
    };
    match entry.algorithm.as_deref() {
        Some(found) if found == name => {}
        Some(other) => return Err(refusal::other_algorithm(driver, other)),
        // The module has not seen the driver yet: opening a session shows whether there is one now.
        None => {
            let session = link.new_session(entry.number, algorithm, sample);
            link.free_session(session.map_err(|source| refusal::never_seen(driver, source))?);
        }
    }
    Ok((entry.number, entry.bounds, link))
}

pub struct HashDevice(OutboardHashDriver);

impl Accelerator<dyn HashSession> for HashDevice {
    fn driver(&self) -> &str {
        &self.0.driver.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(DeviceHash::new(&self.0, key)?)?)
    }
}

impl Accelerator for Device {
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
        let key = KeyParts { bytes: key, tag: tag_len };
        Ok(boxed(DeviceSession::new(Arc::clone(&self.driver), self.algorithm, key)?)?)
    }

    fn computes_key_stream(&self) -> bool {
        // Segments of key stream are not split.
        self.algorithm == Algorithm::EcbAes && self.driver.longest(LONGEST_PIECE) >= KeyStreamSegment::LONGEST
    }
}

struct OutboardDriver {
    name: DriverName,
    number: u16,
    algorithm_number: u16,
    link: Current<Link>,
    bounds: Bounds,
}

#[derive(Clone)]
struct OutboardHashDriver {
    driver: Arc<OutboardDriver>,
    algorithm: HashAlgorithm,
}

impl OutboardDriver {
    /// It must implement the algorithm `name`, and accept `sample`.
    fn reach(
        access: Access,
        driver: &str,
        name: &str,
        algorithm_number: u16,
        sample: KeyParts<'_>,
    ) -> Result<Arc<Self>, Error> {
        let (number, bounds, link) = lead(access, driver, name, algorithm_number, sample)?;
        let link = Current::new(link);
        Ok(Arc::new(OutboardDriver { name: driver.into(), number, algorithm_number, link, bounds }))
    }

    fn longest(&self, most: usize) -> usize {
        match self.bounds.length as usize / ALIGN * ALIGN {
            0 => most,
            length => most.min(length),
        }
    }

    fn failed(&self, call: &'static str, source: io::Error) -> Error {
        refusal::of_request(&self.name, call, source)
    }

    fn no_room(&self, source: io::Error) -> Error {
        Error::NoRoom { interface: INTERFACE, driver: DriverName::clone(&self.name), source }
    }

    /// A new one if the application has closed the descriptor.
    fn link(&self) -> Result<Shared<Link>, Error> {
        let lost = |_| Error::DescriptorLost { driver: DriverName::clone(&self.name) };
        self.link.or_replace(Link::is_ours, || Link::shared().map_err(lost))
    }
}
