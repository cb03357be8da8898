use crate::counter::Counter;
use crate::layout::{Layout, SIZE, Shared, Words};
use crate::row::{self, Row};
use crate::seed::SeedRow;
use crate::{Counts, Decision, Error, ReasonCounts, SoftwareReason, decision, note};
use rustix::fs::{FallocateFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};
use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::ptr::NonNull;

pub struct Table {
    at: NonNull<Layout>,
    backing: Backing,
}

enum Backing {
    Mapped,
    Boxed,
    Copied,
}

pub const COUNTERS_NAME: &str = "counters";

// SAFETY: the memory belongs to the table until it is dropped and holds only atomics.
unsafe impl Send for Table {}
// SAFETY: as above; every access through a shared reference is atomic.
unsafe impl Sync for Table {}

impl Table {
    /// With mode 0600 for `outboard prove`. Allocates its blocks at once, so that a disk that fills
    /// up later cannot kill a counting process with SIGBUS.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Self::create_with(
            path,
            [
                "point TMPDIR to a directory that you can write",
                "free some space, or point TMPDIR to another disk",
            ],
        )
    }

    /// `advice`: for a file that cannot be created, and for one that cannot be filled.
    fn create_with(path: &Path, advice: [&'static str; 2]) -> Result<Self, Error> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let fd = rustix::fs::open(path, flags, mode).map_err(|e| os(path, "create", e, advice[0]))?;
        let made = allocate(&fd)
            .and_then(|()| rustix::fs::fchmod(&fd, mode))
            .map_err(|e| os(path, "fill", e, advice[1]))
            .and_then(|()| map(path, &fd));
        match made {
            Ok(table) => {
                table.layout().seal();
                Ok(table)
            }
            Err(e) => {
                // An incomplete file is useless. The error that is reported is the first one.
                let _ = rustix::fs::unlink(path);
                Err(e)
            }
        }
    }

    /// For a provider instance, which is counted as attached.
    ///
    /// The file must be a regular file, not a symbolic link, owned by root or by the effective user
    /// of this process, not writable by group or others, and of the expected size, magic and
    /// version. The remaining content is not trusted. The owner is trusted not to truncate the file
    /// while it is mapped, which would end this process with SIGBUS: only root and this user can do
    /// that, and both can end the process anyway.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let refused =
            |e| os(path, "open", e, "check COUNTERS in openssl.cnf: a path that this user may write");
        // NONBLOCK and NOCTTY: opening must neither block nor acquire a controlling terminal,
        // whatever the path refers to.
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

    /// The counters file of a service, `name` in `directory`, created if it is missing: only in a
    /// directory that belongs to the effective user of this process and that no other user may
    /// write, with mode 0600, so that a process of another user can neither read nor replace it.
    pub fn open_in(directory: &Path, name: &OsStr) -> Result<Self, Error> {
        let path = directory.join(name);
        match Self::open(&path) {
            Err(Error::Os { step: "open", cause, .. }) if cause.kind() == std::io::ErrorKind::NotFound => {}
            other => return other,
        }
        let advice = "outboard enable arranges that directory; it exists while the service runs";
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let about = rustix::fs::open(directory, flags, Mode::empty())
            .and_then(|fd| rustix::fs::fstat(&fd))
            .map_err(|e| os(directory, "open", e, advice))?;
        if about.st_uid != rustix::process::geteuid().as_raw() || about.st_mode & 0o022 != 0 {
            let cause = format!("owned by user {}, mode {:04o}", about.st_uid, about.st_mode & 0o7777);
            return Err(Error::NotOurs { path: directory.to_owned(), cause });
        }
        // Complete before it gets its name: another instance may open it at once.
        let mut own = name.to_owned();
        own.push(format!(".{}", rustix::process::getpid().as_raw_nonzero()));
        let own = directory.join(own);
        // Left by a process with this ID that was killed here.
        let _ = rustix::fs::unlink(&own);
        drop(Self::create_with(&own, [advice, advice])?);
        let named = rustix::fs::link(&own, &path);
        let _ = rustix::fs::unlink(&own);
        match named {
            // Another instance was faster.
            Ok(()) | Err(Errno::EXIST) => Self::open(&path),
            Err(e) => Err(os(&path, "create", e, advice)),
        }
    }

    /// The file belongs to a service and is not trusted: it is neither mapped, because its owner
    /// may truncate it, nor followed if it is a link.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let failed = |e| os(path, "read", e, "run this as root, or as the user of the service");
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        // Without O_PATH first, a device would be opened, which may have effects.
        let place = rustix::fs::open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
        let stat = place.and_then(|fd| rustix::fs::fstat(&fd)).map_err(failed)?;
        let is_regular = |mode| FileType::from_raw_mode(mode) == FileType::RegularFile;
        let wrong = |cause: &str| Error::NotOurs { path: path.to_owned(), cause: cause.to_owned() };
        if !is_regular(stat.st_mode) {
            return Err(wrong("not a regular file"));
        }
        let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
        let stat = rustix::fs::fstat(&fd).map_err(failed)?;
        if !is_regular(stat.st_mode) || u64::try_from(stat.st_size).ok() != Some(SIZE as u64) {
            return Err(wrong("not a regular file of the size of a table"));
        }
        let mut bytes = vec![0; SIZE];
        let mut at = 0;
        while at < SIZE {
            match rustix::io::pread(&fd, &mut bytes[at..], at as u64).map_err(failed)? {
                0 => return Err(wrong("it was truncated meanwhile")),
                n => at += n,
            }
        }
        let table = Self::copied(&bytes);
        table.layout().check().map_err(|cause| wrong(&cause))?;
        Ok(table)
    }

    fn copied(bytes: &[u8]) -> Self {
        let shared = Box::<Shared>::new_uninit();
        let at = Box::into_raw(shared).cast::<u8>();
        // SAFETY: `at` has room for SIZE bytes, the size of Shared; `bytes` has as many, and any
        // value of them is a valid value of atomics.
        unsafe { std::ptr::copy_nonoverlapping(bytes[..SIZE].as_ptr(), at, SIZE) };
        // SAFETY: it came from Box::into_raw and is not null.
        let at = unsafe { NonNull::new_unchecked(at) };
        Self { at: at.cast(), backing: Backing::Copied }
    }

    /// Private to this process: decisions and notes are dropped.
    #[must_use]
    pub fn private() -> Self {
        let layout = Box::new(Layout::default());
        layout.seal();
        Self { at: NonNull::from(Box::leak(layout)), backing: Backing::Boxed }
    }

    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.backing, Backing::Mapped)
    }

    /// By its OpenSSL name, at most [`NAME_BYTES`](crate::NAME_BYTES) bytes. `None` if the table is
    /// full, or the name is empty, too long or contains a zero byte.
    #[must_use]
    pub fn row(&self, algorithm: &str) -> Option<&Row> {
        row::find_or_claim(&self.layout().table, algorithm)
    }

    /// A request that software completes, and that is in `row` too, for a reason other than its
    /// length. Does nothing unless the counts are in a file.
    pub fn add_reason(&self, row: &Row, reason: SoftwareReason, bytes: u64) {
        let place = self.layout().table.iter().position(|own| std::ptr::eq(own, row));
        if let (Some(words), Some(place), Some(which)) = (self.words(), place, reason.counter()) {
            let [requests, sum] = &words.reasons[place][which];
            requests.add(1);
            sum.add(bytes);
        }
    }

    /// No part of [`Table::snapshot`]: no request of an application is offloaded.
    #[must_use]
    pub fn seed(&self) -> &SeedRow {
        &self.layout().seed
    }

    /// In the order in which their rows were first requested.
    #[must_use]
    pub fn snapshot(&self) -> Vec<(String, Counts)> {
        let mut all: Vec<(String, Counts)> = Vec::new();
        for (place, row) in self.layout().table.iter().enumerate() {
            let Some(name) = row.name() else { continue };
            let reasons = self.words().map_or_else(ReasonCounts::default, |words| {
                ReasonCounts(words.reasons[place].each_ref().map(|pair| pair.each_ref().map(Counter::get)))
            });
            let counts = Counts { reasons, ..row.counts() };
            match all.iter_mut().find(|(n, _)| *n == name) {
                Some((_, sum)) => *sum += counts,
                None => all.push((name, counts)),
            }
        }
        all
    }

    /// Provider instances, not processes: the child of a fork keeps the mapping of its parent. 0
    /// means that the command never loaded the provider.
    #[must_use]
    pub fn attached(&self) -> u64 {
        self.layout().attached.get()
    }

    /// By the algorithm's OpenSSL name. What is too long is truncated. The table keeps the first
    /// [`DECISIONS`](crate::DECISIONS) different decisions.
    pub fn decide(&self, algorithm: &str, decision: &Decision) {
        if let Some(words) = self.words() {
            decision::add(&words.decisions, algorithm, decision);
        }
    }

    /// An algorithm occurs more than once if provider instances decided differently.
    #[must_use]
    pub fn decisions(&self) -> Vec<(String, Decision)> {
        self.words().map_or_else(Vec::new, |words| decision::read(&words.decisions))
    }

    /// Why no algorithm is offered, or what failed. The table keeps at most
    /// [`NOTE_BYTES`](crate::NOTE_BYTES) bytes of it and the first [`NOTES`](crate::NOTES)
    /// different notes.
    pub fn note(&self, text: &str) {
        if let Some(words) = self.words() {
            note::add(&words.notes, text);
        }
    }

    /// In the order in which they were added, without duplicates.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.words().map_or_else(Vec::new, |words| note::read(&words.notes))
    }

    fn words(&self) -> Option<&Words> {
        match self.backing {
            // SAFETY: `at` points to SIZE bytes, mapped at the start of a page or a boxed Shared,
            // valid until drop, all of them atomics.
            Backing::Mapped | Backing::Copied => Some(unsafe { &self.at.cast::<Shared>().as_ref().words }),
            Backing::Boxed => None,
        }
    }

    fn layout(&self) -> &Layout {
        // SAFETY: `at` points to a layout, aligned (page or Box), valid until drop, all of it
        // atomics.
        unsafe { self.at.as_ref() }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        match self.backing {
            // SAFETY: this is the mapping of SIZE bytes that `map` made. Rows borrow the table, so
            // none exists any more.
            Backing::Mapped => unsafe {
                // Fails only for a range that was never mapped.
                let _ = rustix::mm::munmap(self.at.as_ptr().cast(), SIZE);
            },
            // SAFETY: the pointer came from Box::into_raw in `copied`, filled, and is freed once.
            Backing::Copied => drop(unsafe { Box::from_raw(self.at.cast::<Shared>().as_ptr()) }),
            // SAFETY: the pointer came from Box::leak in `private` and is freed once.
            Backing::Boxed => drop(unsafe { Box::from_raw(self.at.as_ptr()) }),
        }
    }
}

/// Writes zeros if the filesystem does not support fallocate(2).
fn allocate(fd: &OwnedFd) -> rustix::io::Result<()> {
    match rustix::fs::fallocate(fd, FallocateFlags::empty(), 0, SIZE as u64) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
            // As one constant, the zeros would be 100 kB of the provider.
            const STEP: usize = 4096;
            let mut at = 0;
            while at < SIZE {
                match rustix::io::pwrite(fd, &[0; STEP][..STEP.min(SIZE - at)], at as u64)? {
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
    // SAFETY: a new mapping at an address that the kernel chooses; the file has SIZE bytes.
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
