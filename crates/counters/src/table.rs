use crate::counter::Counter;
use crate::decision::{self, DECISIONS, Place};
use crate::note::{self, NOTES, Note};
use crate::row::{self, ROWS, Row};
use crate::{Counts, Decision, Error};
use rustix::fs::{FallocateFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

const MAGIC: &[u8; 8] = b"outboard";

/// Counts up whenever the layout below changes.
const VERSION: u32 = 3;

/// What a table holds, in the machine's own byte order. Atomics only: every content is a valid value.
#[repr(C, align(64))]
struct Layout {
    magic: [AtomicU8; 8],
    version: AtomicU32,
    rows: AtomicU32,
    attached: Counter,
    reserved: [u64; 5],
    table: [Row; ROWS],
}

/// What is said in words, which only a file is for: nobody else would read it.
#[repr(C, align(64))]
struct Words {
    decisions: [Place; DECISIONS],
    notes: [Note; NOTES],
}

/// The whole file.
#[repr(C, align(64))]
struct Shared {
    layout: Layout,
    words: Words,
}

const SIZE: usize = size_of::<Shared>();

const _: () = assert!(SIZE == 64 + ROWS * 128 + DECISIONS * 2048 + NOTES * 512);

/// A table of counters, in a shared file or private to the process.
pub struct Table {
    at: NonNull<Layout>,
    backing: Backing,
}

enum Backing {
    Mapped,
    Boxed,
}

// SAFETY: the memory belongs to the table until it is dropped and holds only atomics.
unsafe impl Send for Table {}
// SAFETY: as above; every access through a shared reference is atomic.
unsafe impl Sync for Table {}

impl Table {
    /// Makes a new counters file, mode 0600, for `outboard prove`. Its blocks are allocated at once, so that a disk
    /// that fills up later cannot kill a counting process with SIGBUS.
    ///
    /// # Errors
    /// [`Error::Os`] when the file exists already, or cannot be created, filled or mapped.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let fd = rustix::fs::open(path, flags, mode)
            .map_err(|e| os(path, "create", e, "point TMPDIR to a directory that you can write"))?;
        let made = allocate(&fd)
            .and_then(|()| rustix::fs::fchmod(&fd, mode))
            .map_err(|e| os(path, "fill", e, "free some space, or point TMPDIR to another disk"))
            .and_then(|()| map(path, &fd));
        match made {
            Ok(table) => {
                table.layout().seal();
                Ok(table)
            }
            Err(e) => {
                // Half a file is of no use; the error that is reported is the first one.
                let _ = rustix::fs::unlink(path);
                Err(e)
            }
        }
    }

    /// Opens the file that `outboard prove` made, for a provider instance, and counts it as attached. The descriptor
    /// is closed before this returns.
    ///
    /// The file must be a regular one, no symlink, owned by root or by this process's effective user and writable by
    /// nobody else, of exactly the right size, magic and version. Its content beyond that is never trusted. Its owner
    /// is trusted in one thing: not to truncate it while it is mapped, which would end this process by SIGBUS. Only
    /// root and this very user could do that, and both can end the process anyway.
    ///
    /// # Errors
    /// [`Error::Os`] when the kernel refuses to open or map it, [`Error::NotOurs`] when it is something else.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let refused =
            |e| os(path, "open", e, "check COUNTERS in openssl.cnf: a path that this user may write");
        // NONBLOCK and NOCTTY: whatever the path names, opening it must neither wait nor take a terminal.
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(refused)?;
        let stat = rustix::fs::fstat(&fd).map_err(refused)?;
        let wrong = |cause: String| Error::NotOurs { path: path.to_owned(), cause };
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(wrong("not a regular file".into()));
        }
        if stat.st_uid != 0 && stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(wrong(format!(
                "owned by user {}, neither root nor the user of this process",
                stat.st_uid
            )));
        }
        if stat.st_mode & 0o022 != 0 {
            return Err(wrong(format!(
                "mode {:04o}, writable by others than its owner",
                stat.st_mode & 0o7777
            )));
        }
        if u64::try_from(stat.st_size).ok() != Some(SIZE as u64) {
            return Err(wrong(format!("{} bytes long instead of {SIZE}", stat.st_size)));
        }
        let table = map(path, &fd)?;
        table.layout().check().map_err(wrong)?;
        table.layout().attached.add(1);
        Ok(table)
    }

    /// A table of this process alone: same interface, no file, and what is said in words is dropped.
    #[must_use]
    pub fn private() -> Self {
        let layout = Box::new(Layout::default());
        layout.seal();
        Self { at: NonNull::from(Box::leak(layout)), backing: Backing::Boxed }
    }

    /// Whether somebody outside this process can read the counts.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.backing, Backing::Mapped)
    }

    /// Finds the row of an algorithm by its OpenSSL name (`AES-128-CBC`, at most [`NAME_BYTES`](crate::NAME_BYTES)
    /// bytes), or claims one. Lock-free. `None` when the table is full or the name empty or too long.
    #[must_use]
    pub fn row(&self, algorithm: &str) -> Option<&Row> {
        row::find_or_claim(&self.layout().table, algorithm)
    }

    /// The counts of every algorithm so far, in the order in which they were first asked for.
    #[must_use]
    pub fn snapshot(&self) -> Vec<(String, Counts)> {
        let mut all: Vec<(String, Counts)> = Vec::new();
        for row in &self.layout().table {
            let Some(name) = row.name() else { continue };
            match all.iter_mut().find(|(n, _)| *n == name) {
                Some((_, counts)) => *counts += row.counts(),
                None => all.push((name, row.counts())),
            }
        }
        all
    }

    /// How many times [`Table::open`] succeeded on this file: provider instances, not processes, since a fork's
    /// child keeps its parent's mapping. 0 means that the command never loaded the provider.
    #[must_use]
    pub fn attached(&self) -> u64 {
        self.layout().attached.get()
    }

    /// Keeps what was decided about an algorithm, by its OpenSSL name. Names and texts that are too long are cut; the first
    /// [`DECISIONS`](crate::DECISIONS) different ones are kept, the rest is dropped.
    pub fn decide(&self, algorithm: &str, decision: &Decision) {
        if let Some(words) = self.words() {
            decision::add(&words.decisions, algorithm, decision);
        }
    }

    /// What was decided, in order; of one algorithm more than once where instances of the provider differ. Control characters
    /// are replaced by spaces.
    #[must_use]
    pub fn decisions(&self) -> Vec<(String, Decision)> {
        self.words().map_or_else(Vec::new, |words| decision::read(&words.decisions))
    }

    /// Leaves a short text for `prove`: why nothing is offered, what failed. At most [`NOTE_BYTES`](crate::NOTE_BYTES)
    /// bytes are kept of it, the first [`NOTES`](crate::NOTES) different ones are kept, the rest is dropped.
    pub fn note(&self, text: &str) {
        if let Some(words) = self.words() {
            note::add(&words.notes, text);
        }
    }

    /// The notes, each once, in the order in which they were left; control characters are replaced by spaces.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.words().map_or_else(Vec::new, |words| note::read(&words.notes))
    }

    fn words(&self) -> Option<&Words> {
        match self.backing {
            // SAFETY: `at` points to SIZE mapped bytes at the start of a page, live until drop, all of them atomics.
            Backing::Mapped => Some(unsafe { &self.at.cast::<Shared>().as_ref().words }),
            Backing::Boxed => None,
        }
    }

    fn layout(&self) -> &Layout {
        // SAFETY: `at` points to a layout, aligned (page or Box), live until drop, all of it atomics.
        unsafe { self.at.as_ref() }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        match self.backing {
            // SAFETY: this is the mapping that `map` made, of SIZE bytes; rows borrow the table, so none is left.
            Backing::Mapped => unsafe {
                // It fails only for a range that was never mapped.
                let _ = rustix::mm::munmap(self.at.as_ptr().cast(), SIZE);
            },
            // SAFETY: the pointer came from Box::leak in `private` and is freed once.
            Backing::Boxed => drop(unsafe { Box::from_raw(self.at.as_ptr()) }),
        }
    }
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            magic: Default::default(),
            version: AtomicU32::new(0),
            rows: AtomicU32::new(0),
            attached: Counter::default(),
            reserved: [0; 5],
            table: std::array::from_fn(|_| Row::default()),
        }
    }
}

