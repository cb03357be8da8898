//! The record of an enabled service: what was added, in full. It is written before the first file
//! and removed after the last one, so that an interrupted change can be completed or undone.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::tree::{STAGED, Tree, check_plain};
use crate::negotiation::Offered;

pub(super) const DIRECTORY: &str = "/etc/outboard";
const PREFIX: &str = "service-";
const SUFFIX: &str = ".json";

const SCHEMA: &str = "outboard-service/1";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedFile {
    pub path: PathBuf,
    pub mode: u32,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub(super) schema: String,
    pub service: String,
    /// The files, in the order in which they are put in place: the one that makes the service use
    /// the others comes last.
    pub files: Vec<AddedFile>,
    /// Directories that were created for them, the outermost first.
    pub directories: Vec<PathBuf>,
    /// Files of the record that this one replaces. Empty when the replacement is complete.
    pub replaced: Vec<AddedFile>,
    /// The restart that is to show that the service works with the files has not ended.
    pub unverified: bool,
    /// The user requires AES: what another cipher would gain, as measured then.
    pub aes_required: Option<String>,
    /// The suites that it offered then.
    pub offered: Option<Offered>,
}

impl Record {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            service: plan.service.clone(),
            files: plan.files.clone(),
            directories: Vec::new(),
            replaced: Vec::new(),
            unverified: plan.unverified,
            aes_required: plan.aes_required.clone(),
            offered: plan.offered.clone(),
        }
    }

    #[must_use]
    pub fn path(service: &str) -> PathBuf {
        Path::new(DIRECTORY).join(format!("{PREFIX}{service}{SUFFIX}"))
    }

    /// Reads the record of a service; `None` if it is not enabled.
    /// Errors: a sentence with the next step, if the record cannot be used.
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
        let paths = record.all_files().map(|file| &file.path).chain(&record.directories);
        for path in paths {
            check_plain(path).map_err(|error| failed(error.to_string()))?;
        }
        Ok(Some(record))
    }

    #[must_use]
    pub fn services(tree: &Tree) -> Vec<String> {
        let names = tree.names(Path::new(DIRECTORY));
        names.iter().filter_map(|name| service_of(name)).collect()
    }

    /// The names of services whose record was written and not put in place: a change was
    /// interrupted before it changed anything else.
    #[must_use]
    pub fn staged(tree: &Tree) -> Vec<String> {
        let names = tree.names(Path::new(DIRECTORY));
        names.iter().filter_map(|name| service_of(name.strip_suffix(STAGED)?)).collect()
    }

    /// Removes these records. The caller holds the lock.
    /// Errors: as unlink(2).
    pub fn remove_staged(tree: &Tree) -> std::io::Result<()> {
        Self::staged(tree).iter().try_for_each(|service| tree.remove_staged(&Self::path(service)))
    }

    pub(super) fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("strings, numbers and paths of UTF-8 have a form in JSON") + "\n"
    }

    pub(super) fn is_as_written(&self, tree: &Tree, file: &AddedFile) -> std::io::Result<bool> {
        let (found, record) = (tree.about(&file.path)?, tree.about(&Self::path(&self.service))?);
        let regular = rustix::fs::FileType::RegularFile.as_raw_mode();
        Ok(found.zip(record).is_some_and(|(found, record)| {
            found.st_mode == file.mode | regular
                && (found.st_uid, found.st_gid) == (record.st_uid, record.st_gid)
        }))
    }

    pub(super) fn all_files(&self) -> impl Iterator<Item = &AddedFile> {
        self.files.iter().chain(&self.replaced)
    }
}

fn service_of(name: &str) -> Option<String> {
    Some(name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.to_owned())
}
