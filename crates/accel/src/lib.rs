//! One trait for every way down to an accelerator, and its implementations.
//!
//! An [`Accelerator`] is one kernel driver reached through one interface. It opens a [`Session`] for a
//! key; a session works on one request at a time and hands back its result in memory of its own, so that
//! the caller's output is touched only by bytes that are known to be whole. That is what lets a failed
//! request be done again in software even when it works in place.

pub mod af_alg;
mod buffer;
mod error;

pub use error::Error;

/// An algorithm that a session can do, under the kernel's name (`/proc/crypto`, field `name`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// AES in CBC mode, keys of 16, 24 and 32 bytes, IV and blocks of 16 bytes.
    CbcAes,
}

impl Algorithm {
    /// The kernel's name.
    pub const fn kernel_name(self) -> &'static str {
        match self {
            Algorithm::CbcAes => "cbc(aes)",
        }
    }

    /// Bytes of the IV.
    pub const fn iv_len(self) -> usize {
        match self {
            Algorithm::CbcAes => 16,
        }
    }

    /// A request's length is a multiple of this many bytes.
    pub const fn block_len(self) -> usize {
        match self {
            Algorithm::CbcAes => 16,
        }
    }
}

/// Which way a request goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// A kernel driver that can be reached.
pub trait Accelerator: Send + Sync {
    /// The driver's name in `/proc/crypto`, such as `virtio_crypto_aes_cbc`.
    fn driver(&self) -> &str;

    /// The interface that leads to it, such as `AF_ALG`.
    fn interface(&self) -> &'static str;

    /// Hands `key` to the driver. Costs system calls and, on many devices, a slot of scarce key memory:
    /// keep the session. Key lengths are those of the algorithm.
    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error>;
}

/// A key in a driver, and room for one request. Used by one thread at a time.
pub trait Session: Send {
    /// The longest request in bytes; a multiple of the block length.
    fn max_request(&self) -> usize;

    /// Encrypts or decrypts `input`, whose length is a multiple of the block length and at most
    /// [`max_request`](Self::max_request). The result has the same length and stays valid until the next call.
    fn crypt(&mut self, direction: Direction, iv: &[u8], input: &[u8]) -> Result<&[u8], Error>;

    /// Another session with the same key, that can be used at the same time by another thread.
    fn share(&self) -> Result<Box<dyn Session>, Error>;
}
