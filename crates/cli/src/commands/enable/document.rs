//! `outboard-enable/1`: the files of a service that `enable` and `disable` add or remove.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use outboard_console::answer;
use outboard_documents::decision::ServiceDecision;
use outboard_services::enable::{Plan, Step, Tree};
use serde::Serialize;

/// The document of `--json`. Fields are only added within a version.
#[derive(Serialize)]
pub struct Change<'a> {
    /// `outboard-enable/1`.
    schema: &'static str,
    service: &'a str,
    /// Whether it was enabled or would be; false: disabled.
    enabled: bool,
    /// Whether the files were changed; false: they are only shown.
    acted: bool,
    files: Vec<FileChange>,
    /// What is advised; null where nothing was measured, and for a service that was disabled.
    advice: Option<ServiceDecision>,
    notes: Vec<String>,
    /// Commands by which running processes change too.
    next: Vec<String>,
}

#[derive(Serialize)]
pub struct FileChange {
    path: PathBuf,
    /// Its content; null if there is none.
    before: Option<String>,
    /// Its content after the change; null if it is removed.
    after: Option<String>,
}

/// The files that the steps write and remove, as they are and as they become.
pub fn files(tree: &Tree, plan: &Plan, steps: &[Step]) -> io::Result<Vec<FileChange>> {
    let mut changes = Vec::new();
    for file in plan.files.iter().filter(|_| !steps.is_empty()) {
        let before = tree.read(&file.path)?;
        if before.as_ref() != Some(&file.text) {
            changes.push(FileChange { path: file.path.clone(), before, after: Some(file.text.clone()) });
        }
    }
    for step in steps {
        if let Step::Remove(path) = step {
            changes.push(removed(tree, path)?);
        }
    }
    Ok(changes)
}

pub fn removed(tree: &Tree, path: &Path) -> io::Result<FileChange> {
    Ok(FileChange { path: path.to_owned(), before: tree.read(path)?, after: None })
}

/// Prints the change that enables a service.
pub fn print(
    plan: &Plan,
    acted: bool,
    files: Vec<FileChange>,
    advice: Option<ServiceDecision>,
) -> Result<()> {
    let Plan { service, notes, next, .. } = plan;
    let (notes, next) = (notes.clone(), next.clone());
    let schema = "outboard-enable/1";
    let change = Change { schema, service, enabled: true, acted, files, advice, notes, next };
    Ok(answer(&outboard_documents::pretty(&change)?)?)
}

pub fn print_disabled(service: &str, files: Vec<FileChange>, notes: Vec<String>, next: &str) -> Result<()> {
    let (schema, next) = ("outboard-enable/1", vec![next.to_owned()]);
    let change = Change { schema, service, enabled: false, acted: true, files, advice: None, notes, next };
    Ok(answer(&outboard_documents::pretty(&change)?)?)
}
