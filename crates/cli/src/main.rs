//! The `outboard` command.

mod commands;
mod etc;
mod kernel_choice;
mod live_service;
mod settings;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match commands::Outboard::try_parse() {
        Ok(outboard) => outboard.run(),
        Err(usage) => commands::misused(&usage),
    }
}
