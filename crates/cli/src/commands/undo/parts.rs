//! What outboard can have changed on a system, each with the command that undoes it alone.

use std::path::Path;

use anyhow::Result;
use outboard_policy::{FINDINGS_FILE, POLICY_FILE};
use outboard_services::enable::{Record, Tree, driver_of_key};

use crate::commands::allow::{list, memory};
use crate::commands::check::findings;
use crate::commands::{disable, disallow, enable, rng, tune};
use crate::etc::STAGED;

pub enum Part {
    Service(String),
    Preference(String),
    Driver(String),
    List,
    Generator,
    Policy,
    Findings,
}

/// All changes, in the order in which they are undone: the users of a driver come before it.
pub fn all() -> Result<Vec<Part>> {
    let tree = tree();
    let mut keys = Record::services(&tree);
    for key in Record::staged(&tree) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let of_key = |key: String| match driver_of_key(&key) {
        Some(_) => Part::Preference(key),
        None => Part::Service(key),
    };
    let mut parts: Vec<Part> = keys.into_iter().map(of_key).collect();
    let mut drivers: Vec<String> =
        list::read_if_loaded()?.into_iter().flatten().map(|entry| entry.driver).collect();
    for saved in memory::Memory::read()?.drivers().0 {
        if !drivers.contains(&saved.driver) {
            drivers.push(saved.driver);
        }
    }
    parts.extend(drivers.into_iter().map(Part::Driver));
    let others = [
        (is_there(memory::FILE), Part::List),
        (rng::is_kept(), Part::Generator),
        (is_there(POLICY_FILE), Part::Policy),
        (is_there(FINDINGS_FILE), Part::Findings),
    ];
    parts.extend(others.into_iter().filter_map(|(is_there, part)| is_there.then_some(part)));
    Ok(parts)
}

/// Removes outboard's directory if nothing is in it but a lock that a killed command has left.
pub fn tidy() {
    if Path::new(enable::DIRECTORY).exists() && rustix::process::geteuid().is_root() {
        // The release of the lock does it. What cannot be locked cannot be removed either.
        drop(enable::lock(&tree()));
    }
}

fn tree() -> Tree {
    Tree::at(Path::new("/"))
}

fn is_there(file: &str) -> bool {
    let file = Path::new(file);
    [file, &file.with_extension(STAGED)].iter().any(|path| path.symlink_metadata().is_ok())
}

impl Part {
    pub fn kind(&self) -> &'static str {
        match self {
            Part::Service(_) => "service",
            Part::Preference(_) => "preference",
            Part::Driver(_) => "driver",
            Part::List => "list",
            Part::Generator => "generator",
            Part::Policy => "policy",
            Part::Findings => "findings",
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Part::Service(name) | Part::Driver(name) => name,
            Part::Preference(key) => driver_of_key(key).unwrap_or(key),
            Part::List => memory::FILE,
            Part::Generator => rng::RULE_FILE,
            Part::Policy => POLICY_FILE,
            Part::Findings => FINDINGS_FILE,
        }
    }

    /// Undoes it as its own command does. Returns the names under which edited files are kept.
    pub fn undo(&self, overwrite: bool) -> Result<Vec<String>> {
        match self {
            Part::Service(key) | Part::Preference(key) => {
                let tree = tree();
                // Removes a record that was only staged.
                let _lock = enable::lock(&tree)?;
                if matches!(Record::read(&tree, key), Ok(None)) {
                    return Ok(Vec::new());
                }
                let kept = disable::remove(&tree, key, overwrite)?;
                return Ok(kept.iter().map(|path| path.display().to_string()).collect());
            }
            Part::Driver(name) => disallow::disallow(name, false).map(drop)?,
            // Comments of root's are left when the last driver is taken off.
            Part::List => memory::remove_file()?,
            Part::Generator => rng::forget()?,
            Part::Policy => tune::remove_policy()?,
            Part::Findings => findings::forget_all()?,
        }
        Ok(Vec::new())
    }
}
