//! Why no random numbers are available, and the next step.

use std::fmt;
use std::io;

use outboard_accel::Cause;

use crate::device::MAX_ATTEMPTS;
use crate::health::Fault;

#[derive(Clone, Copy, Debug)]
pub enum Failure {
    Io(i32),
    NoGenerator,
    /// A real device never does.
    Ended,
    /// Within the maximum number of reads.
    Slow {
        got: usize,
        wanted: usize,
    },
    Unhealthy(Fault),
    WasUnhealthy,
    Uninstantiated,
    /// The requested entropy does not fit the requested number of bytes.
    TooLittleRoom {
        bits: u64,
        bytes: usize,
    },
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error.raw_os_error().unwrap_or_default())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Io(errno) => {
                let error = io::Error::from_raw_os_error(*errno);
                let error = Cause(&error);
                write!(
                    f,
                    "/dev/hwrng: {error}: may this process read it, and is the generator's driver there?"
                )
            }
            Failure::NoGenerator => {
                f.write_str("/dev/hwrng has no generator (rng_current is none): is a driver loaded?")
            }
            Failure::Ended => f.write_str("/dev/hwrng gives no more bytes: is it the kernel's device?"),
            Failure::Slow { got, wanted } => write!(
                f,
                "/dev/hwrng gave {got} of {wanted} bytes in {MAX_ATTEMPTS} attempts: is the generator stuck, or do others use \
                 it up?"
            ),
            Failure::Unhealthy(fault) => write!(
                f,
                "/dev/hwrng is not random: {fault}. It is not used again: see to the device, or lower HWRNG_ENTROPY if \
                 that is what it is known for"
            ),
            Failure::WasUnhealthy => f.write_str("/dev/hwrng failed a health test before"),
            Failure::Uninstantiated => f.write_str("not instantiated"),
            Failure::TooLittleRoom { bits, bytes } => {
                write!(f, "{bits} bits of entropy do not go into {bytes} bytes with this HWRNG_ENTROPY")
            }
        }
    }
}
