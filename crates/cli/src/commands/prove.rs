//! `outboard prove`: runs a command with outboard enabled, or observes a service, and reports the
//! work of hardware.

pub mod command;
mod conclusion;
mod drivers;
mod measured;
mod options;
mod proof;
mod service;
mod text;

pub use options::Options;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use outboard_console::say;
use outboard_counters::Table;
use outboard_documents::{json as document, prove::Prove};
use outboard_measure::meter::Meter;
use outboard_openssl_conf::{Scratch, installation, provider_file};
use proof::{exit_code, proof, software_run};

use crate::output::Output;

/// outboard itself failed, a result was wrong, the proof was contradicted, or `--require-hardware` was not met.
pub const OWN_FAILURE: u8 = 125;

/// Runs the command and reports the proof. Returns the command's exit code; 126 and 127 as env(1)
/// if it cannot be run; 128 + N if signal N ended it; [`OWN_FAILURE`] if it succeeded and the proof
/// did not.
pub fn run(options: &Options) -> ExitCode {
    match prove(options) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&format!("outboard prove: {error:#}"));
            ExitCode::from(OWN_FAILURE)
        }
    }
}

fn prove(options: &Options) -> Result<u8> {
    if options.progress {
        outboard_documents::print_steps();
    }
    // A wrong path is reported before the command runs.
    let json = options.json.as_deref().map(|path| Output::new("--json", Path::new(path))).transpose()?;
    if options.service.is_some() || options.unit.is_some() {
        return report(options, &service::observe(options)?, json);
    }
    let openssl = installation::OpenSsl::find();
    let module = provider_file::find(options.settings.module.as_deref(), &openssl)?;
    drivers::require_listed(&options.settings.drivers)?;
    // From here on no signal ends this process before the scratch directory is removed and the report printed.
    let signals = command::Signals::hold();
    let scratch = Scratch::new()?;
    let table = Table::create(&scratch.counters())?;
    let (existing, left_out) = if options.settings.no_system_config { (None, None) } else { openssl.file() };
    let composed = scratch.configure(existing.as_deref(), module, options.keys())?;
    let notes = left_out.into_iter().chain(composed.notes).collect();

    let run = |configuration: Option<&Path>| {
        let before = Meter::read();
        let ended = command::run(&options.command, configuration, &signals)?;
        Ok::<_, command::Refused>((ended, Meter::read().since(&before)))
    };
    let both = || {
        let software = options.compare.then(|| run(None)).transpose()?;
        Ok::<_, command::Refused>((software, run(Some(&scratch.configuration()))?))
    };
    let (software, (ended, spent)) = match both() {
        Ok(both) => both,
        Err(refused) => {
            say(&format!("outboard prove: {refused}"));
            return Ok(refused.code());
        }
    };

    let software = software.map(|(ended, spent)| software_run(&ended, &spent));
    let mut proof = Prove { software, ..proof(options, &ended, spent, &table, notes) };
    proof.summary += &measured::remark(&table.snapshot(), &table.decisions());
    report(options, &proof, json)
}

fn report(options: &Options, proof: &Prove, json: Option<Output>) -> Result<u8> {
    if !options.quiet || proof.is_error() {
        say(text::render(proof, options.verbose).trim_end_matches('\n'));
    }
    let written = json.map_or(Ok(()), |to| to.write(document(proof)?.as_bytes()));
    match (exit_code(proof), written) {
        (0, Err(error)) => Err(error),
        (code, Err(error)) => {
            say(&format!("outboard prove: {error:#}"));
            Ok(code)
        }
        (code, Ok(())) => Ok(code),
    }
}
