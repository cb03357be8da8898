//! Keys in the form that the unit reads. It expands keys of 128 bits itself; longer keys must be
//! expanded in memory (FIPS 197, 5.2 and 5.3.5).

use std::ops::BitXor;

use super::instructions::Aligned;
use crate::buffer::Buffer;
use crate::check::aes::{SBOX, double, product};
use crate::{Direction, Error};

/// Bytes from one key schedule to the next; the longest one has 15 round keys.
const APART: usize = 256;

/// Control word: bits of the guide's table.
const EXPANDED: u32 = 1 << 7;
const DECRYPT: u32 = 1 << 9;
const KEY_SIZE: u32 = 10;

pub(super) struct Schedules {
    memory: Buffer,
    key_len: usize,
}

impl Schedules {
    /// `key` has 16, 24 or 32 bytes.
    pub(super) fn new(key: &[u8]) -> Result<Schedules, Error> {
        let (mut memory, key_len) = (Buffer::new(), key.len());
        let (encrypt, decrypt) = memory.room(2 * APART)?.split_at_mut(APART);
        encrypt[..key_len].copy_from_slice(key);
        decrypt[..key_len].copy_from_slice(key);
        if key_len > 16 {
            expand(encrypt, key_len);
            invert(encrypt, decrypt, rounds(key_len));
        }
        Ok(Schedules { memory, key_len })
    }

    pub(super) fn key(&self, direction: Direction) -> &[u8] {
        let both = self.memory.bytes(2 * APART);
        if direction == Direction::Encrypt { &both[..APART] } else { &both[APART..] }
    }

    /// The control word for a direction: 128 bits, of which the first 12 have a meaning.
    pub(super) fn control(&self, direction: Direction) -> Aligned<[u32; 4]> {
        let expanded = if self.key_len > 16 { EXPANDED } else { 0 };
        let decrypt = if direction == Direction::Decrypt { DECRYPT } else { 0 };
        let size = (self.key_len as u32 - 16) / 8;
        Aligned([rounds(self.key_len) as u32 | expanded | decrypt | size << KEY_SIZE, 0, 0, 0])
    }
}

fn rounds(key_len: usize) -> usize {
    key_len / 4 + 6
}

/// 5.2: the schedule follows the key, whose bytes are the first `key_len` of `keys`.
fn expand(keys: &mut [u8], key_len: usize) {
    let mut constant = 1;
    for at in (key_len..16 * (rounds(key_len) + 1)).step_by(4) {
        let mut word: [u8; 4] = std::array::from_fn(|byte| keys[at - 4 + byte]);
        if at % key_len == 0 {
            word.rotate_left(1);
            word = word.map(substitute);
            word[0] ^= constant;
            constant = double(constant);
        } else if key_len > 24 && at % key_len == 16 {
            word = word.map(substitute);
        }
        for (byte, value) in word.into_iter().enumerate() {
            keys[at + byte] = value ^ keys[at - key_len + byte];
        }
    }
}

/// 5.3.5: the schedule of the equivalent inverse cipher.
fn invert(keys: &[u8], inverse: &mut [u8], rounds: usize) {
    for round in 0..=rounds {
        let (from, to) = (&keys[16 * (rounds - round)..], &mut inverse[16 * round..]);
        for column in (0..16).step_by(4) {
            for row in 0..4 {
                let of_byte = |at: usize| product([14, 11, 13, 9][at], from[column + (row + at) % 4]);
                let is_mixed = (1..rounds).contains(&round);
                to[column + row] =
                    if is_mixed { (0..4).map(of_byte).fold(0, BitXor::bitxor) } else { from[column + row] };
            }
        }
    }
}

/// The S-box, read in full for each byte: an index that depends on the key would leave a trace in
/// the cache.
fn substitute(byte: u8) -> u8 {
    let is_it = |at: usize| ((u16::from(byte ^ at as u8).wrapping_sub(1)) >> 8) as u8;
    SBOX.iter().enumerate().fold(0, |found, (at, value)| found | value & is_it(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, A.2 and A.3: the last word of each schedule.
    #[test]
    fn the_schedules_of_the_standard() {
        let last =
            |key: &[u8], at: usize| Schedules::new(key).unwrap().key(Direction::Encrypt)[at..at + 4].to_vec();
        let long = [
            0x8e, 0x73, 0xb0, 0xf7, 0xda, 0x0e, 0x64, 0x52, 0xc8, 0x10, 0xf3, 0x2b, 0x80, 0x90, 0x79, 0xe5,
            0x62, 0xf8, 0xea, 0xd2, 0x52, 0x2c, 0x6b, 0x7b,
        ];
        assert_eq!(last(&long, 204), [0x01, 0x00, 0x22, 0x02]);
        let longest = [
            0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
            0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
        ];
        assert_eq!(last(&longest, 236), [0x70, 0x6c, 0x63, 0x1e]);
    }

    #[test]
    fn every_byte_is_substituted_as_by_a_lookup() {
        assert!((0..=255).all(|byte| substitute(byte) == SBOX[usize::from(byte)]));
    }

    #[test]
    fn the_control_word_has_rounds_size_and_direction() {
        let word = |len: u8, direction| {
            Schedules::new(&(0..len).collect::<Vec<_>>()).unwrap().control(direction).0[0]
        };
        assert_eq!([16, 24, 32].map(|len| word(len, Direction::Encrypt)), [0x00a, 0x48c, 0x88e]);
        assert_eq!([16, 24, 32].map(|len| word(len, Direction::Decrypt)), [0x20a, 0x68c, 0xa8e]);
    }
}
