//! One trait for every interface to an accelerator, and its implementations.
//!
//! An [`Accelerator`] is one kernel driver reached through one interface. It opens a [`Session`]
//! for a key. A session returns its results in its own memory, so that only complete results are
//! written to the caller's output. A failed request can therefore be repeated in software even if
//! it works in place.
//!
//! A [`HashSession`] is the same for digests and HMAC.
//!
//! - [`device`]: /dev/outboard, the module's own interface
//! - [`cryptodev`]: /dev/crypto, where cryptodev-linux is installed
//! - [`af_alg`]: the kernel's socket interface, before Linux 7.2
//! - [`padlock`]: instructions of the CPU, without the kernel
//! - [`reach()`]: the first of them that leads to a driver
//! - [`KeyStreamSegment`]: key stream that a driver computes before it is needed
//! - [`check`]: whether a driver's results are right
//! - [`primitive`]: ciphers and hashes alike, for commands that treat both; [`checkable`]: their
//!   drivers, for commands that check these
//! - [`descriptor`]: a file descriptor that the application may close without notice
//! - [`memory`]: allocations that may fail

pub mod af_alg;
mod buffer;
pub mod check;
pub mod checkable;
pub mod cryptodev;
mod current;
pub mod descriptor;
pub mod device;
mod error;
mod fork_mark;
#[warn(missing_docs)]
mod hash;
mod immediate;
mod key_stream;
pub mod memory;
mod mode;
pub mod padlock;
pub mod primitive;
mod reach;
#[warn(missing_docs)]
mod session;
mod sync;
mod wipe;

pub use error::{Cause, DriverName, Error};
pub use hash::{Digest, HashSession};
pub use key_stream::KeyStreamSegment;
pub use mode::advance;
pub use outboard_catalog::{Algorithm, Direction, Hash, HashAlgorithm};
pub use reach::{Reached, reach, reach_hash, reach_hash_over, reach_over};
pub use session::{
    Accelerator, InFlight, LONGEST_PIECE, MAX_AAD, Meanwhile, PIECE, Request, Session, Share, WaitDescriptor,
    Woken,
};
pub use wipe::{KeyBytes, SecretMemory, Wiped, wipe};
