//! Applies and undoes a plan in steps, each of which is atomic.
//!
//! The record comes first and lists every file with its text. A change that is interrupted between
//! any two steps leaves a service that works as before or as planned, and a record with which the
//! next `enable` completes the change and `disable` undoes it. All files are written under
//! temporary names before the first is put in place: a full disk is found while nothing has
//! changed.

use std::io;
use std::path::PathBuf;

use outboard_console::advice;

use super::openwrt;
use super::plan::Plan;
use super::record::{AddedFile, Record};
use super::tree::{Tree, kept};
use super::unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    Written,
    Unchanged,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Each file has the recorded text, mode and owner.
    Complete,
    /// The same, and the restart that verifies the service has not ended.
    Unverified,
    /// A change was interrupted, files are missing, or have another mode or owner.
    Incomplete,
    Edited(Vec<PathBuf>),
}

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file that is not outboard's has the name of one that would be added.
    #[error("{0} exists and is not outboard's: move it away, then try again")]
    Foreign(PathBuf),
    #[error(
        "{} was changed since outboard wrote it: --overwrite replaces it and keeps it as {}", list(.0), list(&kept_names(.0))
    )]
    Edited(Vec<PathBuf>),
    #[error("it is not enabled (outboard enable --list)")]
    NotEnabled,
    #[error("{0}")]
    Record(String),
    #[error("{}: {cause}; {advice}", path.display())]
    Step { path: PathBuf, cause: io::Error, advice: String },
}

/// A single change of the system.
#[derive(Clone, Debug)]
pub enum Step {
    Record(Record),
    Directory(PathBuf),
    /// Writes a file under its temporary name.
    Stage(AddedFile),
    Switch(PathBuf),
    /// Keeps an edited file under another name.
    Keep(PathBuf),
    Remove(PathBuf),
}

/// The steps that make the system agree with a plan; none if it does.
/// Errors: [`Failure::Foreign`], [`Failure::Edited`] unless `overwrite` is set,
/// [`Failure::Record`], and [`Failure::Step`] if a path cannot be examined. Nothing was changed.
pub fn steps_to_enable(tree: &Tree, plan: &Plan, overwrite: bool) -> Result<Vec<Step>, Failure> {
    let before = Record::read(tree, &plan.service).map_err(Failure::Record)?;
    let mut record = Record::new(plan);
    let mut edited = Vec::new();
    if let Some(before) = &before {
        let decided = |record: &Record| (record.aes_required.clone(), record.offered.clone());
        let is_same = before.files == record.files && decided(before) == decided(&record);
        match state(tree, before)? {
            State::Complete | State::Unverified if is_same => return Ok(Vec::new()),
            State::Edited(files) if !overwrite => return Err(Failure::Edited(files)),
            State::Edited(files) => edited = files,
            _ => {}
        }
        record.replaced = before.all_files().cloned().collect();
        record.directories.clone_from(&before.directories);
    }
    let others = other_records(tree, &plan.service)?;
    for file in &record.files {
        let is_ours = |r: &Record| r.all_files().any(|known| known.path == file.path);
        let known = before.iter().chain(&others).any(is_ours);
        if !known && tree.exists(&file.path) {
            return Err(Failure::Foreign(file.path.clone()));
        }
        let missing = tree.missing_directories(&file.path).map_err(|cause| failed(&file.path, cause))?;
        let shared = others.iter().flat_map(|r| &r.directories).filter(|d| file.path.starts_with(d));
        for directory in missing.into_iter().chain(shared.cloned()) {
            // allow and check keep their files there.
            if directory != std::path::Path::new(super::record::DIRECTORY)
                && !record.directories.contains(&directory)
            {
                record.directories.push(directory);
            }
        }
    }
    // A directory comes before those in it.
    record.directories.sort();
    let keep: Vec<PathBuf> = others.iter().flat_map(Record::all_files).map(|f| f.path.clone()).collect();
    let obsolete = record.replaced.iter().map(|file| file.path.clone());
    let obsolete: Vec<PathBuf> = obsolete
        .filter(|path| !record.files.iter().any(|file| file.path == *path) && !keep.contains(path))
        .collect();
    let mut steps = vec![Step::Record(record.clone())];
    steps.extend(record.directories.iter().cloned().map(Step::Directory));
    steps.extend(record.files.iter().cloned().map(Step::Stage));
    steps.extend(edited.into_iter().map(Step::Keep));
    steps.extend(record.files.iter().map(|file| Step::Switch(file.path.clone())));
    steps.extend(obsolete.into_iter().map(Step::Remove));
    if !record.replaced.is_empty() {
        steps.push(Step::Record(Record { replaced: Vec::new(), ..record }));
    }
    Ok(steps)
}

/// Performs a step.
/// Errors: [`Failure::Step`].
pub fn perform(tree: &Tree, step: &Step) -> Result<(), Failure> {
    match step {
        Step::Record(record) => {
            let path = Record::path(&record.service);
            let stored = tree.stage(&path, &record.text(), 0o644).and_then(|()| tree.switch(&path));
            stored.map_err(|cause| failed(&path, cause))
        }
        Step::Directory(path) => tree.create_directory(path).map_err(|cause| failed(path, cause)),
        Step::Stage(file) => {
            tree.stage(&file.path, &file.text, file.mode).map_err(|cause| failed(&file.path, cause))
        }
        Step::Switch(path) => tree.switch(path).map_err(|cause| failed(path, cause)),
        Step::Keep(path) => tree.keep(path).map_err(|cause| failed(path, cause)),
        Step::Remove(path) => tree.remove(path).map_err(|cause| failed(path, cause)),
    }
}

