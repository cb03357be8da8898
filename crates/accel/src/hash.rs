//! Sessions for digests and HMAC.

use std::fmt;
use std::io;

use crate::{Error, Meanwhile, Share, WaitDescriptor, Wiped};

/// The digest of a message. It may be a key, and is wiped when it is dropped.
#[derive(Clone)]
pub struct Digest {
    bytes: Wiped<[u8; 64]>,
    len: usize,
}

impl PartialEq for Digest {
    fn eq(&self, other: &Digest) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl Digest {
    /// A digest of the first `len` of these bytes, at most 64.
    pub(crate) fn new(bytes: [u8; 64], len: usize) -> Digest {
        Digest { bytes: Wiped::new(bytes), len: len.min(64) }
    }

    /// The bytes of the digest.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// A session with a driver for digests, or for HMAC under a key. One thread uses it at a time;
/// [`share`](Self::share) creates a session for another thread.
pub trait HashSession: Send {
    /// The maximum length of a message in bytes.
    fn max_request(&self) -> usize;

    /// The maximum number of messages that [`digests`](Self::digests) accepts at once.
    fn max_batch(&self) -> usize {
        1
    }

    /// The digests of messages, all in flight at the same time.
    fn digests(&mut self, messages: &[&[u8]]) -> Result<Vec<Digest>, Error> {
        match messages {
            [message] => Ok(vec![self.digest(message)?]),
            _ => Err(Error::Batch { count: messages.len(), max: self.max_batch() }),
        }
    }

    /// The digest of a message. One request has all of it: a driver that keeps a state of a message in
    /// the kernel may have advanced it when a request fails, and then gives a wrong digest.
    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error>;

    /// Creates another session with the same key, for concurrent use by another thread.
    fn share(&self) -> Result<Box<dyn HashSession>, Error>;

    /// A descriptor for [`notify`](crate::InFlight::notify); `None` where the interface cannot
    /// notify of completion.
    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        None
    }

    /// As [`digest`](Self::digest); calls `meanwhile` while the accelerator works.
    fn digest_meanwhile(&mut self, message: &[u8], _meanwhile: Meanwhile<'_>) -> Result<Digest, Error> {
        self.digest(message)
    }
}

impl Share for dyn HashSession {
    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        HashSession::share(self)
    }
}

/// Fails for a message of more than `max` bytes.
pub(crate) fn fits(message: &[u8], algorithm: &'static str, max: usize) -> Result<(), Error> {
    let len = message.len();
    if len <= max { Ok(()) } else { Err(Error::Misfit { len, iv_len: 0, algorithm, max }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    #[test]
    fn a_digest_is_overwritten_when_it_is_dropped() {
        let mut place = MaybeUninit::new(Digest::new([0x5a; 64], 32));
        let (start, len) = (place.as_ptr().cast::<u8>(), size_of::<Digest>());
        // SAFETY: the memory stays, and each byte of it was written or is padding, whose value does
        // not matter; the digest is not used after it is dropped.
        let found = unsafe {
            place.assume_init_drop();
            (0..len).filter(|&at| start.add(at).read_volatile() == 0x5a).count()
        };
        assert_eq!(found, 0);
    }
}
