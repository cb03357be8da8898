//! What can fail between a caller and a driver, and what to do about it.

use std::io;

use outboard_drivers::reach::tags_unchecked;

/// An error of an [`Accelerator`](crate::Accelerator) or a [`Session`](crate::Session).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The interface is not there at all.
    #[error("{interface} is not available ({source}): {advice}")]
    NoInterface {
        /// `AF_ALG`
        interface: &'static str,
        /// What to do.
        advice: &'static str,
        /// The system call's error.
        source: io::Error,
    },
    /// The interface is there, but does not lead to this driver.
    #[error("{interface} does not reach driver {driver} ({source}): {reason}")]
    Unreachable {
        /// `AF_ALG`
        interface: &'static str,
        /// The driver's name in `/proc/crypto`.
        driver: String,
        /// Why, and what to do.
        reason: String,
        /// The system call's error.
        source: io::Error,
    },
    /// The driver did not take the key. Many devices have room for a few hundred keys only.
    #[error("driver {driver} took no further key ({source}): its key memory may be full")]
    KeyRefused {
        /// The driver's name in `/proc/crypto`.
        driver: String,
        /// The system call's error.
        source: io::Error,
    },
    /// The driver is allowed, but absent: its device was unplugged or unbound, or is not there yet.
    #[error(
        "driver {driver} is not there now ({source}): is its device bound, and does /proc/crypto list it?"
    )]
    Away {
        /// The driver's name in `/proc/crypto`.
        driver: String,
        /// The system call's error.
        source: io::Error,
    },
    /// A request failed.
    #[error("{call} on driver {driver}: {source}")]
    Request {
        /// The system call.
        call: &'static str,
        /// The driver's name in `/proc/crypto`.
        driver: String,
        /// The system call's error.
        source: io::Error,
    },
    /// A request came back with the wrong length.
    #[error("driver {driver} answered {got} bytes of {wanted}")]
    Short {
        /// The driver's name in `/proc/crypto`.
        driver: String,
        /// Bytes that came.
        got: usize,
        /// Bytes that were asked for.
        wanted: usize,
    },
    /// The application closed the descriptor (closefrom(3)), and may have opened another file under
    /// its number.
    #[error("the application closed the descriptor of the session with driver {driver}")]
    DescriptorLost {
        /// The driver's name in `/proc/crypto`.
        driver: String,
    },
    /// The driver cannot export the state of a message, so a message must fit one request.
    #[error("driver {driver} cannot keep the state of a message ({source})")]
    NoState {
        /// The driver's name in `/proc/crypto`.
        driver: String,
        /// The system call's error.
        source: io::Error,
    },
    /// The state of a message belongs to the process that began it.
    #[error(
        "the state of a message with driver {driver} belongs to the process that this one was forked from"
    )]
    Forked {
        /// The driver's name in `/proc/crypto`.
        driver: String,
    },
    /// The driver is not known to refuse forged tags.
    #[error("{}", tags_unchecked(.driver))]
    TagsUnchecked {
        /// The driver's name in `/proc/crypto`.
        driver: String,
    },
    /// The tag of the ciphertext is wrong: a valid result, not a failure of the driver.
    #[error("driver {driver} says that the tag is wrong")]
    Forged {
        /// The driver's name in `/proc/crypto`.
        driver: String,
    },
    /// The request does not fit the session: an error of the caller, not of the driver.
    #[error(
        "a request of {len} bytes with an IV of {iv_len} bytes does not fit {algorithm}, at most {max} bytes"
    )]
    Misfit {
        /// Bytes of input.
        len: usize,
        /// Bytes of IV.
        iv_len: usize,
        /// The kernel's name.
        algorithm: &'static str,
        /// The session's longest request in bytes.
        max: usize,
    },
    /// More requests at once than the session accepts: an error of the caller.
    #[error("a batch of {count} requests where {max} is the most")]
    Batch {
        /// How many there were.
        count: usize,
        /// How many there may be.
        max: usize,
    },
    /// The memory for requests is used up for now.
    #[error("{interface} has no room for another request to driver {driver} ({source})")]
    NoRoom {
        /// `/dev/outboard`
        interface: &'static str,
        /// The driver's name in `/proc/crypto`.
        driver: String,
        /// The system call's error.
        source: io::Error,
    },
}

impl Error {
    /// Whether a resource is exhausted or absent for now: key memory, room for requests, the device
    /// itself. That is no fault, and software handles the request.
    pub fn is_scarcity(&self) -> bool {
        matches!(self, Error::KeyRefused { .. } | Error::NoRoom { .. } | Error::Away { .. })
    }

    /// Whether the device is absent, so that open sessions are lost.
    pub fn is_away(&self) -> bool {
        matches!(self, Error::Away { .. })
    }
}
