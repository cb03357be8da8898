//! A reader for OpenSSL's configuration format, config(5), with the semantics of libcrypto.
//!
//! Source: crypto/conf/conf_def.c and conf_api.c, whose semantics are the same in OpenSSL 3.0, 3.5
//! and 4.0. Sections that appear twice are one section. A key that appears twice in a section has
//! its last value and position. Supported: three kinds of quotes, `\` escapes, continued lines,
//! `$name`, `${section::name}`, `$ENV::NAME`, `.include` of files and directories, and the pragmas
//! `dollarid`, `abspath` and `includedir`.
//!
//! If OpenSSL would reject the whole file, this reader records that in [`Conf::refused`] and
//! continues with the next line. If OpenSSL ignores a problem (a missing included file), it adds a
//! warning. It never panics and has fixed limits: 1 MiB per file, 1000 files, 32 levels of
//! inclusion, 64 KiB per value, 16 MiB in total.

mod parser;
mod source;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use source::{Files, System};

/// The environment in which `$ENV::NAME` and OPENSSL_CONF_INCLUDE are looked up.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The section at the start of a file. A name that its own section does not contain is looked up
/// here.
pub const DEFAULT_SECTION: &str = "default";

#[derive(Clone, Debug, Default)]
pub struct Conf {
    sections: BTreeMap<String, Section>,
    /// The files in the order in which they were opened, the first one included.
    pub files: Vec<PathBuf>,
    /// The lines that include a file or directory, with its path.
    pub includes: Vec<(Origin, PathBuf)>,
    /// Why OpenSSL rejects the whole configuration and continues without one; the first reason.
    pub refused: Option<Remark>,
    /// What OpenSSL ignores, or where this reader stopped before OpenSSL would.
    pub warnings: Vec<Remark>,
}

/// A section: keys with their values, expanded and unquoted.
#[derive(Clone, Debug, Default)]
pub struct Section {
    values: HashMap<String, Stored>,
    next: u64,
}

#[derive(Clone, Debug)]
struct Stored {
    order: u64,
    value: String,
    origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, as named in `.include` or by the caller; empty for input without a file.
    pub file: Arc<Path>,
    /// Line number, from 1; of continued lines the last one.
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The file, as named in `.include` or by the caller; empty for input without a file.
    pub file: PathBuf,
    /// Line number, from 1; 0 if the message is about the whole file.
    pub line: usize,
    pub what: String,
}

#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be read: {cause}; set OPENSSL_CONF to a file that this user can read", path.display())]
pub struct Unreadable {
    pub path: PathBuf,
    pub cause: std::io::Error,
}

impl Conf {
    /// Reads a file and the files that it includes.
    /// Errors: [`Unreadable`] if the file itself cannot be read. Problems in its content are not
    /// errors: see [`Conf::refused`] and [`Conf::warnings`].
    pub fn load(path: &Path, env: &Environment) -> Result<Self, Unreadable> {
        Self::load_from(&System, path, env)
    }

    /// Reads a file and the files that it includes, all of them from `files`.
    /// Errors: as [`Conf::load`].
    pub fn load_from(files: &dyn Files, path: &Path, env: &Environment) -> Result<Self, Unreadable> {
        let bytes = source::read(files, path).map_err(|cause| Unreadable { path: path.to_owned(), cause })?;
        Ok(parser::parse(path, bytes, env, Some(files)))
    }

    /// Parses bytes that are not from a file, with an empty environment. `.include` is not
    /// followed. For fuzzing.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        parser::parse(Path::new(""), bytes.to_vec(), &|_| None, None)
    }

    #[must_use]
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.get(name)
    }

    pub fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.keys().map(String::as_str)
    }

    /// A value as `NCONF_get_string` finds it: from the section, otherwise from the default
    /// section.
    #[must_use]
    pub fn get(&self, section: &str, key: &str) -> Option<&str> {
        let in_section = |name| self.section(name).and_then(|s| s.get(key));
        in_section(section).or_else(|| in_section(DEFAULT_SECTION))
    }

    fn section_mut(&mut self, name: &str) -> &mut Section {
        self.sections.entry(name.to_owned()).or_default()
    }
}

impl Section {
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(|stored| stored.value.as_str())
    }

    #[must_use]
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.values.get(key).map(|stored| &stored.origin)
    }

    /// Keys and values in the order in which OpenSSL iterates over them: a key that is set again
    /// moves to the end.
    #[must_use]
    pub fn entries(&self) -> Vec<(&str, &str)> {
        let mut all: Vec<_> =
            self.values.iter().map(|(k, s)| (s.order, k.as_str(), s.value.as_str())).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, k, v)| (k, v)).collect()
    }

    fn set(&mut self, key: String, value: String, origin: Origin) {
        self.values.insert(key, Stored { order: self.next, value, origin });
        self.next += 1;
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.as_os_str().is_empty(), self.line) {
            (true, line) => write!(f, "line {line}: {}", self.what),
            (false, 0) => write!(f, "{}: {}", self.file.display(), self.what),
            (false, line) => write!(f, "{}:{line}: {}", self.file.display(), self.what),
        }
    }
}
