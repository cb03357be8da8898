//! The bytes of a message: bounds are checked here and nowhere else.

use rustix::io::Errno;

/// The number of bytes in front of each message's payload.
pub const HEADER: usize = 16;
/// The largest payload that this server accepts: more than any command that QEMU sends to a device
/// without migration.
pub const MOST: usize = 64 << 10;

/// Flag: the message is a reply.
pub const REPLY: u32 = 1;
/// Flag: the sender expects no reply.
pub const NO_REPLY: u32 = 1 << 4;
/// Flag: the command failed.
pub const ERROR: u32 = 1 << 5;

/// The first 16 bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub id: u16,
    pub command: u16,
    pub size: u32,
    pub flags: u32,
    pub error: u32,
}

impl Header {
    pub fn parse(bytes: &[u8; HEADER]) -> Header {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Header {
            id: u16::from_le_bytes([bytes[0], bytes[1]]),
            command: u16::from_le_bytes([bytes[2], bytes[3]]),
            size: word(4),
            flags: word(8),
            error: word(12),
        }
    }

    /// The length of the payload, if the size can be true.
    pub fn payload(&self) -> Option<usize> {
        (self.size as usize).checked_sub(HEADER).filter(|len| *len <= MOST)
    }

    /// The message with this header.
    pub fn message(&self, payload: &[u8]) -> Vec<u8> {
        let mut bytes = self.id.to_le_bytes().to_vec();
        bytes.extend(self.command.to_le_bytes());
        for word in [(HEADER + payload.len()) as u32, self.flags, self.error] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(payload);
        bytes
    }
}

/// The fields of a payload. A field beyond its end is an error of the client.
#[derive(Clone, Copy)]
pub struct Payload<'a>(pub &'a [u8]);

impl<'a> Payload<'a> {
    pub fn bytes(self, at: usize, len: usize) -> Result<&'a [u8], Errno> {
        at.checked_add(len).and_then(|end| self.0.get(at..end)).ok_or(Errno::INVAL)
    }

    pub fn u32(self, at: usize) -> Result<u32, Errno> {
        Ok(self.bytes(at, 4)?.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    pub fn u64(self, at: usize) -> Result<u64, Errno> {
        Ok(self.bytes(at, 8)?.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
    }
}

/// A reply of 32-bit words.
pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
