//! Overwrites memory that contained a secret.

use std::ops::{Deref, DerefMut};

/// By explicit_bzero(3), which the compiler does not remove, and which is several times faster than
/// volatile stores.
#[inline]
pub fn wipe(bytes: &mut [u8]) {
    // SAFETY: the slice is writable for its length.
    unsafe { libc::explicit_bzero(bytes.as_mut_ptr().cast(), bytes.len()) }
}

pub trait SecretMemory {
    fn wipe_all(&mut self);
}

impl<const N: usize> SecretMemory for [u8; N] {
    fn wipe_all(&mut self) {
        wipe(self);
    }
}

impl SecretMemory for Vec<u8> {
    /// Those of an earlier allocation, from which the vector grew, are lost: give it its capacity
    /// at once.
    fn wipe_all(&mut self) {
        // SAFETY: the allocation is writable for its capacity.
        unsafe { libc::explicit_bzero(self.as_mut_ptr().cast(), self.capacity()) }
    }
}

/// A value that is overwritten when it is dropped.
#[derive(Clone)]
pub struct Wiped<T: SecretMemory>(T);

impl<T: SecretMemory> Wiped<T> {
    #[inline]
    pub fn new(secret: T) -> Wiped<T> {
        Wiped(secret)
    }
}

impl<T: SecretMemory> Deref for Wiped<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: SecretMemory> DerefMut for Wiped<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: SecretMemory> Drop for Wiped<T> {
    #[inline]
    fn drop(&mut self) {
        self.0.wipe_all();
    }
}

/// Maximum length in bytes of a key of a cipher: two keys of AES-256, for XTS.
const LONGEST_KEY: usize = 64;

/// In memory of its own, so that setting it cannot fail. Empty until it is set.
#[derive(Clone)]
pub struct KeyBytes {
    bytes: Wiped<[u8; LONGEST_KEY]>,
    len: usize,
}

impl KeyBytes {
    /// The byte distinguishes uses of the key.
    pub fn set_with(&mut self, key: &[u8], use_of_key: u8) {
        self.set(key);
        if let Some(byte) = self.bytes.get_mut(self.len) {
            *byte = use_of_key;
            self.len += 1;
        }
    }

    /// It is empty if `key` is longer than any cipher's.
    pub fn set(&mut self, key: &[u8]) {
        *self = KeyBytes::default();
        if let Some(room) = self.bytes.get_mut(..key.len()) {
            room.copy_from_slice(key);
            self.len = key.len();
        }
    }
}

impl Default for KeyBytes {
    fn default() -> KeyBytes {
        KeyBytes { bytes: Wiped::new([0; LONGEST_KEY]), len: 0 }
    }
}

impl Deref for KeyBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_overwritten() {
        for len in [0, 1, 15, 16, 4097] {
            let mut bytes = vec![0xa5; len];
            wipe(&mut bytes);
            assert!(bytes.iter().all(|&byte| byte == 0), "{len}");
        }
    }

    #[test]
    fn of_a_vector_the_spare_capacity_is_overwritten_too() {
        let mut bytes = vec![0xa5; 100];
        bytes.truncate(3);
        bytes.wipe_all();
        assert_eq!(bytes, [0; 3]);
        // SAFETY: the bytes up to the capacity were initialised above.
        unsafe { bytes.set_len(100) };
        assert_eq!(bytes, [0; 100]);
    }

    #[test]
    fn a_key_is_replaced_and_one_of_no_cipher_is_not_kept() {
        let mut key = KeyBytes::default();
        key.set(&[7; LONGEST_KEY]);
        assert_eq!(*key, [7; LONGEST_KEY]);
        key.set(&[8; 16]);
        assert_eq!(*key, [8; 16]);
        key.set(&[9; LONGEST_KEY + 1]);
        assert!(key.is_empty());
    }

    #[test]
    fn a_wiped_value_is_overwritten_when_it_is_dropped() {
        /// Counts calls.
        struct Counted<'a>(&'a mut u32);
        impl SecretMemory for Counted<'_> {
            fn wipe_all(&mut self) {
                *self.0 += 1;
            }
        }
        let mut calls = 0;
        drop(Wiped::new(Counted(&mut calls)));
        assert_eq!(calls, 1);
    }
}
