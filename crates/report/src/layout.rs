//! Lines of text: a label, then words that wrap under each other.

use std::fmt::Write;

/// Columns of a line where no terminal says otherwise, and at most: longer lines are hard to read.
const WIDTH: usize = 110;
/// Columns of a line at least: beside the labels there must be room for words.
const NARROWEST: usize = 40;
/// Columns of the labels.
const LABEL: usize = 16;

/// How to render.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Headings in bold, for a terminal.
    pub bold: bool,
    /// Columns of the terminal, if it is one.
    pub columns: Option<usize>,
}

impl Style {
    fn width(self) -> usize {
        self.columns.map_or(WIDTH, |columns| columns.clamp(NARROWEST, WIDTH))
    }
}

/// A text that grows line by line.
pub(crate) struct Page {
    text: String,
    style: Style,
}

impl Page {
    pub(crate) fn new(style: Style) -> Self {
        Self { text: String::new(), style }
    }

    /// A label at the margin and its text.
    pub(crate) fn row(&mut self, label: &str, text: &str) {
        let label = clean(label);
        let pad = " ".repeat(LABEL.saturating_sub(label.chars().count()).max(1));
        let shown =
            if self.style.bold { format!("\x1b[1m{label}\x1b[0m{pad}") } else { format!("{label}{pad}") };
        self.wrapped(&shown, label.chars().count() + pad.len(), LABEL, text);
    }

    /// A label that is indented, and its text.
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

/// Files of a saved tree may hold anything; a terminal must not be driven by them.
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
