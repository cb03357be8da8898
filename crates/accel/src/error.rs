//! What can fail between a caller and a driver, and what to do about it.

use std::borrow::Cow;
use std::ffi::CStr;
use std::fmt;
use std::io;
use std::sync::Arc;

use outboard_drivers::reach::{limits_kept_elsewhere, tags_unchecked};

/// In `/proc/crypto`. An error gets a reference to it, so that a failure needs no memory.
pub type DriverName = Arc<str>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{interface} is not available ({}): {advice}", Cause(.source))]
    NoInterface { interface: &'static str, advice: &'static str, source: io::Error },
    /// The interface is available, but does not lead to this driver.
    #[error("{interface} does not reach driver {driver} ({}): {reason}", Cause(.source))]
    Unreachable { interface: &'static str, driver: DriverName, reason: Cow<'static, str>, source: io::Error },
    #[error("{driver} is refused: known to be wrong")]
    KnownWrong { driver: DriverName },
    #[error("{interface}: {}", limits_kept_elsewhere(.driver))]
    ModuleOnly { interface: &'static str, driver: DriverName },
    /// The driver rejected the key. Many devices have memory for only a few hundred keys.
    #[error("driver {driver} accepted no further key ({}): its key memory may be full", Cause(.source))]
    KeyRefused { driver: DriverName, source: io::Error },
    /// Its device was removed or unbound, or has not appeared yet.
    #[error(
        "driver {driver} is not there now ({}): is its device bound, and does /proc/crypto list it?",
        Cause(.source)
    )]
    Away { driver: DriverName, source: io::Error },
    #[error("{call} on driver {driver}: {}", Cause(.source))]
    Request { call: &'static str, driver: DriverName, source: io::Error },
    /// Within the time limit of the interface. It may still do so.
    #[error("driver {driver} has not completed a request in time")]
    Unanswered { driver: DriverName },
    /// The module refused the request, since the engine completes none (docs/uapi.md).
    #[error("the engine of driver {driver} has stopped: outboard status says what to do")]
    Stopped { driver: DriverName },
    /// A request returned the wrong number of bytes.
    #[error("driver {driver} answered {got} bytes of {wanted}")]
    Short { driver: DriverName, got: usize, wanted: usize },
    /// The application closed it (closefrom(3)), and may have opened another file under its number.
    #[error("the application closed the descriptor of the session with driver {driver}")]
    DescriptorLost { driver: DriverName },
    #[error("a request to driver {driver} belongs to the process that this one was forked from")]
    Forked { driver: DriverName },
    #[error("{}", tags_unchecked(.driver))]
    TagsUnchecked { driver: DriverName },
    /// The tag of the ciphertext is wrong: a valid result, not a failure of the driver.
    #[error("driver {driver} reports that the tag is wrong")]
    Forged { driver: DriverName },
    /// The request does not fit the session: a caller error, not a driver error.
    #[error(
        "a request of {len} bytes with an IV of {iv_len} bytes does not fit {algorithm}, at most {max} bytes"
    )]
    Misfit {
        len: usize,
        iv_len: usize,
        algorithm: &'static str,
        /// The session's longest request in bytes.
        max: usize,
    },
    #[error("a batch of {count} requests where {max} is the most")]
    Batch { count: usize, max: usize },
    #[error("{interface} has no room for another request to driver {driver} ({})", Cause(.source))]
    NoRoom { interface: &'static str, driver: DriverName, source: io::Error },
    #[error("no memory")]
    NoMemory,
}

/// Writes an error as its `Display` does. That allocates memory for the text of an errno.
pub struct Cause<'a>(pub &'a io::Error);

impl fmt::Display for Cause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(code) = self.0.raw_os_error() else { return self.0.fmt(f) };
        let mut room = [0; 128];
        // SAFETY: `room` is writable for its length.
        let known = unsafe { libc::strerror_r(code, room.as_mut_ptr(), room.len()) } == 0;
        // SAFETY: strerror_r has written a string that ends within `room`.
        let text = known.then(|| unsafe { CStr::from_ptr(room.as_ptr()) }.to_str().ok()).flatten();
        write!(f, "{} (os error {code})", text.unwrap_or("unknown error"))
    }
}

impl Error {
    /// Key memory, request memory, the memory of the process, the device itself or its engine is
    /// exhausted or absent for now. Software processes the request.
    pub fn is_scarcity(&self) -> bool {
        matches!(
            self,
            Error::KeyRefused { .. }
                | Error::NoRoom { .. }
                | Error::Away { .. }
                | Error::NoMemory
                | Error::Stopped { .. }
        )
    }

    /// The child of a fork does not have the memory of its parent's request.
    pub fn is_of_parent(&self) -> bool {
        self.is_request_with(libc::ECHILD)
    }

    pub fn is_timeout_of_driver(&self) -> bool {
        self.is_request_with(libc::ETIMEDOUT)
    }

    /// Whether the engine did not process the request, whichever time limit showed it.
    pub fn is_without_answer(&self) -> bool {
        matches!(self, Error::Unanswered { .. } | Error::Stopped { .. }) || self.is_timeout_of_driver()
    }

    fn is_request_with(&self, errno: i32) -> bool {
        matches!(self, Error::Request { source, .. } if source.raw_os_error() == Some(errno))
    }

    pub fn is_away(&self) -> bool {
        matches!(self, Error::Away { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_written_as_the_standard_library_does() {
        for code in [libc::ENODEV, libc::EMFILE, libc::EINVAL] {
            let source = io::Error::from_raw_os_error(code);
            assert_eq!(Cause(&source).to_string(), source.to_string());
        }
        assert_eq!(Cause(&io::Error::other("text")).to_string(), "text");
    }
}
