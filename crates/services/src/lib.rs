//! Services that use outboard.
//!
//! [`enable`] plans, applies and undoes the files that make a service use it.

pub mod enable;
