//! /dev/hwrng.

use std::ffi::CStr;
use std::io;
use std::ptr::null_mut;

use outboard_accel::descriptor::Descriptor;

use crate::failure::Failure;

/// The name of the generator (Documentation/admin-guide/hw_random.rst).
const CURRENT: &CStr = c"/sys/class/misc/hw_random/rng_current";
const NONE: &[u8; 5] = b"none\n";

/// Milliseconds of sleep if the device has no data: poll(2) always reports it as readable.
const POLL_INTERVAL: libc::c_int = 1;

/// Reads for one seed, including the start-up test: ten seconds if none returns data.
pub(crate) const MAX_ATTEMPTS: u32 = 10_000;

pub(crate) struct Device(Descriptor);

/// A chroot may have the device but no /sys: then a read shows it.
pub(crate) fn has_no_generator() -> bool {
    let mut name = [0; NONE.len()];
    open(CURRENT).and_then(|current| current.read(&mut name, &mut 1)).is_ok() && name == *NONE
}

impl Device {
    pub(crate) fn open() -> Result<Device, Failure> {
        open(c"/dev/hwrng")
    }

    pub(crate) fn is_ours(&self) -> bool {
        match self.0.is_same() {
            Ok(same) => same,
            // In OpenSSH's sandbox fstat(2) fails with this error, and no other file can be opened
            // under the number of a closed descriptor.
            Err(error) => error.raw_os_error() == Some(libc::EACCES),
        }
    }

    /// Decrements `patience` for each read, and fails when it is exhausted.
    pub(crate) fn read(&self, out: &mut [u8], patience: &mut u32) -> Result<(), Failure> {
        let wanted = out.len();
        let mut rest = out;
        while !rest.is_empty() {
            let Some(left) = patience.checked_sub(1) else {
                return Err(Failure::Slow { got: wanted - rest.len(), wanted });
            };
            *patience = left;
            // SAFETY: the kernel writes at most the length.
            let got = unsafe { libc::read(self.0.fd(), rest.as_mut_ptr().cast(), rest.len()) };
            match usize::try_from(got) {
                Ok(0) => return Err(Failure::Ended),
                Ok(got) => rest = rest.get_mut(got..).unwrap_or_default(),
                Err(_) => match Failure::from(io::Error::last_os_error()) {
                    Failure::Io(libc::EAGAIN) => nap(),
                    Failure::Io(libc::EINTR) => {}
                    failure => return Err(failure),
                },
            }
        }
        Ok(())
    }

    /// Another file to read from; its descriptor must not block.
    #[cfg(test)]
    pub(crate) fn from_fd(fd: libc::c_int) -> Device {
        Device(Descriptor::own(fd).expect("a descriptor of a test"))
    }
}

#[inline(never)]
fn open(path: &CStr) -> Result<Device, Failure> {
    let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
    // SAFETY: the path ends with NUL.
    let fd = unsafe { libc::open(path.as_ptr(), flags) };
    Ok(Device(Descriptor::own(fd)?))
}

/// By poll(2), which sandboxes allow. A signal only shortens the sleep.
fn nap() {
    // SAFETY: there are no descriptors, so no pointer is dereferenced.
    unsafe { libc::poll(null_mut(), 0, POLL_INTERVAL) };
}
