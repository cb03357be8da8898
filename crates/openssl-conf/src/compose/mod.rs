//! Composes an openssl.cnf that keeps the existing configuration and adds outboard.
//!
//! [`compose`] writes a file that includes the existing file unchanged and adds to it. It relies on
//! these properties, tested with OpenSSL 3.0, 3.5 and 4.0 (`tests/layouts.rs`):
//!
//! - A section that appears again after an `.include` is the same section: keys are added at its
//!   end, and an existing key gets the new value. Therefore outboard's lines follow the existing
//!   file and take effect whatever that file sets near its end.
//! - Modules of an init section may have a suffix (`providers.outboard`), and run in addition to
//!   those without one. Therefore the existing `providers` and `alg_section` remain unchanged, even
//!   if the sections that they name do not exist.
//! - `default` must be activated explicitly if any other provider is activated. Activating it twice
//!   is harmless.
//! - `default_properties` may contain a property only once (`?provider=default,?provider=outboard`
//!   is a parse error that stops all configuration), and a later `alg_section` replaces the value
//!   of an earlier one. Therefore the queries are merged.
//! - A value that equals the name of a section is taken as a reference to that section. Therefore
//!   the name of outboard's own section never equals a possible value.
//!
//! Programs that load their settings under a name other than `openssl_conf` (Node.js:
//! `nodejs_conf`) read another init section. Every key of the default section that ends in `_conf`
//! and names a section is handled like `openssl_conf`. A missing key is not added, so Node.js needs
//! `--openssl-shared-config`, or a line `nodejs_conf = …` in the existing file.

mod existing;
mod properties;
mod quote;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use existing::Existing;

use crate::conf::{Conf, DEFAULT_SECTION, Environment, Files, System, Unreadable};

pub const NAME: &str = "outboard";

const INIT: &str = "outboard_init";
const PROVIDERS: &str = "outboard_providers";
const PROVIDER: &str = "outboard_provider";
const DEFAULT_PROVIDER: &str = "outboard_default_provider";
const ALGORITHMS: &str = "outboard_algorithms";

