//! Keys as hexadecimal text, for tools and the kernel.

use std::fmt::Write as _;

use zeroize::Zeroizing;

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
    fn each_byte_has_two_digits_and_the_text_does_not_grow() {
        assert_eq!(*hex(&[0, 0x0f, 0xa5, 255]), "000fa5ff");
        assert!(hex(&[7; 100]).capacity() < 2 * 200 && hex(&[]).is_empty());
    }
}
