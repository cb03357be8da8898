//! Text of others for a terminal: lines of logs, names of files and processes, arguments, output of
//! programs.

use std::borrow::Cow;

/// In place of a character that is not printed.
const REPLACEMENT: char = '\u{fffd}';

/// Whether a character controls a terminal, is invalid in XML, or changes the direction or the order
/// of the text around it, so that a name looks like another one.
pub fn is_unprintable(c: char) -> bool {
    let is_bidi =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Separators of lines and paragraphs, and what has no width.
    let is_invisible = matches!(c, '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}' | '\u{feff}');
    c.is_control() || is_bidi || is_invisible || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// The text without such characters; line feeds and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| is_unprintable(c) && c != '\n' && c != '\t';
    match text.contains(is_hidden) {
        true => text.chars().map(|c| if is_hidden(c) { REPLACEMENT } else { c }).collect(),
        false => text.into(),
    }
}

pub fn printable_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// As [`printable`]; sequences that set text attributes and nothing else (ECMA-48, SGR) stay.
pub fn printable_styled(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return printable(text);
    }
    let mut parts = text.split('\x1b');
    let mut shown = printable(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let parameters = part
            .strip_prefix('[')
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        shown.push(if parameters.is_some_and(|rest| rest.starts_with('m')) { '\x1b' } else { REPLACEMENT });
        shown += &printable(part);
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_terminals_are_replaced() {
        for (text, shown) in [
            ("a\x1b]0;pwn\x07b\r\n\tc\u{9b}2J", "a\u{fffd}]0;pwn\u{fffd}b\u{fffd}\n\tc\u{fffd}2J"),
            ("nginx\u{202e}xnign\u{2066}\u{200b}\u{feff}", "nginx\u{fffd}xnign\u{fffd}\u{fffd}\u{fffd}"),
            ("Zürich ✓ 100 %\n", "Zürich ✓ 100 %\n"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn text_attributes_stay_where_they_are_ours() {
        assert_eq!(printable_styled("\x1b[1;32mok\x1b[0m"), "\x1b[1;32mok\x1b[0m");
        assert_eq!(printable("\x1b[1mok"), "\u{fffd}[1mok");
        for sequence in ["[2J", "]0;x\x07", "[1", "[?25lm", "c", ""] {
            assert!(!printable_styled(&format!("\x1b{sequence}")).contains(['\x1b', '\x07']), "{sequence}");
        }
    }
}
