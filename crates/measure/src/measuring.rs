//! One measurement of a user at a time: two would measure each other.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::stop;
use anyhow::{Context as _, Result, bail};
use outboard_console::progress;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, fstat, openat};
use rustix::io::Errno;
use rustix::process::{Uid, geteuid};

pub(crate) const PREFIX: &str = "outboard-lab-";

/// Interval between attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(100);

/// The lock, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Measuring(OwnedFd);

impl Drop for Measuring {
    /// A child between fork(2) and execve(2) holds the descriptor too, so to close it is not enough.
    fn drop(&mut self) {
        // The lock is this process's, so there is nothing to fail.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

impl Measuring {
    /// Takes the lock, and removes the directories of a measurement that was killed. Waits while
    /// another process of this user measures.
    /// Errors: if the lock cannot be opened, or a signal ends the wait.
    pub fn begin() -> Result<Self> {
        let (user, temporary) = (geteuid(), std::env::temp_dir());
        // Root's is where no other user can take it.
        let lock = match user.is_root() {
            true => PathBuf::from("/run/outboard.measuring"),
            false => temporary.join(format!("outboard-measuring-{}", user.as_raw())),
        };
        Self::at(&lock, &temporary, user, stop::asked)
    }

    fn at(lock: &Path, temporary: &Path, user: Uid, is_over: impl Fn() -> bool) -> Result<Self> {
        let named = || lock.display().to_string();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = openat(CWD, lock, flags, Mode::RUSR | Mode::WUSR).with_context(named)?;
        if fstat(&file).with_context(named)?.st_uid != user.as_raw() {
            bail!("{} belongs to another user: remove it", lock.display());
        }
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) if is_over() => {
                    bail!("another outboard tune or bench measures now: both results would be wrong")
                }
                Err(Errno::WOULDBLOCK) => {
                    progress("waiting for another outboard tune or bench");
                    sleep(PAUSE);
                }
                other => break other.with_context(named)?,
            }
        }
        // What cannot be removed takes some space and does no harm.
        let _ = remove_left(temporary, user);
        Ok(Self(file))
    }
}

fn remove_left(temporary: &Path, user: Uid) -> io::Result<()> {
    for entry in fs::read_dir(temporary)?.flatten() {
        let is_ours = entry.metadata().is_ok_and(|about| about.is_dir() && about.uid() == user.as_raw());
        if is_ours && entry.file_name().to_string_lossy().starts_with(PREFIX) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_measures_at_a_time_and_removes_what_a_killed_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let (lock, user) = (folder.path().join("lock"), geteuid());
        let begin = || Measuring::at(&lock, folder.path(), user, || true);
        let first = begin().unwrap();
        assert!(begin().unwrap_err().to_string().contains("another outboard tune or bench"));
        let left = folder.path().join("outboard-lab-x");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("counters"), "").unwrap();
        fs::create_dir(folder.path().join("other")).unwrap();
        // As a child has it between fork(2) and execve(2).
        let childs = first.0.try_clone().unwrap();
        drop(first);
        let second = begin().unwrap();
        assert!(!left.exists() && folder.path().join("other").exists());
        drop((second, childs));
        fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink("elsewhere", &lock).unwrap();
        assert!(begin().is_err() && !folder.path().join("elsewhere").exists());
    }
}
