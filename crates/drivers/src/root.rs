//! Where the files are read from: the running system, or a tree that was copied from another machine.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::retry_on_intr;

/// Files larger than this (bytes) are read up to here only; /proc/interrupts of a 1000-CPU server has about 20 MB.
const LARGEST_FILE: usize = 64 << 20;

/// So many bytes are read at once: a page, which is what the kernel hands out of its own files.
const PIECE: usize = 4 << 10;

/// The root of the tree that is looked at. Every path given to its methods is relative to it, without a leading slash.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    saved: Option<OwnedFd>,
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// A symbolic link or a directory, which is how sysfs shows a device.
    pub is_link_or_dir: bool,
}

impl Root {
    /// The running system.
    pub fn live() -> Self {
        Self { path: PathBuf::from("/"), saved: None }
    }

    /// A tree copied from another machine. Nothing outside of it is read, whatever its links say (openat2(2),
    /// RESOLVE_IN_ROOT), and nothing of the running system is asked.
    pub fn saved(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { path: path.to_path_buf(), saved: Some(fd) })
    }

    /// True for the running system.
    pub fn is_live(&self) -> bool {
        self.saved.is_none()
    }

    /// The path as the user gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a file, at most 64 MiB of them. Errors as open(2) and read(2).
    pub fn read(&self, relative: &str) -> io::Result<Vec<u8>> {
        let file = self.open(relative, OFlags::RDONLY)?;
        let mut bytes = Vec::new();
        loop {
            let len = bytes.len();
            bytes.resize(len + PIECE, 0);
            let more = retry_on_intr(|| rustix::io::read(&file, &mut bytes[len..]))?;
            bytes.truncate(len + more);
            if more == 0 || bytes.len() >= LARGEST_FILE {
                return Ok(bytes);
            }
        }
    }

    /// A file's text without white space and NULs at its ends; `None` when it is not there, not readable or empty.
    pub fn text(&self, relative: &str) -> Option<String> {
        let bytes = self.read(relative).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!text.is_empty()).then(|| text.to_string())
    }

    /// The names in a directory, sorted; empty when it is not there or not readable.
    pub fn list(&self, relative: &str) -> Vec<Entry> {
        let Ok(fd) = self.open(relative, OFlags::RDONLY | OFlags::DIRECTORY) else { return Vec::new() };
        let Ok(dir) = Dir::new(fd) else { return Vec::new() };
        let mut entries: Vec<Entry> = Vec::new();
        for entry in dir.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                let is_link_or_dir = matches!(entry.file_type(), FileType::Symlink | FileType::Directory);
                // Put where it belongs, with less code than sorting.
                let at = entries.partition_point(|before| before.name < name);
                entries.insert(at, Entry { name, is_link_or_dir });
            }
        }
        entries
    }

    /// True when there is something of that name; a link need not lead anywhere.
    pub fn exists(&self, relative: &str) -> bool {
        self.open(relative, OFlags::PATH | OFlags::NOFOLLOW).is_ok()
    }

    fn open(&self, relative: &str, flags: OFlags) -> io::Result<OwnedFd> {
        // NONBLOCK: a FIFO in a saved tree must not stop us. openat2 refuses it together with PATH.
        let block = if flags.contains(OFlags::PATH) { OFlags::empty() } else { OFlags::NONBLOCK };
        let flags = flags | OFlags::CLOEXEC | block;
        let fd = match &self.saved {
            None => rustix::fs::openat(CWD, absolute(relative)?.as_c_str(), flags, Mode::empty())?,
            Some(dir) => openat2(dir, relative, flags, Mode::empty(), ResolveFlags::IN_ROOT)?,
        };
        Ok(fd)
    }
}

fn absolute(relative: &str) -> io::Result<CString> {
    CString::new(format!("/{relative}")).map_err(|_| io::ErrorKind::InvalidInput.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_tree_is_never_left_through_its_links() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", dir.path().join("proc")).unwrap();
        std::fs::create_dir(dir.path().join("etc")).unwrap();
        std::fs::write(dir.path().join("etc/hostname"), "saved\n").unwrap();
        let root = Root::saved(dir.path()).unwrap();
        assert_eq!(root.text("proc/hostname").as_deref(), Some("saved"));
        assert!(root.text("../../../../../proc/version").is_none());
        assert!(root.exists("proc/hostname") && !root.exists("proc/version"));
        assert!(!root.is_live());
    }

    #[test]
    fn a_missing_directory_lists_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Root::saved(dir.path()).unwrap().list("sys/module").is_empty());
        assert!(Root::saved(&dir.path().join("none")).is_err());
    }
}
