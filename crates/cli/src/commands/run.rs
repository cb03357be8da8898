//! `outboard run`: runs one command with outboard enabled.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use outboard_console::say;
use outboard_counters::Table;
use outboard_openssl_conf::{Scratch, installation, provider_file};

use super::prove::{OWN_FAILURE, command};
use crate::settings::Settings;

/// Run one command with outboard enabled
///
/// OPENSSL_CONF names a temporary openssl.cnf that includes the present one and adds outboard; nothing else of the system is
/// changed. `outboard prove` does the same and reports what hardware processed. Processes that the command leaves running keep the
/// provider, but those that they start later find no configuration.
///
/// The exit code is the command's own; 125 when outboard itself failed; 126 or 127 when the command cannot be run; 128+N when
/// signal N ended it.
#[derive(Args)]
#[command(override_usage = "outboard run [OPTIONS] -- COMMAND [ARG]...")]
pub struct Options {
    #[command(flatten)]
    settings: Settings,

    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(options: &Options) -> ExitCode {
    ExitCode::from(execute(options).unwrap_or_else(|error| {
        say(&format!("outboard run: {error:#}"));
        OWN_FAILURE
    }))
}

fn execute(options: &Options) -> Result<u8> {
    let openssl = installation::OpenSsl::find();
    let module = provider_file::find(options.settings.module.as_deref(), &openssl)?;
    // From here on no signal ends this process before the scratch directory is removed.
    let signals = command::Signals::hold();
    let scratch = Scratch::new()?;
    // The scratch configuration names the counters, and the provider reports a missing file.
    let _table = Table::create(&scratch.counters())?;
    let (existing, left_out) = if options.settings.no_system_config { (None, None) } else { openssl.file() };
    let composed = scratch.configure(existing.as_deref(), module, options.settings.keys())?;
    left_out.iter().chain(&composed.notes).for_each(|note| say(&format!("outboard run: {note}")));
    match command::run(&options.command, Some(&scratch.configuration()), &signals) {
        Ok(ended) => Ok(ended.code()),
        Err(refused) => {
            say(&format!("outboard run: {refused}"));
            Ok(refused.code())
        }
    }
}
