//! Formats text for terminals: a label, then wrapped and indented words.

use std::fmt::Write;

/// Default and maximum width of a line in columns: longer lines are hard to read.
const WIDTH: usize = 110;
/// Minimum width of a line in columns: the words need space next to the labels.
const NARROWEST: usize = 40;
/// Width of the labels in columns.
const LABEL: usize = 16;

/// Parameters of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Bold headings, for a terminal.
    pub bold: bool,
    /// Width of the terminal in columns; `None` if the output is not a terminal.
    pub columns: Option<usize>,
}

impl Style {
    fn width(self) -> usize {
        self.columns.map_or(WIDTH, |columns| columns.clamp(NARROWEST, WIDTH))
    }
}

/// Text that is built line by line.
pub(crate) struct Page {
    text: String,
    style: Style,
}

impl Page {
    pub(crate) fn new(style: Style) -> Self {
        Self { text: String::new(), style }
    }

    /// Appends a label at the margin and its text.
    pub(crate) fn row(&mut self, label: &str, text: &str) {
        let label = clean(label);
        let pad = " ".repeat(LABEL.saturating_sub(label.chars().count()).max(1));
        let shown =
            if self.style.bold { format!("\x1b[1m{label}\x1b[0m{pad}") } else { format!("{label}{pad}") };
        self.wrapped(&shown, label.chars().count() + pad.len(), LABEL, text);
    }

    /// Appends an indented label and its text.
    pub(crate) fn sub(&mut self, label: &str, text: &str) {
        let label = format!("  {:<width$}", clean(label), width = LABEL - 2);
        self.wrapped(&label, label.chars().count(), LABEL, text);
    }

    pub(crate) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn wrapped(&mut self, first: &str, taken: usize, indent: usize, text: &str) {
        self.text.push_str(first);
        let mut column = taken;
        let mut at_start = true;
        for word in clean(text).split_whitespace() {
            let length = word.chars().count();
            if !at_start && column + 1 + length > self.style.width() {
                let _ = write!(self.text, "\n{}", " ".repeat(indent));
                column = indent;
                at_start = true;
            }
            if !at_start {
                self.text.push(' ');
                column += 1;
            }
            self.text.push_str(word);
            column += length;
            at_start = false;
        }
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
    }
}

/// Replaces control characters: files of a saved tree can contain any bytes, and must not control
/// the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_wrap_under_their_beginning() {
        let mut page = Page::new(Style::default());
        page.row("Machine", &"word ".repeat(25));
        let text = page.finish();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("Machine         word") && lines[1].starts_with("                word"));
        assert!(lines.iter().all(|l| l.len() <= WIDTH && l.trim_end() == *l));
    }

    #[test]
    fn lines_fit_into_the_terminal() {
        for (columns, width) in
            [(Some(80), 80), (Some(60), 60), (Some(20), NARROWEST), (Some(300), WIDTH), (None, WIDTH)]
        {
            let mut page = Page::new(Style { bold: false, columns });
            page.row("Machine", &"word ".repeat(50));
            let text = page.finish();
            let longest = text.lines().map(str::len).max().unwrap();
            assert!(longest <= width && longest > width - 5, "{columns:?}: {longest}");
        }
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let mut page = Page::new(Style { bold: true, ..Style::default() });
        page.row("CPU", "a\x1b[2Jb");
        assert_eq!(page.finish(), "\x1b[1mCPU\x1b[0m             a\u{fffd}[2Jb\n");
    }
}
