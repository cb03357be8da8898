//! The directory that a run lives in: its openssl.cnf and its counters.

use anyhow::{Context, Result};
use outboard_services::openssl::{Composed, OutboardSection, compose};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Removed with all that is in it when dropped.
///
/// The directory can be entered by everybody (0711, under a random name) and the configuration read (0644), so that a
/// command that changes its user still finds its OPENSSL_CONF. The counters stay the user's own (0600): whoever can
/// write them could shorten the file under a provider that has mapped it. A process that another user starts thus
/// works as it should and is not counted; one that changes its user with the provider loaded goes on counting.
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes the directory in TMPDIR, else in /tmp.
    pub fn new() -> Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    /// Makes it in this directory.
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
        // Again, because the umask had its say.
        fs::set_permissions(dir.path(), Permissions::from_mode(0o711)).with_context(advice)?;
        Ok(Self(dir))
    }

    /// A file of this name in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The counters file.
    pub fn counters(&self) -> PathBuf {
        self.file("counters")
    }

    /// What OPENSSL_CONF is set to.
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
