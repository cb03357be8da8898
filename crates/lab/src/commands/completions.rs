//! The completion script of `outboard` with the options of the laboratory's commands.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use outboard::laboratory::COMMANDS;

/// What `outboard completions` starts
#[derive(Args)]
pub struct Options {
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(options: &Options) -> ExitCode {
    outboard::print_completions(options.shell, arguments())
}

pub fn arguments() -> clap::Command {
    COMMANDS.iter().fold(outboard::arguments(), |all, (command, _)| merge(all, command))
}

fn merge(all: clap::Command, command: &[&str]) -> clap::Command {
    let find = |parent: &clap::Command, name: &str| parent.find_subcommand(name).cloned();
    let own = command.iter().try_fold(super::Laboratory::command(), |parent, name| find(&parent, name));
    let own = own.unwrap_or_default();
    match command {
        [parent, _] => all.mut_subcommand(*parent, |parent| parent.subcommand(own)),
        _ => all.subcommand(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_outboard_has_the_first_words_of_each_commands_help() {
        for (command, about) in COMMANDS {
            let find = |parent: clap::Command, name: &&str| parent.find_subcommand(name).cloned();
            let own = command.iter().try_fold(super::super::Laboratory::command(), find);
            let own = own.unwrap_or_else(|| panic!("{command:?} is missing"));
            let words = own.get_about().expect("a help text").to_string();
            assert!(words.starts_with(about), "{command:?}: {words}");
        }
        arguments().debug_assert();
    }
}
