//! A command (hifn_base_command_t, hifn_crypt_command_t): words of 16 bits, then key and IV. What
//! follows the IV is ignored.

use crate::block::{Cipher, Direction, crypt};
use crate::faults::Failure;

/// The base command: the operation in the upper three bits (hifn_write_command, hifn_readramaddr),
/// and the units that it uses (HIFN_BASE_CMD_*; padding and compression are Linux's).
const OPERATION_AT: u32 = 13;
const ENCODE: u32 = 0;
const DECODE: u32 = 1;
const UNITS: u32 = 0xf00;
const CRYPT: u32 = 0x800;
/// The bits of the command of a cipher (HIFN_CRYPT_CMD_*).
const ALGORITHM: u32 = 3;
const DES: u32 = 0;
const TRIPLE_DES: u32 = 1;
const AES: u32 = 3;
const MODE: u32 = 0x18;
const ECB: u32 = 0;
const CBC: u32 = 0x8;
const KEY_SIZE_AT: u32 = 9;
const NEW_KEY: u32 = 1 << 11;
const NEW_IV: u32 = 1 << 12;
/// The result says that the destination was too short (HIFN_BASE_RES_DSTOVERRUN of Linux).
const DSTOVERRUN: u16 = 0x200;

#[derive(Debug)]
pub(super) struct Command {
    /// The number of bytes of the source and of the destination.
    pub(super) source: usize,
    pub(super) destination: usize,
    direction: Direction,
    cipher: Cipher,
    /// The bytes of the source that are not encrypted, and the number of those that are.
    skip: usize,
    count: usize,
    key: Vec<u8>,
    iv: Option<Vec<u8>>,
}

impl Command {
    pub(super) fn parse(bytes: &[u8]) -> Result<Command, Failure> {
        let (base, rest) = bytes.split_at_checked(8).ok_or(Failure::Wrong)?;
        let [masks, session, source, destination] = words(base);
        let direction = match masks >> OPERATION_AT {
            ENCODE => Direction::Encrypt,
            DECODE => Direction::Decrypt,
            _ => return Err(Failure::Unsupported),
        };
        if masks & UNITS != CRYPT {
            return Err(Failure::Unsupported);
        }
        let (of_cipher, rest) = rest.split_at_checked(8).ok_or(Failure::Wrong)?;
        let [masks, skip, count, _] = words(of_cipher);
        let (cipher, key_len, iv_len) = match masks & ALGORITHM {
            DES => (Cipher::Des, 8, 8),
            TRIPLE_DES => (Cipher::Des, 24, 8),
            AES => {
                let len = [16, 24, 32].get((masks >> KEY_SIZE_AT & 3) as usize).ok_or(Failure::Wrong)?;
                (Cipher::Aes, *len, 16)
            }
            _ => return Err(Failure::Unsupported),
        };
        // Without a new key or IV those of the context memory are used.
        let needed = match masks & MODE {
            ECB => NEW_KEY,
            CBC => NEW_KEY | NEW_IV,
            _ => return Err(Failure::Unsupported),
        };
        if masks & needed != needed {
            return Err(Failure::Unsupported);
        }
        let (key, rest) = rest.split_at_checked(key_len).ok_or(Failure::Wrong)?;
        let iv = match masks & MODE {
            ECB => None,
            _ => Some(rest.get(..iv_len).ok_or(Failure::Wrong)?.to_vec()),
        };
        // Bits 16 and 17 of the counters are in other words.
        let counter = |low: u32, high: u32| (low | (high & 3) << 16) as usize;
        Ok(Command {
            source: counter(source, session >> 14),
            destination: counter(destination, session >> 12),
            direction,
            cipher,
            skip: skip as usize,
            count: counter(count, masks >> 14),
            key: key.to_vec(),
            iv,
        })
    }

    /// Encrypts or decrypts what the command names of the source.
    pub(super) fn crypt(&self, data: &mut [u8]) -> Result<(), Failure> {
        let part = data.get_mut(self.skip..self.skip + self.count).ok_or(Failure::Wrong)?;
        let mut iv = self.iv.clone();
        let is_done = crypt(self.cipher, &self.key, self.direction, iv.as_deref_mut(), part);
        is_done.then_some(()).ok_or(Failure::Wrong)
    }

    /// The results of the base command and of the cipher (struct hifn_base_result and
    /// hifn_crypt_result of Linux, HIFN_USED_RESULT): flags, the upper bits of the counters, the
    /// counters; no flags.
    pub(super) fn result(&self, is_overrun: bool) -> Vec<u8> {
        let flags = if is_overrun { DSTOVERRUN } else { 0 };
        let upper = (self.source >> 16) << 14 | (self.destination >> 16) << 12;
        let words = [flags, upper as u16, self.source as u16, self.destination as u16, 0, 0];
        words.map(u16::to_le_bytes).concat()
    }
}

fn words(bytes: &[u8]) -> [u32; 4] {
    std::array::from_fn(|n| u32::from(bytes[2 * n]) | u32::from(bytes[2 * n + 1]) << 8)
}
