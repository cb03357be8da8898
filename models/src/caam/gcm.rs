//! A message of GCM (NIST SP 800-38D) in the AES unit: its IV, then the data that are only authenticated,
//! then its text.

use crate::block::{Direction, add_key_stream, count_32_bits, encrypted, hash_on, xor};

pub struct Gcm {
    first: [u8; 16],
    counter: [u8; 16],
    hash: [u8; 16],
    aad_len: u64,
    len: u64,
}

impl Gcm {
    /// None for an IV of another length than 12 bytes, which the driver does not use.
    pub fn new(iv: &[u8]) -> Option<Gcm> {
        let mut first = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        first.get_mut(..iv.len()).filter(|_| iv.len() == 12)?.copy_from_slice(iv);
        let mut counter = first;
        counter[15] = 2;
        Some(Gcm { first, counter, hash: [0; 16], aad_len: 0, len: 0 })
    }

    /// None if there is no such key, and for data after a part of a block.
    pub fn add(&mut self, key: &[u8], data: &[u8]) -> Option<()> {
        if self.aad_len % 16 != 0 || self.len > 0 {
            return None;
        }
        self.aad_len += data.len() as u64;
        hash_on(key, &mut self.hash, data)
    }

    /// As `add`.
    pub fn process(&mut self, key: &[u8], direction: Direction, data: &mut [u8]) -> Option<()> {
        if self.len % 16 != 0 {
            return None;
        }
        self.len += data.len() as u64;
        if direction == Direction::Decrypt {
            hash_on(key, &mut self.hash, data)?;
        }
        add_key_stream(key, &mut self.counter, data, count_32_bits)?;
        if direction == Direction::Encrypt {
            hash_on(key, &mut self.hash, data)?;
        }
        Some(())
    }

    pub fn tag(&self, key: &[u8]) -> Option<[u8; 16]> {
        let lengths = u128::from(8 * self.aad_len) << 64 | u128::from(8 * self.len);
        let mut tag = self.hash;
        hash_on(key, &mut tag, &lengths.to_be_bytes())?;
        xor(&mut tag, &encrypted(key, &self.first)?);
        Some(tag)
    }
}
