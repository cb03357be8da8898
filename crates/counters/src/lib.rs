//! Counters in shared memory: which requests used the accelerator and which used software.
//!
//! Every provider instance in the command that `outboard prove` runs maps a file of `prove` and
//! adds to it with relaxed atomics. The counts are in the page cache, so they survive `_exit`,
//! SIGKILL and `exec`; the child of a fork continues to count. The processes of a service share a
//! file in its runtime directory ([`Table::open_in`]). Without either the provider uses
//! [`Table::private`].
//!
//! The file has a fixed size and contains only atomics: a damaged or malicious file yields wrong
//! numbers, never undefined behaviour. It must not shrink while it is mapped (SIGBUS);
//! [`Table::open`] documents which users are trusted with that.
//!
//! After a table is opened, no function here allocates, locks or makes a system call, except those
//! that return what they read.

mod claim;
mod counter;
mod counts;
mod decision;
mod error;
#[cfg(all(test, loom))]
mod explored;
mod layout;
mod note;
mod row;
mod seed;
mod software_reason;
#[path = "../../accel/src/sync/mod.rs"]
mod sync;
mod table;

pub use counts::Counts;
pub use decision::{DECISIONS, Decision, KeyStreamSource};
pub use error::Error;
pub use note::{NOTE_BYTES, NOTES};
pub use row::{NAME_BYTES, ROWS, Row};
pub use seed::{SeedCounts, SeedRow};
pub use software_reason::{ReasonCounts, SoftwareReason};
pub use table::{COUNTERS_NAME, Table};
