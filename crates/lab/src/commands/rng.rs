//! `outboard rng test` and `assess`: tests and assesses the output of a generator.

mod assess;
mod assess_answer;
mod device_reader;
mod fips_test;
mod input;
mod verdict;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use outboard_console::say;

/// Exit code when the input cannot be read: 1 is a verdict.
const INPUT_FAILED: u8 = 2;

/// Test and assess the output of hardware random number generators
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Test(fips_test::Options),
    Assess(assess::Options),
}

pub fn run(options: &Options) -> ExitCode {
    let (name, result) = match &options.action {
        Action::Test(options) => ("test", fips_test::test(options)),
        Action::Assess(options) => ("assess", assess::assess(options)),
    };
    result.unwrap_or_else(|error| {
        say(&format!("outboard rng {name}: {error:#}"));
        ExitCode::from(if error.is::<input::InputError>() { INPUT_FAILED } else { 1 })
    })
}
