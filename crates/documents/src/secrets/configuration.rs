//! openssl.cnf: what `outboard status` reads of it, at the same lines of the same files.
//!
//! Not the text is searched for secrets: it is parsed, and of the result the keys are written that
//! status reads, with values of the form that each key has.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use outboard_catalog::shown::{is_algorithm, is_name};
use outboard_openssl_conf::conf::{Conf, DEFAULT_SECTION, Section};

use super::{REMOVED, is_removed, removed};

/// The ends of files that are read when their directory is included.
const ENDS: [&str; 2] = [".cnf", ".conf"];

/// An engine, provider, random source or section as status shows it: itself, or `REMOVED` if it
/// does not have the form of a name.
pub fn name(text: &str) -> String {
    if is_shown(text) { text.to_owned() } else { REMOVED.to_owned() }
}

/// The path of a configuration as status shows it, each part as [`name`].
pub fn path(text: &str) -> String {
    mapped(text, &mut |_| REMOVED.to_owned())
}

pub fn digests(value: &str) -> String {
    let is_list = value.split([' ', ';']).all(|word| word.is_empty() || is_algorithm(word));
    if is_list || is_removed(value) { value.to_owned() } else { removed(value.len()) }
}

fn is_shown(text: &str) -> bool {
    is_name(text) && !text.starts_with(REMOVED)
}

/// The path with another name in place of each part that is not shown; the end of the name stays.
fn mapped(text: &str, other: &mut dyn FnMut(&str) -> String) -> String {
    let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
    let shown = parts.map(|part| {
        let end = ENDS.into_iter().find(|end| part.to_ascii_lowercase().ends_with(end)).unwrap_or_default();
        if is_shown(part) { part.to_owned() } else { other(part) + end }
    });
    let relative = shown.collect::<Vec<_>>().join("/");
    if text.starts_with('/') { format!("/{relative}") } else { relative }
}

/// The numbers of names that are not shown: what was different stays different.
#[derive(Default)]
struct Numbers(HashMap<String, usize>);

impl Numbers {
    fn name(&mut self, text: &str) -> String {
        if is_shown(text) { text.to_owned() } else { self.number(text) }
    }

    fn path(&mut self, text: &str) -> String {
        mapped(text, &mut |part| self.number(part))
    }

    fn number(&mut self, text: &str) -> String {
        let next = self.0.len() + 1;
        format!("{REMOVED}-{}", self.0.entry(text.to_owned()).or_insert(next))
    }
}

pub struct Configured {
    numbers: Numbers,
    files: BTreeMap<PathBuf, Lines>,
}

#[derive(Default)]
struct Lines {
    at: BTreeMap<usize, String>,
    /// Further ones: a file that is included twice sets two values by one line.
    more: Vec<String>,
}

pub fn configuration(conf: Option<&Conf>) -> Configured {
    let mut configured = Configured { numbers: Numbers::default(), files: BTreeMap::new() };
    let Some(conf) = conf else { return configured };
    for file in &conf.files {
        configured.files.entry(file.clone()).or_default();
    }
    for (origin, included) in &conf.includes {
        let path = configured.numbers.path(&included.to_string_lossy());
        configured.add(&origin.file, origin.line, format!(".include {path}"));
    }
    configured.keep(conf, DEFAULT_SECTION, "openssl_conf", Numbers::name);
    let value = |section: &str, key: &str| conf.section(section).and_then(|section| section.get(key));
    let Some(main) = value(DEFAULT_SECTION, "openssl_conf") else { return configured };
    for key in ["engines", "providers", "random"] {
        configured.keep(conf, main, key, Numbers::name);
    }
    let mut sections: Vec<&str> = Vec::new();
    for list in ["engines", "providers"].into_iter().filter_map(|key| value(main, key)) {
        for (key, section) in conf.section(list).map(Section::entries).unwrap_or_default() {
            configured.keep(conf, list, key, Numbers::name);
            sections.push(section);
        }
    }
    for section in sections {
        configured.keep(conf, section, "activate", |_, value| {
            let is_flag = ["1", "yes", "true", "on", "0", "no", "false", "off"];
            let is_flag = is_flag.contains(&value.to_ascii_lowercase().as_str());
            if is_flag { value.to_owned() } else { removed(value.len()) }
        });
        configured.keep(conf, section, "identity", Numbers::name);
        configured.keep(conf, section, "DIGESTS", |_, value| digests(value));
    }
    if let Some(section) = value(main, "random") {
        configured.keep(conf, section, "random", Numbers::name);
        configured.keep(conf, section, "seed", Numbers::name);
    }
    configured
}

impl Configured {
    fn keep(&mut self, conf: &Conf, section: &str, key: &str, form: impl Fn(&mut Numbers, &str) -> String) {
        let Some(found) = conf.section(section) else { return };
        let (Some(value), Some(origin)) = (found.get(key), found.origin(key)) else { return };
        let (value, key) = (form(&mut self.numbers, value), self.numbers.name(key));
        let line = format!("{}::{key} = {value}", self.numbers.name(section));
        self.add(&origin.file, origin.line, line);
    }

    fn add(&mut self, file: &Path, number: usize, line: String) {
        let lines = self.files.entry(file.to_owned()).or_default();
        let known = lines.at.entry(number).or_insert_with(|| line.clone());
        if *known != line && !lines.more.contains(&line) {
            lines.more.push(line);
        }
    }

    /// The path of a file or directory as the kept lines name it.
    pub fn path(&mut self, path: &str) -> String {
        self.numbers.path(path)
    }

    pub fn file(&self, path: &Path, original: &[u8]) -> Option<Vec<u8>> {
        let lines = self.files.get(path)?;
        let mut shown = String::new();
        for (index, line) in original.split(|byte| *byte == b'\n').enumerate() {
            let line = line.trim_ascii();
            match lines.at.get(&(index + 1)) {
                Some(kept) => shown.push_str(kept),
                None if line.is_empty() || line.starts_with(b"#") => {}
                None => shown.push_str(&format!("# {}", removed(line.len()))),
            }
            shown.push('\n');
        }
        for line in &lines.more {
            shown.push_str(&format!("{line}\n"));
        }
        Some(shown.into_bytes())
    }
}
