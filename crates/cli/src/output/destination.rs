//! What a name leads to.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, fstatfs, openat, readlinkat};

/// Links that are followed, as in the kernel (MAXSYMLINKS).
const MOST_LINKS: usize = 40;
/// PROC_SUPER_MAGIC of linux/magic.h.
const PROC: u64 = 0x9fa0;

pub enum Destination {
    Stdout,
    Special(Special),
    /// A regular file that exists or is to be made, or a link of another user that is to be replaced.
    File(PathBuf),
}

pub struct Special {
    /// A descriptor with O_PATH: the name may lead elsewhere when it is opened again.
    handle: OwnedFd,
    /// Its content is appended to: a regular file that an open descriptor of the caller refers to.
    is_file: bool,
}

impl Destination {
    pub fn of(name: &Path) -> io::Result<Self> {
        if name == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let mut place = name.to_owned();
        for _ in 0..MOST_LINKS {
            let path_only = OFlags::PATH | OFlags::CLOEXEC;
            let handle = match openat(CWD, &place, path_only | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(handle) => File::from(handle),
                // The directory is examined by the caller.
                Err(rustix::io::Errno::NOENT) => return Ok(Self::File(place)),
                Err(error) => return Err(error.into()),
            };
            let about = handle.metadata()?;
            if !about.is_symlink() {
                return Self::at(place, handle, &about);
            }
            if !is_own(&about) {
                return Ok(Self::File(place));
            }
            // The type of f_type differs between architectures.
            #[allow(clippy::unnecessary_cast)]
            if fstatfs(&handle)?.f_type as u64 == PROC {
                let handle = File::from(openat(CWD, &place, path_only, Mode::empty())?);
                return Self::descriptor(handle);
            }
            let target = readlinkat(&handle, c"", Vec::new())?.into_bytes();
            place = directory_of(&place).join(std::ffi::OsString::from_vec(target));
        }
        Err(rustix::io::Errno::LOOP.into())
    }

    fn at(place: PathBuf, handle: File, about: &Metadata) -> io::Result<Self> {
        if about.is_file() {
            return Ok(Self::File(place));
        }
        // As fs.protected_fifos.
        if about.file_type().is_fifo() && is_foreign(about, &place)? {
            return Err(io::Error::other("a pipe of another user in a directory that all may write"));
        }
        special(handle, about)
    }

    /// What a descriptor of a process refers to: /dev/stdout, /proc/self/fd/3.
    fn descriptor(handle: File) -> io::Result<Self> {
        let (about, stdout) = (handle.metadata()?, rustix::fs::fstat(io::stdout())?);
        // The types of the fields differ between architectures.
        #[allow(clippy::unnecessary_cast)]
        let is_stdout = (about.dev(), about.ino()) == (stdout.st_dev as u64, stdout.st_ino as u64);
        // Not a second opening, which would have a position of its own.
        if is_stdout { Ok(Self::Stdout) } else { special(handle, &about) }
    }
}

fn special(handle: File, about: &Metadata) -> io::Result<Destination> {
    if about.is_dir() {
        return Err(io::Error::other("this is a directory; name a file in it"));
    }
    Ok(Destination::Special(Special { handle: handle.into(), is_file: about.is_file() }))
}

impl Special {
    pub fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).append(self.is_file).custom_flags(libc::O_NOCTTY);
        options.open(format!("/proc/self/fd/{}", self.handle.as_raw_fd()))
    }
}

pub fn directory_of(place: &Path) -> &Path {
    place.parent().filter(|directory| *directory != Path::new("")).unwrap_or(Path::new("."))
}

fn is_own(about: &Metadata) -> bool {
    about.uid() == rustix::process::geteuid().as_raw() || about.uid() == 0
}

/// Whether another user made this in a directory that all may write, such as /tmp: the rule of
/// fs.protected_symlinks, fs.protected_fifos and fs.protected_regular.
pub fn is_foreign(about: &Metadata, place: &Path) -> io::Result<bool> {
    let directory = fs::metadata(directory_of(place))?;
    let is_shared = directory.mode() & 0o1000 != 0 && directory.mode() & 0o022 != 0;
    Ok(is_shared && !is_own(about) && about.uid() != directory.uid())
}
