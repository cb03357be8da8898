//! Checks a driver by what IPsec requests from it: packets through a tunnel, one end by the driver and the
//! other by software. Requests are in place, unaligned and in several chunks of memory, many in flight.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_documents::check::CheckVerdict;
use outboard_drivers::Judged;
use rustix::mount::mount_bind;
use rustix::net::{SendFlags, send};

use super::cleaner::Cleaner;
use super::esp::Esp;
use super::ipsec::{KEY_BITS, drivers_of};
use super::keys::random;
use super::network::{Mode, Network};
use crate::stop;

/// Bytes of a packet of IPv4.
const SHORTEST: usize = 64;
const LONGEST: usize = 1500;

/// Headers of IPv4 and UDP.
const HEADERS: usize = 28;

/// Half as many, and so on, where the driver refuses some.
pub const IN_FLIGHT: usize = 64;

/// An MTU for packets of this length in a tunnel.
const MTU: usize = 2000;

/// A packet that did not arrive after this time is lost.
const LOST: Duration = Duration::from_secs(2);

/// The packets that arrived as they were sent, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RightPackets {
    pub packets: u64,
    pub bytes: u64,
}

/// What the driver did wrong; [`CheckVerdict::Unanswered`]: it has not completed requests;
/// [`CheckVerdict::Refuses`]: it has not accepted all of them.
type Fault = (CheckVerdict, String);

/// Sends packets of each length in both directions.
/// Errors: if there can be no tunnel; the inner error: what the driver did wrong.
pub fn check(esp: &Esp, driver: &Judged, cleaner: &mut Cleaner) -> Result<Result<RightPackets, Fault>> {
    let [(None, software), (Some(_), hardware)] = &drivers_of(esp, Some(driver))?[..] else {
        bail!("the kernel has no software for {}", esp.name);
    };
    let mut network = Network::new()?;
    for end in [&network.left, &network.right] {
        end.ip(&format!("link set outboard0 mtu {MTU}\n"))?;
    }
    let ends = [hardware, software].map(String::as_str);
    let [left, right] = network.tunnel(esp, KEY_BITS, Mode::Tunnel, ends, cleaner)?;
    let bind = |address: &str| {
        let socket = UdpSocket::bind((address, 0))?;
        socket.set_read_timeout(Some(LOST))?;
        without_checksum(&socket)?;
        Ok((socket.local_addr()?, socket))
    };
    let (here, left) = network.left.within(|| bind(&left))?;
    let (there, right) = network.right.within(|| bind(&right))?;
    join(&left, there)?;
    join(&right, here)?;
    let mut pattern = vec![0; 2 * LONGEST];
    random(&mut pattern)?;
    let (mut right_ones, mut round) = (RightPackets::default(), 0);
    let lengths: Vec<usize> = (SHORTEST..=LONGEST).collect();
    let (mut rest, mut in_flight) = (&lengths[..], IN_FLIGHT);
    while !rest.is_empty() && !stop::asked() {
        let (lengths, later) = rest.split_at(in_flight.min(rest.len()));
        let mut both = || -> Result<_> {
            // The driver encrypts first: what its queue holds then, it holds for packets that arrive.
            for (from, to) in [(&left, &right), (&right, &left)] {
                if let Err(fault) = window(&network, from, to, lengths, &pattern, &mut round)? {
                    return Ok(Err(fault));
                }
            }
            Ok(Ok(()))
        };
        let fault = match both()? {
            Ok(()) => {
                right_ones.packets += 2 * lengths.len() as u64;
                right_ones.bytes += 2 * lengths.iter().sum::<usize>() as u64;
                rest = later;
                continue;
            }
            Err((CheckVerdict::Refuses, _)) if lengths.len() > 1 => {
                in_flight = lengths.len() / 2;
                continue;
            }
            Err(fault) => fault,
        };
        if fault.0 == CheckVerdict::Unanswered {
            keep(&network);
        } else {
            network.disconnect()?;
        }
        return Ok(Err(fault));
    }
    network.disconnect()?;
    Ok(Ok(right_ones))
}

fn join(socket: &UdpSocket, other: SocketAddr) -> Result<()> {
    socket.connect(other).context("a connection in the tunnel")
}

