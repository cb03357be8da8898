//! What a report consists of, before it is HTML or Markdown. All texts are plain: whoever prints them escapes them.

use crate::plot::Plot;

/// The answer to one question.
pub struct Section {
    /// Short, for links to it.
    pub id: &'static str,
    pub title: &'static str,
    pub blocks: Vec<Block>,
}

pub enum Block {
    Text(String),
    /// What deserves attention.
    Note(String),
    List(Vec<String>),
    Table(Table),
    /// What to type, and what it is good for.
    Command {
        says: String,
        command: String,
    },
    Plots(Vec<Plot>),
}

pub struct Table {
    pub caption: String,
    pub head: Vec<Column>,
    /// The first cell of a row is its heading.
    pub rows: Vec<Vec<Cell>>,
}

pub struct Column {
    pub name: &'static str,
    pub is_number: bool,
}

/// A column of words.
pub fn words(name: &'static str) -> Column {
    Column { name, is_number: false }
}

/// A column of numbers.
pub fn number(name: &'static str) -> Column {
    Column { name, is_number: true }
}

pub struct Cell {
    pub text: String,
    pub tone: Tone,
}

/// How good it is. The text says it, too: not everybody sees colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
    Doubt,
}

impl Tone {
    /// A mark before the text.
    pub fn mark(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Good => "✓ ",
            Tone::Bad => "✗ ",
            Tone::Doubt => "? ",
        }
    }

    /// The class of its colour.
    pub fn class(self) -> Option<&'static str> {
        match self {
            Tone::Plain => None,
            Tone::Good => Some("good"),
            Tone::Bad => Some("bad"),
            Tone::Doubt => Some("doubt"),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { text, tone: Tone::Plain }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        text.to_owned().into()
    }
}

/// A cell that is judged.
pub fn judged(text: impl Into<String>, tone: Tone) -> Cell {
    Cell { text: text.into(), tone }
}

impl Section {
    pub fn new(id: &'static str, title: &'static str) -> Section {
        Section { id, title, blocks: Vec::new() }
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    pub fn note(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Note(text.into()));
    }

    /// Nothing when there is none.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Nothing when it has no rows.
    pub fn table(&mut self, caption: impl Into<String>, head: Vec<Column>, rows: Vec<Vec<Cell>>) {
        if !rows.is_empty() {
            self.blocks.push(Block::Table(Table { caption: caption.into(), head, rows }));
        }
    }

    pub fn command(&mut self, says: impl Into<String>, command: impl Into<String>) {
        self.blocks.push(Block::Command { says: says.into(), command: command.into() });
    }
}

/// `1 interrupt`, `2 interrupts`
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `a, b and c`
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// `64`, `4 KiB`, `1 MiB`, and what is no whole number of those in bytes.
pub fn bytes(number: u64) -> String {
    match number {
        n if n >= 1 << 20 && n % (1 << 20) == 0 => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 && n % (1 << 10) == 0 => format!("{} KiB", n >> 10),
        n => format!("{n} B"),
    }
}

/// With three digits, so that figures can be compared at a glance.
pub fn figure(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.01 || v == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (value, text) in [
            (0.0, "0.00"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (255.9, "256"),
            (0.0004, "4.0e-4"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(figure(value), text);
        }
        for (value, text) in [
            (64, "64 B"),
            (1024, "1 KiB"),
            (1448, "1448 B"),
            (1 << 20, "1 MiB"),
            (u64::MAX, "18446744073709551615 B"),
        ] {
            assert_eq!(bytes(value), text);
        }
        assert_eq!(listed(&["a", "b", "c"].map(String::from)), "a, b and c");
        assert_eq!((count(1, "line"), count(2, "line")), ("1 line".into(), "2 lines".into()));
    }
}
