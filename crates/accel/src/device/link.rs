//! The open device: one descriptor for all drivers of the process, and the arenas mapped from it.

use std::io;
use std::os::fd::RawFd;
use std::ptr::null_mut;
use std::sync::Mutex;

use outboard_catalog::families;
use outboard_uapi as uapi;

use super::arena::Arena;
use super::keyed::KeyParts;
use super::refusal;
use super::region::Region;
use crate::Wiped;
use crate::descriptor::{Descriptor, retry_interrupted};
use crate::fork_mark::ForkMark;
use crate::memory::{Shared, try_box};
use crate::sync::{AtomicPtr, AtomicU32, Ordering};

/// Of a process. Requests for which they have no room are computed in software.
pub(super) const ARENAS: usize = 16;

const TRIES: usize = 16;

/// 2^32 divided by the golden ratio: scatters numbers that lie close together.
const SCATTER: u32 = 0x9e37_79b1;

/// Milliseconds between two looks at the requests of a thread that has lost the descriptor.
const POLL_INTERVAL: libc::c_int = 1;

/// The child of a fork keeps using the inherited descriptor, which works in sandboxes and after
/// privileges were dropped, but it has neither the mappings nor the sessions of its parent.
pub(super) struct Link {
    device: Descriptor,
    pub(super) mark: ForkMark,
    /// Forks between opening the device and this process.
    generation: AtomicU32,
    numbers: AtomicU32,
    /// Null until first needed. Without a lock, which a fork could leave held.
    arenas: [AtomicPtr<Arena>; ARENAS],
}

/// Shared by all drivers of the process: descriptors of their own could not be told apart after
/// closefrom(3), when one is opened again under the number of another. The lock is only tried: a
/// fork may leave it held in the child.
static SHARED: Mutex<Option<Shared<Link>>> = Mutex::new(None);

impl Link {
    /// Opens the device if there is no link, or if the application has closed its descriptor. While
    /// another thread does that, the caller gets a link of its own.
    pub(super) fn shared() -> io::Result<Shared<Link>> {
        let Ok(mut shared) = SHARED.try_lock() else { return Link::of_its_own() };
        if let Some(link) = &*shared {
            if link.is_ours() {
                return Ok(link.clone());
            }
            // Before another opening can get its number.
            link.device.lose();
        }
        let link = Link::of_its_own()?;
        *shared = Some(link.clone());
        Ok(link)
    }