/// Keys of a section that selects programs, as on OpenWrt, and what they are in a composed
/// configuration, which is for a program that was chosen already (docs/provider.md).
const FOR_ONE_PROGRAM: [(&str, &str); 2] = [("PROGRAMS", "ALL"), ("COUNTERS", "")];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboardSection {
    pub module: PathBuf,
    /// Further keys with their values, in this order: `CIPHERS`, `THRESHOLDS` …
    pub keys: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Composed {
    pub text: String,
    /// Notes for the user, one or two sentences each: what in the existing configuration prevents
    /// the use of outboard, or was changed for it.
    pub notes: Vec<String>,
    pub prevented: Vec<String>,
    pub was_enabled: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    #[error("{name} {value:?} cannot be written into openssl.cnf: {cause}; choose another")]
    Value {
        /// Name of the item: "module" or a key.
        name: String,
        value: String,
        cause: &'static str,
    },
}

/// Composes the text of a configuration that keeps the effect of `existing` and enables outboard.
///
/// `existing` is an absolute path, or `None` if there is no configuration. `env` is the environment
/// in which the configuration will be used, for `$ENV::NAME`.
/// Errors: [`Error::Unreadable`] if `existing` cannot be read. [`Error::Value`] for a path or value
/// that contains a zero byte or is not UTF-8, and for an invalid key.
pub fn compose(
    existing: Option<&Path>,
    outboard: &OutboardSection,
    env: &Environment,
) -> Result<Composed, Error> {
    compose_from(&System, existing, outboard, env)
}

/// The same, for a configuration and included files that are read from `files`.
/// Errors: as [`compose`].
pub fn compose_from(
    files: &dyn Files,
    existing: Option<&Path>,
    outboard: &OutboardSection,
    env: &Environment,
) -> Result<Composed, Error> {
    let conf = existing.map(|path| Conf::load_from(files, path, env)).transpose()?.unwrap_or_default();
    let found = Existing::look(&conf);
    let mut out = Writer::default();
    let prevented = found.prevented(&conf, existing);
    let mut notes = prevented.clone();
    notes.extend(found.notes(&conf, existing));

    out.line("# Made by outboard: what was there before, unchanged, and outboard added.");
    if let Some(path) = existing {
        include(&mut out, files, path)?;
    }
    if !found.starts {
        out.section(DEFAULT_SECTION);
        out.set("openssl_conf", INIT);
    }
    for (i, init) in found.inits.iter().enumerate() {
        // A separate section of algorithms for each, because each may have other properties to
        // keep.
        let algorithms = if i == 0 { ALGORITHMS.to_owned() } else { format!("{ALGORITHMS}_{}", i + 1) };
        out.section(&init.section);
        out.set("providers.outboard", PROVIDERS);
        out.set("alg_section.outboard", &algorithms);
        out.section(&algorithms);
        out.set("default_properties", &init.properties.with_outboard());
    }
    out.section(PROVIDERS);
    if !found.fips() {
        out.set("default", DEFAULT_PROVIDER);
    }
    // Reuse existing sections of outboard: a new section would hide errors in them.
    let sections = match &found.outboard_sections[..] {
        [] => vec![PROVIDER.to_owned()],
        some => some.to_vec(),
    };
    out.set(NAME, &sections[0]);
    if !found.fips() {
        out.section(DEFAULT_PROVIDER);
        out.set("activate", "1");
    }
    for section in &sections {
        out.section(section);
        for (key, value) in FOR_ONE_PROGRAM {
            if conf.section(section).is_some_and(|s| s.entries().iter().any(|(found, _)| *found == key)) {
                out.set(key, value);
            }
        }
        for (key, value) in settings(outboard)? {
            out.set(&key, &value);
        }
    }
    for (key, value) in settings(outboard)?.iter().filter(|(_, value)| conf.section(value).is_some()) {
        let section = format!("openssl.cnf has a section [{value}], which OpenSSL takes {key} = {value} for");
        notes.push(format!("{section}: rename that section"));
    }
    Ok(Composed { text: out.0, notes, prevented, was_enabled: found.is_active(NAME) })
}

#[must_use]
pub fn quoted(value: &str) -> String {
    quote::value(value)
}

/// Adds the existing file: by name, or as text if OpenSSL would refuse to include it.
fn include(out: &mut Writer, files: &dyn Files, path: &Path) -> Result<(), Error> {
    let unreadable = |cause| Unreadable { path: path.to_owned(), cause };
    let bytes = files.read(path).map_err(unreadable)?;
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        // OpenSSL skips a byte order mark only at the start of the first file.
        Some(text) => {
            out.line("# (its text and not its name, because it starts with a byte order mark)");
            out.line(&String::from_utf8_lossy(text));
        }
        None => {
            let name = checked(".include", path.to_str())?;
            let _ = writeln!(out.0, ".include = {}", quote::value(&name));
        }
    }
    Ok(())
}

fn settings(outboard: &OutboardSection) -> Result<Vec<(String, String)>, Error> {
    let mut all = vec![
        ("module".to_owned(), checked("module", outboard.module.to_str())?),
        ("activate".to_owned(), "1".to_owned()),
    ];
    for (key, value) in &outboard.keys {
        if key.is_empty() || !key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            let cause = "the key is no name of letters, digits and underscores";
            return Err(Error::Value { name: key.clone(), value: value.clone(), cause });
        }
        all.push((key.clone(), checked(key, Some(value))?));
    }
    Ok(all)
}

fn checked(name: &str, value: Option<&str>) -> Result<String, Error> {
    let wrong = |value: &str, cause| Error::Value { name: name.to_owned(), value: value.to_owned(), cause };
    match value {
        None => Err(wrong("", "it is not UTF-8")),
        Some(v) if v.contains('\0') => Err(wrong(v, "it holds a zero byte")),
        Some(v) => Ok(v.to_owned()),
    }
}

#[derive(Default)]
struct Writer(String);

impl Writer {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn section(&mut self, name: &str) {
        self.line("");
        self.line(&format!("[{}]", quote::section(name)));
    }

    fn set(&mut self, key: &str, value: &str) {
        self.line(&format!("{key} = {}", quote::value(value)));
    }
}
