use std::sync::Arc;

use super::CryptodevDriver;
use super::keyed::Keyed;
use super::session::LONGEST;
use crate::buffer::Buffer;
use crate::hash::fits;
use crate::memory::{Shared, boxed};
use crate::{Digest, Error, Hash, HashSession};

/// With a buffer for one message, which is copied there as those of ciphers are.
pub(super) struct CryptodevHash {
    driver: Arc<CryptodevDriver>,
    hash: Hash,
    keyed: Shared<Keyed>,
    buffer: Buffer,
}

impl CryptodevHash {
    pub(super) fn new(driver: Arc<CryptodevDriver>, hash: Hash, key: &[u8]) -> Result<Self, Error> {
        let keyed = Keyed::new(&driver, key)?;
        Ok(CryptodevHash { driver, hash, keyed, buffer: Buffer::new() })
    }
}

impl HashSession for CryptodevHash {
    fn max_request(&self) -> usize {
        LONGEST
    }

    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error> {
        fits(message, self.driver.algorithm, LONGEST)?;
        Keyed::settle(&mut self.keyed, &self.driver)?;
        let room = self.buffer.room(message.len())?;
        room.copy_from_slice(message);
        let done = self.keyed.node.hash(self.keyed.number, room);
        self.buffer.wipe(message.len());
        let digest = done.map_err(|source| self.driver.failed("ioctl CIOCCRYPT", source))?;
        Ok(Digest::new(digest, self.hash.digest_len()))
    }

    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        let (driver, keyed) = (Arc::clone(&self.driver), Shared::clone(&self.keyed));
        Ok(boxed(CryptodevHash { driver, hash: self.hash, keyed, buffer: Buffer::new() })?)
    }
}
