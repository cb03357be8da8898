//! The temporary directory of a run, with its openssl.cnf and its counters.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::compose::{Composed, OutboardSection, compose};

/// A temporary directory, which is removed with its contents when this value is dropped.
///
/// All users can enter the directory (0711, with a random name) and read the configuration (0644),
/// so that a command that changes its user still finds its OPENSSL_CONF. Only the owner can access
/// the counters (0600): a process that can write them could truncate the file while a provider has
/// mapped it. So a process that another user starts works but is not counted; one that changes its
/// user after it loaded the provider continues to count.
pub struct Scratch(TempDir);

impl Scratch {
    pub fn new() -> Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    pub fn within(parent: &Path) -> Result<Self> {
        let advice = || {
            format!(
                "no directory can be made in {}; point TMPDIR to one that you can write, with some space",
                parent.display()
            )
        };
        let dir = tempfile::Builder::new()
            .prefix("outboard-run-")
            .permissions(Permissions::from_mode(0o711))
            .tempdir_in(std::path::absolute(parent).with_context(advice)?)
            .with_context(advice)?;
        // Set the mode again, because the umask was applied.
        fs::set_permissions(dir.path(), Permissions::from_mode(0o711)).with_context(advice)?;
        Ok(Self(dir))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn counters(&self) -> PathBuf {
        self.file("counters")
    }

    pub fn configuration(&self) -> PathBuf {
        self.file("openssl.cnf")
    }

    /// Writes a configuration that includes `existing` and enables outboard with the settings of `keys`.
    pub fn configure(
        &self,
        existing: Option<&Path>,
        module: PathBuf,
        mut keys: Vec<(String, String)>,
    ) -> Result<Composed> {
        keys.push(("COUNTERS".into(), self.counters().to_string_lossy().into_owned()));
        let section = OutboardSection { module, keys };
        let composed = compose(existing, &section, &|name| std::env::var(name).ok())?;
        let path = self.configuration();
        fs::write(&path, &composed.text)
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o644)))
            .with_context(|| {
                format!("{} cannot be written; point TMPDIR to a disk with space", path.display())
            })?;
        Ok(composed)
    }
}
