//! The `outboard` command, and what the laboratory shares with it.

mod commands;
mod consent;
pub mod environment;
mod etc;
mod kernel_choice;
pub mod laboratory;
pub mod output;
mod running_services;
mod settings;
mod signals;
mod tuning;

use std::process::ExitCode;

use clap::FromArgMatches as _;

pub use commands::{arguments, misused, name_manual_pages, print_completions};

pub fn main() -> ExitCode {
    environment::clean();
    if let Some(words) = laboratory::requested(std::env::args_os().skip(1)) {
        return laboratory::run(&words);
    }
    let parsed = arguments().try_get_matches().and_then(|found| commands::Outboard::from_arg_matches(&found));
    match parsed {
        Ok(outboard) => {
            let code = outboard.run();
            signals::deliver();
            code
        }
        Err(usage) => misused(&usage),
    }
}
