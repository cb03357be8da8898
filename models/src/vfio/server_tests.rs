//! The server against a client: what QEMU sends, and what no client should send.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use super::payload::{ERROR, HEADER, Header, MOST, NO_REPLY, REPLY, words};
use super::socket::Socket;
use super::*;

/// A device with 64 bytes of memory.
struct Plain([u8; 64]);

impl Device for Plain {
    fn identity(&self) -> Identity {
        Identity { id: (0x1234, 0x5678), class: 0x10_8000, bars: [64, 0, 0, 0, 0, 0], wiring: Wiring::Pin }
    }
    fn read(&mut self, _: usize, at: usize, data: &mut [u8]) {
        data.copy_from_slice(&self.0[at..at + data.len()]);
    }
    fn write(&mut self, _: usize, at: usize, data: &[u8], _: &Memory) {
        self.0[at..at + data.len()].copy_from_slice(data);
    }
    fn signal(&mut self) -> Signal {
        Signal::default()
    }
    fn deadline(&self) -> Option<Instant> {
        None
    }
    fn tick(&mut self, _: &Memory) {}
    fn reset(&mut self) {
        self.0 = [0; 64];
    }
}

/// Sends `bytes`, closes the connection, and returns the result of the server and what it sent.
fn converse(bytes: &[u8]) -> (std::io::Result<()>, Vec<u8>) {
    let (mut client, server) = UnixStream::pair().expect("a socket pair");
    let bytes = bytes.to_vec();
    let client = std::thread::spawn(move || {
        let _ = client.write_all(&bytes);
        client.shutdown(std::net::Shutdown::Write).expect("shutdown");
        let mut received = Vec::new();
        let _ = client.read_to_end(&mut received);
        received
    });
    let mut device = Plain([0; 64]);
    let result = Server::new(Socket::new(server), &mut device).run();
    (result, client.join().expect("the client's bytes"))
}

fn command(command: u16, payload: &[u8]) -> Vec<u8> {
    Header { id: 7, command, size: 0, flags: 0, error: 0 }.message(payload)
}

/// The reply of one command: its error and its payload.
fn reply_of(number: u16, payload: &[u8]) -> (u32, Vec<u8>) {
    let (result, bytes) = converse(&command(number, payload));
    result.expect("the connection stays open");
    let header = Header::parse(bytes[..HEADER].try_into().expect("a header"));
    assert_eq!((header.id, header.command, header.size as usize), (7, number, bytes.len()));
    assert_eq!(header.flags & REPLY, REPLY);
    assert_eq!(header.flags & ERROR != 0, header.error != 0);
    (header.error, bytes[HEADER..].to_vec())
}

fn access(at: u64, region: u32, len: u32, data: &[u8]) -> Vec<u8> {
    [&at.to_le_bytes()[..], &words(&[region, len]), data].concat()
}

const EINVAL: u32 = 22;

#[test]
fn the_device_describes_itself() {
    assert_eq!(reply_of(1, &words(&[0])).0, 0);
    assert_ne!(reply_of(1, &[1, 0, 0, 0]).0, 0, "another major version");
    assert_eq!(reply_of(4, &[0; 16]).1, words(&[16, 3, 9, 5]));
    assert_eq!(reply_of(5, &words(&[32, 0, 0, 0])).1, words(&[32, 3, 0, 0, 64, 0, 0, 0]));
    assert_eq!(reply_of(5, &words(&[32, 0, 99, 0])).1, words(&[32, 0, 99, 0, 0, 0, 0, 0]));
    assert_eq!(reply_of(7, &words(&[16, 0, 0, 0])).1, words(&[16, 7, 0, 1]));
    assert_eq!(reply_of(9, &access(0, 7, 4, &[])).1[16..], [0x34, 0x12, 0x78, 0x56]);
}

#[test]
fn a_register_that_was_written_is_read_until_a_reset() {
    let write = command(10, &access(8, 0, 4, &[1, 2, 3, 4]));
    let read = command(9, &access(8, 0, 4, &[]));
    let reset = command(13, &[]);
    let (result, bytes) = converse(&[write, read.clone(), reset, read].concat());
    result.expect("no error");
    let (first, last) = (2 * (HEADER + 16), bytes.len() - 4);
    assert_eq!(bytes[first..first + 4], [1, 2, 3, 4]);
    assert_eq!(bytes[last..], [0; 4]);
}

