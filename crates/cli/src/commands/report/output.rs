//! Writes a report. A file is replaced atomically (rename(2)), so that an interruption or a full
//! disk leaves the old one.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

/// The destination of a report.
pub enum Output {
    /// Standard output.
    Stdout,
    /// A terminal, a pipe or a device such as /dev/null, which must not be replaced by a file.
    Into(PathBuf),
    /// A regular file.
    File(PathBuf),
}

impl Output {
    /// Determines the destination. Refuses to overwrite an input.
    pub fn new<'a>(name: &Path, mut inputs: impl Iterator<Item = &'a PathBuf>) -> Result<Output> {
        if name == Path::new("-") {
            return Ok(Output::Stdout);
        }
        // Resolve symbolic links.
        let place = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        if place.is_dir() {
            bail!("{}: this is a directory; name a file in it with --output", name.display());
        }
        if inputs.any(|input| fs::canonicalize(input).is_ok_and(|input| input == place)) {
            bail!(
                "{}: the report is made of this file and would replace it; name another one with --output",
                name.display()
            );
        }
        let is_special = place.exists() && !place.is_file();
        Ok(if is_special { Output::Into(place) } else { Output::File(place) })
    }

    /// Returns the path of a regular file.
    pub fn place(&self) -> Option<&Path> {
        match self {
            Output::File(place) => Some(place),
            Output::Stdout | Output::Into(_) => None,
        }
    }

    /// Writes the whole report; on an error, an old file is unchanged.
    pub fn write(&self, text: &str) -> Result<()> {
        let (name, written) = match self {
            Output::Stdout => (Path::new("stdout"), io::stdout().write_all(text.as_bytes())),
            Output::Into(place) => (place.as_path(), into(place, text)),
            Output::File(place) => (place.as_path(), replace(place, text)),
        };
        match written {
            // The reader, such as head(1), closed the pipe.
            Err(error) if self.place().is_none() && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|error| explained(name, &error)),
        }
    }
}

fn into(place: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(place)?.write_all(text.as_bytes())
}

fn replace(place: &Path, text: &str) -> io::Result<()> {
    let directory = match place.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    };
    // The umask applies, as for any file that a command writes.
    let permissions = Permissions::from_mode(0o666);
    let new =
        tempfile::Builder::new().prefix(".outboard-report-").permissions(permissions).tempfile_in(directory);
    // Only the cause: the name of the temporary file is of no use to the user.
    let mut new = new.map_err(|error| io::Error::from(error.kind()))?;
    new.as_file_mut().write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    new.persist(place)?;
    Ok(())
}

fn explained(name: &Path, error: &io::Error) -> anyhow::Error {
    use io::ErrorKind::*;
    let advice = match error.kind() {
        NotFound | NotADirectory => "make that directory, or name another file with --output",
        PermissionDenied => "name a file where you may write with --output",
        ReadOnlyFilesystem => "name a file on another disk with --output",
        StorageFull | QuotaExceeded => "make some room, or name a file on another disk with --output",
        _ => "name another file with --output",
    };
    let kept = if name.is_file() { ", and the older report there is as it was" } else { "" };
    anyhow!("{}: {error}; {advice}{kept}", name.display())
}
