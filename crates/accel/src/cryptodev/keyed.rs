//! A key in a driver.

use crate::Wiped;
use crate::memory::{Shared, try_copy};

use super::node::Node;
use super::{CryptodevDriver, refusal};
use crate::{DriverName, Error};

pub(super) struct Keyed {
    pub(super) node: Shared<Node>,
    generation: u32,
    pub(super) number: u32,
    /// For the child of a fork, which needs a session of its own: the parent may end this one.
    key: Wiped<Vec<u8>>,
}

impl Keyed {
    /// Fails if the kernel has given the session another driver.
    pub(super) fn new(driver: &CryptodevDriver, key: &[u8]) -> Result<Shared<Keyed>, Error> {
        let key = Wiped::new(try_copy(key).ok_or(Error::NoMemory)?);
        let node = driver.node()?;
        let generation = node.generation();
        let made = node.new_session(driver.purpose, &key);
        let number =
            made.map_err(|source| Error::KeyRefused { driver: DriverName::clone(&driver.name), source })?;
        // From here on dropping it ends the session.
        let keyed = Shared::new(Keyed { node, generation, number, key })?;
        let got = keyed.node.info(driver.purpose, number);
        let got = got.map_err(|source| driver.failed("ioctl CIOCGSESSINFO", source))?;
        if !got.driver.is(&driver.name) || !got.algorithm.is(driver.algorithm) {
            return Err(refusal::other_driver(&driver.name, driver.algorithm, &got));
        }
        Ok(keyed)
    }

    pub(super) fn again(&self, driver: &CryptodevDriver) -> Result<Shared<Keyed>, Error> {
        Keyed::new(driver, &self.key)
    }

    pub(super) fn is_of_this_process(&self) -> bool {
        self.node.generation() == self.generation
    }

    pub(super) fn settle(keyed: &mut Shared<Keyed>, driver: &CryptodevDriver) -> Result<(), Error> {
        if !keyed.is_of_this_process() || !keyed.node.is_ours() {
            *keyed = keyed.again(driver)?;
        }
        Ok(())
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        if self.is_of_this_process() {
            self.node.free_session(self.number);
        }
    }
}