impl Layout {
    /// Writes the header; the magic comes last.
    fn seal(&self) {
        self.version.store(VERSION, Ordering::Relaxed);
        self.rows.store(ROWS as u32, Ordering::Relaxed);
        std::sync::atomic::fence(Ordering::Release);
        crate::claim::store_bytes(&self.magic, MAGIC);
    }

    fn check(&self) -> Result<(), String> {
        if !crate::claim::holds(&self.magic, MAGIC) {
            return Err("it does not start with the word of a counters file".into());
        }
        let (version, rows) = (self.version.load(Ordering::Acquire), self.rows.load(Ordering::Relaxed));
        if version != VERSION || rows as usize != ROWS {
            return Err(format!(
                "layout {version} with {rows} rows, this outboard.so knows layout {VERSION} with {ROWS}"
            ));
        }
        Ok(())
    }
}

/// Gives the file its size with blocks behind it; by writing zeros where the filesystem cannot allocate.
fn allocate(fd: &OwnedFd) -> rustix::io::Result<()> {
    match rustix::fs::fallocate(fd, FallocateFlags::empty(), 0, SIZE as u64) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
            let mut at = 0;
            while at < SIZE {
                match rustix::io::pwrite(fd, &[0; SIZE][at..], at as u64)? {
                    0 => return Err(Errno::NOSPC),
                    n => at += n,
                }
            }
            Ok(())
        }
        other => other,
    }
}

fn map(path: &Path, fd: &OwnedFd) -> Result<Table, Error> {
    let prot = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address of the kernel's choice; the file has SIZE bytes.
    let at = unsafe { rustix::mm::mmap(std::ptr::null_mut(), SIZE, prot, MapFlags::SHARED, fd.as_fd(), 0) }
        .map_err(|e| os(path, "map", e, "point TMPDIR to a local disk or to /dev/shm"))?;
    match NonNull::new(at.cast()) {
        Some(at) => Ok(Table { at, backing: Backing::Mapped }),
        None => Err(os(path, "map", Errno::NOMEM, "raise vm.mmap_min_addr above 0")),
    }
}

fn os(path: &Path, step: &'static str, cause: Errno, advice: &'static str) -> Error {
    Error::Os { path: path.to_owned(), step, cause: cause.into(), advice }
}
