//! A text on the stack, for messages that need no memory.

use std::fmt;

/// Longest text in bytes: a note in the counters keeps as many.
const ROOM: usize = 480;

/// A text of at most [`ROOM`] bytes; the rest is cut off.
pub(crate) struct StackText {
    bytes: [u8; ROOM],
    len: usize,
}

impl StackText {
    pub(crate) fn new(text: fmt::Arguments<'_>) -> StackText {
        let mut made = StackText { bytes: [0; ROOM], len: 0 };
        // The text is cut where there is no more room.
        let _ = fmt::Write::write_fmt(&mut made, text);
        made
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Write for StackText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = ROOM - self.len;
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
        assert_eq!(StackText::new(format_args!("{}: {}", "a", 1)).as_str(), "a: 1");
        let long = format!("x{}", "ü".repeat(ROOM));
        let text = StackText::new(format_args!("{long}"));
        assert_eq!(text.as_str().len(), ROOM - 1);
        assert!(long.starts_with(text.as_str()));
    }
}
