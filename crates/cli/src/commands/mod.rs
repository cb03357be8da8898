//! One file for each command.

mod allow;
mod bundle;
mod catalogue;
mod change;
mod check;
mod ciphers;
mod completions;
mod disable;
mod disallow;
mod enable;
mod explain;
mod prefer;
mod prove;
mod rng;
mod run;
mod setup;
mod status;
mod trial;
mod tune;
mod undo;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::laboratory;
pub use completions::print as print_completions;

/// Find, check and measure hardware crypto accelerators, and let OpenSSL applications use them.
#[derive(Parser)]
#[command(name = "outboard", version)]
pub struct Outboard {
    #[command(subcommand)]
    command: Command,
}

/// In the order of the task, which is the order in the help.
#[derive(Subcommand)]
enum Command {
    Status(status::Options),
    Setup(setup::Options),
    Explain(explain::Options),
    Catalogue(catalogue::Options),
    Bundle(bundle::Options),
    Check(check::Options),
    Allow(allow::Options),
    Disallow(disallow::Options),
    Ciphers(ciphers::Options),
    Tune(tune::Options),
    Enable(enable::Options),
    Disable(disable::Options),
    Undo(undo::Options),
    Prefer(prefer::Options),
    Run(run::Options),
    Prove(prove::Options),
    Rng(rng::Options),
    Completions(completions::Options),
    #[command(hide = true)]
    Trial(trial::Options),
    /// What a command starts to clean up after its measurements in the kernel
    #[command(name = CLEAN_UP, hide = true)]
    CleanUp,
}

/// The command that [`Cleaner`](outboard_measure::kernel_users::cleaner::Cleaner) starts.
pub const CLEAN_UP: &str = "clean-up";

pub fn arguments() -> clap::Command {
    let all = Outboard::command()
        .after_help(laboratory::help(&[]))
        .mut_subcommand("rng", |rng| rng.after_help(laboratory::help(&["rng"])));
    name_manual_pages(all, "outboard")
}

pub fn name_manual_pages(command: clap::Command, page: &str) -> clap::Command {
    let above = command.get_after_help().map(|help| format!("{help}\n\n")).unwrap_or_default();
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let all = names.iter().fold(command, |all, name| {
        all.mut_subcommand(name, |below| name_manual_pages(below, &format!("{page}-{name}")))
    });
    all.after_help(format!("{above}Manual page: {page}(1)"))
}

impl Outboard {
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Allow(options) => allow::run(&options),
            Command::Bundle(options) => bundle::run(&options),
            Command::Catalogue(options) => catalogue::run(&options),
            Command::Check(options) => check::run(&options),
            Command::Ciphers(options) => ciphers::run(&options),
            Command::Completions(options) => completions::run(&options),
            Command::CleanUp => outboard_measure::kernel_users::cleaner::serve(),
            Command::Disable(options) => disable::run(&options),
            Command::Disallow(options) => disallow::run(&options),
            Command::Enable(options) => enable::run(&options),
            Command::Explain(options) => explain::run(&options),
            Command::Prefer(options) => prefer::run(&options),
            Command::Prove(options) => prove::run(&options),
            Command::Rng(options) => rng::run(&options),
            Command::Run(options) => run::run(&options),
            Command::Setup(options) => setup::run(&options),
            Command::Status(options) => status::run(&options),
            Command::Trial(options) => trial::run(&options),
            Command::Tune(options) => tune::run(&options),
            Command::Undo(options) => undo::run(&options),
        }
    }
}

/// Prints a usage error, or the requested help. An exit code of `prove` and `run` must be distinct
/// from those of their command, so both exit with 125 after a usage error, as env(1) does; the other
/// commands exit with 2.
pub fn misused(usage: &clap::Error) -> ExitCode {
    if usage.use_stderr() {
        // It repeats arguments.
        outboard_console::say(usage.render().to_string().trim_end());
    } else {
        // If stdout is closed, the help cannot be shown.
        let _ = usage.print();
    }
    let runs_a_command = std::env::args_os().nth(1).is_some_and(|word| word == "prove" || word == "run");
    match (usage.use_stderr(), runs_a_command) {
        (false, _) => ExitCode::SUCCESS,
        (true, true) => ExitCode::from(prove::OWN_FAILURE),
        (true, false) => ExitCode::from(2),
    }
}
