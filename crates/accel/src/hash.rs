//! Digests and HMAC: what a session for them can do.

use std::io;

use crate::{Error, Meanwhile, Share, WaitDescriptor};

/// A hash function of FIPS 180-4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hash {
    /// SHA-1, 20 bytes.
    Sha1,
    /// SHA-224, 28 bytes.
    Sha224,
    /// SHA-256, 32 bytes.
    Sha256,
    /// SHA-384, 48 bytes.
    Sha384,
    /// SHA-512, 64 bytes.
    Sha512,
}

impl Hash {
    /// Every one of them.
    pub const ALL: [Hash; 5] = [Hash::Sha1, Hash::Sha224, Hash::Sha256, Hash::Sha384, Hash::Sha512];

    /// Bytes of the digest.
    pub const fn digest_len(self) -> usize {
        match self {
            Hash::Sha1 => 20,
            Hash::Sha224 => 28,
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
            Hash::Sha512 => 64,
        }
    }

    /// Bytes that are hashed together.
    pub const fn block_len(self) -> usize {
        match self {
            Hash::Sha1 | Hash::Sha224 | Hash::Sha256 => 64,
            Hash::Sha384 | Hash::Sha512 => 128,
        }
    }
}

/// An algorithm that a [`HashSession`] can do: a digest, or the HMAC of one (FIPS 198-1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HashAlgorithm {
    /// The hash function.
    pub hash: Hash,
    /// Whether it takes a key.
    pub hmac: bool,
}

impl HashAlgorithm {
    /// Every algorithm: the digests, then the HMACs of them.
    pub fn all() -> impl Iterator<Item = HashAlgorithm> {
        [false, true]
            .into_iter()
            .flat_map(|hmac| Hash::ALL.into_iter().map(move |hash| HashAlgorithm { hash, hmac }))
    }

    /// The algorithm of this name in the kernel.
    pub fn by_kernel_name(name: &str) -> Option<HashAlgorithm> {
        Self::all().find(|algorithm| algorithm.kernel_name() == name)
    }

    /// The kernel's name (`/proc/crypto`, field `name`).
    pub const fn kernel_name(self) -> &'static str {
        match (self.hmac, self.hash) {
            (false, Hash::Sha1) => "sha1",
            (false, Hash::Sha224) => "sha224",
            (false, Hash::Sha256) => "sha256",
            (false, Hash::Sha384) => "sha384",
            (false, Hash::Sha512) => "sha512",
            (true, Hash::Sha1) => "hmac(sha1)",
            (true, Hash::Sha224) => "hmac(sha224)",
            (true, Hash::Sha256) => "hmac(sha256)",
            (true, Hash::Sha384) => "hmac(sha384)",
            (true, Hash::Sha512) => "hmac(sha512)",
        }
    }
}

/// What a message hashes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest {
    bytes: [u8; 64],
    len: usize,
}

impl Digest {
    /// The first `len` of these bytes, 64 at most.
    pub(crate) fn new(bytes: [u8; 64], len: usize) -> Digest {
        Digest { bytes, len: len.min(64) }
    }

    /// Its bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// A driver that hashes, with a key if it is an HMAC. Used by one thread at a time; [`share`](Self::share) makes another one
/// for a second thread.
pub trait HashSession: Send {
    /// The longest message, or piece of one, that goes down in one request, in bytes.
    fn max_request(&self) -> usize;

    /// How many messages [`digests`](Self::digests) takes at once, whatever their lengths.
    fn max_batch(&self) -> usize;

    /// The digests of whole messages, each at most [`max_request`](Self::max_request) bytes; the driver has all of them at
    /// the same time.
    fn digests(&mut self, messages: &[&[u8]]) -> Result<Vec<Digest>, Error>;

    /// A state in the kernel for one message that comes in pieces.
    fn begin(&mut self) -> Result<Box<dyn HashState>, Error>;

    /// Another session with the same key, that can be used at the same time by another thread.
    fn share(&self) -> Result<Box<dyn HashSession>, Error>;

    /// A descriptor for [`notify`](crate::InFlight::notify); `None` where nothing tells of a request's end.
    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        None
    }

    /// As [`digest`](Self::digest), for who does something else while the accelerator works.
    fn digest_meanwhile(&mut self, message: &[u8], _meanwhile: Meanwhile<'_>) -> Result<Digest, Error> {
        self.digest(message)
    }

    /// The digest of a whole message of any length.
    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error> {
        let most = self.max_request();
        if message.len() <= most {
            let digests = self.digests(&[message])?;
            return Ok(digests[0]);
        }
        let mut state = self.begin()?;
        let (before, rest) = before_the_last_piece(message, most);
        before.chunks(most).try_for_each(|piece| state.update(piece))?;
        state.finish(rest)
    }
}

/// A message as whole pieces of `most` bytes, and a last one that is not empty.
pub(crate) fn before_the_last_piece(message: &[u8], most: usize) -> (&[u8], &[u8]) {
    message.split_at(message.len().saturating_sub(1) / most * most)
}

impl Share for dyn HashSession {
    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        HashSession::share(self)
    }
}

/// The state of one message, kept in the kernel. It belongs to the process that began it: in a fork's child it answers
/// [`Error::Forked`], and the parent's is as it was. After an error it is of no more use.
pub trait HashState: Send {
    /// Takes a piece in, at most [`HashSession::max_request`] bytes.
    fn update(&mut self, piece: &[u8]) -> Result<(), Error>;

    /// Another state that goes on from here, independent of this one.
    fn try_clone(&self) -> Result<Box<dyn HashState>, Error>;

    /// Takes the last piece in, which may be empty, and answers the digest of all. The next piece begins a new message.
    fn finish(&mut self, last: &[u8]) -> Result<Digest, Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_names_are_found_again() {
        assert_eq!(HashAlgorithm::all().count(), 10);
        for algorithm in HashAlgorithm::all() {
            assert_eq!(HashAlgorithm::by_kernel_name(algorithm.kernel_name()), Some(algorithm));
        }
        assert_eq!(HashAlgorithm::by_kernel_name("md5"), None);
    }
}
