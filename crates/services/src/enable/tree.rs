//! The files of a system: of the running one, or of one below a directory, such as an image.
//!
//! The image may be hostile. All its files are reached by openat2(2) with RESOLVE_IN_ROOT: links
//! and `..` lead to what they name within it, never out of it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use outboard_openssl_conf::conf::Files;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, ResolveFlags, Stat, fchmod, fchown, flock,
    fstat, fsync, linkat, mkdirat, openat, openat2, readlinkat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

/// Maximum size of a file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;
/// A file that is read: the open of a FIFO does not wait.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
/// A file that is written: neither a link nor a FIFO is wanted.
const WRITE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);
const LOCK: &str = ".lock";
/// Attempts of a lookup that other processes disturb by renaming, openat2(2).
const TRIES: usize = 16;

/// The root directory of a system. All paths passed to its methods are absolute paths within it.
#[derive(Clone, Debug)]
pub struct Tree(PathBuf);

impl Tree {
    /// The system below a directory; `/` is the running one.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// The path outside of the tree, for messages. To open it follows links out of the tree.
    #[must_use]
    pub fn path(&self, path: &Path) -> PathBuf {
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    #[must_use]
    pub fn is_running_system(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// Reads a text file. `None` if it does not exist.
    /// Errors: as open(2) and read(2), for a file of more than 1 MiB and for one that is not UTF-8.
    pub fn read(&self, path: &Path) -> io::Result<Option<String>> {
        let bytes = match self.bytes(path) {
            Err(error) if is_missing(&error) => return Ok(None),
            other => other?,
        };
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(io::Error::other("it is larger than 1 MiB"));
        }
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
    }

    fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = File::from(self.open(path, READ, Mode::empty())?);
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Whether there is anything at this path, a broken link included.
    #[must_use]
    pub fn exists(&self, path: &Path) -> bool {
        self.about(path).is_ok_and(|about| about.is_some())
    }

    /// Mode, owner and type of what is at this path; `None` if there is nothing.
    pub(super) fn about(&self, path: &Path) -> io::Result<Option<Stat>> {
        let about = self
            .parent(path, OFlags::PATH)
            .and_then(|(directory, name)| Ok(statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?));
        match about {
            Err(error) if is_missing(&error) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Where a symbolic link leads; `None` if it is not one.
    pub(super) fn link_target(&self, path: &Path) -> Option<PathBuf> {
        let (directory, name) = self.parent(path, OFlags::PATH).ok()?;
        let target = readlinkat(directory, name, Vec::new()).ok()?;
        Some(PathBuf::from(target.into_string().ok()?))
    }

    /// The names in a directory, sorted; none if it cannot be read.
    #[must_use]
    pub fn names(&self, directory: &Path) -> Vec<String> {
        let mut names = self.entries(directory).unwrap_or_default();
        names.sort();
        names
    }

    fn entries(&self, directory: &Path) -> io::Result<Vec<String>> {
        let directory = self.open(directory, READ | DIRECTORY, Mode::empty())?;
        let entries = Dir::read_from(directory)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned));
        Ok(names.filter(|name| name != "." && name != "..").collect())
    }

    /// The directories above a path that do not exist, the outermost first.
    /// Errors: if a directory is a symbolic link, or not a directory.
    pub(super) fn missing_directories(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let (mut at, mut missing) = (PathBuf::from("/"), Vec::new());
        check_plain(path)?;
        for component in path.parent().unwrap_or(Path::new("/")).components().skip(1) {
            at.push(component);
            match self.about(&at)? {
                Some(about) if FileType::from_raw_mode(about.st_mode) == FileType::Directory => {}
                Some(_) => return Err(io::Error::other(format!("{} is not a directory", at.display()))),
                None => missing.push(at.clone()),
            }
        }
        Ok(missing)
    }

    /// Creates a directory with mode 0755; one that exists is left as it is.
    pub(super) fn create_directory(&self, path: &Path) -> io::Result<()> {
        let (parent, name) = self.parent(path, OFlags::RDONLY)?;
        match mkdirat(&parent, name, Mode::from_raw_mode(0o755)) {
            Ok(()) => {
                // Again, because the umask was applied.
                let made = openat(&parent, name, READ | DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?;
                fchmod(made, Mode::from_raw_mode(0o755))?;
            }
            Err(Errno::EXIST) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        Ok(fsync(parent)?)
    }

    /// Writes the file that [`switch`](Self::switch) puts in place. On disk when this returns.
    pub(super) fn stage(&self, path: &Path, text: &str, mode: u32) -> io::Result<()> {
        let staged = staged(path);
        let (parent, name) = self.parent(&staged, OFlags::PATH)?;
        let file = openat(parent, name, WRITE | OFlags::TRUNC, Mode::from_raw_mode(0o600))?;
        let mut file = File::from(file);
        file.write_all(text.as_bytes())?;
        // A directory may give its group to the files in it.
        fchown(&file, Some(geteuid()), Some(getegid()))?;
        fchmod(&file, Mode::from_raw_mode(mode))?;
        file.sync_all()
    }

    pub(super) fn switch(&self, path: &Path) -> io::Result<()> {
        let staged = staged(path);
        let (parent, name) = self.parent(path, OFlags::RDONLY)?;
        renameat(&parent, file_name(&staged)?, &parent, name)?;
        Ok(fsync(parent)?)
    }

    /// Gives a file a second name, under which it stays when it is replaced or removed.
    pub(super) fn keep(&self, path: &Path) -> io::Result<()> {
        let kept = kept(path);
        let (parent, name) = self.parent(path, OFlags::RDONLY)?;
        unlink(&parent, file_name(&kept)?)?;
        linkat(&parent, name, &parent, file_name(&kept)?, AtFlags::empty())?;
        Ok(fsync(parent)?)
    }

    /// Removes a file and its staged version; missing ones are not an error.
    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        self.remove_staged(path)?;
        self.unlink(path)
    }

    pub(super) fn remove_staged(&self, path: &Path) -> io::Result<()> {
        self.unlink(&staged(path))
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let (parent, name) = match self.parent(path, OFlags::RDONLY) {
            Err(error) if is_missing(&error) => return Ok(()),
            other => other?,
        };
        if unlink(&parent, name)? {
            fsync(parent)?;
        }
        Ok(())
    }

    /// Removes a directory of a service with its contents, as far as possible: they belong to the
    /// user of the service, who must not be able to prevent the rest. Links are not followed.
    pub(super) fn remove_contents(&self, path: &Path) {
        if let Ok((parent, name)) = self.parent(path, OFlags::PATH) {
            let path = Path::new("/proc/self/fd").join(parent.as_raw_fd().to_string()).join(name);
            let _ = fs::remove_dir_all(path);
        }
    }

    pub(super) fn remove_directory(&self, path: &Path) -> io::Result<()> {
        let removed = self
            .parent(path, OFlags::PATH)
            .and_then(|(parent, name)| Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?));
        match removed {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty || is_missing(&error) => Ok(()),
            other => other,
        }
    }

    /// Takes the lock of a directory, which is created if it is missing. `None` if another process
    /// holds it.
    /// Errors: as mkdir(2), open(2) and flock(2).
    pub fn lock(&self, directory: &Path) -> io::Result<Option<DirectoryLock>> {
        let path = directory.join(LOCK);
        loop {
            if !self.exists(directory) {
                self.create_directory(directory)?;
            }
            let (parent, name) = match self.parent(&path, OFlags::PATH) {
                // The holder of the lock removed the directory in this moment.
                Err(error) if is_missing(&error) => continue,
                other => other?,
            };
            let file = match openat(parent, name, WRITE, Mode::from_raw_mode(0o600)) {
                Err(Errno::NOENT) => continue,
                other => other?,
            };
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => return Ok(None),
                other => other?,
            }
            let held = fstat(&file)?;
            let is_in_place =
                self.about(&path)?.is_some_and(|it| (it.st_dev, it.st_ino) == (held.st_dev, held.st_ino));
            // Otherwise its last holder removed it, and other processes lock a new one.
            if is_in_place {
                let (tree, directory) = (self.clone(), directory.to_owned());
                return Ok(Some(DirectoryLock { tree, directory, _file: file }));
            }
        }
    }

