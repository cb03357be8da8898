//! Files in /etc/outboard, and one of udev. They are replaced atomically (rename(2)), so that an interruption or a
//! full disk leaves the old file. The lock is a separate file that only root can open, so that
//! other users cannot delay a boot.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use outboard_services::enable::{DirectoryLock, Tree};
use rustix::fs::{Access, access};

use crate::signals::{SignalGuard, check};

pub type Explain = fn(&Path, &io::Error) -> anyhow::Error;

const PAUSE: Duration = Duration::from_millis(50);

/// The right to replace a file. Nothing is written before
/// [`store`](Self::store).
#[derive(Debug)]
pub struct Replacement {
    place: PathBuf,
    is_link: bool,
    explain: Explain,
    _changing: Changing,
}

impl Replacement {
    /// Takes the lock. Fails early if the file cannot be replaced.
    pub fn open(path: &Path, explain: Explain) -> Result<Self> {
        Replacement::open_elsewhere(path, path, explain)
    }

    /// As [`open`](Self::open), with the lock in the directory of `locked`: that of the new file belongs to
    /// other programs.
    pub fn open_elsewhere(path: &Path, locked: &Path, explain: Explain) -> Result<Self> {
        let changing = Changing::begin_beside(locked).map_err(|error| explain(locked, &error))?;
        let place = resolved(path)?;
        access(parent(&place), Access::WRITE_OK).map_err(|error| explain(path, &error.into()))?;
        Ok(Self { is_link: place != path, place, explain, _changing: changing })
    }

    /// Removes the file; where it is a link, which is the administrator's, the file that it leads to
    /// becomes empty. On disk when this returns.
    pub fn remove(self) -> Result<()> {
        if self.is_link {
            return self.store("");
        }
        let removed = [self.place.with_extension(STAGED), self.place.clone()]
            .iter()
            .try_for_each(|path| remove_file(path))
            .and_then(|()| File::open(parent(&self.place))?.sync_all());
        removed.map_err(|error| (self.explain)(&self.place, &error))
    }

    /// Replaces the file: on disk when this returns; on an error the old file is unchanged.
    pub fn store(self, text: &str) -> Result<()> {
        let new = self.place.with_extension(STAGED);
        let stored = write(&new, text).and_then(|()| fs::rename(&new, &self.place));
        if stored.is_err() {
            // The first error is the one that is reported. A file that is left, also after SIGKILL,
            // is overwritten by the next change.
            let _ = fs::remove_file(&new);
        }
        let stored = stored.and_then(|()| File::open(parent(&self.place))?.sync_all());
        stored.map_err(|error| (self.explain)(&self.place, &error))
    }
}

pub const STAGED: &str = "new";

fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    // Set the mode again, because the umask was applied.
    file.set_permissions(Permissions::from_mode(0o644))?;
    file.sync_all()
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
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

/// The right to change the files of a directory. Other commands wait, and signals are only noted:
/// from before the lock has a file until it has none, so that no signal leaves the file.
#[derive(Debug)]
pub struct Changing {
    _lock: DirectoryLock,
    _guard: SignalGuard,
}

impl Changing {
    /// Waits while another process holds the lock, or until a signal comes. Creates the directory if
    /// it is missing.
    pub fn begin(tree: &Tree, directory: &Path) -> io::Result<Self> {
        loop {
            if let Some(changing) = Changing::try_begin(tree, directory)? {
                return Ok(changing);
            }
            check().map_err(io::Error::other)?;
            thread::sleep(PAUSE);
        }
    }

    /// `None` if another process holds the lock.
    pub fn try_begin(tree: &Tree, directory: &Path) -> io::Result<Option<Self>> {
        let guard = SignalGuard::hold();
        let lock = tree.lock(directory)?;
        Ok(lock.map(|lock| Changing { _lock: lock, _guard: guard }))
    }

    /// As [`begin`](Self::begin), for the directory of a file.
    pub fn begin_beside(path: &Path) -> io::Result<Self> {
        Changing::begin(&Tree::at(Path::new("/")), parent(path))
    }
}
