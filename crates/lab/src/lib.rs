//! The laboratory: benchmarks, the live screen, reports, tests and assessments of generators. The
//! `outboard` command starts it for these commands.

pub mod applications;
mod commands;
pub mod documents;
mod monitor;
pub mod pages;
pub mod pasted;
pub mod requests;

use std::process::ExitCode;

use outboard::environment;

pub use commands::arguments;

pub fn main() -> ExitCode {
    environment::clean();
    match commands::Laboratory::from_process() {
        Ok(laboratory) => laboratory.run(),
        Err(usage) => outboard::misused(&usage),
    }
}
