//! The `outboard` command.

mod columns;
mod commands;
mod console;
mod enabled;
mod etc;
mod in_flight;
mod kernel_choice;
mod lab;
mod live_service;
mod primitive;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::Outboard::try_parse() {
        Ok(outboard) => outboard.run(),
        Err(usage) => commands::misused(&usage),
    }
}
