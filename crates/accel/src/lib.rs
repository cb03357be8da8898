//! One trait for every way down to an accelerator, and its implementations.
//!
//! An [`Accelerator`] is one kernel driver reached through one interface. It opens a [`Session`] for a
//! key; a session hands its results back in memory of its own, so that the caller's output is touched only by
//! bytes that are known to be whole. That is what lets a failed request be done again in software even when it
//! works in place.
//!
//! A [`HashSession`] is the same for digests and HMAC.
//!
//! - [`device`]: /dev/outboard, the module's own interface
//! - [`cryptodev`]: /dev/crypto, where cryptodev-linux is installed
//! - [`af_alg`]: the kernel's socket interface, before Linux 7.2
//! - [`check`]: whether a driver's results are right
//! - [`reach()`]: the best of them for a driver
//! - [`descriptor`]: a descriptor that the application may close under us, for other devices too

pub mod af_alg;
mod buffer;
pub mod check;
pub mod cryptodev;
mod current;
pub mod descriptor;
pub mod device;
mod error;
mod fork_mark;
mod hash;
mod mode;
mod reach;
mod session;

pub use error::Error;
pub use hash::{Digest, HashSession, HashState};
pub use mode::advance;
pub use outboard_catalog::{Algorithm, Direction, Hash, HashAlgorithm};
pub use reach::{Reached, reach, reach_hash, reach_hash_over, reach_over};
pub use session::{
    Accelerator, InFlight, LONGEST_PIECE, MAX_AAD, Meanwhile, PIECE, Request, Session, Share, WaitDescriptor,
    Woken,
};
