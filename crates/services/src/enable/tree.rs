//! The files of a system: of the running one, or of one below a directory, such as an image.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// Maximum size of a file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;
/// open(2), O_NOFOLLOW and O_NONBLOCK: neither a link nor a FIFO is wanted.
const NOFOLLOW: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK;

/// The root directory of a system. All paths passed to its methods are absolute paths within it.
#[derive(Clone, Debug)]
pub struct Tree(PathBuf);

impl Tree {
    /// The system below a directory; `/` is the running one.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// The path outside of the tree.
    #[must_use]
    pub fn path(&self, path: &Path) -> PathBuf {
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Whether it is the system that runs here.
    #[must_use]
    pub fn is_running_system(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// Reads a text file. `None` if it does not exist.
    ///
    /// # Errors
    /// As open(2) and read(2), for a file of more than 1 MiB and for one that is not UTF-8.
    pub fn read(&self, path: &Path) -> io::Result<Option<String>> {
        let file = match OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(self.path(path)) {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut text = String::new();
        file.take(LARGEST_FILE + 1).read_to_string(&mut text)?;
        if text.len() as u64 > LARGEST_FILE {
            return Err(io::Error::other("it is larger than 1 MiB"));
        }
        Ok(Some(text))
    }

    /// Whether there is anything at this path, a broken link included.
    #[must_use]
    pub fn exists(&self, path: &Path) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// The names in a directory, sorted; none if it cannot be read.
    #[must_use]
    pub fn names(&self, directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The directories above a path that do not exist, the outermost first.
    ///
    /// # Errors
    /// If a directory is a symbolic link, which could lead out of the tree, or not a directory.
    pub(super) fn missing_directories(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let (mut at, mut missing) = (PathBuf::from("/"), Vec::new());
        for component in path.parent().unwrap_or(Path::new("/")).components() {
            match component {
                Component::Normal(name) => at.push(name),
                Component::RootDir => continue,
                _ => return Err(io::Error::other(format!("{} is not a plain path", path.display()))),
            }
            match self.path(&at).symlink_metadata() {
                Ok(about) if about.is_dir() => {}
                Ok(_) => return Err(io::Error::other(format!("{} is not a directory", at.display()))),
                Err(error) if is_missing(&error) => missing.push(at.clone()),
                Err(error) => return Err(error),
            }
        }
        Ok(missing)
    }

    /// Creates a directory with mode 0755; one that exists is left as it is.
    pub(super) fn create_directory(&self, path: &Path) -> io::Result<()> {
        let path = self.path(path);
        match fs::create_dir(&path) {
            Ok(()) => fs::set_permissions(&path, Permissions::from_mode(0o755))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            Err(error) => return Err(error),
        }
        sync_parent(&path)
    }

    /// Writes the file that [`switch`](Self::switch) puts in place. On disk when this returns.
    pub(super) fn stage(&self, path: &Path, text: &str, mode: u32) -> io::Result<()> {
        let staged = self.path(&staged(path));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).custom_flags(NOFOLLOW);
        let mut file = options.open(staged)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()
    }

    /// Puts the staged file in place, atomically.
    pub(super) fn switch(&self, path: &Path) -> io::Result<()> {
        fs::rename(self.path(&staged(path)), self.path(path))?;
        sync_parent(&self.path(path))
    }

    /// Removes a file and its staged version; missing ones are not an error.
    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        for path in [staged(path), path.to_owned()] {
            let path = self.path(&path);
            match fs::remove_file(&path) {
                Ok(()) => sync_parent(&path)?,
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Removes a directory of a service with its contents, as far as possible: they belong to the
    /// user of the service, who must not be able to prevent the rest. Links are not followed.
    pub(super) fn remove_contents(&self, path: &Path) {
        let _ = fs::remove_dir_all(self.path(path));
    }

    /// Removes a directory if it is empty.
    pub(super) fn remove_directory(&self, path: &Path) -> io::Result<()> {
        match fs::remove_dir(self.path(path)) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty || is_missing(&error) => Ok(()),
            other => other,
        }
    }
}

/// The name under which a file is written before it is put in place. Directories such as
/// `nginx.service.d` are read for names that end in `.conf` only.
pub(super) fn staged(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".outboard-new");
    PathBuf::from(name)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn sync_parent(path: &Path) -> io::Result<()> {
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
}
