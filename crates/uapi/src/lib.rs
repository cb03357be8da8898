//! The structures and numbers of /dev/outboard, as kmod/include/uapi/linux/outboard.h has them.
//!
//! docs/uapi.md specifies them. The test in tests/header.rs compares every size, offset and number
//! with the header, for 64-bit and 32-bit programs.

#![warn(missing_docs)]

mod arena;
mod number;
mod record;

pub use arena::{Arena, Slot};
pub use number::*;
pub use record::{SessionRecord, Submit, Try};

/// The device node.
pub const DEVICE: &str = "/dev/outboard";

/// The sysfs directory of the allow list and of the module's counts.
pub const SYSFS: &str = "/sys/class/misc/outboard";
