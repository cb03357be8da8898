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
    /// The maximum length in bytes of a message, or of a chunk of a message, in one request.
    fn max_request(&self) -> usize;

    /// The maximum number of messages, of any length, that [`digests`](Self::digests) accepts at
    /// once.
    fn max_batch(&self) -> usize {
        1
    }

    /// The digests of whole messages of at most [`max_request`](Self::max_request) bytes each, all
    /// in flight at the same time.
    fn digests(&mut self, messages: &[&[u8]]) -> Result<Vec<Digest>, Error> {
        match messages {
            [message] => Ok(vec![self.whole_message(message)?]),
            _ => Err(Error::Batch { count: messages.len(), max: self.max_batch() }),
        }
    }

    /// The digest of one whole message of at most [`max_request`](Self::max_request) bytes.
    fn whole_message(&mut self, message: &[u8]) -> Result<Digest, Error>;

    /// Creates a state in the kernel for one message that arrives in chunks.
    fn begin(&mut self) -> Result<Box<dyn HashState>, Error>;

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

    /// The digest of a whole message of any length. A message longer than
    /// [`max_request`](Self::max_request) is hashed in chunks.
    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error> {
        let most = self.max_request();
        if message.len() <= most {
            return self.whole_message(message);
        }
        let mut state = self.begin()?;
        let (before, rest) = before_the_last_piece(message, most);
        before.chunks(most).try_for_each(|piece| state.update(piece))?;
        state.finish(rest)
    }
}

/// Splits a message into whole chunks of `most` bytes and a last chunk, which is empty only if the
/// message is.
pub(crate) fn before_the_last_piece(message: &[u8], most: usize) -> (&[u8], &[u8]) {
    message.split_at(message.len().saturating_sub(1) / most * most)
}

impl Share for dyn HashSession {
    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        HashSession::share(self)
    }
}

/// The state of one message, kept in the kernel. It belongs to the process that began it: in a
/// child process its methods return [`Error::Forked`], and the parent's state is unchanged. After
/// an error it cannot be used any more.
pub trait HashState: Send {
    /// Hashes a chunk of at most [`HashSession::max_request`] bytes.
    fn update(&mut self, piece: &[u8]) -> Result<(), Error>;

    /// An independent copy of this state.
    fn try_clone(&self) -> Result<Box<dyn HashState>, Error>;

    /// Hashes the last chunk, which may be empty, and returns the digest. The next chunk begins a
    /// new message.
    fn finish(&mut self, last: &[u8]) -> Result<Digest, Error>;
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
