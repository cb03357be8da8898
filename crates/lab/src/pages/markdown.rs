//! Formats sections as Markdown (GitHub's, with tables), for mails and issues.

use outboard_console::is_unprintable;

use crate::pages::page::{Answer, Block, Section, Table, code_spans};

pub fn page(title: &str, lead: &[String], answers: &[Answer], sections: &[Section]) -> String {
    let mut text = format!("# {}\n", escape(title));
    for paragraph in lead {
        text += &format!("\n{}\n", at_start(paragraph));
    }
    if !answers.is_empty() {
        text += "\n| question | answer | because |\n| --- | --- | --- |\n";
    }
    for one in answers {
        let answer = format!("{}{}", one.answer.tone.mark(), escape(&one.answer.text));
        text += &format!("| {} | {answer} | {} |\n", escape(one.question), escape(&one.because));
    }
    for section in sections {
        text += &format!("\n## {}\n", escape(section.title));
        section.blocks.iter().for_each(|block| text += &one(block));
    }
    text
}

fn one(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("\n{}\n", at_start(text)),
        Block::Note(text) => format!("\n> {}\n", at_start(text)),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("- {}\n", at_start(item))).collect();
            format!("\n{items}")
        }
        Block::Table(of) => table(of),
        // An indented block needs no escapes, and only a line break ends it.
        Block::Command { says, command } => {
            format!("\n{}\n\n    {}\n", at_start(says), printable(command))
        }
        Block::Pictures(pictures) => {
            pictures.iter().map(|picture| format!("\n{}\n", at_start(&picture.caption))).collect()
        }
        Block::Plots(plots) => plots.iter().map(|plot| table(plot.table())).collect(),
    }
}

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("\n{}\n\n", at_start(&table.caption));
    text += &line(table.head.iter().map(|column| escape(column.name)).collect());
    let rule = |is_number| if is_number { "---:" } else { "---" }.to_owned();
    text += &line(table.head.iter().map(|column| rule(column.is_number)).collect());
    for row in &table.rows {
        text += &line(row.iter().map(|cell| format!("{}{}", cell.tone.mark(), escape(&cell.text))).collect());
    }
    text
}

fn printable(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\t' => ' ',
        c if is_unprintable(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(plain).collect()
}

/// Escapes text so that Markdown does not interpret it: no HTML, no code, no link (including those
/// that GitHub creates from addresses).
pub fn escape(text: &str) -> String {
    let text = printable(text);
    let mut safe = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        match c {
            '<' => safe += "&lt;",
            '&' => safe += "&amp;",
            '\\' | '`' | '*' | '[' | ']' | '#' | '|' | '~' | '@' => safe.extend(['\\', c]),
            // Inside a word, an underscore is not markup.
            '_' if !(before.is_alphanumeric() && rest[1..].starts_with(char::is_alphanumeric)) => {
                safe += "\\_"
            }
            ':' if rest.starts_with("://") => safe += "\\:",
            '.' if safe.len() >= 3 && safe.to_ascii_lowercase().ends_with("www") => safe += "\\.",
            c => safe.push(c),
        }
        before = c;
    }
    safe
}

fn prose(text: &str) -> String {
    let span = |(text, is_code)| match is_code {
        true => code(text),
        false => escape(text),
    };
    code_spans(text).into_iter().map(span).collect()
}

/// Formats a code span, in which escapes have no effect; text with table, HTML or link markup
/// becomes escaped text instead.
fn code(text: &str) -> String {
    let has_markup = text.contains(['|', '<', '\\']) || text.contains("://");
    if has_markup || text.trim() != text { escape(text) } else { format!("`{}`", printable(text)) }
}

/// Formats a sentence at the start of a line, where it must not start a list or a quotation.
fn at_start(text: &str) -> String {
    let safe = prose(text);
    let digits = safe.chars().take_while(char::is_ascii_digit).count();
    let (number, rest) = safe.split_at(digits);
    let is_item = digits > 0 && [". ", ") "].iter().any(|end| rest.starts_with(end));
    if is_item || safe.starts_with(['>', '-', '+', '=']) { format!("{number}\\{rest}") } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        for (text, safe) in [
            ("virtio_crypto_aes_cbc over /dev/outboard", "virtio_crypto_aes_cbc over /dev/outboard"),
            ("cbc(aes) <b>", "cbc(aes) &lt;b>"),
            ("a|b\nc", "a\\|b c"),
            ("__x__ *y* `z`", "\\_\\_x\\_\\_ \\*y\\* \\`z\\`"),
            ("[t](http://x) www.x.y", "\\[t\\](http\\://x) www\\.x.y"),
            ("a\u{202e}b\u{1b}", "a\u{fffd}b\u{fffd}"),
        ] {
            assert_eq!(escape(text), safe, "{text}");
        }
        for (text, safe) in
            [("- 1", "\\- 1"), ("2. x 2.5", "2\\. x 2.5"), ("3.5.7", "3.5.7"), ("a - b", "a - b")]
        {
            assert_eq!(at_start(text), safe, "{text}");
        }
    }
}
