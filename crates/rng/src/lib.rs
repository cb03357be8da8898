//! /dev/hwrng as an entropy source whose output is always tested (NIST SP 800-90B, 4).
//!
//! - [`SeedSource`]: the source that users share, and its state
//! - `source`: the open device with its tests
//! - [`Health`]: the continuous tests, `cutoff`: their cutoffs
//! - `amount`: the number of bytes for an amount of entropy
//! - `device`: opening the device, and reading it with a limited number of attempts

mod amount;
mod cutoff;
mod device;
mod failure;
mod health;
mod seed_source;
mod source;

pub use failure::Failure;
pub use health::{Fault, Health};
pub use seed_source::{SeedSource, State};
