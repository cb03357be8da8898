//! Overwrites memory that contained a secret.

use std::ops::{Deref, DerefMut};

/// Overwrites bytes with zeros. The compiler does not remove the call: explicit_bzero(3), which is
/// several times faster than volatile stores of single bytes.
#[inline]
pub fn wipe(bytes: &mut [u8]) {
    // SAFETY: the slice is writable for its length.
    unsafe { libc::explicit_bzero(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// The memory of a value that may contain a secret.
pub trait SecretMemory {
    /// Overwrites all bytes that the value owns.
    fn wipe_all(&mut self);
}

impl<const N: usize> SecretMemory for [u8; N] {
    fn wipe_all(&mut self) {
        wipe(self);
    }
}

impl SecretMemory for Vec<u8> {
    /// Includes the bytes that were truncated. Those of an earlier allocation, from which the vector
    /// grew, are lost: give it its capacity at once.
    fn wipe_all(&mut self) {
        // SAFETY: the allocation is writable for its capacity.
        unsafe { libc::explicit_bzero(self.as_mut_ptr().cast(), self.capacity()) }
    }
}

/// A value that is overwritten when it is dropped.
#[derive(Clone)]
pub struct Wiped<T: SecretMemory>(T);

impl<T: SecretMemory> Wiped<T> {
    /// Takes a value.
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
