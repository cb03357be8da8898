//! An OpenSSL with the provider in it, beside one without: what applications get from either.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use outboard_counters::{Counts, Decision, Table};
use outboard_measure::evp::{Context, Library};
use outboard_services::openssl::{OutboardSection, compose};
use tempfile::TempDir;

/// Both, for a group of ciphers that the same kernel driver does.
pub struct Lab {
    table: Table,
    library: Library,
    configuration: PathBuf,
    _folder: TempDir,
}

/// The way down that the provider chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    /// Its name in /proc/crypto.
    pub driver: String,
    /// What leads there.
    pub interface: String,
}

impl Lab {
    /// Writes the configuration, in which every request that a driver can do goes to one, whatever was measured before.
    pub fn new(module: &Path, ciphers: &[&str]) -> Result<Lab> {
        let folder = tempfile::Builder::new().prefix("outboard-lab-").tempdir();
        let folder =
            folder.context("no directory for a few small files; point TMPDIR to one with some space")?;
        let (counters, configuration) = (folder.path().join("counters"), folder.path().join("openssl.cnf"));
        let table = Table::create(&counters)?;
        let keys = [
            ("CIPHERS", ciphers.join(",")),
            ("THRESHOLDS", "ALL:1".to_owned()),
            ("POLICY", "NONE".to_owned()),
            // But for the first of each key, which are done before anything is timed.
            ("SHADOW_CHECKS", "0".to_owned()),
            ("COUNTERS", counters.to_string_lossy().into_owned()),
        ];
        let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let text = compose(None, &OutboardSection { module: module.to_owned(), keys }, &|_| None)?.text;
        fs::write(&configuration, text).with_context(|| {
            format!("{}: point TMPDIR to a disk with some space", configuration.display())
        })?;
        Ok(Lab { table, library: Library::open()?, configuration, _folder: folder })
    }

    /// OpenSSL as it is without outboard.
    pub fn software(&self) -> Result<Context<'_>> {
        Ok(Context::software(&self.library)?)
    }

    /// OpenSSL with outboard.
    pub fn hardware(&self) -> Result<Context<'_>> {
        Ok(Context::configured(&self.library, &self.configuration)?)
    }

    /// OpenSSL's version.
    pub fn version(&self) -> String {
        self.library.version()
    }

    /// Where requests go, once a cipher was fetched.
    pub fn in_use(&self) -> Option<InUse> {
        in_use(&self.table)
    }

    /// Why they go nowhere.
    pub fn notes(&self) -> Vec<String> {
        self.table.notes()
    }

    /// What was done so far for a cipher.
    pub fn counts(&self, cipher: &str) -> Counts {
        let all = self.table.snapshot();
        all.into_iter().find(|(name, _)| name == cipher).map(|(_, counts)| counts).unwrap_or_default()
    }
}

/// The way down that the provider chose, if it chose one.
pub fn in_use(table: &Table) -> Option<InUse> {
    table.decisions().into_iter().find_map(|(_, decision)| match decision {
        Decision::Offered { driver, interface, .. } => Some(InUse { driver, interface }),
        Decision::Left { .. } => None,
    })
}
