//! Scripts of shells, as in `sh -c`: each of their commands as a command line. Not a parser: a word
//! that it takes for another one is shown only if it has the form of a program, an option, an
//! algorithm or a size.

use super::command::Line;
use super::removed;
use crate::shell;

pub fn script(text: &str) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut line = Line::default();
    let mut is_file = false;
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r']);
        let Some(first) = rest.chars().next() else { break };
        if first == '#' {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            shown.push("\n".to_owned());
            line = Line::default();
        } else if let Some(length) = operator(rest) {
            let (sign, after) = rest.split_at(length);
            if sign == "<<" {
                let document = after.trim();
                let document =
                    if super::is_removed(document) { document.to_owned() } else { removed(document.len()) };
                shown.extend(["<<".to_owned(), document]);
                break;
            }
            is_file = sign.starts_with(['<', '>']);
            if !is_file {
                line = Line::default();
            }
            shown.push(sign.to_owned());
            rest = after;
        } else {
            let (word, after) = word(rest);
            rest = after;
            let word = if is_file { Line::file(&word) } else { line.word(&word) };
            is_file = false;
            // `$NAME` is not quoted: it is the name of a variable.
            shown.push(if word.starts_with('$') { word } else { shell::word(&word) });
        }
    }
    shown.join(" ").replace(" \n ", "\n").trim_matches([' ', '\n']).to_owned()
}

/// The length of an operator at the start.
fn operator(text: &str) -> Option<usize> {
    let signs = [
        "&&", "||", ";;", "<<", ">>", ">&", "<&", ";", "|", "&", "(", ")", "<", ">", "\n", "{ ", "}", "`",
        "$(",
    ];
    signs.into_iter().find(|sign| text.starts_with(sign)).map(|sign| sign.trim_end().len().max(1))
}

/// The first word without its quotes, and the text after it.
fn word(text: &str) -> (String, &str) {
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => word.extend(chars.next().map(|(_, escaped)| escaped)),
            (None, _) if c.is_whitespace() || ";|&()<>`".contains(c) => return (word, &text[at..]),
            _ => word.push(c),
        }
    }
    (word, "")
}
