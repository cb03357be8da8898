//! A text on the stack, for messages that need no memory.

use std::fmt;

/// Fewer than `ROOM` bytes; the rest is cut off.
pub(crate) struct StackText<const ROOM: usize> {
    bytes: [u8; ROOM],
    len: usize,
}

impl<const ROOM: usize> StackText<ROOM> {
    pub(crate) fn new(text: fmt::Arguments<'_>) -> Self {
        let mut made = StackText { bytes: [0; ROOM], len: 0 };
        // The text is cut where there is no more room.
        let _ = fmt::Write::write_fmt(&mut made, text);
        made
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

    pub(crate) fn as_line(&mut self) -> &[u8] {
        self.bytes[self.len] = b'\n';
        &self.bytes[..=self.len]
    }
}

impl<const ROOM: usize> fmt::Write for StackText<ROOM> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = ROOM - 1 - self.len;
        let taken = (0..=room.min(text.len())).rfind(|&end| text.is_char_boundary(end)).unwrap_or(0);
        self.bytes[self.len..self.len + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.len += taken;
        if taken == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let mut text = StackText::<6>::new(format_args!("{}: {}", "a", 1));
        assert_eq!(text.as_str(), "a: 1");
        assert_eq!(text.as_line(), b"a: 1\n");
        let cut = |text: &str| StackText::<6>::new(format_args!("{text}yz")).as_str().to_owned();
        assert_eq!((cut("xyü"), cut("xyzü")), ("xyüy".to_owned(), "xyzü".to_owned()));
        assert_eq!(cut("vwxyü"), "vwxy");
        assert_eq!(StackText::<6>::new(format_args!("uvwxyz")).as_line(), b"uvwxy\n");
    }
}
