//! A pipe that blocks its writer.

use std::fs::File;
use std::io::{Error, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Bytes that precede those of other writers.
pub const ROOM: usize = 4096;

/// Both ends of a full pipe: a write blocks until some bytes are read.
pub fn full() -> (File, OwnedFd) {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors.
    assert_eq!(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }, 0);
    // SAFETY: both descriptors are new and have no other owner.
    let [read, write] = ends.map(|end| unsafe { File::from_raw_fd(end) });
    // SAFETY: no pointer is passed.
    let size = unsafe { libc::fcntl(write.as_raw_fd(), libc::F_SETPIPE_SZ, ROOM) };
    assert_eq!(usize::try_from(size), Ok(ROOM), "{}", Error::last_os_error());
    (&write).write_all(&[b'.'; ROOM]).expect("room");
    (read, write.into())
}
