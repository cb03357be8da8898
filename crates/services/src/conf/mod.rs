//! OpenSSL's configuration format, config(5), read the way libcrypto reads it.
//!
//! Followed from crypto/conf/conf_def.c and conf_api.c, which are the same in OpenSSL 3.0, 3.5 and 4.0 as far as
//! a file's meaning goes: sections that appear twice are one section, a key that appears twice in a section keeps
//! its last value and place, quotes of three kinds, `\` escapes, continued lines, `$name`, `${section::name}`,
//! `$ENV::NAME`, `.include` of files and directories, the pragmas `dollarid`, `abspath` and `includedir`.
//!
//! Where OpenSSL would refuse the file as a whole, this reader notes it in [`Conf::refused`] and goes on with the
//! next line; where OpenSSL shrugs (an included file that is missing), it warns. It never panics and stops at fixed
//! limits: 1 MiB a file, 1000 files, 32 levels of inclusion, 64 KiB a value, 16 MiB in all.

mod parser;
mod source;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

/// The environment that `$ENV::NAME` and OPENSSL_CONF_INCLUDE are looked up in.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The section that a file starts in, and that a name is looked up in when its own section does not have it.
pub const DEFAULT_SECTION: &str = "default";

/// A configuration, all its included files merged.
#[derive(Clone, Debug, Default)]
pub struct Conf {
    sections: BTreeMap<String, Section>,
    /// Why OpenSSL refuses this configuration as a whole and goes on without any; the first reason.
    pub refused: Option<Remark>,
    /// What OpenSSL ignores, or where this reader stopped earlier than OpenSSL would.
    pub warnings: Vec<Remark>,
}

/// A section: keys with their values, expanded and unquoted.
#[derive(Clone, Debug, Default)]
pub struct Section {
    values: HashMap<String, (u64, String)>,
    next: u64,
}

/// Something to say about one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The file, as it was named in `.include` or by the caller; empty for bytes without a file.
    pub file: PathBuf,
    /// The line, from 1; 0 when it is about the file as a whole.
    pub line: usize,
    /// What it is.
    pub what: String,
}

/// The file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be read: {cause}; set OPENSSL_CONF to a file that this user can read", path.display())]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// The kernel's answer.
    pub cause: std::io::Error,
}

impl Conf {
    /// Reads a file and what it includes.
    ///
    /// # Errors
    /// [`Unreadable`] when the file itself cannot be read. What is wrong inside of it is no error, see
    /// [`Conf::refused`] and [`Conf::warnings`].
    pub fn load(path: &Path, env: &Environment) -> Result<Self, Unreadable> {
        let bytes = source::read(path).map_err(|cause| Unreadable { path: path.to_owned(), cause })?;
        Ok(parser::parse(path, bytes, env, true))
    }

    /// Reads bytes that belong to no file, in an empty environment; `.include` is not followed. For fuzzing.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        parser::parse(Path::new(""), bytes.to_vec(), &|_| None, false)
    }

    /// A section by its name.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.get(name)
    }

    /// The names of all sections, sorted.
    pub fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.keys().map(String::as_str)
    }

    /// A value as `NCONF_get_string` finds it: from the section, else from the default section.
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
    /// The value of a key in this very section.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(|(_, value)| value.as_str())
    }

    /// Keys and values in the order in which OpenSSL walks them: a key set again moves to the end.
    #[must_use]
    pub fn entries(&self) -> Vec<(&str, &str)> {
        let mut all: Vec<_> = self.values.iter().map(|(k, (at, v))| (*at, k.as_str(), v.as_str())).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, k, v)| (k, v)).collect()
    }

    fn set(&mut self, key: String, value: String) {
        self.values.insert(key, (self.next, value));
        self.next += 1;
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
