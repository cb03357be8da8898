//! `outboard disable`: removes what `outboard enable` added.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use outboard_services::enable::{self, Failure, Record};

use super::enable::{Named, Place, named};
use crate::console::{answer, say};

/// Undo `outboard enable`: remove the files that it added, byte for byte
///
/// A change that was interrupted is undone too. Running processes keep the accelerator until they are restarted. Exit code 1
/// when a service is not enabled or one of its files was edited; those named before it stay disabled.
#[derive(Args)]
pub struct Options {
    /// Services as `outboard enable --list` shows them
    #[arg(value_name = "SERVICE", required_unless_present = "units")]
    services: Vec<String>,
    /// A systemd service by the name of its unit; may be repeated
    #[arg(long = "unit", value_name = "NAME")]
    units: Vec<String>,
    /// Also remove files of outboard's that were edited
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: Place,
}

/// Runs `outboard disable`.
pub fn run(options: &Options) -> ExitCode {
    let disabled = named(&options.services, &options.units)
        .try_for_each(|service| disable(options, service).with_context(|| service.key()));
    match disabled {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("outboard disable: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn disable(options: &Options, service: Named) -> Result<()> {
    service.checked()?;
    let tree = options.place.tree();
    // Without a record nothing is changed, and no lock is left behind.
    if matches!(Record::read(&tree, &service.key()), Ok(None)) {
        return Err(Failure::NotEnabled(service.key()).into());
    }
    let _lock = options.place.lock()?;
    enable::disable(&tree, &service.key(), options.force)?;
    let text = format!("{} is disabled; restart it, so that running processes change too\n", service.key());
    Ok(answer(&text)?)
}
