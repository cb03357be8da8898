//! Random keys, and their hexadecimal text for tools and the kernel.

use std::fmt::Write as _;
use std::io;

use anyhow::{Context as _, Result};
use zeroize::Zeroizing;

pub fn random(bytes: &mut [u8]) -> Result<()> {
    for chunk in bytes.chunks_mut(256) {
        // SAFETY: the pointer and the length describe `chunk`; getrandom(2) returns up to 256 bytes
        // at once.
        let got = unsafe { libc::getrandom(chunk.as_mut_ptr().cast(), chunk.len(), 0) };
        if got != chunk.len() as isize {
            return Err(io::Error::last_os_error()).context("getrandom");
        }
    }
    Ok(())
}

/// Formats two digits per byte; the text is zeroized when dropped.
pub fn hex(bytes: &[u8]) -> Zeroizing<String> {
    // Reserve the full length: a reallocation would leave a copy of the key in memory.
    let mut text = Zeroizing::new(String::with_capacity(2 * bytes.len()));
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_are_all_filled() {
        let mut bytes = vec![0; 4096];
        random(&mut bytes).unwrap();
        assert!(bytes.chunks(64).all(|chunk| chunk.iter().any(|&byte| byte != 0)));
    }

    #[test]
    fn each_byte_has_two_digits_and_the_text_does_not_grow() {
        assert_eq!(*hex(&[0, 0x0f, 0xa5, 255]), "000fa5ff");
        assert!(hex(&[7; 100]).capacity() < 2 * 200 && hex(&[]).is_empty());
    }
}
