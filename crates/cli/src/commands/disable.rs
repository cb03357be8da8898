//! `outboard disable`: removes what `outboard enable` added.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use outboard_console::{answer, say};
use outboard_drivers::reach::KernelUser;
use outboard_openssl_conf::{installation::OpenSsl, provider_file};
use outboard_services::enable::{self, Failure, Record, SSH_CLIENT, SYSTEM, Tree};

use super::enable::document::{print_disabled, removed};
use super::enable::{Named, Place, named, restart};
use crate::{kernel_choice, signals};

/// Undo `outboard enable`: remove the files that it added, byte for byte
///
/// A change that was interrupted is undone too. Running processes keep the accelerator until they are restarted. With --restart
/// the running units are restarted, and the command verifies that the provider is no longer mapped in their processes and that
/// clients still reach the ports that they reached before; if not, the service is enabled again and restarted.
///
/// Exit code 1 when a service is not enabled, one of its files was edited or a restart failed; those named before it stay disabled.
#[derive(Args)]
pub struct Options {
    /// Services as `outboard enable --list` shows them
    #[arg(value_name = "SERVICE", required_unless_present_any = ["units", "all"])]
    services: Vec<String>,
    /// A systemd service by the name of its unit; may be repeated
    #[arg(long = "unit", value_name = "NAME")]
    units: Vec<String>,
    /// Every service that is enabled; a failure does not keep the others enabled
    #[arg(long, conflicts_with_all = ["services", "units", "json"])]
    all: bool,
    /// Replace or remove files of outboard's that were edited; each is kept as FILE.outboard-old
    #[arg(long)]
    overwrite: bool,
    /// Restart the service's running units and verify them; enable it again if that fails
    #[arg(long, conflicts_with = "root")]
    restart: bool,
    /// Print JSON: with --restart the schema outboard-restart/1, else outboard-enable/1
    #[arg(long)]
    json: bool,
    /// With --json: print each step as a line (schema outboard-progress/1), and the document as the last line
    #[arg(long, requires = "json")]
    progress: bool,
    #[command(flatten)]
    place: Place,
}

pub fn run(options: &Options) -> ExitCode {
    if options.progress {
        outboard_documents::print_steps();
    }
    if options.all {
        let tree = options.place.tree();
        let mut enabled = Record::services(&tree);
        enabled.extend(
            Record::staged(&tree).into_iter().filter(|key| !enabled.contains(key)).collect::<Vec<_>>(),
        );
        let disabled = |key: &String| {
            let result = signals::check().and_then(|()| disable(options, Named::of_record(key)));
            reported(result, key)
        };
        let failed = enabled.iter().filter(|key| !disabled(key)).count();
        return if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let disabled = named(&options.services, &options.units)
        .all(|service| reported(disable(options, service), &service.key()));
    if disabled { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the error of a service, if there is one. Returns whether it was disabled.
fn reported(result: Result<()>, key: &str) -> bool {
    let result = result.with_context(|| key.to_owned());
    if let Err(error) = &result {
        say(&format!("outboard disable: {error:#}"));
    }
    result.is_ok()
}

fn disable(options: &Options, service: Named) -> Result<()> {
    service.checked()?;
    let tree = options.place.tree();
    let is_staged = Record::staged(&tree).contains(&service.key());
    let has_record = || !matches!(Record::read(&tree, &service.key()), Ok(None));
    if !is_staged && !has_record() {
        // Removes the lock that a killed command has left.
        let _ = Place::try_lock(&tree);
        return Err(Failure::NotEnabled.into());
    }
    // Removes a staged record, and reports that.
    let _lock = options.place.lock()?;
    if is_staged && !has_record() {
        return Ok(());
    }
    let is_in_kernel = is_in_kernel(&service.key());
    if options.restart && is_in_kernel {
        bail!("--restart is for services with a process of their own");
    }
    if options.restart {
        let record = Record::read(&tree, &service.key()).map_err(|why| anyhow!(why))?;
        let record = record.ok_or(Failure::NotEnabled)?;
        let module = provider_file::find(None, &OpenSsl::find())?;
        return restart::disable(&tree, &record, &module, options.overwrite, options.json);
    }
    let record = Record::read(&tree, &service.key()).map_err(|why| anyhow!(why))?;
    let added = record.iter().flat_map(|record| &record.files);
    let files: Vec<_> = added.map(|file| removed(&tree, &file.path)).collect::<Result<_, _>>()?;
    let kept = remove(&tree, &service.key(), options.overwrite)?;
    let then = if is_in_kernel {
        "what is open keeps its driver until it is set up anew"
    } else {
        next_step(&service.key())
    };
    let kept: Vec<String> =
        kept.iter().map(|path| format!("the edited file is {}", path.display())).collect();
    if options.json {
        return print_disabled(&service.key(), files, kept, then);
    }
    let kept: String = kept.iter().map(|line| format!("{line}\n")).collect();
    Ok(answer(&format!("{} is disabled; {then}\n{kept}", service.key()))?)
}

/// What makes running processes change too.
fn next_step(key: &str) -> &'static str {
    match key {
        SYSTEM if Path::new("/run/systemd/system").exists() => {
            "systemctl daemon-reexec, then restart the services and log in again: what runs keeps its environment"
        }
        SYSTEM => "restart the services and log in again: what runs keeps its environment",
        SSH_CLIENT => "connections that are open keep it",
        _ => "restart it, so that running processes change too",
    }
}

/// Removes what was added for the service of a record, and restores the priorities of its drivers.
/// Returns the names under which edited files are kept. The caller holds the lock.
pub fn remove(tree: &Tree, key: &str, overwrite: bool) -> Result<Vec<PathBuf>> {
    let record = Record::read(tree, key).map_err(|why| anyhow!(why))?;
    // First: if this fails or is interrupted, the files are there, and it can be repeated.
    if let Some(record) = record.filter(|_| is_in_kernel(key) && tree.is_running_system()) {
        kernel_choice::restore_record(&record.files)?;
    }
    Ok(enable::disable(tree, key, overwrite)?)
}

/// Whether the record has drivers with raised priorities.
fn is_in_kernel(key: &str) -> bool {
    KernelUser::by_name(key).is_some() || enable::driver_of_key(key).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_service_can_be_restarted() {
        assert!(next_step("nginx").starts_with("restart it"));
        for key in ["openssl", "ssh"] {
            assert!(!next_step(key).contains("restart it"), "{key}");
        }
        assert!(next_step("openssl").contains("log in again"));
    }
}
