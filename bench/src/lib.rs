//! What the benchmarks share.

pub mod bar;
