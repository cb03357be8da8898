//! Running services: restarts their units and verifies, with requests of real clients, that they
//! work and where their requests are computed.

mod client;
mod counters;
pub mod init_system;
pub mod procd;
mod processes;
pub mod systemctl;
mod verification;

pub use verification::{Broken, LiveService, Verification};
