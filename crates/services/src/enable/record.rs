//! The record of an enabled service: what was added, in full. It is written before the first file
//! and removed after the last one, so that an interrupted change can be completed or undone.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::tree::Tree;

/// Directory of the records and of the configurations.
pub(super) const DIRECTORY: &str = "/etc/outboard";
const PREFIX: &str = "service-";
const SUFFIX: &str = ".json";

/// Identifies the format.
const SCHEMA: &str = "outboard-service/1";

/// A file that outboard adds to a system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Permissions.
    pub mode: u32,
    /// The whole text.
    pub text: String,
}

/// What was added for a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub(super) schema: String,
    /// Name of the service.
    pub service: String,
    /// The files, in the order in which they are put in place: the one that makes the service use
    /// the others comes last.
    pub files: Vec<AddedFile>,
    /// Directories that were created for them, the outermost first.
    pub directories: Vec<PathBuf>,
    /// Files of the record that this one replaces. Empty when the replacement is complete.
    pub replaced: Vec<AddedFile>,
}

impl Record {
    pub(super) fn new(service: &str, files: Vec<AddedFile>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            service: service.to_owned(),
            files,
            directories: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// Where the record of a service is stored.
    pub(super) fn path(service: &str) -> PathBuf {
        Path::new(DIRECTORY).join(format!("{PREFIX}{service}{SUFFIX}"))
    }

    /// Reads the record of a service; `None` if it is not enabled.
    ///
    /// # Errors
    /// A sentence with the next step, if the record cannot be used.
    pub fn read(tree: &Tree, service: &str) -> Result<Option<Self>, String> {
        let path = Self::path(service);
        let failed = |why: String| format!("{}: {why}", path.display());
        let Some(text) = tree.read(&path).map_err(|error| failed(error.to_string()))? else {
            return Ok(None);
        };
        let record: Self = serde_json::from_str(&text).map_err(|error| {
            failed(format!("{error}; restore it from a backup, or remove by hand the files that it names"))
        })?;
        if record.schema != SCHEMA || record.service != service {
            return Err(failed(format!("it is not a record of {service} in the format {SCHEMA}")));
        }
        Ok(Some(record))
    }

    /// The names of all services that have a record, sorted.
    #[must_use]
    pub fn services(tree: &Tree) -> Vec<String> {
        let names = tree.names(Path::new(DIRECTORY));
        let service = |name: &String| Some(name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.to_owned());
        names.iter().filter_map(service).collect()
    }

    /// The text of the record's file.
    pub(super) fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("strings, numbers and paths of UTF-8 have a form in JSON") + "\n"
    }

    /// All files that it names, those that it replaces included.
    pub(super) fn all_files(&self) -> impl Iterator<Item = &AddedFile> {
        self.files.iter().chain(&self.replaced)
    }
}
