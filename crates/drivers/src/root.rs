//! The root directory of all files read: the running system, or a tree copied from another machine.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::retry_on_intr;

/// Files are read up to this size in bytes; /proc/interrupts of a server with 1000 CPUs has about
/// 20 MB.
const LARGEST_FILE: usize = 64 << 20;

/// The size of a read in bytes: a page, which is the unit of the kernel's own files.
const PIECE: usize = 4 << 10;

/// The root of the tree. Every path passed to its methods is relative to it, without a leading
/// slash.
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
    /// Whether it is a symbolic link or a directory, as devices are in sysfs.
    pub is_link_or_dir: bool,
}

impl Root {
    /// The running system.
    pub fn live() -> Self {
        Self { path: PathBuf::from("/"), saved: None }
    }

    /// A tree copied from another machine. Nothing outside of it is read, whatever its links
    /// contain (openat2(2), RESOLVE_IN_ROOT), and the running system is not queried. Fails as
    /// open(2).
    pub fn saved(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { path: path.to_path_buf(), saved: Some(fd) })
    }

    /// Whether it is the running system.
    pub fn is_live(&self) -> bool {
        self.saved.is_none()
    }

    /// The path that the user passed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of a file, at most 64 MiB. Fails as open(2) and read(2).
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

    /// A file's text without white space and NULs at both ends; `None` if the file is missing,
    /// unreadable or empty.
    pub fn text(&self, relative: &str) -> Option<String> {
        let bytes = self.read(relative).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!text.is_empty()).then(|| text.to_string())
    }

    /// The names in a directory, sorted; empty if the directory is missing or unreadable.
    pub fn list(&self, relative: &str) -> Vec<Entry> {
        let Ok(fd) = self.open(relative, OFlags::RDONLY | OFlags::DIRECTORY) else { return Vec::new() };
        let Ok(dir) = Dir::new(fd) else { return Vec::new() };
        let mut entries: Vec<Entry> = Vec::new();
        for entry in dir.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                let is_link_or_dir = matches!(entry.file_type(), FileType::Symlink | FileType::Directory);
                // Insertion in order needs less code than sorting.
                let at = entries.partition_point(|before| before.name < name);
                entries.insert(at, Entry { name, is_link_or_dir });
            }
        }
        entries
    }

    /// Whether the name exists; the target of a link need not exist.
    pub fn exists(&self, relative: &str) -> bool {
        self.open(relative, OFlags::PATH | OFlags::NOFOLLOW).is_ok()
    }

    fn open(&self, relative: &str, flags: OFlags) -> io::Result<OwnedFd> {
        // NONBLOCK: a FIFO in a saved tree must not block. openat2 rejects it together with PATH.
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
