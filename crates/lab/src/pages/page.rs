//! The elements of a report, from which HTML and Markdown are formatted. All texts are plain; the
//! formatters escape them.

use outboard_documents::Figure;

use crate::pages::picture::Picture;
use crate::pages::plot::Plot;

pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub blocks: Vec<Block>,
}

pub enum Block {
    Text(String),
    Note(String),
    List(Vec<String>),
    Table(Table),
    Command { says: String, command: String },
    Plots(Vec<Plot>),
    Pictures(Vec<Picture>),
}

pub struct Table {
    pub caption: String,
    pub head: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

pub struct Column {
    pub name: &'static str,
    pub is_number: bool,
}

pub fn words(name: &'static str) -> Column {
    Column { name, is_number: false }
}

pub fn number(name: &'static str) -> Column {
    Column { name, is_number: true }
}

pub struct Cell {
    pub text: String,
    pub tone: Tone,
}

pub struct Answer {
    pub question: &'static str,
    pub answer: Cell,
    pub because: String,
}

/// The assessment of a cell, which its colour and its mark show; the text contains it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
    Doubt,
}

impl Tone {
    pub fn mark(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Good => "✓ ",
            Tone::Bad => "✗ ",
            Tone::Doubt => "? ",
        }
    }

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

    /// Appends a list; nothing if it is empty.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Appends a table; nothing if it has no rows.
    pub fn table(&mut self, caption: impl Into<String>, head: Vec<Column>, rows: Vec<Vec<Cell>>) {
        if !rows.is_empty() {
            self.blocks.push(Block::Table(Table { caption: caption.into(), head, rows }));
        }
    }

    pub fn command(&mut self, says: impl Into<String>, command: impl Into<String>) {
        self.blocks.push(Block::Command { says: says.into(), command: command.into() });
    }
}

/// Formats a count: `1 interrupt`, `2 interrupts`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Formats a value with three digits from 0.01 on and two below, without an exponent.
pub fn figure(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.01 || v == 0.0 => format!("{value:.2}"),
        v if v < 1e-6 => "0.000000".to_owned(),
        v => format!("{value:.*}", 1 + (-v.log10()).ceil() as usize),
    }
}

pub fn with_spread(value: f64, of: &Figure) -> String {
    let spread = of.spread_percent().map(|percent| format!(" ± {} %", figure(percent)));
    figure(value) + &spread.unwrap_or_default()
}

/// Splits a text at its backticks. The flag marks the parts between two backticks, which are code.
pub fn code_spans(text: &str) -> Vec<(&str, bool)> {
    let parts: Vec<&str> = text.split('`').collect();
    // With an odd number of backticks, they are ordinary characters.
    if parts.len() % 2 == 0 {
        return vec![(text, false)];
    }
    parts
        .into_iter()
        .enumerate()
        .map(|(place, part)| (part, place % 2 == 1))
        .filter(|(part, _)| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_several_samples_has_a_spread() {
        let mut of = Figure { spread: 0.0512, samples: 2, ..Figure::default() };
        assert_eq!(with_spread(12.34, &of), "12.3 ± 5.12 %");
        of.samples = 1;
        assert_eq!(with_spread(12.34, &of), "12.3");
    }

    #[test]
    fn numbers_read_well() {
        for (value, text) in [
            (0.0, "0.00"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (255.9, "256"),
            (0.0004, "0.00040"),
            (0.000_016, "0.000016"),
            (0.009_96, "0.0100"),
            (1e-9, "0.000000"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(figure(value), text);
        }
        assert_eq!(
            code_spans("see `a b`, `c`"),
            [("see ", false), ("a b", true), (", ", false), ("c", true)]
        );
        assert_eq!(code_spans("a ` b"), [("a ` b", false)]);
        assert_eq!(listed(&["a", "b", "c"].map(String::from)), "a, b and c");
        assert_eq!((count(1, "line"), count(2, "line")), ("1 line".into(), "2 lines".into()));
    }
}
