//! /dev/hwrng: opened, found again, read without waiting for ever.

use std::ffi::CStr;
use std::io;
use std::ptr::null_mut;

use outboard_accel::descriptor::Descriptor;

use crate::failure::Failure;

/// Names the generator behind /dev/hwrng (Documentation/admin-guide/hw_random.rst).
const CURRENT: &CStr = c"/sys/class/misc/hw_random/rng_current";
/// What it says when there is none.
const NONE: &[u8; 5] = b"none\n";

/// How long to sleep when the device has nothing, in milliseconds. /dev/hwrng has no poll of its own: poll(2) always calls
/// it readable.
const NAP: libc::c_int = 1;

/// So many looks at the device may one seed take, start-up test included: ten seconds when each finds nothing.
pub(crate) const PATIENCE: u32 = 10_000;

/// The open device.
pub(crate) struct Device(Descriptor);

/// Whether the kernel says that there is no generator. A chroot has its device and no /sys: reading will tell.
pub(crate) fn has_no_generator() -> bool {
    let mut name = [0; NONE.len()];
    open(CURRENT).and_then(|current| current.read(&mut name, &mut 1)).is_ok() && name == *NONE
}

impl Device {
    pub(crate) fn open() -> Result<Device, Failure> {
        open(c"/dev/hwrng")
    }

    /// Whether the application has left us the descriptor.
    pub(crate) fn is_ours(&self) -> bool {
        match self.0.is_same() {
            Ok(same) => same,
            // OpenSSH's sandbox answers so to fstat(2), and lets nothing be opened in the place of what was closed.
            Err(error) => error.raw_os_error() == Some(libc::EACCES),
        }
    }

    /// Fills `out`; takes the looks that it needs off `patience`, and fails when there are none left.
    pub(crate) fn read(&self, out: &mut [u8], patience: &mut u32) -> Result<(), Failure> {
        let wanted = out.len();
        let mut rest = out;
        while !rest.is_empty() {
            let Some(left) = patience.checked_sub(1) else {
                return Err(Failure::Slow { got: wanted - rest.len(), wanted });
            };
            *patience = left;
            // SAFETY: the kernel writes no more than the length.
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

    /// Something else to read from, without waiting.
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

/// By poll(2), which sandboxes allow. A signal makes it shorter, and that is all.
fn nap() {
    // SAFETY: no descriptors, so no pointer is followed.
    unsafe { libc::poll(null_mut(), 0, NAP) };
}
