//! The crypto hardware of a system and the routes to it, read from / or from a saved tree.

mod algorithms;
pub mod bundle;
mod checked;
mod choices;
mod collect;
pub mod cpu;
pub mod devices;
mod drivers;
pub mod hwrng;
pub mod installing;
mod instructions;
mod interfaces;
mod kernel_build;
mod machine;
mod offload;
pub mod openssl;
pub mod policy;
mod problems;
mod reach_matrix;
mod services;
pub mod text;
mod tunnels;
mod verdict;

pub use collect::{collect, collect_from};
pub use problems::explanation;
