//! `outboard rng`: lists the hardware random number generators of this machine, and chooses one. The
//! laboratory tests and assesses their output.

mod boot_rule;
pub mod seed_source;
mod select;
mod sources;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use outboard_console::exit_code;
use outboard_drivers::root::Root;
use outboard_inventory::hwrng;

/// Show the hardware random number generators, test their output, and choose one.
///
/// Without a subcommand: list generators, processor instructions, TPM and daemons, and name problems. If OpenSSL is configured to use
/// the seed source OUTBOARD-HWRNG, `openssl rand` is run to show whether a process can be seeded.
///
/// Exit code 1 when there is a problem.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON (schema outboard-rng/1)
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum Action {
    Select(select::Options),
    Quality(select::QualityOptions),
}

/// The rule that selects a generator after each boot.
pub use boot_rule::FILE as RULE_FILE;

pub fn is_kept() -> bool {
    boot_rule::is_there()
}

/// Returns the choice of the generator to the kernel, now and after each boot.
pub fn forget() -> Result<()> {
    match hwrng::read(&Root::live()) {
        Some(_) => select::choose(select::AUTO, false).map(drop),
        None => boot_rule::remove(),
    }
}

pub fn run(options: &Options) -> ExitCode {
    let (name, result) = match &options.action {
        None => ("rng", sources::show(options.json)),
        Some(Action::Select(options)) => ("rng select", select::select(options)),
        Some(Action::Quality(options)) => ("rng quality", select::set_quality(options)),
    };
    exit_code(name, result)
}
