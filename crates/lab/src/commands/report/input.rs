//! Finds and reads the input files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::documents::{Part, Report, Unfit, contents, read};
use anyhow::{Result, anyhow, bail};
use outboard_drivers::root::Root;

pub struct Input {
    pub path: PathBuf,
    /// Only its directory was named, so the file may be of another type.
    is_found: bool,
}

/// Returns the input files in order; a directory stands for its .json files, sorted by name.
pub fn files(named: &[PathBuf]) -> Result<Vec<Input>> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(Input { path: path.clone(), is_found: false });
            continue;
        }
        let found = in_directory(path).map_err(|error| explained(path, &error))?;
        if found.is_empty() {
            bail!(
                "{}: no file in this directory ends in .json; write some there: outboard status --json >{}",
                path.display(),
                path.join("status.json").display()
            );
        }
        files.extend(found.into_iter().map(|path| Input { path, is_found: true }));
    }
    Ok(files)
}

fn in_directory(path: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let is_meant = |file: &PathBuf| file.extension().is_some_and(|end| end == "json") && file.is_file();
    let mut found: Vec<PathBuf> = entries.into_iter().filter(is_meant).collect();
    found.sort();
    Ok(found)
}

/// Adds all files to one report. A single file that is a report is used as it is.
pub fn gathered(files: &[Input], mut report: Report) -> Result<Report> {
    for file in files {
        let path = &file.path;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let added = match contents(path).map_err(|error| explained(path, &error)).map(|bytes| read(&bytes))? {
            Ok(Part::Report(whole)) if files.len() == 1 => return Ok(*whole),
            Ok(part) => report.add(&name, part),
            Err(unfit) => Err(unfit),
        };
        match added {
            Err(unfit @ (Unfit::OtherSchema(_) | Unfit::NoSchema | Unfit::Report)) if file.is_found => {
                super::complain(&format!("{} is left out: {unfit}", path.display()));
            }
            other => other.map_err(|unfit| named(path, unfit))?,
        }
    }
    if report.is_empty() {
        bail!(
            "none of these files is of use: give one that outboard status, check, tune, bench, prove or rng wrote with --json"
        );
    }
    Ok(report)
}

pub fn status_now() -> Result<Part> {
    let status = outboard_inventory::collect(&Root::live())?;
    for warning in &status.warnings {
        super::complain(&format!("warning: {warning}"));
    }
    Ok(Part::Status(Box::new(status)))
}

fn named(file: &Path, unfit: Unfit) -> anyhow::Error {
    anyhow!("{}: {unfit}", file.display())
}

fn explained(file: &Path, error: &io::Error) -> anyhow::Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => {
            "write it first, with outboard status, check, tune, bench, prove or rng and --json"
        }
        io::ErrorKind::PermissionDenied => "try again as its owner, or with sudo",
        _ => "try to read it with cat",
    };
    anyhow!("{}: {error}; {advice}", file.display())
}
