//! Common code of the benchmarks.

pub mod bar;
pub mod configuration;
pub mod ratio;
