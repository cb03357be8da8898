//! Files in /etc/outboard, and one of udev. They are replaced atomically (rename(2)), so that an interruption or a
//! full disk leaves the old file. The lock is a separate file that only root can open, so that
//! other users cannot delay a boot.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use rustix::fs::{FlockOperation, flock};

/// Adds the next step to an error with a file.
pub type Explain = fn(&Path, &io::Error) -> anyhow::Error;

/// A new file that is to replace another one; it is removed if it does not. The lock prevents other
/// changes meanwhile.
#[derive(Debug)]
pub struct Replacement {
    place: PathBuf,
    path: PathBuf,
    file: File,
    explain: Explain,
    _lock: File,
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // The file is gone if it replaced the other one; a file that is left is overwritten by the
        // next change.
        let _ = fs::remove_file(&self.path);
    }
}

impl Replacement {
    /// Creates the new file. Fails early if the other one cannot be replaced.
    pub fn open(path: &Path, explain: Explain) -> Result<Self> {
        Replacement::open_elsewhere(path, path, explain)
    }

    /// As [`open`](Self::open), with the lock in the directory of `locked`: that of the new file belongs to
    /// other programs.
    pub fn open_elsewhere(path: &Path, locked: &Path, explain: Explain) -> Result<Self> {
        let lock = lock(locked).map_err(|error| explain(locked, &error))?;
        let place = resolved(path)?;
        let new = place.with_extension("new");
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&new);
        let file = file.map_err(|error| explain(path, &error))?;
        Ok(Self { place, path: new, file, explain, _lock: lock })
    }

    /// Replaces the file: on disk when this returns; on an error the old file is unchanged.
    pub fn store(mut self, text: &str) -> Result<()> {
        let directory = self.place.parent().unwrap_or(Path::new("/")).to_owned();
        let stored = (|| {
            self.file.write_all(text.as_bytes())?;
            // Set the mode again, because the umask was applied.
            self.file.set_permissions(Permissions::from_mode(0o644))?;
            self.file.sync_all()?;
            fs::rename(&self.path, &self.place)?;
            File::open(directory)?.sync_all()
        })();
        stored.map_err(|error| (self.explain)(&self.place, &error))
    }
}

/// Resolves a symbolic link: an administrator may keep the file elsewhere.
pub fn resolved(path: &Path) -> Result<PathBuf> {
    match fs::read_link(path) {
        Ok(target) => fs::canonicalize(path).map_err(|error| {
            anyhow!(
                "{} is a link to {}: {error}; make that file, or remove the link",
                path.display(),
                target.display()
            )
        }),
        Err(_) => Ok(path.to_owned()),
    }
}

/// Takes the lock; waits while another process holds it. Creates the directory if it is missing.
pub fn lock(path: &Path) -> io::Result<File> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    match fs::create_dir(directory) {
        Ok(()) => fs::set_permissions(directory, Permissions::from_mode(0o755))?,
        Err(_) if directory.is_dir() => {}
        Err(error) => return Err(error),
    }
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(directory.join(".lock"))?;
    flock(&lock, FlockOperation::LockExclusive)?;
    Ok(lock)
}
