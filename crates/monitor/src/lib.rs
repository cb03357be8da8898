//! What accelerators and the processes that use them do, read from /proc and sysfs.
//!
//! All files are read below a [`Root`](outboard_drivers::root::Root) and are untrusted: a value that
//! cannot be read or parsed is left out, and names contain no control characters.

mod process;

pub use process::{EnvironmentValue, Process, Processes, ProviderMapping};
