//! NETLINK_CRYPTO: the flags of every driver, which /proc/crypto does not show. No capability is needed. A look-up by
//! name returns the first match, not the one that the kernel would pick, so everything is dumped (crypto/crypto_user.c).

pub mod change;
mod parse;
mod socket;

use crate::flags::Flags;

pub use parse::{Message, parse};
pub use socket::dump;

/// One driver as the kernel reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The driver's own name; the kernel cuts it to 63 bytes here.
    pub name: String,
    /// The kernel module, or `kernel`.
    pub module: String,
    /// The flags.
    pub flags: Flags,
    /// The priority, when reported.
    pub priority: Option<i32>,
}

/// Why the flags could not be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The kernel has no NETLINK_CRYPTO.
    #[error("the kernel module crypto_user is not loaded: as root, `modprobe crypto_user`")]
    NoCryptoUser,
    /// This process may not open the socket.
    #[error("a NETLINK_CRYPTO socket is not allowed here ({0}): a sandbox or container forbids it")]
    NotAllowed(rustix::io::Errno),
    /// Another system call failed.
    #[error("NETLINK_CRYPTO: {call} failed: {errno}")]
    System {
        /// The system call.
        call: &'static str,
        /// Its error.
        errno: rustix::io::Errno,
    },
    /// The kernel answered with an error message.
    #[error("NETLINK_CRYPTO: the kernel refused the dump: {0}")]
    Refused(rustix::io::Errno),
    /// The answer does not follow the protocol.
    #[error("NETLINK_CRYPTO: the answer cannot be understood at byte {at}: {what}")]
    Malformed {
        /// Offset in the datagram, in bytes.
        at: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// More than any kernel registers.
    #[error("NETLINK_CRYPTO: the answer does not end")]
    Endless,
}

/// The record of one driver. Several may share a name (a driver that is being replaced); the module decides then.
pub fn flags_of(records: &[Record], name: &str, module: &str) -> Option<Flags> {
    let wanted = &name.as_bytes()[..name.len().min(parse::NAME - 1)];
    let mut same = records.iter().filter(|r| r.name.as_bytes() == wanted);
    let first = same.next()?;
    if first.module == module {
        return Some(first.flags);
    }
    Some(same.find(|r| r.module == module).unwrap_or(first).flags)
}
