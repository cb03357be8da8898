//! VIA PadLock: AES and SHA by instructions of the CPU. No kernel takes part, and a request is
//! complete when its submission returns.
//!
//! Source: VIA PadLock Programming Guide (2005).

mod hash;
mod instructions;
mod schedule;
mod session;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

use std::io;

use outboard_drivers::padlock::is_enabled;
use outboard_drivers::reach::ProgramInterface;

use self::hash::PadlockHash;
use self::schedule::Schedules;
use self::session::PadlockKey;
use crate::check::{Fault, examples, hash_examples};
use crate::immediate::Immediate;
use crate::memory::{Shared, boxed, text};
use crate::{Accelerator, Algorithm, DriverName, Error, Hash, HashAlgorithm, HashSession, Session};

const INTERFACE: &str = ProgramInterface::Instructions.name();

pub struct Padlock<A> {
    name: DriverName,
    algorithm: A,
}

impl Padlock<Algorithm> {
    /// Finds the unit that `driver` stands for, and compares its results with published examples.
    pub fn reach(driver: &str, algorithm: Algorithm) -> Result<Padlock<Algorithm>, Error> {
        let padlock = Padlock::enabled(driver, algorithm)?;
        examples(&padlock, algorithm).map_err(|fault| padlock.unfit(&fault))?;
        Ok(padlock)
    }
}

impl Padlock<Hash> {
    pub fn reach_hash(driver: &str, algorithm: HashAlgorithm) -> Result<Padlock<Hash>, Error> {
        let padlock = Padlock::enabled(driver, algorithm.hash)?;
        hash_examples(&padlock, algorithm).map_err(|fault| padlock.unfit(&fault))?;
        Ok(padlock)
    }
}

impl<A> Padlock<A> {
    fn enabled(driver: &str, algorithm: A) -> Result<Padlock<A>, Error> {
        let name = DriverName::from(driver);
        if is_enabled(driver) {
            return Ok(Padlock { name, algorithm });
        }
        let reason =
            "this CPU has no such unit, or its firmware has switched it off (VIA: RDMSR 1107h)".into();
        let source = io::Error::from_raw_os_error(libc::ENODEV);
        Err(Error::Unreachable { interface: INTERFACE, driver: name, reason, source })
    }

    #[cold]
    fn unfit(&self, fault: &Fault) -> Error {
        let reason = text(format_args!("its self-test failed ({fault}): it is not used"));
        let source = io::Error::from_raw_os_error(libc::ELIBBAD);
        Error::Unreachable { interface: INTERFACE, driver: DriverName::clone(&self.name), reason, source }
    }
}

impl Accelerator for Padlock<Algorithm> {
    fn driver(&self) -> &str {
        &self.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        let keys = Shared::new(Schedules::new(key)?)?;
        let (name, algorithm) = (DriverName::clone(&self.name), self.algorithm);
        Ok(boxed(Immediate::new(PadlockKey { name, algorithm, keys }))?)
    }

    fn computes_key_stream(&self) -> bool {
        self.algorithm == Algorithm::EcbAes
    }
}

impl Accelerator<dyn HashSession> for Padlock<Hash> {
    fn driver(&self) -> &str {
        &self.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, _key: &[u8]) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(PadlockHash::new(DriverName::clone(&self.name), self.algorithm))?)
    }
}