    fn parent<'p>(&self, path: &'p Path, flags: OFlags) -> io::Result<(OwnedFd, &'p OsStr)> {
        check_plain(path)?;
        let parent = path.parent().unwrap_or(Path::new("/"));
        Ok((self.open(parent, flags | DIRECTORY, Mode::empty())?, file_name(path)?))
    }

    fn open(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        if self.is_running_system() {
            return Ok(openat(CWD, path, flags, mode)?);
        }
        let root = openat(CWD, &self.0, OFlags::PATH | DIRECTORY, Mode::empty())?;
        let within = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let mut attempts = (0..TRIES).map(|_| openat2(&root, path, flags, mode, within));
        let opened = attempts.find(|opened| !matches!(opened, Err(Errno::AGAIN)));
        match opened.unwrap_or(Err(Errno::AGAIN)) {
            Err(Errno::NOSYS) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "another system is changed only with openat2(2), which this kernel lacks (it came with Linux 5.6)",
            )),
            other => Ok(other?),
        }
    }
}

/// The lock of a directory. When it is dropped, its file is removed, and so is the directory if it
/// has no other.
#[derive(Debug)]
pub struct DirectoryLock {
    tree: Tree,
    directory: PathBuf,
    _file: OwnedFd,
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // A file that stays is removed by the next holder.
        let _ = self.tree.unlink(&self.directory.join(LOCK));
        let _ = self.tree.remove_directory(&self.directory);
    }
}

/// The configuration of OpenSSL that a system has.
impl Files for Tree {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.bytes(path)
    }

    fn list(&self, path: &Path) -> io::Result<Option<Vec<PathBuf>>> {
        match self.entries(path) {
            Ok(names) => Ok(Some(names.into_iter().map(|name| path.join(name)).collect())),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// An error unless the path is absolute and has no `..`.
pub(super) fn check_plain(path: &Path) -> io::Result<()> {
    let mut components = path.components();
    let is_plain = components.next() == Some(Component::RootDir)
        && components.all(|component| matches!(component, Component::Normal(_)));
    match is_plain {
        true => Ok(()),
        false => Err(io::Error::other(format!("{} is not a plain path", path.display()))),
    }
}

/// The name under which a file is written before it is put in place. Directories such as
/// `nginx.service.d` are read for names that end in `.conf` only.
fn staged(path: &Path) -> PathBuf {
    with_suffix(path, STAGED)
}

pub(super) fn kept(path: &Path) -> PathBuf {
    with_suffix(path, KEPT)
}

pub(super) const STAGED: &str = ".outboard-new";
/// The suffix of edited files that were replaced.
pub(super) const KEPT: &str = ".outboard-old";

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn file_name(path: &Path) -> io::Result<&OsStr> {
    path.file_name().ok_or_else(|| io::Error::other(format!("{} is not a plain path", path.display())))
}

fn unlink(directory: &OwnedFd, name: &OsStr) -> io::Result<bool> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
