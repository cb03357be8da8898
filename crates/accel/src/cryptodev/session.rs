use std::sync::Arc;

use super::keyed::Keyed;
use super::{CryptodevDriver, abi};
use crate::immediate::Backend;
use crate::memory::Shared;
use crate::mode::driver_iv;
use crate::{Algorithm, Direction, DriverName, Error, Request};

/// In bytes: longer requests gain little, and above 32 pages each needs an allocation of the
/// kernel's.
pub(super) const LONGEST: usize = 64 * 1024;

/// Of XTS, in bytes. Where cryptodev-linux cannot pin the pages of a request, it copies it in chunks
/// of a page, each of which would become a data unit (main.c, `__crypto_run_std`).
const LONGEST_UNIT: usize = 4096;

/// A key in a driver. Shared: each request has its own IV, and the kernel processes one at a time.
/// cryptodev-linux would split data without the driver's alignment, which a page has, into chunks.
pub(super) struct CryptodevKey {
    pub(super) driver: Arc<CryptodevDriver>,
    pub(super) algorithm: Algorithm,
    pub(super) tag_len: usize,
    pub(super) keyed: Shared<Keyed>,
}

impl Backend for CryptodevKey {
    fn driver(&self) -> &DriverName {
        &self.driver.name
    }

    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    fn tag_len(&self) -> usize {
        self.tag_len
    }

    fn max_request(&self) -> usize {
        if self.algorithm == Algorithm::XtsAes { LONGEST_UNIT } else { LONGEST }
    }

    fn process(&mut self, request: &Request<'_>, room: &mut [u8]) -> Result<bool, Error> {
        Keyed::settle(&mut self.keyed, &self.driver)?;
        let op = match request.direction {
            Direction::Encrypt => abi::ENCRYPT,
            Direction::Decrypt => abi::DECRYPT,
        };
        let (iv, _) = driver_iv(self.algorithm, request.iv);
        let (Keyed { node, number, .. }, tag_len) = (&*self.keyed, self.tag_len);
        let (call, done) = if tag_len > 0 {
            ("ioctl CIOCAUTHCRYPT", node.auth_crypt(*number, op, iv, request.aad, room, tag_len))
        } else {
            ("ioctl CIOCCRYPT", node.crypt(*number, op, iv, room))
        };
        match done {
            Ok(()) => Ok(true),
            Err(error) if tag_len > 0 && error.raw_os_error() == Some(libc::EBADMSG) => Ok(false),
            Err(error) => Err(self.driver.failed(call, error)),
        }
    }

    fn share(&self) -> Result<Self, Error> {
        let (driver, keyed) = (Arc::clone(&self.driver), Shared::clone(&self.keyed));
        Ok(CryptodevKey { driver, keyed, ..*self })
    }
}
