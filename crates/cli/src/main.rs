//! The `outboard` command.

mod commands;
mod consent;
mod environment;
mod etc;
mod kernel_choice;
mod live_service;
mod output;
mod settings;
mod signals;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    environment::clean();
    match commands::Outboard::try_parse() {
        Ok(outboard) => {
            let code = outboard.run();
            signals::deliver();
            code
        }
        Err(usage) => commands::misused(&usage),
    }
}
