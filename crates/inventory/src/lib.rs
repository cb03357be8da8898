//! The crypto hardware of a system and the routes to it, read from / or from a saved tree.

mod algorithms;
pub mod bundle;
mod checked;
mod collect;
pub mod cpu;
pub mod devices;
mod drivers;
pub mod hwrng;
mod instructions;
mod interfaces;
mod kernel_build;
pub mod kernel_use;
mod machine;
mod offload;
pub mod openssl;
pub mod policy;
mod reach_matrix;
mod services;
pub mod system;
pub mod text;
mod tls_libraries;

pub use collect::{collect, collect_from, facts};

#[cfg(test)]
mod rules_tests;
