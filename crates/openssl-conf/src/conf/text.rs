//! Parsing within a line: character classes, comments, quotes, escapes and variables.

use super::{Conf, DEFAULT_SECTION, Environment};

/// Maximum length of a value after expansion, in bytes: MAX_CONF_VALUE_LENGTH of conf_def.c.
const LONGEST_VALUE: usize = 65536;

pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_quote(b: u8) -> bool {
    matches!(b, b'"' | b'\'' | b'`')
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Characters allowed in a key or section name without an escape.
fn is_key(b: u8) -> bool {
    is_name(b) || b"!.%&*+,/;?@^~|-".contains(&b)
}

/// The index of the first byte at or after `at` that is not white space.
pub(super) fn skip_space(line: &[u8], at: usize) -> usize {
    line[at..].iter().position(|&b| !is_space(b)).map_or(line.len(), |n| at + n)
}

/// The index after the key that starts at `at`. Escapes are part of the key.
pub(super) fn skip_key(line: &[u8], mut at: usize, dollar_is_key: bool) -> usize {
    while let Some(&b) = line.get(at) {
        match b {
            b'\\' => at += 2,
            b'$' if dollar_is_key => at += 1,
            _ if is_key(b) => at += 1,
            _ => break,
        }
    }
    at.min(line.len())
}

/// The line without its comment. A `#` in quotes or after a `\` does not start a comment.
pub(super) fn without_comment(line: &[u8]) -> &[u8] {
    let mut at = 0;
    while let Some(&b) = line.get(at) {
        match b {
            b'#' => return &line[..at],
            b'\\' => at += 2,
            _ if is_quote(b) => at = skip_quoted(line, at),
            _ => at += 1,
        }
    }
    line
}

fn skip_quoted(line: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&b) = line.get(at) {
        match b {
            b'\\' => at += 2,
            _ if b == line[start] => return at + 1,
            _ => at += 1,
        }
    }
    line.len()
}

pub(super) struct Scope<'a> {
    pub(super) conf: &'a Conf,
    pub(super) env: &'a Environment<'a>,
    /// Section in which a variable without a section name is looked up first.
    pub(super) section: Option<&'a str>,
    /// `.pragma dollarid:on`: `$` is part of names, and variables need braces.
    pub(super) dollar_is_key: bool,
}

impl Scope<'_> {
    /// Removes quotes and escapes and substitutes variables.
    /// Errors: why OpenSSL rejects the whole file, as text.
    pub(super) fn expand(&self, from: &[u8]) -> Result<String, String> {
        let mut to: Vec<u8> = Vec::with_capacity(from.len());
        let mut at = 0;
        while let Some(&b) = from.get(at) {
            match b {
                b'\\' => {
                    // A single backslash at the end of the line is removed.
                    to.extend(from.get(at + 1).map(|&b| escaped(b)));
                    at += 2;
                }
                b'$' if !self.dollar_is_key || matches!(from.get(at + 1), Some(b'{' | b'(')) => {
                    let (value, next) = self.variable(from, at + 1)?;
                    to.extend_from_slice(value.as_bytes());
                    at = next;
                }
                _ if is_quote(b) => at = unquote(from, at, &mut to),
                _ => {
                    to.push(b);
                    at += 1;
                }
            }
            if to.len() > LONGEST_VALUE {
                return Err(format!("a value grows beyond {LONGEST_VALUE} bytes"));
            }
        }
        Ok(String::from_utf8_lossy(&to).into_owned())
    }

    /// The value of the variable whose name starts at `at`, after the `$`, and the index after the
    /// variable.
    fn variable(&self, from: &[u8], mut at: usize) -> Result<(String, usize), String> {
        let close = match from.get(at) {
            Some(b'{') => Some(b'}'),
            Some(b'(') => Some(b')'),
            _ => None,
        };
        at += usize::from(close.is_some());
        let mut section = self.section;
        let mut name = self.name(from, &mut at);
        if from[at..].starts_with(b"::") {
            at += 2;
            section = Some(name);
            name = self.name(from, &mut at);
        }
        if let Some(close) = close {
            if from.get(at) != Some(&close) {
                return Err(format!("the closing {} of a variable is missing", close as char));
            }
            at += 1;
        }
        match self.look_up(section, name) {
            Some(value) => Ok((value, at)),
            None => Err("a variable has no value".to_owned()),
        }
    }

    fn name<'f>(&self, from: &'f [u8], at: &mut usize) -> &'f str {
        let start = *at;
        while from.get(*at).is_some_and(|&b| is_name(b) || (self.dollar_is_key && b == b'$')) {
            *at += 1;
        }
        // Names contain only ASCII characters.
        std::str::from_utf8(&from[start..*at]).unwrap_or_default()
    }

    fn look_up(&self, section: Option<&str>, name: &str) -> Option<String> {
        let own = section.and_then(|s| self.conf.section(s)?.get(name)).map(str::to_owned);
        own.or_else(|| if section == Some("ENV") { (self.env)(name) } else { None })
            .or_else(|| self.conf.get(DEFAULT_SECTION, name).map(str::to_owned))
    }
}

fn escaped(b: u8) -> u8 {
    match b {
        b'r' => b'\r',
        b'n' => b'\n',
        b'b' => 8,
        b't' => b'\t',
        other => other,
    }
}

/// Copies the quoted text that starts at `start`. An escape inside it yields the next byte
/// unchanged. Returns the index after the closing quote.
fn unquote(from: &[u8], start: usize, to: &mut Vec<u8>) -> usize {
    let mut at = start + 1;
    while let Some(&b) = from.get(at) {
        match b {
            _ if b == from[start] => return at + 1,
            b'\\' => {
                to.extend(from.get(at + 1));
                at += 2;
            }
            _ => {
                to.push(b);
                at += 1;
            }
        }
    }
    from.len()
}
