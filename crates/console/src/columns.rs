//! Tables of plain text.

use std::fmt::Write;
use std::ops::Range;

use crate::output_columns;
use crate::width::wrapped;

/// Space between two columns.
const GAP: usize = 2;

/// Formats rows, of which the first is the heading, as columns that are as wide as their longest
/// cell; on a terminal that is too narrow for them as a block for each row. Each line starts with
/// `indent`; the columns in `numbers` are aligned to the right.
pub fn aligned(rows: &[impl AsRef<[String]>], numbers: Range<usize>, indent: &str) -> String {
    aligned_within(rows, numbers, indent, output_columns())
}

/// The same for a given width; `None`: any.
pub fn aligned_within(
    rows: &[impl AsRef<[String]>],
    numbers: Range<usize>,
    indent: &str,
    width: Option<usize>,
) -> String {
    table(rows, numbers, indent, width).unwrap_or_else(|width| blocks(rows, indent, width))
}

/// The same for rows without a heading: commands, or settings with their places.
pub fn aligned_list(rows: &[impl AsRef<[String]>], indent: &str) -> String {
    table(rows, 0..0, indent, output_columns()).unwrap_or_else(|_| {
        let mut text = String::new();
        for row in rows {
            for (number, cell) in row.as_ref().iter().filter(|cell| !cell.is_empty()).enumerate() {
                let _ = writeln!(text, "{indent}{}{cell}", if number > 0 { "  " } else { "" });
            }
        }
        text
    })
}

/// The columns, or the width that they exceed.
fn table(
    rows: &[impl AsRef<[String]>],
    numbers: Range<usize>,
    indent: &str,
    width: Option<usize>,
) -> Result<String, usize> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let cells = |column: usize| rows.iter().map(move |row| &row.as_ref()[column]);
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let total = indent.len() + widths.iter().sum::<usize>() + GAP * columns.saturating_sub(1);
    if let Some(width) = width.filter(|width| total > *width) {
        return Err(width);
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if numbers.contains(&column) { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        text.push_str(indent);
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    Ok(text)
}

/// The first cell of each row, and below it the others with their headings.
fn blocks(rows: &[impl AsRef<[String]>], indent: &str, width: usize) -> String {
    let Some((heading, rows)) = rows.split_first() else { return String::new() };
    let mut text = String::new();
    for row in rows {
        let mut cells = heading.as_ref().iter().zip(row.as_ref());
        if let Some((_, first)) = cells.next() {
            text += &wrapped(&format!("{indent}{first}"), width, indent.len());
        }
        let below = indent.len() + 2;
        let named: Vec<String> = cells
            .filter(|(_, cell)| !cell.is_empty() && *cell != "-")
            .map(|(name, cell)| if name.is_empty() { cell.clone() } else { format!("{name}: {cell}") })
            .collect();
        text += &wrapped(&format!("{}{}", " ".repeat(below), named.join("; ")), width, below);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<[String; 3]> {
        [["algorithm", "MB/s", "hardware?"], ["AES-128-CBC", "99.1", "yes"], ["AES-128-GCM", "7", "-"]]
            .map(|row| row.map(str::to_owned))
            .to_vec()
    }

    #[test]
    fn a_table_that_fits_has_columns() {
        let text = "  algorithm    MB/s  hardware?\n  AES-128-CBC  99.1  yes\n  AES-128-GCM     7  -\n";
        for width in [None, Some(80)] {
            assert_eq!(table(&rows(), 1..2, "  ", width).unwrap(), text);
        }
        assert_eq!(table(&rows(), 1..2, "  ", Some(28)), Err(28));
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_blocks_with_the_headings() {
        let text = "  AES-128-CBC\n    MB/s: 99.1; hardware?:\n    yes\n  AES-128-GCM\n    MB/s: 7\n";
        assert_eq!(blocks(&rows(), "  ", 28), text);
    }
}
