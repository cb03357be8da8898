//! The width of a terminal, and text that fits into it.

use std::os::fd::AsFd;

/// Maximum width of text in columns: longer lines are hard to read.
pub const WIDEST: usize = 100;
/// Minimum width in columns: on narrower terminals lines are longer.
pub const NARROWEST: usize = 40;
/// Below this width text begins at the margin instead of below a label.
const WITH_LABELS: usize = 60;
/// The last column at which text next to a label begins.
const LABEL: usize = 24;

/// The width of the terminal that a descriptor leads to, in columns; `None` if it is none, or does
/// not report its size, such as a serial line.
pub fn columns(descriptor: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(descriptor).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0).map(|columns| columns.max(NARROWEST))
}

/// The text with lines of at most `columns`, and never more than 100, whatever the terminal has.
/// What is copied stays whole: commands that have a line of their own, lines of files, and JSON.
pub(crate) fn fit(text: &str, columns: Option<usize>) -> String {
    let Some(width) = columns.map(|columns| columns.min(WIDEST)).filter(|_| !text.starts_with(['{', '[']))
    else {
        return text.to_owned();
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let length = bare.chars().count();
        let is_table = || columns.is_some_and(|columns| length <= columns) && has_columns(bare);
        if length <= width || is_table() || is_copied(bare) {
            out.push_str(line);
            continue;
        }
        let indent = bare.chars().take_while(|c| *c == ' ').count();
        let label = label(bare, indent).unwrap_or(indent);
        let hanging = match (label > indent && width >= WITH_LABELS, indent) {
            (true, _) => label,
            (false, 0) => 0,
            (false, indent) => indent + 2,
        };
        // Both are numbers of characters; a label may have any.
        let at = bare.char_indices().nth(label).map_or(bare.len(), |(at, _)| at);
        let wrapped = wrapped_after(&bare[..at], &bare[at..], width, hanging);
        out.push_str(if line.ends_with('\n') { &wrapped } else { wrapped.trim_end_matches('\n') });
    }
    out
}

/// Whether a line is a row of a table: it has several gaps.
fn has_columns(line: &str) -> bool {
    line.split("  ").filter(|cell| !cell.trim().is_empty()).count() > 2
}

/// Whether a line is a command or a line of a file.
fn is_copied(line: &str) -> bool {
    let start = line.trim_start();
    let commands = ["outboard ", "sudo ", "export ", "OPENSSL_CONF=", "# ", "$ "];
    line.starts_with(['+', '-', '@'])
        || (line != start && commands.iter().any(|word| start.starts_with(word)))
}

/// The column of the text next to a label, in characters: there is a gap before it.
fn label(line: &str, indent: usize) -> Option<usize> {
    let chars: Vec<char> = line.chars().collect();
    let gap = (indent..chars.len().min(LABEL)).find(|&at| chars[at..].starts_with(&[' ', ' ']))?;
    let text = gap + chars[gap..].iter().take_while(|c| **c == ' ').count();
    (text <= LABEL).then_some(text)
}

/// A text in lines of at most `width` columns, those after the first indented by `hanging`; a word
/// that is longer has a line of its own. The spaces at the beginning stay.
pub fn wrapped(text: &str, width: usize, hanging: usize) -> String {
    let rest = text.trim_start_matches(' ');
    wrapped_after(&text[..text.len() - rest.len()], rest, width, hanging)
}

/// The same after a label, which stays as it is.
fn wrapped_after(label: &str, text: &str, width: usize, hanging: usize) -> String {
    let mut out = label.to_owned();
    let mut column = label.chars().count();
    let mut is_start = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        // A word that does not fit next to the label may fit below it.
        let is_below_better = is_start && column > hanging && column + length > width;
        if is_below_better || !is_start && column + 1 + length > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&" ".repeat(hanging));
            column = hanging;
            is_start = true;
        }
        if !is_start {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
        is_start = false;
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_and_short_ones_stay() {
        let text = format!("short\n  note        {}\nend", "word ".repeat(30));
        for columns in [40, 80, 100, 200] {
            let fitted = fit(&text, Some(columns));
            assert!(
                fitted.lines().all(|line| line.chars().count() <= columns.min(100)),
                "{columns}: {fitted}"
            );
            assert!(fitted.starts_with("short\n  note") && fitted.ends_with("\nend"), "{fitted}");
        }
        assert_eq!(fit(&text, None), text);
        let wide = fit(&text, Some(80));
        assert!(wide.lines().nth(2).unwrap().starts_with("              word"), "{wide}");
        let narrow = fit(&text, Some(40));
        assert!(narrow.lines().nth(1).unwrap().starts_with("  note        word"), "{narrow}");
        assert!(narrow.lines().nth(2).unwrap().starts_with("    word"), "{narrow}");
    }

    #[test]
    fn commands_files_and_documents_stay_whole() {
        for text in [
            "    sudo outboard enable nginx --restart --with a very long list of arguments\n",
            "+ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256 and more\n",
            "{\"text\": \"a document with words that would be wrapped otherwise, which breaks it\"}\n",
        ] {
            assert_eq!(fit(text, Some(40)), text);
        }
    }

    #[test]
    fn a_word_that_does_not_fit_next_to_its_label_is_below_it() {
        let text = "  kernel      CONFIG_CRYPTO_DEV_OMAP_AES, and more\n";
        assert_eq!(fit(text, Some(40)), "  kernel\n    CONFIG_CRYPTO_DEV_OMAP_AES, and more\n");
    }

    #[test]
    fn a_word_that_is_too_long_has_a_line_of_its_own() {
        let path = "/usr/lib/x86_64-linux-gnu/ossl-modules/outboard.so";
        assert_eq!(wrapped(&format!("see {path} for it"), 40, 2), format!("see\n  {path}\n  for it\n"));
    }
}