/// Makes the system agree with a plan. On an error the system is as it was before, or the message
/// of the next `enable --list` says what is incomplete.
/// Errors: as [`steps_to_enable`] and [`perform`].
pub fn enable(tree: &Tree, plan: &Plan, overwrite: bool) -> Result<Applied, Failure> {
    let steps = steps_to_enable(tree, plan, overwrite)?;
    let Some(Step::Record(record)) = steps.first() else { return Ok(Applied::Unchanged) };
    for step in &steps {
        if let Err(failure) = perform(tree, step) {
            if record.replaced.is_empty() {
                // The first error is the one that is reported.
                let _ = undo(tree, record);
            } else {
                for file in &record.files {
                    let _ = tree.remove_staged(&file.path);
                }
            }
            return Err(failure);
        }
    }
    Ok(Applied::Written)
}

/// Records that the restarted service works.
/// Errors: [`Failure::Record`] and [`Failure::Step`].
pub fn set_verified(tree: &Tree, service: &str) -> Result<(), Failure> {
    match Record::read(tree, service).map_err(Failure::Record)? {
        Some(record) if record.unverified => {
            perform(tree, &Step::Record(Record { unverified: false, ..record }))
        }
        _ => Ok(()),
    }
}

/// Removes all that was added for a service. Returns the names under which edited files are kept.
/// Errors: [`Failure::NotEnabled`], [`Failure::Edited`] unless `overwrite` is set,
/// [`Failure::Record`], and [`Failure::Step`]; the record then stays, and `disable` can be
/// repeated.
pub fn disable(tree: &Tree, service: &str, overwrite: bool) -> Result<Vec<PathBuf>, Failure> {
    let record = Record::read(tree, service).map_err(Failure::Record)?;
    let record = record.ok_or(Failure::NotEnabled)?;
    match state(tree, &record)? {
        State::Edited(files) if !overwrite => Err(Failure::Edited(files)),
        State::Edited(files) => {
            files.iter().try_for_each(|path| perform(tree, &Step::Keep(path.clone())))?;
            undo(tree, &record)?;
            Ok(kept_names(&files))
        }
        _ => undo(tree, &record).map(|()| Vec::new()),
    }
}

/// The file that makes the service use the others was put in place last, and is removed first.
fn undo(tree: &Tree, record: &Record) -> Result<(), Failure> {
    let others = other_records(tree, &record.service)?;
    let is_shared =
        |file: &AddedFile| others.iter().flat_map(Record::all_files).any(|known| known.path == file.path);
    let files: Vec<_> = record.all_files().filter(|file| !is_shared(file)).collect();
    for file in files.iter().rev() {
        tree.remove(&file.path).map_err(|cause| failed(&file.path, cause))?;
    }
    // systemd removes the directory of a service that stops only while the unit names it.
    for unit in unit::changed_units(&record.files) {
        if let Some(directory) = unit::runtime_directory(&unit) {
            tree.remove_contents(&directory);
        }
    }
    for program in openwrt::counted_programs(files) {
        let path = openwrt::counters_of_program(&program);
        tree.remove(&path).map_err(|cause| failed(&path, cause))?;
    }
    for directory in record.directories.iter().rev() {
        tree.remove_directory(directory).map_err(|cause| failed(directory, cause))?;
    }
    let path = Record::path(&record.service);
    tree.remove(&path).map_err(|cause| failed(&path, cause))
}

/// Compares the system with a record.
/// Errors: [`Failure::Step`] if a file cannot be read.
pub fn state(tree: &Tree, record: &Record) -> Result<State, Failure> {
    let (mut edited, mut complete) = (Vec::new(), record.replaced.is_empty());
    for file in record.all_files() {
        let is_named = |known: &&AddedFile| known.path == file.path;
        let text = tree.read(&file.path).map_err(|cause| failed(&file.path, cause))?;
        match text {
            None => complete = false,
            Some(text) if record.all_files().filter(is_named).any(|known| known.text == text) => {
                let is_as_written = record.is_as_written(tree, file);
                complete &= is_as_written.map_err(|cause| failed(&file.path, cause))?;
            }
            Some(_) if edited.contains(&file.path) => {}
            Some(_) => edited.push(file.path.clone()),
        }
    }
    Ok(match (edited.is_empty(), complete) {
        (false, _) => State::Edited(edited),
        (true, true) if record.unverified => State::Unverified,
        (true, true) => State::Complete,
        (true, false) => State::Incomplete,
    })
}

fn other_records(tree: &Tree, service: &str) -> Result<Vec<Record>, Failure> {
    let names = Record::services(tree).into_iter().filter(|name| name != service);
    let records = names.map(|name| Record::read(tree, &name).map_err(Failure::Record));
    records.filter_map(Result::transpose).collect()
}

fn failed(path: &std::path::Path, cause: io::Error) -> Failure {
    Failure::Step { path: path.to_owned(), advice: advice(&cause, None), cause }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn kept_names(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().map(|path| kept(path)).collect()
}
