//! Files of /etc/outboard: a new one takes the old one's place in one step (rename(2)), so that an end in the middle, or a full
//! disk, leaves the old one. The lock is a file of its own that only root can open: nobody else can keep a boot waiting.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use rustix::fs::{FlockOperation, flock};

/// Says what to do about an error with a file.
pub type Explain = fn(&Path, &io::Error) -> anyhow::Error;

/// A file that is to take another one's place; removed if it does not. Nobody else changes that one meanwhile.
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
        // Gone already if it took its place; and one that is left is written over by the next change.
        let _ = fs::remove_file(&self.path);
    }
}

impl Replacement {
    /// Makes it. Fails early where the other one cannot be replaced.
    pub fn open(path: &Path, explain: Explain) -> Result<Self> {
        let lock = lock(path).map_err(|error| explain(path, &error))?;
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

    /// Takes the place: on disk when this returns, or as it was.
    pub fn store(mut self, text: &str) -> Result<()> {
        let directory = self.place.parent().unwrap_or(Path::new("/")).to_owned();
        let stored = (|| {
            self.file.write_all(text.as_bytes())?;
            // Again, because the umask had its say.
            self.file.set_permissions(Permissions::from_mode(0o644))?;
            self.file.sync_all()?;
            fs::rename(&self.path, &self.place)?;
            File::open(directory)?.sync_all()
        })();
        stored.map_err(|error| (self.explain)(&self.place, &error))
    }
}

/// Where a file really is: root may keep it elsewhere, by a link.
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

/// Makes the directory if need be. Waits for whoever else has the lock.
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
