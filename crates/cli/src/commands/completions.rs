//! `outboard completions`: the completion script of a shell.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use outboard_console::{answer_whole, say};

/// Print the script with which a shell completes commands and options of outboard
///
/// For bash: outboard completions bash | sudo tee /usr/local/share/bash-completion/completions/outboard
#[derive(Args)]
pub struct Options {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `outboard completions`.
pub fn run(options: &Options) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut super::Outboard::command(), "outboard", &mut script);
    match answer_whole(&String::from_utf8_lossy(&script)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("outboard completions: {error}"));
            ExitCode::FAILURE
        }
    }
}
