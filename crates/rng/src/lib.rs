//! /dev/hwrng as an entropy source whose output is always tested (NIST SP 800-90B, 4).

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
