//! Running services: restarts their units and verifies, with requests of real clients, that they
//! work and where their requests are computed.

mod client;
mod counters;
mod processes;
pub mod systemctl;
mod verification;

pub use verification::{Broken, LiveService, Verification};