    pub(super) fn of_its_own() -> io::Result<Shared<Link>> {
        Shared::try_new(Link::open()?).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))
    }

    pub(super) fn close_unused() {
        let Ok(mut shared) = SHARED.try_lock() else { return };
        if shared.as_ref().is_some_and(Shared::has_one_owner) {
            *shared = None;
        }
    }

    fn open() -> io::Result<Link> {
        let path = c"/dev/outboard";
        debug_assert_eq!(path.to_str(), Ok(uapi::DEVICE));
        // SAFETY: the path ends with NUL.
        let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        Ok(Link {
            device: Descriptor::own(fd)?,
            mark: ForkMark::new()?,
            generation: AtomicU32::new(0),
            numbers: AtomicU32::new(random()),
            arenas: Default::default(),
        })
    }

    pub(super) fn is_ours(&self) -> bool {
        match self.device.is_same() {
            Ok(same) => same,
            // In OpenSSH's sandbox fstat(2) fails with this error.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => self.responds_as_device(),
            Err(_) => false,
        }
    }

    /// To poll(2) the device is writable for normal data only, while an eventfd, a timer and an
    /// epoll instance do not name a kind of data, and a socket is writable for priority data too.
    /// It refuses a write of zero bytes with EINVAL; for files and pipes that has no effect.
    fn responds_as_device(&self) -> bool {
        let events = libc::POLLOUT | libc::POLLWRNORM | libc::POLLWRBAND;
        let mut poll = libc::pollfd { fd: self.device.fd(), events, revents: 0 };
        // SAFETY: one entry, readable and writable.
        let is_polled = unsafe { libc::poll(&mut poll, 1, 0) } == 1;
        is_polled
            && poll.revents == libc::POLLOUT | libc::POLLWRNORM
            && self.write(&[]).is_err_and(|error| error.raw_os_error() == Some(libc::EINVAL))
    }

    /// A session of another generation belongs to an ancestor process.
    pub(super) fn generation(&self) -> u32 {
        self.mark.settle(|| {
            // The mappings are not inherited. The memory that describes them is leaked: regions may
            // refer to it.
            self.arenas.iter().for_each(|arena| arena.store(null_mut(), Ordering::Relaxed));
            self.numbers.fetch_xor(std::process::id().wrapping_mul(SCATTER), Ordering::Relaxed);
            self.generation.fetch_add(1, Ordering::Relaxed);
        });
        self.generation.load(Ordering::Relaxed)
    }

    /// Maps another arena if necessary. Fails with EMFILE if all arenas are full.
    pub(super) fn allocate(link: &Shared<Link>, units: u32) -> io::Result<Region> {
        let generation = link.generation();
        for place in &link.arenas {
            let mut at = place.load(Ordering::Acquire);
            if at.is_null() {
                let arena = try_box(Arena::map(link.device.fd(), || link.is_ours())?);
                let arena = arena.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))?;
                let mapped = Box::into_raw(arena);
                at = match place.compare_exchange(at, mapped, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => mapped,
                    Err(earlier) => {
                        // SAFETY: another thread was first, so no other code has seen this arena.
                        drop(unsafe { Box::from_raw(mapped) });
                        earlier
                    }
                };
            }
            // SAFETY: an arena, once stored, lives until the link is dropped, and the region holds
            // the link.
            let arena = unsafe { &*at };
            arena.reclaim();
            if let Some(first) = arena.units.take(units) {
                return Ok(Region::new(Shared::clone(link), generation, at, first, units));
            }
        }
        Err(io::Error::from_raw_os_error(libc::EMFILE))
    }

    /// This process chooses the number, but so does every other one that inherited the descriptor.
    pub(super) fn new_session(&self, driver: u16, algorithm: u16, parts: KeyParts<'_>) -> io::Result<u32> {
        const HEAD: usize = size_of::<uapi::SessionRecord>();
        let KeyParts { bytes: key, tag } = parts;
        self.generation();
        if key.len() > uapi::MAX_KEY || tag > uapi::MAX_TAG {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        let mut bytes = Wiped::new([0; HEAD + uapi::MAX_KEY]);
        bytes[HEAD..HEAD + key.len()].copy_from_slice(key);
        self.numbered(|session| {
            let record = uapi::SessionRecord {
                op: uapi::SESSION_NEW,
                session,
                algorithm,
                driver,
                key_size: key.len() as u16,
                tag_size: tag as u8,
                ..uapi::SessionRecord::default()
            };
            bytes[..HEAD].copy_from_slice(as_bytes(&record));
            self.write(&bytes[..HEAD + key.len()])
        })
    }

    /// Fails with EEXIST after [`TRIES`] numbers.
    fn numbered(&self, mut make: impl FnMut(u32) -> io::Result<()>) -> io::Result<u32> {
        for _ in 0..TRIES {
            // 0 is no valid number.
            let number = self.numbers.fetch_add(1, Ordering::Relaxed).max(1);
            match make(number) {
                Ok(()) => return Ok(number),
                // The process that uses this number also uses those that follow.
                Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {
                    self.numbers.fetch_add(SCATTER, Ordering::Relaxed);
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::from_raw_os_error(libc::EEXIST))
    }

    pub(super) fn free_session(&self, session: u32) {
        let record =
            uapi::SessionRecord { op: uapi::SESSION_FREE, session, ..uapi::SessionRecord::default() };
        if self.is_ours() {
            // A session that has already ended needs no action.
            let _ = self.write(as_bytes(&record));
        }
    }

    /// It can be used through this descriptor alone, until that is closed.
    pub(super) fn try_driver(&self, driver: &str) -> io::Result<()> {
        let bounds = families::bounds(driver);
        let mut record = uapi::Try {
            op: uapi::TRY,
            flags: if bounds.one_direction { uapi::ONE_DIRECTION } else { 0 },
            max_length: bounds.length,
            max_requests: bounds.requests,
            reserved: 0,
            name: [0; uapi::NAME_SIZE],
        };
        // Zero stays at its end.
        let Some(name) = record.name[..uapi::NAME_SIZE - 1].get_mut(..driver.len()) else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        name.copy_from_slice(driver.as_bytes());
        self.write(as_bytes(&record))
    }

    /// With `wait`, blocks until all of the slots are complete.
    pub(super) fn ring(&self, arena: u32, first: u32, count: u32, wait: bool) -> io::Result<()> {
        let flags = if wait { uapi::WAIT } else { 0 };
        let record = uapi::Submit { op: uapi::SUBMIT, flags, arena, first, count };
        self.write(as_bytes(&record)).map_err(|error| self.error_of_record(error))
    }

    /// If the arena does not exist, the number of the descriptor refers to another opening of the
    /// device: then the link is lost, and its sessions are gone, as those of a removed device.
    fn error_of_record(&self, error: io::Error) -> io::Error {
        match error.raw_os_error() {
            Some(libc::ETIMEDOUT) => refusal::late(),
            Some(libc::ENOENT) => {
                self.device.lose();
                io::Error::from_raw_os_error(libc::ENODEV)
            }
            _ => error,
        }
    }

    /// Fails if the driver exceeds the module's timeout.
    pub(super) fn wait(&self, arena: u32, first: u32, count: u32) -> io::Result<()> {
        if self.is_ours() {
            let record = uapi::Submit { op: uapi::AWAIT, flags: 0, arena, first, count };
            return self.write(as_bytes(&record)).or_else(|error| match self.error_of_record(error) {
                // The mapping remains, and results still arrive.
                lost if lost.raw_os_error() == Some(libc::ENODEV) => Ok(()),
                other => Err(other),
            });
        }
        // The application closed the descriptor. The mapping remains, and results still arrive.
        // SAFETY: the array of pollfd is empty, so nothing is read or written.
        unsafe { libc::poll(null_mut(), 0, POLL_INTERVAL) };
        Ok(())
    }

    pub(super) fn notify(&self, arena: u32, slot: u32, event: RawFd) -> io::Result<()> {
        if !self.is_ours() {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        // NOTIFY passes the eventfd in `count`.
        let count = event as u32;
        self.write(as_bytes(&uapi::Submit { op: uapi::NOTIFY, flags: 0, arena, first: slot, count }))
    }

    fn write(&self, record: &[u8]) -> io::Result<()> {
        // The test's module returns at once from what waits.
        #[cfg(all(test, loom))]
        loom::thread::yield_now();
        // SAFETY: the record is readable for its length.
        retry_interrupted(|| unsafe { libc::write(self.device.fd(), record.as_ptr().cast(), record.len()) })
            .map(drop)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // In a child, removes the arenas that are not mapped there.
        self.generation();
        for place in &self.arenas {
            let at = place.load(Ordering::Relaxed);
            if !at.is_null() {
                // SAFETY: it came from a box of this process, and no region is left, since each
                // holds the link.
                drop(unsafe { Box::from_raw(at) });
            }
        }
    }
}

/// The records of outboard_uapi, which have no padding.
trait Record {}
impl Record for uapi::SessionRecord {}
impl Record for uapi::Submit {}
impl Record for uapi::Try {}

fn as_bytes<R: Record>(record: &R) -> &[u8] {
    // SAFETY: these structures have no padding (a test adds up their fields), so each byte is
    // initialised.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(record).cast(), size_of::<R>()) }
}

/// A first number that another opening of the device is unlikely to use, in case our descriptor
/// refers to that.
fn random() -> u32 {
    let mut bytes = [0; 4];
    // SAFETY: `bytes` is writable for its length. If the call fails, the process ID makes the
    // number differ.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), libc::GRND_NONBLOCK) };
    u32::from_ne_bytes(bytes) ^ std::process::id().wrapping_mul(SCATTER)
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs::File;
    use std::mem::ManuallyDrop;
    use std::os::fd::FromRawFd;
    use std::os::unix::fs::FileExt;

    use super::*;
    use crate::device::mapping::tests::GOOD;
    use crate::device::units::UNITS;

    /// The number of the arena.
    pub(in crate::device) const NUMBER: u32 = 7;

    /// Where the mapping begins in the file, in pages: one for each unit.
    const MAPPED: usize = UNITS as usize;

    /// Length of the mapping in bytes, and some more. The records follow.
    const LONG: usize = 1 << 20;

    /// A file in the place of the device. It has the header of an arena, and what is written to it.
    pub(in crate::device) struct Module {
        pub(in crate::device) link: Shared<Link>,
        file: ManuallyDrop<File>,
        /// Where the records begin.
        records: u64,
    }

    pub(in crate::device) fn module() -> Module {
        // SAFETY: the name ends with NUL.
        let fd =
            unsafe { libc::memfd_create(c"module".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        let device = Descriptor::own(fd).expect("a file in memory");
        // SAFETY: the descriptor of the link, which the module keeps and which closes it.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(device.fd()) });
        // SAFETY: no pointer is passed.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let records = (MAPPED * page + LONG) as u64;
        file.set_len(records).expect("memory");
        let header = uapi::Arena { arena: NUMBER, ..GOOD };
        // SAFETY: plain numbers without padding.
        let bytes = unsafe {
            std::slice::from_raw_parts(std::ptr::from_ref(&header).cast(), size_of::<uapi::Arena>())
        };
        file.write_all_at(bytes, (MAPPED * page) as u64).expect("memory");
        // SAFETY: no pointer is passed.
        assert_eq!(unsafe { libc::fcntl(device.fd(), libc::F_SETFL, libc::O_APPEND) }, 0);
        let (mark, generation) = (ForkMark::new().expect("memory"), AtomicU32::new(0));
        let link = Link { device, mark, generation, numbers: AtomicU32::new(1), arenas: Default::default() };
        Module { link: Shared::try_new(link).expect("memory"), file, records }
    }

    impl Module {
        /// Refuses all further records.
        pub(in crate::device) fn refuse(&self) {
            // SAFETY: no pointer is passed.
            let sealed = unsafe { libc::fcntl(self.link.device.fd(), libc::F_ADD_SEALS, libc::F_SEAL_GROW) };
            assert_eq!(sealed, 0);
        }

        /// Operation, arena, first slot and count of each record for slots.
        pub(in crate::device) fn records(&self) -> Vec<(u16, u32, u32, u32)> {
            let end = self.file.metadata().expect("a file").len();
            let mut bytes = vec![0; (end - self.records) as usize];
            self.file.read_exact_at(&mut bytes, self.records).expect("a file");
            let number = |at: &[u8]| u32::from_ne_bytes(at.try_into().expect("four bytes"));
            let record = |record: &[u8]| {
                let op = u16::from_ne_bytes([record[0], record[1]]);
                (op, number(&record[4..8]), number(&record[8..12]), number(&record[12..16]))
            };
            bytes.chunks(size_of::<uapi::Submit>()).map(record).collect()
        }
    }
}
