//! The laboratory: benchmarks, the live screen, reports, tests and assessments of generators. The
//! `outboard` command starts it for these commands.

pub mod applications;
mod commands;
pub mod pages;
pub mod requests;

use std::process::ExitCode;

use outboard::environment;

pub use commands::arguments;

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    environment::clean();
    match commands::Laboratory::from_process() {
        Ok(laboratory) => laboratory.run(),
        Err(usage) => outboard::misused(&usage),
    }
}
