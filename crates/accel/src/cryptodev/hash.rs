//! Digests and HMAC: each session of the device holds the state of one message.

use std::io;
use std::sync::Arc;

use super::keyed::Keyed;
use super::session::LONGEST;
use super::{CryptodevDriver, abi};
use crate::buffer::Buffer;
use crate::memory::{Shared, boxed};
use crate::{Digest, DriverName, Error, Hash, HashSession, HashState};

pub(super) struct CryptodevHash(Message);

impl CryptodevHash {
    pub(super) fn new(driver: Arc<CryptodevDriver>, hash: Hash, key: &[u8]) -> Result<Self, Error> {
        let keyed = Keyed::new(&driver, key)?;
        Ok(CryptodevHash(Message::new(driver, hash, keyed)))
    }
}

impl HashSession for CryptodevHash {
    fn max_request(&self) -> usize {
        LONGEST
    }

    fn whole_message(&mut self, message: &[u8]) -> Result<Digest, Error> {
        Keyed::settle(&mut self.0.keyed, &self.0.driver)?;
        self.0.finish(message)
    }

    fn begin(&mut self) -> Result<Box<dyn HashState>, Error> {
        Ok(boxed(self.0.independent_copy()?)?)
    }

    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(CryptodevHash(self.0.independent_copy()?))?)
    }
}

/// The state of a message.
///
/// Data is copied into the buffer's own pages, as for ciphers: cryptodev-linux would mark the
/// caller's pages as dirty.
struct Message {
    driver: Arc<CryptodevDriver>,
    hash: Hash,
    /// Not shared, since it holds the state of this message.
    keyed: Shared<Keyed>,
    buffer: Buffer,
    /// Whether the kernel has received a chunk of the message.
    begun: bool,
}

impl Message {
    fn new(driver: Arc<CryptodevDriver>, hash: Hash, keyed: Shared<Keyed>) -> Message {
        Message { driver, hash, keyed, buffer: Buffer::new(), begun: false }
    }

    fn independent_copy(&self) -> Result<Message, Error> {
        let keyed = self.keyed.again(&self.driver)?;
        Ok(Message::new(Arc::clone(&self.driver), self.hash, keyed))
    }

    fn check(&self) -> Result<(), Error> {
        let driver = || DriverName::clone(&self.driver.name);
        if !self.keyed.is_of_this_process() {
            return Err(Error::Forked { driver: driver() });
        }
        if self.keyed.node.is_ours() { Ok(()) } else { Err(Error::DescriptorLost { driver: driver() }) }
    }

    fn ask(&mut self, piece: &[u8], flags: u16) -> Result<[u8; 64], Error> {
        self.check()?;
        if piece.len() > LONGEST {
            let (len, algorithm) = (piece.len(), self.driver.algorithm);
            return Err(Error::Misfit { len, iv_len: 0, algorithm, max: LONGEST });
        }
        let room = self.buffer.room(piece.len())?;
        room.copy_from_slice(piece);
        let done = self.keyed.node.hash(self.keyed.number, flags, room);
        self.buffer.wipe(piece.len());
        done.map_err(|source| self.driver.failed("ioctl CIOCCRYPT", source))
    }
}

impl HashState for Message {
    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        // The device treats an empty chunk as the last one.
        if piece.is_empty() {
            return self.check();
        }
        self.ask(piece, if self.begun { abi::UPDATE } else { abi::UPDATE | abi::RESET })?;
        self.begun = true;
        Ok(())
    }

    fn try_clone(&self) -> Result<Box<dyn HashState>, Error> {
        self.check()?;
        let mut clone = self.independent_copy()?;
        if self.begun {
            let copied = self.keyed.node.copy_hash(clone.keyed.number, self.keyed.number);
            copied.map_err(|source| self.uncopied(source))?;
            clone.begun = true;
        }
        Ok(boxed(clone)?)
    }

    fn finish(&mut self, last: &[u8]) -> Result<Digest, Error> {
        // Without a flag the request is a whole message.
        let flags = if std::mem::take(&mut self.begun) { abi::FINAL } else { 0 };
        Ok(Digest::new(self.ask(last, flags)?, self.hash.digest_len()))
    }
}

impl Message {
    fn uncopied(&self, source: io::Error) -> Error {
        match source.raw_os_error() {
            Some(libc::ENOSYS | libc::EOPNOTSUPP) => {
                Error::NoState { driver: DriverName::clone(&self.driver.name), source }
            }
            _ => self.driver.failed("ioctl CIOCCPHASH", source),
        }
    }
}
