//! The files that commands write for a person: archives, reports, metrics, proofs.
//!
//! A regular file is replaced atomically (rename(2)), so that an interruption or a full disk leaves
//! the old one. What stands at the *name* is replaced, not what a link points at, unless the link
//! belongs to the caller or to root: links are not resolved by canonicalize(3), to which
//! fs.protected_symlinks does not apply. A device, a pipe or a terminal is written into.

mod destination;

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use rustix::fs::{Access, AtFlags, CWD, accessat};

use self::destination::{Destination, directory_of, is_foreign};

/// Where a command writes its result.
pub struct Output {
    name: String,
    destination: Destination,
    is_private: bool,
    keeps_existing: bool,
}

impl Output {
    /// Determines the destination that `option` names; `-` is standard output. Nothing is changed.
    /// Errors: there is no such directory, it is not writable, or the name is one of a directory.
    pub fn new(option: &str, path: &Path) -> Result<Self> {
        let name = format!("{option} {}", path.display());
        let destination = Destination::of(path).with_context(|| name.clone())?;
        if let Destination::File(place) = &destination {
            let writable =
                accessat(CWD, directory_of(place), Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS);
            writable.map_err(|error| explained(&name, option, &error.into(), Some(place)))?;
        }
        Ok(Self { name, destination, is_private: false, keeps_existing: false })
    }

    /// The file is for its owner only, and is the caller's, whatever was there before.
    pub fn private(mut self) -> Self {
        self.is_private = true;
        self
    }

    /// An existing file is not replaced.
    /// Errors: there is one.
    pub fn keeping_existing(mut self) -> Result<Self> {
        if self.file().is_some_and(|place| place.symlink_metadata().is_ok()) {
            bail!("{} exists: give --force, or another name", self.name);
        }
        self.keeps_existing = true;
        Ok(self)
    }

    /// Refuses to replace a file from which the result is made.
    /// Errors: the destination is one of `inputs`.
    pub fn apart_from<'a>(self, mut inputs: impl Iterator<Item = &'a PathBuf>) -> Result<Self> {
        let Some(own) = self.file().and_then(|place| place.symlink_metadata().ok()) else { return Ok(self) };
        let is_own =
            |input: &PathBuf| fs::metadata(input).is_ok_and(|i| (i.dev(), i.ino()) == (own.dev(), own.ino()));
        if inputs.any(is_own) {
            bail!("{}: the result is made of this file and would replace it; name another one", self.name);
        }
        Ok(self)
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self.destination, Destination::Stdout)
    }

    pub fn file(&self) -> Option<&Path> {
        match &self.destination {
            Destination::File(place) => Some(place),
            Destination::Stdout | Destination::Special(_) => None,
        }
    }

    /// Writes the whole result. After an error an old file is unchanged.
    /// Errors: with the name and the next step.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let written = match &self.destination {
            Destination::Stdout => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
            Destination::Special(special) => special.open().and_then(|mut open| open.write_all(bytes)),
            Destination::File(place) => self.replace(place, bytes),
        };
        let option = self.name.split(' ').next().unwrap_or_default();
        match (written, self.file()) {
            // The reader, such as head(1), closed the pipe.
            (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (Err(error), place) => Err(explained(&self.name, option, &error, place)),
            (Ok(()), _) => Ok(()),
        }
    }

    fn replace(&self, place: &Path, bytes: &[u8]) -> io::Result<()> {
        let old = match place.symlink_metadata() {
            Ok(about) if about.is_file() && !is_foreign(&about, place)? => Some(about),
            // A link of another user, or a file of one in a directory that all may write.
            Ok(about) if about.is_file() || about.is_symlink() => None,
            Ok(_) => return Err(io::Error::other("it became a device, pipe or directory meanwhile")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mode = if self.is_private || old.is_some() { 0o600 } else { 0o666 };
        let mut new = tempfile::Builder::new();
        new.prefix(".outboard-").permissions(Permissions::from_mode(mode));
        // Only the cause: the name of the temporary file is of no use to the user.
        let mut new = new.tempfile_in(directory_of(place)).map_err(|error| io::Error::from(error.kind()))?;
        if let Some(old) = old.filter(|_| !self.is_private) {
            inherit(new.as_file(), &old)?;
        }
        new.as_file_mut().write_all(bytes)?;
        new.as_file().sync_all()?;
        match self.keeps_existing {
            true => new.persist_noclobber(place)?,
            false => new.persist(place)?,
        };
        Ok(())
    }
}

/// Gives a new file the owner and the mode of the one that it replaces. What the caller may not give
/// away stays the caller's, and then no group gets more than others had.
fn inherit(file: &fs::File, old: &fs::Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    let has_group = own.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
    if own.uid() != old.uid() {
        // Only root may; another caller keeps it.
        let _ = fchown(file, Some(old.uid()), None);
    }
    let mode = old.mode() & 0o777;
    let mode = if has_group { mode } else { (mode & 0o707) | (((mode & 0o007) << 3) & mode) };
    file.set_permissions(Permissions::from_mode(mode))
}

fn explained(name: &str, option: &str, error: &io::Error, place: Option<&Path>) -> anyhow::Error {
    use io::ErrorKind::*;
    let advice = match error.kind() {
        NotFound | NotADirectory => format!("make that directory, or name another file with {option}"),
        PermissionDenied => format!("name a file where you may write with {option}"),
        ReadOnlyFilesystem => format!("name a file on another disk with {option}"),
        StorageFull | QuotaExceeded => {
            format!("free some space, or name a file on another disk with {option}")
        }
        _ => format!("name another file with {option}"),
    };
    let kept = if place.is_some_and(Path::is_file) { "; the file there was not changed" } else { "" };
    anyhow!("{name}: cannot be written: {error}: {advice}{kept}")
}

#[cfg(test)]
mod tests;
