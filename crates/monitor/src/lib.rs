//! What accelerators and enabled services do, read from /proc, sysfs and the counters of services.
//!
//! All files are read below a [`Root`](outboard_drivers::root::Root) and are untrusted: a value that
//! cannot be read or parsed is left out, and names contain no control characters.

mod live;
mod module;
mod service;

pub use live::live;
pub use module::{DriverSample, ModuleSample};
pub use service::ServiceSample;
