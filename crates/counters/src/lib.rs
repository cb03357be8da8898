//! Counters in shared memory: what went to the accelerator and what stayed in software.
//!
//! `outboard prove` makes a file, every provider instance below it maps that file and adds to it with relaxed
//! atomics. The counts are in the page cache, not in the process, so they survive whatever ends it: `_exit`,
//! SIGKILL, `exec`. A fork's child keeps the mapping and goes on counting. Without `prove` the provider uses
//! [`Table::private`], which has the same interface and no file.
//!
//! The file has one fixed size and holds only atomics, so any content is a valid value of [`Table`]'s memory:
//! a damaged or hostile file gives wrong numbers, never undefined behaviour. What a file cannot be allowed to do
//! is shrink while it is mapped (SIGBUS); [`Table::open`] says who is trusted not to do that.
//!
//! Nothing here allocates, locks or calls the kernel once a table is open, except [`Table::snapshot`],
//! [`Table::decisions`] and [`Table::notes`], which allocate what they return.

mod claim;
mod counter;
mod counts;
mod decision;
mod error;
mod note;
mod row;
mod table;

pub use counts::Counts;
pub use decision::{DECISIONS, Decision};
pub use error::Error;
pub use note::{NOTE_BYTES, NOTES};
pub use row::{NAME_BYTES, ROWS, Row};
pub use table::Table;
