//! The root directory of all files read: the running system, a tree copied from another machine, or
//! files in memory.

use std::ffi::CString;
use std::fmt;
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
    source: Source,
}

#[derive(Debug)]
enum Source {
    Live,
    Saved(OwnedFd),
    Files(Box<dyn FileSource>),
}

/// Files that are read in place of those of a directory. Paths have no leading slash.
pub trait FileSource: fmt::Debug {
    /// Whether the files are those of the running system, which may be queried too.
    fn is_live(&self) -> bool;
    /// The content of a file. Fails as open(2) and read(2).
    fn read(&self, relative: &str) -> io::Result<Vec<u8>>;
    /// The names in a directory, sorted; empty if there is no such directory.
    fn list(&self, relative: &str) -> Vec<Entry>;
    fn exists(&self, relative: &str) -> bool;
    /// Receives the result of a query that is no file ([`Root::answer`]).
    fn answered(&self, name: &str, text: &str);
}

/// The directory of a saved tree that holds the results of queries ([`Root::answer`]).
pub const ANSWERS: &str = "outboard";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// Whether it is a symbolic link or a directory, as devices are in sysfs.
    pub is_link_or_dir: bool,
}

impl Root {
    pub fn live() -> Self {
        Self { path: PathBuf::from("/"), source: Source::Live }
    }

    /// A tree copied from another machine. Nothing outside of it is read, whatever its links
    /// contain (openat2(2), RESOLVE_IN_ROOT), and the running system is not queried. Fails as
    /// open(2).
    pub fn saved(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { path: path.to_path_buf(), source: Source::Saved(fd) })
    }

    /// Other files; `path` is the name of their source for messages.
    pub fn of_files(path: &Path, files: Box<dyn FileSource>) -> Self {
        Self { path: path.to_path_buf(), source: Source::Files(files) }
    }

    pub fn is_live(&self) -> bool {
        match &self.source {
            Source::Live => true,
            Source::Saved(_) => false,
            Source::Files(files) => files.is_live(),
        }
    }

    /// The result of a query that is no file, such as the output of a command: on the running
    /// system that of `query`, in a saved tree the file in [`ANSWERS`] in which a bundle keeps it.
    pub fn answer(&self, name: &str, query: impl FnOnce() -> Option<String>) -> Option<String> {
        if !self.is_live() {
            return self.text(&format!("{ANSWERS}/{name}"));
        }
        let text = query()?;
        if let Source::Files(files) = &self.source {
            files.answered(name, &text);
        }
        Some(text)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of a file, at most 64 MiB. Fails as open(2) and read(2).
    pub fn read(&self, relative: &str) -> io::Result<Vec<u8>> {
        if let Source::Files(files) = &self.source {
            return files.read(relative);
        }
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
        if let Source::Files(files) = &self.source {
            return files.list(relative);
        }
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
        if let Source::Files(files) = &self.source {
            return files.exists(relative);
        }
        self.open(relative, OFlags::PATH | OFlags::NOFOLLOW).is_ok()
    }

    fn open(&self, relative: &str, flags: OFlags) -> io::Result<OwnedFd> {
        // NONBLOCK: a FIFO in a saved tree must not block. openat2 rejects it together with PATH.
        let block = if flags.contains(OFlags::PATH) { OFlags::empty() } else { OFlags::NONBLOCK };
        let flags = flags | OFlags::CLOEXEC | block;
        let fd = match &self.source {
            Source::Saved(dir) => openat2(dir, relative, flags, Mode::empty(), ResolveFlags::IN_ROOT)?,
            _ => rustix::fs::openat(CWD, absolute(relative)?.as_c_str(), flags, Mode::empty())?,
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
