//! Overwrites memory that contained a secret.

/// Overwrites bytes with zeros. The compiler does not remove the call: explicit_bzero(3), which is
/// several times faster than volatile stores of single bytes.
#[inline]
pub(crate) fn wipe(bytes: &mut [u8]) {
    // SAFETY: the slice is writable for its length.
    unsafe { libc::explicit_bzero(bytes.as_mut_ptr().cast(), bytes.len()) }
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
}
