//! The structures and numbers of /dev/outboard, as kmod/include/uapi/linux/outboard.h has them.
//!
//! docs/uapi.md says what they mean. The test beside this holds every size, offset and number against the header, for
//! 64-bit and 32-bit programs.

mod arena;
mod number;
mod record;

pub use arena::{Arena, Slot};
pub use number::*;
pub use record::{Object, SessionNew, Submit};

/// The device node.
pub const DEVICE: &str = "/dev/outboard";

/// Where root allows drivers, and where the module counts.
pub const SYSFS: &str = "/sys/class/misc/outboard";
