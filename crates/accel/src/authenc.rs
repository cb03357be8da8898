//! Encrypt-then-MAC in one request: AES in CBC mode, and HMAC of the additional data and the
//! ciphertext, as in ESP and in TLS with RFC 7366.

use crate::{Error, Session};

/// The two keys of a session.
#[derive(Clone, Copy)]
pub struct AuthencKeys<'k> {
    /// The key of HMAC, at least one byte. Protocols use one as long as the digest.
    pub mac: &'k [u8],
    /// The key of AES: 16, 24 or 32 bytes.
    pub cipher: &'k [u8],
}

/// A kernel driver of an [`Authenc`](crate::Authenc) algorithm that can be reached.
pub trait AuthencAccelerator: Send + Sync {
    /// The driver's name in `/proc/crypto`, such as `authenc-hmac-sha1-cbc-aes-caam`.
    fn driver(&self) -> &str;

    /// The interface that leads to it.
    fn interface(&self) -> &'static str;

    /// Opens a session with tags of `tag_len` bytes, at most a digest. A request's length is a
    /// multiple of 16, at least 16. The IV is authenticated only if the caller has it in the
    /// additional data too.
    fn open(&self, keys: AuthencKeys<'_>, tag_len: usize) -> Result<Box<dyn Session>, Error>;
}
