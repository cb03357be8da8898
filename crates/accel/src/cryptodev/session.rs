//! A key in a driver.

use std::io;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::node::Node;
use super::{Driver, abi, refusal};
use crate::buffer::Buffer;
use crate::{Algorithm, Direction, Error, Request, Session};

/// The longest request in bytes. Longer ones gain little, and above 32 pages cryptodev-linux allocates for each.
const LONGEST: usize = 64 * 1024;

/// The longest data unit of XTS in bytes. Where cryptodev-linux cannot pin the pages of a request, it copies it in pieces of
/// a page, and each piece would become a data unit (main.c, `__crypto_run_std`).
const LONGEST_UNIT: usize = 4096;

/// A session of the device's.
pub(super) struct Keyed {
    node: Arc<Node>,
    generation: u32,
    number: u32,
    /// Kept because a fork's child needs a session of its own: its parent may end this one at any time.
    key: Zeroizing<Vec<u8>>,
}

impl Keyed {
    /// Makes a session that has got the driver, no other.
    pub(super) fn new(driver: &Driver, key: Zeroizing<Vec<u8>>) -> Result<Arc<Keyed>, Error> {
        let node = driver.node()?;
        let generation = node.generation();
        let made = node.new_session(driver.number, &key);
        let number = made.map_err(|source| Error::KeyRefused { driver: driver.name.clone(), source })?;
        // From here on dropping it ends the session.
        let keyed = Arc::new(Keyed { node, generation, number, key });
        let got = keyed.node.info(number).map_err(|source| request("ioctl CIOCGSESSINFO", driver, source))?;
        if !got.driver.is(&driver.name) || !got.algorithm.is(driver.algorithm.kernel_name()) {
            return Err(refusal::other_driver(&driver.name, driver.algorithm, &got));
        }
        Ok(keyed)
    }

    fn is_of_this_process(&self) -> bool {
        self.node.generation() == self.generation
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        if self.is_of_this_process() {
            self.node.free_session(self.number);
        }
    }
}

/// A key, and room for one request.
///
/// A request is copied into pages of our own and done there in place. The caller's pages are not for the driver: they
/// may be a file's, which cryptodev-linux would mark as changed, or share cache lines with other data; and what is not
/// aligned as the driver wants it would go down in pieces of a page.
pub(super) struct CryptodevSession {
    driver: Arc<Driver>,
    /// Shared by the sessions that [`share`](Session::share) made: each request brings its IV, and the kernel does one
    /// at a time.
    keyed: Arc<Keyed>,
    buffer: Buffer,
    /// Bytes of the result, if there is one.
    len: Option<usize>,
    /// Bytes of plaintext in the buffer.
    secret: usize,
}

impl CryptodevSession {
    pub(super) fn new(driver: Arc<Driver>, key: &[u8]) -> Result<Self, Error> {
        let keyed = Keyed::new(&driver, Zeroizing::new(key.to_vec()))?;
        Ok(Self::with(driver, keyed))
    }

    fn with(driver: Arc<Driver>, keyed: Arc<Keyed>) -> Self {
        CryptodevSession { driver, keyed, buffer: Buffer::new(), len: None, secret: 0 }
    }

    /// Makes a session of this process's own after a fork, and a new one when the application has closed the
    /// descriptor.
    fn settle(&mut self) -> Result<(), Error> {
        if !self.keyed.is_of_this_process() || !self.keyed.node.is_ours() {
            self.keyed = Keyed::new(&self.driver, self.keyed.key.clone())?;
        }
        Ok(())
    }
}

impl Session for CryptodevSession {
    fn max_request(&self, _direction: Direction) -> usize {
        if self.driver.algorithm == Algorithm::XtsAes { LONGEST_UNIT } else { LONGEST }
    }

    /// Returns when the request is done.
    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.release();
        let [asked] = requests else {
            return Err(Error::Batch { count: requests.len(), max: self.max_batch() });
        };
        asked.check(self.driver.algorithm, 0, self.max_request(asked.direction))?;
        let len = asked.len();
        if len > 0 {
            self.settle()?;
            let op = match asked.direction {
                Direction::Encrypt => abi::ENCRYPT,
                Direction::Decrypt => abi::DECRYPT,
            };
            let room = self.buffer.room(len);
            asked.copy_to(room);
            self.secret = len;
            self.keyed
                .node
                .crypt(self.keyed.number, op, asked.iv, room)
                .map_err(|source| request("ioctl CIOCCRYPT", &self.driver, source))?;
            if asked.direction == Direction::Encrypt {
                self.secret = 0;
            }
        }
        self.len = Some(len);
        Ok(())
    }

    fn is_done(&mut self) -> bool {
        true
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        match self.len {
            Some(len) if index == 0 => Ok(self.buffer.bytes(len)),
            known => Err(Error::Batch { count: index + 1, max: known.map_or(0, |_| 1) }),
        }
    }

    fn release(&mut self) {
        self.len = None;
        self.buffer.wipe(std::mem::take(&mut self.secret));
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Ok(Box::new(Self::with(Arc::clone(&self.driver), Arc::clone(&self.keyed))))
    }
}

fn request(call: &'static str, driver: &Driver, source: io::Error) -> Error {
    Error::Request { call, driver: driver.name.clone(), source }
}
