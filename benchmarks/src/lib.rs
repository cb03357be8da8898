//! Common code of the benchmarks.

pub mod bar;
