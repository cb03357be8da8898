//! `outboard completions`: the completion script of a shell.

use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;
use outboard_console::{answer_whole, ended};

use crate::laboratory;

/// Print the completion script of a shell
///
/// For bash: outboard completions bash | sudo tee /usr/local/share/bash-completion/completions/outboard
#[derive(Args)]
pub struct Options {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `outboard completions`. The laboratory, where it is installed, has the options of its commands.
pub fn run(options: &Options) -> ExitCode {
    if let Ok(mut laboratory) = laboratory::command() {
        // It returns only if the program cannot be run: then the script lacks these options.
        let _ = laboratory.arg("completions").arg(options.shell.to_string()).exec();
    }
    let stubs = laboratory::COMMANDS.iter().filter(|(command, _)| command.len() == 1);
    let stubs = stubs.map(|(command, about)| clap::Command::new(command[0]).about(*about));
    print(options.shell, super::arguments().subcommands(stubs))
}

pub fn print(shell: Shell, mut arguments: clap::Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut arguments, "outboard", &mut script);
    ended("completions", answer_whole(&String::from_utf8_lossy(&script)).map_err(Into::into))
}
