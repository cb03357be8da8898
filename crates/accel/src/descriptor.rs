//! A descriptor that the application may close under us.

use std::io;
use std::mem::zeroed;
use std::os::fd::RawFd;

/// A descriptor, and what fstat(2) said of it when it was made: an application may close descriptors that it
/// does not know (closefrom(3)) and open others under the same numbers, and data must never go to those.
pub struct Descriptor {
    fd: RawFd,
    identity: Identity,
}

/// Device, inode, and for a device node the device that it stands for.
type Identity = (libc::dev_t, libc::ino_t, libc::dev_t);

impl Descriptor {
    /// Takes over what a system call answered: a new descriptor, or a negative number with the error in errno.
    pub fn own(fd: RawFd) -> io::Result<Descriptor> {
        check(fd)?;
        match identity(fd) {
            Ok(identity) => Ok(Descriptor { fd, identity }),
            Err(error) => {
                // SAFETY: the kernel just gave this descriptor to us and nobody else knows it.
                unsafe { libc::close(fd) };
                Err(error)
            }
        }
    }

    /// Its number.
    pub fn fd(&self) -> RawFd {
        self.fd
    }

    /// Makes the number lead where `other` does, if that is another opening of the same file: what was open under it
    /// is closed. Makes no call that a fork's child may not make.
    pub(crate) fn become_another_opening(&self, other: &Descriptor) {
        if self.identity == other.identity && self.is_ours() {
            // SAFETY: the number is ours, as fstat has just shown. Where dup3 fails, it leads where it did.
            unsafe { libc::dup3(other.fd, self.fd, libc::O_CLOEXEC) };
        }
    }

    /// Whether the descriptor still is what was made; an error when that cannot be found out.
    pub fn is_same(&self) -> io::Result<bool> {
        identity(self.fd).map(|now| now == self.identity)
    }

    /// Whether the descriptor still is what was made, as far as can be found out.
    pub(crate) fn is_ours(&self) -> bool {
        self.is_same().is_ok_and(|same| same)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // A number that belongs to the application now must not be closed under it.
        if self.is_ours() {
            // SAFETY: fstat has just shown that the descriptor is the one that was made here.
            unsafe { libc::close(self.fd) };
        }
    }
}

fn identity(fd: RawFd) -> io::Result<Identity> {
    // SAFETY: an all-zero stat is a valid value, and the kernel writes no more than one.
    let mut stat: libc::stat = unsafe { zeroed() };
    // SAFETY: `stat` is writable.
    check(unsafe { libc::fstat(fd, &mut stat) })?;
    Ok((stat.st_dev, stat.st_ino, stat.st_rdev))
}

/// The answer of a system call, or its error.
pub(crate) fn check(returned: libc::c_int) -> io::Result<libc::c_int> {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(returned) }
}

/// Makes a call that moves bytes, and makes it again when a signal came before the first byte.
pub fn again(mut call: impl FnMut() -> libc::ssize_t) -> io::Result<usize> {
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

    /// Where the number stands in its file: that belongs to an opening.
    fn position(descriptor: &Descriptor) -> libc::off_t {
        // SAFETY: a descriptor of this test's own.
        unsafe { libc::lseek(descriptor.fd(), 0, libc::SEEK_CUR) }
    }

    #[test]
    fn a_number_leads_to_another_opening_of_its_file_but_to_no_other_file() {
        let path = c"/proc/self/exe";
        let ours = Descriptor::own(open(path)).expect("this test");
        // SAFETY: a descriptor of this test's own.
        assert_eq!(unsafe { libc::lseek(ours.fd(), 7, libc::SEEK_SET) }, 7);
        ours.become_another_opening(
            &Descriptor::own(open(c"/dev/null")).expect("a device that is everywhere"),
        );
        assert_eq!(position(&ours), 7);
        let fresh = Descriptor::own(open(path)).expect("this test");
        ours.become_another_opening(&fresh);
        assert!(position(&ours) == 0 && ours.is_ours());
        drop(fresh);
        // SAFETY: no pointer is handed over.
        assert_eq!(unsafe { libc::fcntl(ours.fd(), libc::F_GETFD) }, libc::FD_CLOEXEC);
    }

    #[test]
    fn a_number_that_became_something_else_is_neither_ours_nor_closed() {
        let ours = Descriptor::own(open(c"/dev/null")).expect("a device that is everywhere");
        assert!(ours.is_ours());
        let other = open(c"/dev/zero");
        // SAFETY: both numbers are this test's own.
        unsafe { libc::dup2(other, ours.fd()) };
        assert!(!ours.is_ours());
        let number = ours.fd();
        drop(ours);
        // SAFETY: as above. That closing succeeds shows that it was still open.
        assert_eq!(unsafe { (libc::close(number), libc::close(other)) }, (0, 0));
    }
}
