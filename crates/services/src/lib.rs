//! Services that use outboard.
//!
//! [`enable`] plans, applies and undoes the files that make a service use it. [`suites`] reads which ciphers
//! a service is configured to negotiate, and [`choice`] which of them it should prefer on this machine.

pub mod choice;
pub mod enable;
pub mod suites;
