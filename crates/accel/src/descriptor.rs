use std::io;
use std::mem::zeroed;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// A descriptor, with its identity as fstat(2) reported it at first. An application may close
/// descriptors that it did not open (closefrom(3)) and open other files under the same numbers, to
/// which data must never be written.
pub struct Descriptor {
    fd: RawFd,
    identity: FileIdentity,
    /// It was found to refer to another opening, even if that is of the same file.
    is_lost: AtomicBool,
}

/// An application that has closed its standard input, output or error expects errors when it uses
/// them, or files of its own under their numbers.
const LOWEST: RawFd = 3;

/// Two descriptors with the same one refer to the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// `S_IFREG`, `S_IFCHR`, ...
    pub kind: libc::mode_t,
    pub device: u64,
    pub inode: u64,
    /// For a device node, the number of its device.
    node: u64,
}

impl Descriptor {
    /// Takes ownership of the result of a system call: a new descriptor, or a negative number with
    /// the error in errno. It gets another number if it has that of a standard file.
    pub fn own(fd: RawFd) -> io::Result<Descriptor> {
        let fd = above_standard_files(check(fd)?)?;
        match FileIdentity::of(fd) {
            Ok(identity) => Ok(Descriptor { fd, identity, is_lost: AtomicBool::new(false) }),
            Err(error) => {
                // SAFETY: the kernel has just returned this descriptor, and no other code has its
                // number.
                unsafe { libc::close(fd) };
                Err(error)
            }
        }
    }

    pub fn fd(&self) -> RawFd {
        self.fd
    }

    /// Makes the number refer to the open file of `other`, if both are openings of the same file.
    /// Calls only functions that are permitted in the child of a fork.
    pub(crate) fn become_another_opening(&self, other: &Descriptor) {
        if self.identity == other.identity && self.is_ours() {
            other.replace(self.fd);
        }
    }

    /// Makes `fd`, a descriptor of this module, refer to this open file, if its own has the same
    /// identity. Permitted as above.
    pub(crate) fn replace(&self, fd: RawFd) {
        if FileIdentity::of(fd).is_ok_and(|identity| identity == self.identity) {
            // SAFETY: fstat has just shown that the number is not that of another kind of file. If
            // dup3 fails, it keeps its file.
            unsafe { libc::dup3(self.fd, fd, libc::O_CLOEXEC) };
        }
    }

    /// Fails with the error of fstat(2).
    pub fn is_same(&self) -> io::Result<bool> {
        if self.is_lost.load(Ordering::Relaxed) {
            return Ok(false);
        }
        FileIdentity::of(self.fd).map(|now| now == self.identity)
    }

    /// The same file may be opened again under the number.
    pub(crate) fn lose(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.is_same().is_ok_and(|same| same)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // A number that now belongs to the application must not be closed.
        if self.is_ours() {
            // SAFETY: fstat has just shown that the descriptor is the one created here.
            unsafe { libc::close(self.fd) };
        }
    }
}

impl FileIdentity {
    #[cfg(target_pointer_width = "64")]
    pub fn of(fd: RawFd) -> io::Result<FileIdentity> {
        // SAFETY: an all-zero stat is a valid value, and the kernel writes no more than one.
        let mut stat: libc::stat = unsafe { zeroed() };
        // SAFETY: `stat` is writable.
        check(unsafe { libc::fstat(fd, &mut stat) })?;
        let kind = stat.st_mode & libc::S_IFMT;
        Ok(FileIdentity { kind, device: stat.st_dev, inode: stat.st_ino, node: stat.st_rdev })
    }

    /// By statx(2): the fstat(2) of 32-bit C libraries fails with EOVERFLOW if a time of the file
    /// is after 2038 or its inode number has more than 32 bits. musl has no function for it before
    /// version 1.2.5.
    #[cfg(target_pointer_width = "32")]
    pub fn of(fd: RawFd) -> io::Result<FileIdentity> {
        // SAFETY: an all-zero statx is a valid value, and the kernel writes no more than one.
        let mut file: libc::statx = unsafe { zeroed() };
        let wanted = libc::STATX_INO | libc::STATX_TYPE;
        let (path, flags) = (c"".as_ptr(), libc::AT_EMPTY_PATH);
        // SAFETY: the path ends with NUL, and `file` is writable.
        check(unsafe { libc::syscall(libc::SYS_statx, fd, path, flags, wanted, &raw mut file) })?;
        Ok(FileIdentity {
            kind: libc::mode_t::from(file.stx_mode) & libc::S_IFMT,
            device: libc::makedev(file.stx_dev_major, file.stx_dev_minor),
            inode: file.stx_ino,
            node: libc::makedev(file.stx_rdev_major, file.stx_rdev_minor),
        })
    }

