//! Parses lines into sections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::source::{Files, Line, Sources};
use super::text::{Scope, is_space, skip_key, skip_space, without_comment};
use super::{Conf, DEFAULT_SECTION, Environment, Origin, Remark};

/// Maximum size of all values together, in bytes. Variables can expand a small file to a large one.
const MOST_BYTES: usize = 16 << 20;
/// Bytes by which a rejected line counts towards that limit, so that parsing of a malicious file
/// ends early.
const COST_OF_MISTAKE: usize = 4096;
const MOST_WARNINGS: usize = 100;

struct Parser<'a> {
    conf: Conf,
    env: &'a Environment<'a>,
    sources: Sources<'a>,
    section: String,
    dollar_is_key: bool,
    absolute_only: bool,
    include_dir: Option<PathBuf>,
    bytes: usize,
}

/// A line without its comment, and its section.
struct Assignment<'l> {
    section: String,
    name: &'l [u8],
    /// The text after the name and white space: normally `= value`.
    rest: &'l [u8],
    /// Whether `rest` follows the name without white space.
    adjacent: bool,
}

pub(super) fn parse(path: &Path, bytes: Vec<u8>, env: &Environment, files: Option<&dyn Files>) -> Conf {
    let mut parser = Parser {
        conf: Conf::default(),
        env,
        sources: Sources::new(path, bytes, files),
        section: DEFAULT_SECTION.to_owned(),
        dollar_is_key: false,
        absolute_only: false,
        include_dir: None,
        bytes: 0,
    };
    parser.conf.section_mut(DEFAULT_SECTION);
    while let Some(line) = parser.sources.line() {
        if line.had_nul {
            parser.warn(&line, "holds a zero byte; the rest of the line is not read".into());
        }
        if let Err(what) = parser.take(&line) {
            let remark = Remark { file: line.file.to_path_buf(), line: line.number, what };
            parser.conf.refused.get_or_insert(remark);
            parser.bytes += COST_OF_MISTAKE;
        }
        if parser.bytes > MOST_BYTES {
            let what = "too large or too many mistakes; the rest is not read".into();
            let remark = Remark { file: path.to_owned(), line: 0, what };
            parser.conf.warnings.push(remark);
            break;
        }
    }
    parser.conf.files = parser.sources.files;
    parser.conf
}

impl Parser<'_> {
    /// Processes one line.
    /// Errors: why OpenSSL rejects the whole configuration.
    fn take(&mut self, line: &Line) -> Result<(), String> {
        let text = without_comment(&line.text);
        let start = skip_space(text, 0);
        match text.get(start) {
            None => Ok(()),
            Some(b'[') => self.header(&text[start + 1..]),
            Some(_) => {
                let assignment = self.assignment(&text[start..]);
                if assignment.is(b".pragma") {
                    self.pragma(assignment.operand())
                } else if assignment.is(b".include") {
                    self.include(line, &assignment)
                } else {
                    self.set(line, &assignment)
                }
            }
        }
    }

    fn expand(&self, section: Option<&str>, from: &[u8]) -> Result<String, String> {
        let scope = Scope { conf: &self.conf, env: self.env, section, dollar_is_key: self.dollar_is_key };
        scope.expand(from)
    }

    fn header(&mut self, text: &[u8]) -> Result<(), String> {
        let start = skip_space(text, 0);
        let mut word = start;
        let end = loop {
            let end = skip_key(text, word, self.dollar_is_key);
            let next = skip_space(text, end);
            match text.get(next) {
                Some(b']') => break end,
                Some(_) if next != word => word = next,
                _ => return Err("the section's closing ] is missing".into()),
            }
        };
        self.section = self.expand(None, &text[start..end])?;
        let name = self.section.clone();
        self.bytes += name.len();
        self.conf.section_mut(&name);
        Ok(())
    }

    fn assignment<'l>(&self, text: &'l [u8]) -> Assignment<'l> {
        let mut start = 0;
        let mut end = skip_key(text, 0, self.dollar_is_key);
        let mut section = self.section.clone();
        if text[end..].starts_with(b"::") {
            section = String::from_utf8_lossy(&text[..end]).into_owned();
            start = end + 2;
            end = skip_key(text, start, self.dollar_is_key);
        }
        let rest = skip_space(text, end);
        Assignment { section, name: &text[start..end], rest: &text[rest..], adjacent: rest == end }
    }

    fn set(&mut self, line: &Line, assignment: &Assignment) -> Result<(), String> {
        let name = String::from_utf8_lossy(assignment.name).into_owned();
        if !assignment.rest.starts_with(b"=") {
            // Not the name: it may be the rest of a secret, and notes of a proof quote this.
            return Err("the = after the name is missing".into());
        }
        let value = self.expand(Some(&assignment.section), assignment.operand())?;
        self.bytes += name.len() + value.len();
        let origin = Origin { file: Arc::clone(&line.file), line: line.number };
        self.conf.section_mut(&assignment.section).set(name, value, origin);
        Ok(())
    }

    fn pragma(&mut self, operand: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(operand);
        let (name, value) = text
            .split_once(':')
            .filter(|(name, value)| !name.is_empty() && !value.is_empty())
            .ok_or(".pragma is not followed by NAME:VALUE")?;
        let value = value.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
        let flag = || match value.to_ascii_lowercase().as_str() {
            "on" | "true" => Ok(true),
            "off" | "false" => Ok(false),
            _ => Err("a .pragma is neither on nor off".to_owned()),
        };
        match name.trim_end() {
            "dollarid" => self.dollar_is_key = flag()?,
            "abspath" => self.absolute_only = flag()?,
            "includedir" => self.include_dir = Some(value.into()),
            _ => {}
        }
        Ok(())
    }

    fn include(&mut self, line: &Line, assignment: &Assignment) -> Result<(), String> {
        let named = PathBuf::from(self.expand(Some(&assignment.section), assignment.operand())?);
        let from_env = (self.env)("OPENSSL_CONF_INCLUDE").map(PathBuf::from);
        let path = match from_env.or_else(|| self.include_dir.clone()) {
            // `join` with an absolute path returns that path.
            Some(dir) => dir.join(named),
            None => named,
        };
        if self.absolute_only && path.is_relative() {
            return Err(format!(".include {}: the path must be absolute here", path.display()));
        }
        match self.sources.include(&path) {
            Ok(()) => {
                let origin = Origin { file: Arc::clone(&line.file), line: line.number };
                self.conf.includes.push((origin, path));
            }
            Err(what) => self.warn(line, what),
        }
        Ok(())
    }

    fn warn(&mut self, line: &Line, what: String) {
        if self.conf.warnings.len() < MOST_WARNINGS {
            self.conf.warnings.push(Remark { file: line.file.to_path_buf(), line: line.number, what });
        }
    }
}

impl<'l> Assignment<'l> {
    /// Whether this is the directive, and not a key that only begins with its name.
    fn is(&self, directive: &[u8]) -> bool {
        self.name.starts_with(directive)
            && (self.name.len() > directive.len() || !self.adjacent || self.rest.starts_with(b"="))
    }

    /// The right-hand side, without the `=` and the white space around it.
    fn operand(&self) -> &'l [u8] {
        let rest = self.rest.strip_prefix(b"=").unwrap_or(self.rest);
        let start = skip_space(rest, 0);
        let end = rest.iter().rposition(|&b| !is_space(b)).map_or(start, |n| n + 1);
        &rest[start..end.max(start)]
    }
}