/// Sends one packet of each length before it receives any. What the machine lost, and not the driver, is
/// sent once more, in another round.
fn window(
    network: &Network,
    from: &UdpSocket,
    to: &UdpSocket,
    lengths: &[usize],
    pattern: &[u8],
    round: &mut u8,
) -> Result<Result<(), Fault>> {
    for is_last in [false, true] {
        *round = round.wrapping_add(1);
        let made = |number: usize| packet(*round, number, lengths[number], pattern);
        let before = network.drops().map_err(|error| anyhow!(error))?;
        for number in 0..lengths.len() {
            transmit(from, &made(number), number).context("a packet")?;
        }
        let mut missing: Vec<usize> = (0..lengths.len()).collect();
        let mut received = vec![0; LONGEST];
        while !missing.is_empty() {
            let size = match to.recv(&mut received) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                size => size?,
            };
            match missing.iter().position(|number| received[..size] == made(*number)) {
                Some(at) => _ = missing.swap_remove(at),
                // Late, of the round before.
                None if received[1] != *round => {}
                None => {
                    let text = format!("a packet of {} bytes arrived with other bytes", size + HEADERS);
                    return Ok(Err((CheckVerdict::Wrong, text)));
                }
            }
        }
        let dropped = network.dropped_since(&before).map_err(|error| anyhow!(error))?;
        let (lost, reasons) = (missing.len(), dropped.reasons);
        let text = format!("{lost} of {} packets in flight were lost", lengths.len());
        match () {
            () if dropped.others > 0 => {
                let text = format!("{text}: IPsec dropped what the other end made ({reasons})");
                return Ok(Err((CheckVerdict::Wrong, text)));
            }
            // Of more packets, half as many are sent next.
            () if dropped.refused > 0 => {
                let text = format!("a packet alone is refused ({reasons})");
                return Ok(Err((CheckVerdict::Refuses, text)));
            }
            () if lost == 0 => return Ok(Ok(())),
            () if is_last => return Ok(Err((CheckVerdict::Unanswered, text))),
            () => {}
        }
    }
    Ok(Ok(()))
}

/// The payload of a packet, which begins with its number and its round.
fn packet(round: u8, number: usize, length: usize, pattern: &[u8]) -> Vec<u8> {
    let mut data = pattern[number..number + length - HEADERS].to_vec();
    data[..2].copy_from_slice(&[number as u8, round]);
    data
}

/// Packets with wrong bytes arrive too.
fn without_checksum(socket: &UdpSocket) -> io::Result<()> {
    let (on, size) = (1_i32, size_of::<i32>() as libc::socklen_t);
    let value = std::ptr::from_ref(&on).cast();
    // SAFETY: `value` is readable for `size` bytes, and the descriptor is open.
    match unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_NO_CHECK, value, size) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Every other packet is made of three parts, which the kernel keeps in different places of memory.
fn transmit(socket: &UdpSocket, data: &[u8], number: usize) -> io::Result<()> {
    let (first, rest) = data.split_at(if number % 2 == 0 { 0 } else { 1 + data.len() / 3 });
    let (second, third) = rest.split_at(first.len() / 2);
    for (part, flags) in [(first, SendFlags::MORE), (second, SendFlags::MORE), (third, SendFlags::empty())] {
        if !part.is_empty() {
            send(socket, part, flags)?;
        }
    }
    Ok(())
}

/// The driver has packets that refer to these namespaces: they stay until a restart.
fn keep(network: &Network) {
    for (end, name) in [(&network.left, "left"), (&network.right, "right")] {
        let place = format!("/run/outboard-check-{}-{name}", std::process::id());
        if std::fs::write(&place, "").is_ok() {
            let _ = mount_bind(end.path(), &place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_has_its_length_and_arrives_in_one_piece() {
        let [from, to] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        join(&from, to.local_addr().unwrap()).unwrap();
        without_checksum(&from).unwrap();
        let pattern: Vec<u8> = (0..2 * LONGEST).map(|at| (at % 251) as u8).collect();
        for (number, length) in [(0, SHORTEST), (1, SHORTEST), (2, LONGEST), (63, LONGEST)] {
            let sent = packet(7, number, length, &pattern);
            assert_eq!((sent.len() + HEADERS, &sent[..2]), (length, &[number as u8, 7][..]));
            transmit(&from, &sent, number).unwrap();
            let mut received = vec![0; LONGEST];
            let size = to.recv(&mut received).unwrap();
            assert_eq!(received[..size], sent);
        }
    }
}
