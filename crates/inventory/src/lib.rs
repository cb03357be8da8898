//! The crypto hardware of a system and the routes to it, read from / or from a saved tree.

mod algorithms;
pub mod bundle;
mod checked;
mod choices;
mod collect;
pub mod cpu;
pub mod devices;
mod hwrng;
pub mod installing;
mod instructions;
mod interfaces;
mod kernel_build;
mod machine;
mod offload;
pub mod openssl;
pub mod pasted;
mod policy;
mod problems;
mod reach_matrix;
mod services;
mod status;
pub mod text;
mod tunnels;
mod verdict;

pub use algorithms::{Algorithm, Pick};
pub use collect::{collect, collect_from};
pub use devices::{UnboundDevice, UnboundState};
pub use hwrng::Hwrng;
pub use instructions::CpuInstructions;
pub use interfaces::Node;
pub use machine::{Machine, Platform};
pub use problems::{Problem, ProblemId};
pub use services::Service;
pub use status::{Accelerator, DriverView, Kernel, SCHEMA, Status};
pub use tunnels::TunnelCipher;
pub use verdict::{Answer, Conclusion, cpu_has_aes};