    /// A virtual or serial one, the console, or a pseudoterminal (the kernel's
    /// Documentation/admin-guide/devices.txt). Sandboxes may not allow the ioctl(2) of isatty(3).
    pub fn is_terminal(&self) -> bool {
        self.kind == libc::S_IFCHR && matches!(libc::major(self.node), 4 | 5 | 136..=143)
    }
}

fn above_standard_files(fd: RawFd) -> io::Result<RawFd> {
    if fd >= LOWEST {
        return Ok(fd);
    }
    // SAFETY: no pointer is passed; the kernel has just returned the descriptor, and no other code
    // has its number.
    unsafe {
        let above = check(libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, LOWEST));
        libc::close(fd);
        above
    }
}

pub(crate) fn check(returned: libc::c_int) -> io::Result<libc::c_int> {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(returned) }
}

/// While a signal interrupts the call before the first byte (EINTR). Returns the number of bytes.
pub fn retry_interrupted(mut call: impl FnMut() -> libc::ssize_t) -> io::Result<usize> {
    loop {
        if let Ok(moved) = usize::try_from(call()) {
            return Ok(moved);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &std::ffi::CStr) -> RawFd {
        // SAFETY: the path ends with NUL.
        unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) }
    }

    #[test]
    fn a_file_of_the_year_2106_has_an_identity() {
        use std::os::fd::IntoRawFd;
        let path = std::env::temp_dir().join(format!("outboard-descriptor-{}", std::process::id()));
        let file = std::fs::File::create(&path).expect("a temporary file");
        std::fs::remove_file(&path).expect("the file just created");
        let later = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1 << 32);
        file.set_modified(later).expect("a file system with 64-bit times");
        assert!(Descriptor::own(file.into_raw_fd()).expect("fstat").is_ours());
    }

    /// The file offset, which belongs to the open file description.
    fn position(descriptor: &Descriptor) -> libc::off_t {
        // SAFETY: the descriptor belongs to this test.
        unsafe { libc::lseek(descriptor.fd(), 0, libc::SEEK_CUR) }
    }

    #[test]
    fn a_number_leads_to_another_opening_of_its_file_but_to_no_other_file() {
        let path = c"/proc/self/exe";
        let ours = Descriptor::own(open(path)).expect("this test");
        // SAFETY: the descriptor belongs to this test.
        assert_eq!(unsafe { libc::lseek(ours.fd(), 7, libc::SEEK_SET) }, 7);
        ours.become_another_opening(
            &Descriptor::own(open(c"/dev/null")).expect("a device that is everywhere"),
        );
        assert_eq!(position(&ours), 7);
        let fresh = Descriptor::own(open(path)).expect("this test");
        ours.become_another_opening(&fresh);
        assert!(position(&ours) == 0 && ours.is_ours());
        drop(fresh);
        // SAFETY: no pointer is passed.
        assert_eq!(unsafe { libc::fcntl(ours.fd(), libc::F_GETFD) }, libc::FD_CLOEXEC);
    }

    #[test]
    fn a_number_that_is_lost_is_not_closed() {
        let ours = Descriptor::own(open(c"/dev/null")).expect("a device that is everywhere");
        ours.lose();
        assert!(!ours.is_ours());
        let number = ours.fd();
        drop(ours);
        // SAFETY: the number belongs to this test. A successful close shows that it was still open.
        assert_eq!(unsafe { libc::close(number) }, 0);
    }

    #[test]
    fn no_descriptor_gets_the_number_of_a_standard_file() {
        // SAFETY: the child closes its own descriptors, opens one file and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above.
            unsafe {
                libc::close(0);
                libc::close(1);
                libc::close(2);
            }
            let ours = Descriptor::own(open(c"/dev/null"));
            // SAFETY: no pointer is passed.
            let is_free = |fd| unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0;
            let is_right = ours.is_ok_and(|ours| ours.fd() >= LOWEST && ours.is_ours());
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(i32::from(!(is_right && (0..LOWEST).all(is_free)))) };
        }
        let mut status = 0;
        // SAFETY: waits for the child forked above.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }

    #[test]
    fn a_number_that_became_something_else_is_neither_ours_nor_closed() {
        let ours = Descriptor::own(open(c"/dev/null")).expect("a device that is everywhere");
        assert!(ours.is_ours());
        let other = open(c"/dev/zero");
        // SAFETY: both numbers belong to this test.
        unsafe { libc::dup2(other, ours.fd()) };
        assert!(!ours.is_ours());
        let number = ours.fd();
        drop(ours);
        // SAFETY: as above. A successful close shows that the number was still open.
        assert_eq!(unsafe { (libc::close(number), libc::close(other)) }, (0, 0));
    }
}
