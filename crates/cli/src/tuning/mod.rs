//! Measures where an accelerator wins: the thresholds of `outboard tune`.

pub mod ahead;
mod contest;
mod new_keys;
pub mod panel;
mod search;
pub mod sentence;

pub use search::all;
