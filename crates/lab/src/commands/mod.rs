//! One file for each command.

mod bench;
mod completions;
mod metrics;
mod pasted;
mod report;
mod rng;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
pub use completions::arguments;

/// Commands of `outboard` that are in a package of their own.
// Usage and errors name the command that the user calls.
#[derive(Parser)]
#[command(name = "outboard", bin_name = "outboard", version)]
pub struct Laboratory {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Bench(Box<bench::Options>),
    Watch(watch::Options),
    Metrics(metrics::Options),
    Report(report::Options),
    Rng(rng::Options),
    #[command(hide = true)]
    Completions(completions::Options),
    #[command(hide = true)]
    Pasted,
}

impl Laboratory {
    pub fn from_process() -> Result<Laboratory, clap::Error> {
        let arguments = outboard::name_manual_pages(Laboratory::command(), "outboard");
        Laboratory::from_arg_matches(&arguments.try_get_matches()?)
    }

    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Bench(options) => bench::run(&options),
            Command::Completions(options) => completions::run(&options),
            Command::Metrics(options) => metrics::run(&options),
            Command::Pasted => pasted::run(),
            Command::Report(options) => report::run(&options),
            Command::Rng(options) => rng::run(&options),
            Command::Watch(options) => watch::run(&options),
        }
    }
}
