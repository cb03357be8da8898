//! The messages of a dump: struct nlmsghdr (linux/netlink.h), struct crypto_user_alg and its
//! attributes (linux/cryptouser.h). Every length is checked before it is used.

use rustix::io::Errno;

use super::{Error, Record};
use crate::flags::Flags;

/// CRYPTO_MAX_NAME: bytes of a name in a message, with its NUL.
pub(super) const NAME: usize = 64;
/// sizeof(struct crypto_user_alg): three names, then type, mask, refcnt, flags.
pub(super) const ALG: usize = 3 * NAME + 4 * 4;
/// sizeof(struct nlmsghdr).
pub(super) const HEADER: usize = 16;
pub(super) const GETALG: u16 = 0x13;

pub(super) const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
pub(super) const PRIORITY_VAL: u16 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    Driver(Record),
    Done,
}

/// The messages of one datagram that reply to request `sequence`; others are skipped. Fails with
/// `Refused` for an error message of the kernel, and with `Malformed`.
pub fn parse(datagram: &[u8], sequence: u32) -> Result<Vec<Message>, Error> {
    let mut messages = Vec::new();
    let mut at = 0;
    while at < datagram.len() {
        let rest = &datagram[at..];
        let malformed = |what| Error::Malformed { at, what };
        let length = u32_at(rest, 0).ok_or(malformed("a header is cut"))? as usize;
        let kind = u16_at(rest, 4).ok_or(malformed("a header is cut"))?;
        let answers = u32_at(rest, 8).ok_or(malformed("a header is cut"))?;
        if length < HEADER {
            return Err(malformed("a length below the header's"));
        }
        let body = rest.get(HEADER..length).ok_or(malformed("a length beyond the datagram"))?;
        if answers == sequence {
            match kind {
                NLMSG_DONE => messages.push(Message::Done),
                NLMSG_ERROR => {
                    let code = u32_at(body, 0).ok_or(malformed("an error without a number"))?;
                    let code = (code as i32).checked_neg().unwrap_or(0);
                    return Err(Error::Refused(Errno::from_raw_os_error(code.clamp(1, 4095))));
                }
                GETALG => messages.push(Message::Driver(driver(body).ok_or(malformed("a driver is cut"))?)),
                _ => {}
            }
        }
        at = at.saturating_add(align(length));
    }
    Ok(messages)
}

fn driver(body: &[u8]) -> Option<Record> {
    let head = body.get(..ALG)?;
    let name = |index: usize| text(&head[index * NAME..(index + 1) * NAME]);
    let mut record =
        Record { name: name(1), module: name(2), flags: Flags(u32_at(head, 3 * NAME + 12)?), priority: None };
    let mut attributes = &body[ALG..];
    while attributes.len() >= 4 {
        let length = usize::from(u16_at(attributes, 0)?);
        let kind = u16_at(attributes, 2)? & 0x3fff; // without the nested and byte-order bits
        let value = attributes.get(4..length)?;
        if kind == PRIORITY_VAL {
            record.priority = u32_at(value, 0).map(|v| v as i32);
        }
        attributes = attributes.get(align(length)..).unwrap_or_default();
    }
    Some(record)
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|b| *b == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn align(length: usize) -> usize {
    length.saturating_add(3) & !3
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(kind: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
        let mut m = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
        m.extend(kind.to_ne_bytes());
        m.extend([0; 2]);
        m.extend(sequence.to_ne_bytes());
        m.extend([0; 4]);
        m.extend(body);
        m.resize(align(m.len()), 0);
        m
    }

    fn alg(name: &str, flags: u32) -> Vec<u8> {
        let mut body = vec![0; ALG];
        for (index, text) in ["cbc(aes)", name, "virtio_crypto"].into_iter().enumerate() {
            body[index * NAME..index * NAME + text.len()].copy_from_slice(text.as_bytes());
        }
        body[3 * NAME + 12..ALG].copy_from_slice(&flags.to_ne_bytes());
        body.extend(8u16.to_ne_bytes());
        body.extend(PRIORITY_VAL.to_ne_bytes());
        body.extend(150u32.to_ne_bytes());
        body.extend((4 + NAME as u16).to_ne_bytes());
        body.extend(4u16.to_ne_bytes());
        let mut kind = b"skcipher".to_vec();
        kind.resize(NAME, 0);
        body.extend(kind);
        body
    }

    #[test]
    fn a_dump_is_read() {
        let mut data = message(GETALG, 7, &alg("virtio_crypto_aes_cbc", 0x1_0485));
        data.extend(message(GETALG, 6, &alg("of another request", 0)));
        data.extend(message(NLMSG_DONE, 7, &[0; 4]));
        let expected = Record {
            name: "virtio_crypto_aes_cbc".into(),
            module: "virtio_crypto".into(),
            flags: Flags(0x1_0485),
            priority: Some(150),
        };
        assert_eq!(parse(&data, 7).unwrap(), [Message::Driver(expected), Message::Done]);
    }

    #[test]
    fn wrong_lengths_are_errors_and_refusals_carry_their_errno() {
        let good = message(GETALG, 7, &alg("x", 0));
        assert!(matches!(parse(&good[..good.len() - 4], 7), Err(Error::Malformed { at: 0, .. })));
        assert!(matches!(parse(&[0; 16], 0), Err(Error::Malformed { .. })));
        assert!(matches!(parse(&message(GETALG, 7, &[0; 8]), 7), Err(Error::Malformed { .. })));
        let refused = message(NLMSG_ERROR, 7, &(-1i32).to_ne_bytes());
        assert_eq!(parse(&refused, 7), Err(Error::Refused(Errno::PERM)));
        let zero_attribute = message(GETALG, 7, &[alg("x", 0), vec![0; 4]].concat());
        assert!(parse(&zero_attribute, 7).is_err());
    }

    proptest! {
        #[test]
        fn any_datagram_is_survived(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = parse(&bytes, 0);
        }

        #[test]
        fn a_damaged_dump_is_survived(at in 0usize..300, byte in any::<u8>()) {
            let mut data = message(GETALG, 7, &alg("virtio_crypto_aes_cbc", 5));
            let at = at % data.len();
            data[at] = byte;
            let _ = parse(&data, 7);
        }
    }
}
