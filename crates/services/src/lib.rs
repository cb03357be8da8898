//! Services that use outboard.
//!
//! [`enable`] plans, applies and undoes the files that make a service use it. [`suites`] reads which ciphers
//! a service is configured to negotiate, and [`negotiation`] how it negotiates them.

pub mod enable;
pub mod negotiation;
pub mod suites;
