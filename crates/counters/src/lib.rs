//! Counters in shared memory: which requests used the accelerator and which used software.
//!
//! `outboard prove` creates a file. Every provider instance in the command that `prove` runs maps
//! that file and adds to it with relaxed atomics. The counts are in the page cache and not in the
//! process, so they survive `_exit`, SIGKILL and `exec`. The child of a fork keeps the mapping and
//! continues to count. The processes of a service share a file in the runtime directory of the
//! service ([`Table::open_in`]). Without either the provider uses [`Table::private`], which has the
//! same interface and no file.
//!
//! The file has a fixed size and contains only atomics, so any content is a valid value of
//! [`Table`]'s memory: a damaged or malicious file yields wrong numbers, never undefined behaviour.
//! The file must not shrink while it is mapped (SIGBUS); [`Table::open`] documents which users are
//! trusted not to truncate it.
//!
//! After a table is opened, no function here allocates, locks or makes a system call, except
//! [`Table::snapshot`], [`Table::decisions`] and [`Table::notes`], which allocate what they return.

mod claim;
mod counter;
mod counts;
mod decision;
mod error;
mod layout;
mod note;
mod row;
mod seed;
mod software_reason;
mod table;

pub use counts::Counts;
pub use decision::{DECISIONS, Decision, KeyStreamSource};
pub use error::Error;
pub use note::{NOTE_BYTES, NOTES};
pub use row::{NAME_BYTES, ROWS, Row};
pub use seed::{SeedCounts, SeedRow};
pub use software_reason::{ReasonCounts, SoftwareReason};
pub use table::{COUNTERS_NAME, Table};
