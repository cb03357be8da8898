use std::sync::Arc;

use super::keyed::Keyed;
use super::{CryptodevDriver, abi};
use crate::buffer::Buffer;
use crate::memory::{Shared, boxed};
use crate::mode::driver_iv;
use crate::{Algorithm, Direction, DriverName, Error, InFlight, Request, Session};

/// In bytes: longer requests gain little, and above 32 pages each needs an allocation of the
/// kernel's.
pub(super) const LONGEST: usize = 64 * 1024;

/// Of XTS, in bytes. Where cryptodev-linux cannot pin the pages of a request, it copies it in
/// chunks of a page, each of which would become a data unit (main.c, `__crypto_run_std`).
const LONGEST_UNIT: usize = 4096;

/// A request is processed in the buffer's own pages. The caller's may belong to a file, and
/// cryptodev-linux would mark them as dirty, or they may share cache lines with other data. It
/// would also split data without the driver's alignment into chunks of a page.
pub(super) struct CryptodevSession {
    driver: Arc<CryptodevDriver>,
    algorithm: Algorithm,
    /// 0 without tags.
    tag_len: usize,
    /// Shared: each request has its own IV, and the kernel processes one at a time.
    keyed: Shared<Keyed>,
    buffer: Buffer,
    /// Bytes of the last result, or `None` if the tag was wrong.
    answer: Option<Option<usize>>,
    /// Bytes of plaintext in the buffer, to be wiped.
    secret: usize,
}

impl CryptodevSession {
    pub(super) fn new(
        driver: Arc<CryptodevDriver>,
        algorithm: Algorithm,
        tag_len: usize,
        key: &[u8],
    ) -> Result<Self, Error> {
        let keyed = Keyed::new(&driver, key)?;
        Ok(Self::with(driver, algorithm, tag_len, keyed))
    }

    fn with(
        driver: Arc<CryptodevDriver>,
        algorithm: Algorithm,
        tag_len: usize,
        keyed: Shared<Keyed>,
    ) -> Self {
        CryptodevSession { driver, algorithm, tag_len, keyed, buffer: Buffer::new(), answer: None, secret: 0 }
    }

    /// False if the tag is wrong.
    fn ask(&mut self, asked: &Request<'_>) -> Result<bool, Error> {
        Keyed::settle(&mut self.keyed, &self.driver)?;
        let op = match asked.direction {
            Direction::Encrypt => abi::ENCRYPT,
            Direction::Decrypt => abi::DECRYPT,
        };
        let (len, tag_len) = (asked.len(), self.tag_len);
        let (iv, _) = driver_iv(self.algorithm, asked.iv);
        let Keyed { node, number, .. } = &*self.keyed;
        let room = self.buffer.room(len + tag_len)?;
        asked.copy_to(&mut room[..len + asked.tag.len()]);
        self.secret = len;
        let (call, done) = if tag_len > 0 {
            ("ioctl CIOCAUTHCRYPT", node.auth_crypt(*number, op, iv, asked.aad, room, tag_len))
        } else {
            ("ioctl CIOCCRYPT", node.crypt(*number, op, iv, room))
        };
        if asked.direction == Direction::Encrypt && done.is_ok() {
            self.secret = 0;
        }
        match done {
            Ok(()) => Ok(true),
            Err(error) if tag_len > 0 && error.raw_os_error() == Some(libc::EBADMSG) => Ok(false),
            Err(error) => Err(self.driver.failed(call, error)),
        }
    }
}

impl InFlight for CryptodevSession {}

impl Session for CryptodevSession {
    fn max_request(&self, _direction: Direction) -> usize {
        if self.algorithm == Algorithm::XtsAes { LONGEST_UNIT } else { LONGEST }
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.release();
        let [asked] = requests else {
            return Err(Error::Batch { count: requests.len(), max: self.max_batch() });
        };
        asked.check(self.algorithm, self.tag_len, self.max_request(asked.direction))?;
        // Empty data has a tag too.
        let genuine = asked.len() + self.tag_len == 0 || self.ask(asked)?;
        let tag_len = if asked.direction == Direction::Encrypt { self.tag_len } else { 0 };
        self.answer = Some(genuine.then_some(asked.len() + tag_len));
        Ok(())
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        match self.answer {
            Some(Some(len)) if index == 0 => Ok(self.buffer.bytes(len)),
            Some(None) if index == 0 => Err(Error::Forged { driver: DriverName::clone(&self.driver.name) }),
            known => Err(Error::Batch { count: index + 1, max: known.map_or(0, |_| 1) }),
        }
    }

    fn release(&mut self) {
        self.answer = None;
        self.buffer.wipe(std::mem::take(&mut self.secret));
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        let (driver, keyed) = (Arc::clone(&self.driver), Shared::clone(&self.keyed));
        Ok(boxed(Self::with(driver, self.algorithm, self.tag_len, keyed))?)
    }
}
