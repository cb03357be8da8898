//! Queries the running kernel.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::netlink::{CRYPTO, SocketAddrNetlink};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};

use super::parse::{ALG, GETALG, HEADER, Message, parse};
use super::{Error, Record};

/// A datagram of a dump has at most 64 KiB (a limit of crypto_user_rcv_msg). One more page detects
/// a longer one.
const DATAGRAM: usize = (64 << 10) + 4096;
const MOST_RECORDS: usize = 20_000;
const SEQUENCE: u32 = 1;
const REQUEST_DUMP: u16 = 0x0001 | 0x0300; // NLM_F_REQUEST | NLM_F_DUMP

/// Opens a socket whose receive timeout is half a second.
pub(super) fn open() -> Result<OwnedFd, Error> {
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, Some(CRYPTO))
        .map_err(|errno| match errno {
            Errno::PROTONOSUPPORT | Errno::AFNOSUPPORT => Error::NoCryptoUser,
            Errno::ACCESS | Errno::PERM => Error::NotAllowed(errno),
            errno => Error::System { call: "socket", errno },
        })?;
    set_socket_timeout(&socket, Timeout::Recv, Some(Duration::from_millis(500)))
        .map_err(|errno| Error::System { call: "setsockopt", errno })?;
    Ok(socket)
}

/// All drivers of the running kernel in the order of its list. Waits at most half a second for each
/// datagram.
pub fn dump() -> Result<Vec<Record>, Error> {
    let socket = open()?;
    let system = |call| move |errno| Error::System { call, errno };
    sendto(&socket, &request(), SendFlags::empty(), &SocketAddrNetlink::new(0, 0))
        .map_err(system("sendto"))?;

    let mut buffer = vec![0; DATAGRAM];
    let mut records = Vec::new();
    loop {
        let (length, _) = match recv(&socket, &mut buffer[..], RecvFlags::TRUNC) {
            Err(Errno::INTR) => continue,
            other => other.map_err(system("recv"))?,
        };
        let datagram =
            buffer.get(..length).ok_or(Error::Malformed { at: DATAGRAM, what: "too long a datagram" })?;
        if datagram.is_empty() {
            return Err(Error::Malformed { at: 0, what: "an empty datagram" });
        }
        for message in parse(datagram, SEQUENCE)? {
            match message {
                Message::Driver(record) => records.push(record),
                Message::Done => return Ok(records),
            }
        }
        if records.len() > MOST_RECORDS {
            return Err(Error::Endless);
        }
    }
}

fn request() -> Vec<u8> {
    let length = HEADER + ALG;
    let mut request = vec![0; length];
    request[0..4].copy_from_slice(&(length as u32).to_ne_bytes());
    request[4..6].copy_from_slice(&GETALG.to_ne_bytes());
    request[6..8].copy_from_slice(&REQUEST_DUMP.to_ne_bytes());
    request[8..12].copy_from_slice(&SEQUENCE.to_ne_bytes());
    request
}
