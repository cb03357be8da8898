//! NETLINK_CRYPTO: the flags of every driver, which /proc/crypto does not show. It needs no
//! capability. A query by name returns the first match, not the driver that the kernel would
//! select, so all drivers are dumped (crypto/crypto_user.c).

pub mod change;
mod parse;
mod socket;
mod trial;

use std::collections::HashMap;

use crate::flags::Flags;
use crate::proc_crypto::MOST_DRIVERS;

pub use parse::{Message, parse};
pub use socket::dump;
pub use trial::TrialInstances;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The driver's own name; the kernel truncates it to 63 bytes here.
    pub name: String,
    /// The kernel module, or `kernel`.
    pub module: String,
    pub flags: Flags,
    pub priority: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "the kernel module crypto_user is not loaded: as root, `modprobe crypto_user` (on OpenWrt install kmod-crypto-user)"
    )]
    NoCryptoUser,
    #[error("a NETLINK_CRYPTO socket is not allowed here ({0}): a sandbox or container forbids it")]
    NotAllowed(rustix::io::Errno),
    #[error("NETLINK_CRYPTO: {call} failed: {errno}")]
    System { call: &'static str, errno: rustix::io::Errno },
    #[error("NETLINK_CRYPTO: the kernel refused the dump: {0}")]
    Refused(rustix::io::Errno),
    #[error("NETLINK_CRYPTO: the answer cannot be understood at byte {at}: {what}")]
    Malformed {
        /// Offset in the datagram, in bytes.
        at: usize,
        what: &'static str,
    },
    #[error("NETLINK_CRYPTO: the answer does not end")]
    Endless,
}

/// The name under which a bundle keeps the records ([`crate::root::Root::answer`]).
pub(crate) const ANSWER: &str = "crypto-flags";

/// Writes records as lines `NAME|MODULE|FLAGS|PRIORITY`, flags in hexadecimal digits.
pub(crate) fn to_text(records: &[Record]) -> String {
    let line = |record: &Record| {
        let priority = record.priority.map(|priority| priority.to_string()).unwrap_or_default();
        format!("{}|{}|{:x}|{priority}\n", record.name, record.module, record.flags.0)
    };
    records.iter().map(line).collect()
}

/// Reads the lines of [`to_text`]; skips others.
pub(crate) fn from_text(text: &str) -> Vec<Record> {
    let record = |line: &str| {
        let mut fields = line.rsplitn(4, '|');
        let priority = fields.next()?.parse().ok();
        let flags = Flags(u32::from_str_radix(fields.next()?, 16).ok()?);
        let module = fields.next()?.to_owned();
        Some(Record { name: fields.next()?.to_owned(), module, flags, priority })
    };
    text.lines().filter_map(record).take(MOST_DRIVERS).collect()
}

pub struct ByName<'r>(HashMap<&'r [u8], Vec<&'r Record>>);

impl<'r> ByName<'r> {
    pub fn new(records: &'r [Record]) -> Self {
        let mut by_name: HashMap<&[u8], Vec<&Record>> = HashMap::new();
        for record in records {
            by_name.entry(record.name.as_bytes()).or_default().push(record);
        }
        Self(by_name)
    }

    /// The flags of one driver. Several records may share a name (a driver that is being replaced);
    /// then the one of `module` is used.
    pub fn flags_of(&self, name: &str, module: &str) -> Option<Flags> {
        let wanted = &name.as_bytes()[..name.len().min(parse::NAME - 1)];
        let same = self.0.get(wanted)?;
        same.iter().find(|record| record.module == module).or(same.first()).map(|record| record.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_a_bundle() {
        let records = [("authenc(hmac(sha1),cbc(aes))", Some(300)), ("a|b", None)].map(|(name, priority)| {
            Record { name: name.into(), module: "kernel".into(), flags: Flags(0x1_0480), priority }
        });
        assert_eq!(from_text(&to_text(&records)), records);
        assert!(from_text("damaged\na|b|zz|1\n").is_empty());
    }
}
