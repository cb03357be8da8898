//! What outboard advises: decided and worded here, and nowhere else. Commands, the report and the
//! documents are views of it.
//!
//! [`Facts`] is all that it depends on. [`rules`] is the table of problems with their next steps,
//! [`ServiceFacts::decide`] the one decision about a service, [`spread`] the rule when two figures differ.

mod advise;
mod comparison;
mod entrants;
mod facts;
mod obstacles;
pub mod rules;
mod service;
pub mod spread;
mod system;
mod text;
mod verdict;

pub use entrants::{ADIANTUM, CHACHA20, compared_names, compared_size, entrants};
pub use facts::Facts;
pub use obstacles::{Obstacle, Obstacles, obstacles};
pub use service::{CipherFacts, DriverTask, LegacyChoice, PolicyState, SETUP, ServiceFacts, SuiteServed};

pub use system::{ModuleStep, PackageManager, System};
pub use text::{details, note, words};

#[cfg(test)]
mod tests;
