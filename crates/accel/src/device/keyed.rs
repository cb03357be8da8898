//! A key in a driver.

use crate::Wiped;
use crate::memory::{Shared, try_copy};

use super::link::Link;
use super::{OutboardDriver, refusal};
use crate::Error;

#[derive(Clone, Copy)]
pub(super) struct KeyParts<'k> {
    pub(super) bytes: &'k [u8],
    pub(super) tag: usize,
}

/// A session of this process or, until `settle`, of its parent.
pub(super) struct Keyed {
    pub(super) link: Shared<Link>,
    generation: u32,
    pub(super) number: u32,
    /// Kept because the child of a fork needs a session of its own: the kernel refuses it this one.
    key: Wiped<Vec<u8>>,
    pub(super) tag_len: usize,
}

impl Keyed {
    pub(super) fn new(driver: &OutboardDriver, parts: KeyParts<'_>) -> Result<Shared<Keyed>, Error> {
        let key = Wiped::new(try_copy(parts.bytes).ok_or(Error::NoMemory)?);
        let link = driver.link()?;
        let generation = link.generation();
        let made = link.new_session(driver.number, driver.algorithm_number, parts);
        let number = made.map_err(|source| refusal::no_session(&driver.name, source))?;
        Shared::new(Keyed { link, generation, number, key, tag_len: parts.tag })
    }

    pub(super) fn settle(place: &mut Shared<Keyed>, driver: &OutboardDriver) -> Result<(), Error> {
        if !place.is_of_this_process() || !place.link.is_ours() {
            *place = place.again(driver)?;
        }
        Ok(())
    }

    pub(super) fn again(&self, driver: &OutboardDriver) -> Result<Shared<Keyed>, Error> {
        Keyed::new(driver, KeyParts { bytes: &self.key, tag: self.tag_len })
    }

    pub(super) fn is_of_this_process(&self) -> bool {
        self.link.generation() == self.generation
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        if self.is_of_this_process() {
            self.link.free_session(self.number);
        }
    }
}
