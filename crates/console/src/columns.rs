//! Tables of plain text.

use std::ops::Range;

/// Formats rows as columns that are as wide as their longest cell. Each line starts with `indent`;
/// the columns in `numbers` are aligned to the right.
pub fn aligned(rows: &[impl AsRef<[String]>], numbers: Range<usize>, indent: &str) -> String {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let cells = |column: usize| rows.iter().map(move |row| &row.as_ref()[column]);
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if numbers.contains(&column) { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        text.push_str(indent);
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
