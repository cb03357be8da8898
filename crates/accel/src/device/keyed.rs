//! A session of the module: a key in a driver.

use std::sync::Arc;

use crate::Wiped;

use super::link::Link;
use super::{OutboardDriver, refusal};
use crate::Error;

/// A session of this process or, until `settle`, of its parent.
pub(super) struct Keyed {
    pub(super) link: Arc<Link>,
    generation: u32,
    pub(super) number: u32,
    /// Kept because the child of a fork needs a session of its own: the kernel refuses it this one.
    key: Wiped<Vec<u8>>,
    /// Bytes of a tag, 0 without tags.
    pub(super) tag_len: usize,
}

impl Keyed {
    pub(super) fn new(driver: &OutboardDriver, key: &[u8], tag_len: usize) -> Result<Arc<Keyed>, Error> {
        let link = driver.link()?;
        let generation = link.generation();
        let made = link.new_session(driver.number, driver.algorithm_number, key, tag_len);
        let number = made.map_err(|source| refusal::no_session(&driver.name, source))?;
        Ok(Arc::new(Keyed { link, generation, number, key: Wiped::new(key.to_vec()), tag_len }))
    }

    /// Replaces the session after a fork, and after the application has closed the descriptor.
    pub(super) fn settle(place: &mut Arc<Keyed>, driver: &OutboardDriver) -> Result<(), Error> {
        if !place.is_of_this_process() || !place.link.is_ours() {
            *place = Keyed::new(driver, &place.key, place.tag_len)?;
        }
        Ok(())
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
