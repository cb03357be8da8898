//! /dev/hwrng, and replacements mounted over it in the mount namespace of a child, visible only to
//! the child.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::child::in_child;

/// The device.
pub const DEVICE: &str = "/dev/hwrng";
/// The file in which the kernel names the generator behind it.
pub const CURRENT: &str = "/sys/class/misc/hw_random/rng_current";

/// The part that the machine lacks for tests of the device, if any.
pub fn missing() -> Option<String> {
    let generator = std::fs::read_to_string(CURRENT).unwrap_or_default();
    if !Path::new(DEVICE).exists() || generator.is_empty() || generator.trim() == "none" {
        return Some(format!("a hardware random number generator ({CURRENT} says {generator:?})"));
    }
    let readable = File::open(DEVICE).err();
    readable.map(|error| format!("a readable {DEVICE} ({error})"))
}

/// As `in_child`, with `other` mounted over `path` for the child and its children.
#[track_caller]
pub fn in_child_with(path: &str, other: &Path, body: impl FnOnce() -> Result<(), String>) {
    in_child(|| {
        let path = CString::new(path).map_err(|error| error.to_string())?;
        let other = CString::new(other.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let (root, none) = (c"/".as_ptr(), std::ptr::null());
        // SAFETY: the paths are C strings; the new namespace is the child's alone.
        let mounted = unsafe {
            libc::unshare(libc::CLONE_NEWNS) == 0
                && libc::mount(none, root, none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) == 0
                && libc::mount(other.as_ptr(), path.as_ptr(), none, libc::MS_BIND, none.cast()) == 0
        };
        if !mounted {
            return Err(format!("a mount namespace: {}", std::io::Error::last_os_error()));
        }
        body()
    });
}

/// A device with the bytes that the test chooses: a FIFO whose other end the test holds.
pub struct Feed {
    /// Its path.
    pub path: PathBuf,
    end: File,
}

impl Feed {
    /// An empty FIFO in this folder.
    pub fn new(folder: &Path) -> Feed {
        let path = folder.join("feed");
        let name = CString::new(path.as_os_str().as_bytes()).expect("a path holds no NUL byte");
        // SAFETY: the path is a C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0, "{}", std::io::Error::last_os_error());
        // On Linux one descriptor can be both ends of a FIFO.
        let end = OpenOptions::new().read(true).write(true).open(&path).expect("a FIFO");
        Feed { path, end }
    }

    /// Adds bytes to be read: at most 64 KiB at a time.
    pub fn give(&mut self, bytes: &[u8]) {
        self.end.write_all(bytes).expect("a FIFO");
    }

    /// Removes and returns the unread bytes.
    pub fn take(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; self.left()];
        self.end.read_exact(&mut bytes).expect("a FIFO");
        bytes
    }

    /// The number of unread bytes.
    pub fn left(&self) -> usize {
        let mut count: libc::c_int = 0;
        // SAFETY: the kernel writes one int.
        assert_eq!(unsafe { libc::ioctl(self.end.as_raw_fd(), libc::FIONREAD, &mut count) }, 0);
        usize::try_from(count).expect("a count")
    }
}

/// The number of bytes that this process has read with system calls so far.
pub fn bytes_read() -> u64 {
    let counts = std::fs::read_to_string("/proc/self/io").expect("/proc/self/io");
    let line = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("rchar");
    line.trim().parse().expect("a number")
}
