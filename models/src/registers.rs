//! Registers as the bytes of a page, in little-endian words of 32 bits. What lies outside reads as 0.

use std::hash::{BuildHasher, Hasher, RandomState};

/// The word at an offset.
pub fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    word.map_or(0, u32::from_le_bytes)
}

/// Writes the word at an offset.
pub fn set_word(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(to) = bytes.get_mut(at..at + 4) {
        to.copy_from_slice(&value.to_le_bytes());
    }
}

/// Copies the bytes from an offset on to `data`.
pub fn read(bytes: &[u8], at: usize, data: &mut [u8]) {
    data.iter_mut().enumerate().for_each(|(i, to)| *to = bytes.get(at + i).copied().unwrap_or(0));
}

/// A random number.
pub fn random() -> u32 {
    RandomState::new().build_hasher().finish() as u32
}