#[test]
fn accesses_beyond_a_region_are_refused() {
    for (at, region, len) in [
        (64, 0, 1),
        (61, 0, 4),
        (u64::MAX, 0, 4),
        (u64::MAX - 3, 0, 4),
        (0, 0, 0),
        (0, 0, u32::MAX),
        (0, 1, 4),
        (0, 8, 4),
        (0, u32::MAX, 4),
        (253, 7, 4),
    ] {
        assert_eq!(reply_of(9, &access(at, region, len, &[])).0, EINVAL, "read {at} {region} {len}");
        assert_eq!(reply_of(10, &access(at, region, len, &[0; 4])).0, EINVAL, "write {at} {region} {len}");
    }
    assert_eq!(reply_of(10, &access(0, 0, 8, &[0; 4])).0, EINVAL, "less data than announced");
}

#[test]
fn a_payload_that_is_cut_short_is_refused_by_every_command() {
    for number in [1, 2, 3, 5, 7, 8, 9, 10] {
        for len in 0..4 {
            assert_eq!(reply_of(number, &vec![0xff; len]).0, EINVAL, "command {number} with {len} bytes");
        }
    }
}

#[test]
fn an_unknown_command_is_refused_and_the_next_one_served() {
    let (result, bytes) = converse(&[command(77, &[]), command(4, &[0; 16])].concat());
    result.expect("no error");
    assert_eq!(bytes.len(), HEADER + HEADER + 16);
}

#[test]
fn a_size_that_cannot_be_true_ends_the_connection() {
    for size in [0, 15, (HEADER + MOST + 1) as u32, u32::MAX] {
        let mut message = command(4, &[0; 16]);
        message[4..8].copy_from_slice(&size.to_le_bytes());
        assert!(converse(&message).0.is_err(), "{size}");
    }
}

#[test]
fn a_connection_that_ends_inside_a_message_ends_the_server() {
    let message = command(10, &access(8, 0, 4, &[1, 2, 3, 4]));
    for len in 0..message.len() {
        converse(&message[..len]).0.expect("an end of the connection is not an error");
    }
}

#[test]
fn messages_of_random_bytes_end_in_a_reply_or_an_error() {
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32
    };
    for _ in 0..2000 {
        let payload: Vec<u8> = (0..random() % 64).map(|_| random() as u8).collect();
        let mut message = command((random() % 20) as u16, &payload);
        if random() % 4 == 0 {
            let at = random() as usize % message.len();
            message[at] = random() as u8;
        }
        let _ = converse(&message);
    }
}

#[test]
fn a_command_without_reply_gets_none() {
    let header = Header { id: 1, command: 10, size: 0, flags: NO_REPLY, error: 0 };
    assert_eq!(converse(&header.message(&access(0, 0, 1, &[1]))).1, []);
}

#[test]
fn memory_is_mapped_within_its_file_only() {
    let file = || rustix::fs::memfd_create("memory", rustix::fs::MemfdFlags::CLOEXEC).expect("a file");
    let sized = || {
        let file = file();
        rustix::fs::ftruncate(&file, 8192).expect("a size");
        file
    };
    let mut memory = Memory::default();
    assert!(memory.map(Some(file()), 0, 0x1000, 4096).is_err(), "an empty file");
    assert!(memory.map(Some(sized()), 4096, 0x1000, 8192).is_err(), "beyond the end");
    assert!(memory.map(Some(sized()), u64::MAX, 0x1000, 8192).is_err());
    assert!(memory.map(Some(sized()), 0, u64::MAX, 8192).is_err());
    assert!(memory.map(Some(sized()), 0, 0x1000, 0).is_err());
    memory.map(Some(sized()), 4096, 0x1000, 4096).expect("a mapping");
    assert!(memory.map(Some(sized()), 0, 0x1fff, 4096).is_err(), "over an existing one");
    memory.map(None, 0, 0x8000, 4096).expect("registers of another device");
    assert!(memory.write(0x1ffe, &[1, 2]));
    let mut read = [0; 2];
    assert!(memory.read(0x1ffe, &mut read));
    assert_eq!(read, [1, 2]);
    for address in [0xfff, 0x1fff, 0x8000, u64::MAX] {
        assert!(!memory.read(address, &mut read), "{address:#x}");
    }
    memory.unmap(0, 0x1800);
    assert!(memory.read(0x1000, &mut read), "the range contains half of the window");
    memory.unmap(0x1000, 0x1000);
    assert!(!memory.read(0x1000, &mut read));
}
