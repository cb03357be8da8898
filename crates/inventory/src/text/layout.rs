//! Formats text for terminals: a label, then wrapped and indented words.

use std::fmt::Write;

use outboard_console::{NARROWEST, WIDEST, printable_line};

const LABEL: usize = 16;
/// Below this width labels have lines of their own, because little space remains next to them.
const WITH_LABELS: usize = 60;
/// Indentation of text below its label in columns.
const BELOW: usize = 2;
/// Space between the columns of a table.
const GAP: usize = 2;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Bold and coloured words, for a terminal.
    pub color: bool,
    /// Width of the terminal in columns; `None` if the output is not a terminal: it has lines of
    /// [`WIDEST`].
    pub columns: Option<usize>,
}

impl Style {
    fn width(self) -> usize {
        self.columns.map_or(WIDEST, |columns| columns.clamp(NARROWEST, WIDEST))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingColour {
    Plain,
    Good,
    Doubt,
    Bad,
}

impl HeadingColour {
    /// The sequence that begins it (ECMA-48, SGR).
    fn sequence(self) -> &'static str {
        match self {
            Self::Plain => "\x1b[1m",
            Self::Good => "\x1b[1;32m",
            Self::Doubt => "\x1b[1;33m",
            Self::Bad => "\x1b[1;31m",
        }
    }
}

pub(super) struct Page {
    text: String,
    style: Style,
}

impl Page {
    pub(super) fn new(style: Style) -> Self {
        Self { text: String::new(), style }
    }

    pub(super) fn row(&mut self, label: &str, text: &str) {
        self.row_in(HeadingColour::Plain, label, text);
    }

    pub(super) fn row_in(&mut self, mood: HeadingColour, label: &str, text: &str) {
        self.labelled(Some(mood), &printable_line(label), text);
    }

    pub(super) fn sub(&mut self, label: &str, text: &str) {
        self.labelled(None, &format!("  {}", printable_line(label)), text);
    }

    fn labelled(&mut self, mood: Option<HeadingColour>, label: &str, text: &str) {
        let shown = match mood.filter(|_| self.style.color && !label.is_empty()) {
            Some(mood) => format!("{}{label}\x1b[0m", mood.sequence()),
            None => label.to_owned(),
        };
        if self.style.width() < WITH_LABELS {
            if label.chars().count() > self.style.width() {
                self.wrapped("", 0, BELOW, label);
            } else if !label.trim().is_empty() {
                self.text.push_str(&shown);
                self.text.push('\n');
            }
            let indent = BELOW + label.chars().take_while(|c| *c == ' ').count();
            return self.wrapped(&" ".repeat(indent), indent, indent, text);
        }
        let pad = " ".repeat(LABEL.saturating_sub(label.chars().count()).max(1));
        self.wrapped(&format!("{shown}{pad}"), label.chars().count() + pad.len(), LABEL, text);
    }

    /// Appends a table; where it is wider than the output, a block of lines for each row.
    pub(super) fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let cells = |row: &[String]| row.iter().map(|cell| printable_line(cell)).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
        let width_of = |column: usize| {
            let longest = rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
            longest.max(head[column].chars().count())
        };
        let mut widths: Vec<usize> = (0..head.len()).map(width_of).collect();
        // The first column has the width of the labels.
        widths[0] = widths[0].max(LABEL - GAP);
        if widths.iter().sum::<usize>() + GAP * (widths.len() - 1) > self.style.width() {
            for row in &rows {
                let cells = head.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
                let text: Vec<String> = cells.map(|(name, cell)| format!("{name}: {cell}")).collect();
                self.row(&row[0], &text.join("; "));
            }
            return;
        }
        let heading: Vec<String> = head.iter().map(|&name| name.to_owned()).collect();
        for (number, row) in std::iter::once(&heading).chain(&rows).enumerate() {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{cell:<width$}{:GAP$}", "");
            }
            let line = line.trim_end();
            match number == 0 && self.style.color {
                true => self.text.push_str(&format!("\x1b[1m{line}\x1b[0m")),
                false => self.text.push_str(line),
            }
            self.text.push('\n');
        }
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn wrapped(&mut self, first: &str, taken: usize, indent: usize, text: &str) {
        self.text.push_str(first);
        let mut column = taken;
        let mut at_start = true;
        for word in printable_line(text).split_whitespace() {
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
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
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
        assert!(lines.iter().all(|l| l.len() <= WIDEST && l.trim_end() == *l));
    }

    #[test]
    fn lines_fit_into_the_terminal() {
        for (columns, width) in
            [(Some(80), 80), (Some(60), 60), (Some(20), NARROWEST), (Some(300), WIDEST), (None, WIDEST)]
        {
            let mut page = Page::new(Style { color: false, columns });
            page.row("Machine", &"word ".repeat(50));
            let text = page.finish();
            let longest = text.lines().map(str::len).max().unwrap();
            assert!(longest <= width && longest > width - 5, "{columns:?}: {longest}");
        }
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_blocks() {
        let rows = vec![vec!["cbc(aes)".to_owned(), "mv-cbc-aes".to_owned(), "yes".to_owned()]];
        let of = |columns| {
            let mut page = Page::new(Style { color: false, columns: Some(columns) });
            page.table(&["Algorithm", "kernel picks", "a column that is long"], &rows);
            page.finish()
        };
        assert_eq!(
            of(80),
            "Algorithm       kernel picks  a column that is long\ncbc(aes)        mv-cbc-aes    yes\n"
        );
        assert_eq!(of(40), "cbc(aes)\n  kernel picks: mv-cbc-aes; a column\n  that is long: yes\n");
    }

    #[test]
    fn labels_of_narrow_lines_stand_above_the_text() {
        let mut page = Page::new(Style { color: false, columns: Some(40) });
        page.row("Machine", "a machine with a name that is longer than the line");
        assert_eq!(page.finish(), "Machine\n  a machine with a name that is longer\n  than the line\n");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let mut page = Page::new(Style { color: true, ..Style::default() });
        page.row("CPU", "a\x1b[2Jb");
        assert_eq!(page.finish(), "\x1b[1mCPU\x1b[0m             a\u{fffd}[2Jb\n");
    }
}
