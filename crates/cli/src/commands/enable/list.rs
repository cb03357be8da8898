//! `outboard enable --list`: the services that can be enabled, and those that are.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use outboard_console::aligned;
use outboard_console::answer;
use outboard_services::enable::{self, APPLICATIONS, Application, Record, State, Tree};
use serde::Serialize;

use super::Place;

/// The document of `--json`. Fields are only added within a version.
#[derive(Serialize)]
struct Services {
    /// `outboard-services/1`.
    schema: &'static str,
    /// Known services, then other units that are enabled.
    services: Vec<Service>,
}

#[derive(Serialize)]
struct Service {
    name: String,
    about: String,
    /// `not enabled`, `enabled`, `unverified`, `incomplete` or `edited`.
    state: &'static str,
    files: Vec<PathBuf>,
    /// Whether it has units that `--restart` can restart and verify.
    restarts: bool,
    /// The driver that `outboard prefer` has the kernel select; null for a service.
    driver: Option<String>,
}

/// The next step for a service whose restart was interrupted.
pub const UNVERIFIED: &str =
    "enable --restart ended before the restarted service was verified: repeat it, or disable";

/// The next step for a service whose files are not as recorded.
pub const INCOMPLETE: &str =
    "a change was interrupted, or mode or owner of a file was changed: repeat enable, or disable";

pub fn list(tree: &Tree, json: bool) -> Result<()> {
    // Only root can, and not while another command changes something.
    if let Ok(Some(_lock)) = Place::try_lock(tree) {
        Place::clean(tree)?;
    }
    let enabled = Record::services(tree);
    let known = APPLICATIONS.iter().map(|application| (application.name.to_owned(), application.about));
    let others = enabled.iter().filter(|name| Application::by_name(name).is_none());
    let about = |name: &str| match enable::driver_of_key(name) {
        Some(_) => "a driver whose priority was changed (outboard prefer)",
        None => "a systemd unit",
    };
    let units = others.map(|name| (name.clone(), about(name)));
    let services: Result<Vec<Service>> =
        known.chain(units).map(|(name, about)| service(tree, name, about)).collect();
    let services = Services { schema: "outboard-services/1", services: services? };
    if json {
        return Ok(answer(&outboard_documents::pretty(&services)?)?);
    }
    let mut rows = vec![["service".to_owned(), "state".to_owned(), "what it is".to_owned()]];
    let mut notes = String::new();
    for one in services.services {
        match one.state {
            "unverified" => notes += &format!("{}: {UNVERIFIED}\n", one.name),
            "incomplete" => notes += &format!("{}: {INCOMPLETE}\n", one.name),
            "edited" => {
                notes +=
                    &format!("{}: a file was edited: disable --overwrite removes and keeps it\n", one.name);
            }
            _ => {}
        }
        rows.push([one.name, one.state.to_owned(), one.about]);
    }
    Ok(answer(&format!("{}{notes}", aligned(&rows, 0..0, "")))?)
}

fn service(tree: &Tree, name: String, about: &str) -> Result<Service> {
    let record = Record::read(tree, &name).map_err(|why| anyhow!(why))?;
    let (state, files) = match &record {
        None => ("not enabled", Vec::new()),
        Some(record) => {
            let state = match enable::state(tree, record).with_context(|| name.clone())? {
                State::Complete => "enabled",
                State::Unverified => "unverified",
                State::Incomplete => "incomplete",
                State::Edited(_) => "edited",
            };
            (state, record.files.iter().map(|file| file.path.clone()).collect())
        }
    };
    let restarts = match Application::by_name(&name) {
        Some(known) => !known.units.is_empty(),
        None => name.ends_with(".service"),
    };
    let driver = enable::driver_of_key(&name).map(str::to_owned);
    Ok(Service { name, about: about.to_owned(), state, files, restarts, driver })
}
