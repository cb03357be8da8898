//! An openssl.cnf that keeps what a system has and adds outboard.
//!
//! [`compose`] writes a file that includes the existing one unchanged and adds to it. It rests on this, tried with
//! OpenSSL 3.0, 3.5 and 4.0 (`tests/layouts.rs`):
//!
//! * A section that appears again after an `.include` is the same section: keys are added at its end, and a key that
//!   is there already gets the new value. So outboard's lines come after the existing file, whatever that sets late.
//! * Modules of an init section may carry a suffix (`providers.outboard`), and run in addition to the plain ones. So
//!   the existing `providers` and `alg_section` stay untouched, even when the sections they name are missing.
//! * `default` must be activated explicitly as soon as anything else is; activating it twice does no harm.
//! * A property may stand once in `default_properties` (`?provider=default,?provider=outboard` is a parse error that
//!   stops all configuration), and a later `alg_section` replaces the earlier one's value: hence the merging.
//! * A value that happens to be the name of a section is taken for that section, so outboard's own section is never
//!   called what one of its values could be.
//!
//! Programs that load their settings under another name than `openssl_conf` (Node.js: `nodejs_conf`) read another
//! init section. Every key of the default section that ends in `_conf` and names a section is treated like
//! `openssl_conf`; one that is not there is not invented, so Node.js needs `--openssl-shared-config`, or a line
//! `nodejs_conf = …` in the existing file.

mod existing;
mod properties;
mod quote;

use crate::conf::{Conf, DEFAULT_SECTION, Environment, Unreadable};
use existing::Existing;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The provider's name: `?provider=outboard`.
pub const NAME: &str = "outboard";

const INIT: &str = "outboard_init";
const PROVIDERS: &str = "outboard_providers";
const PROVIDER: &str = "outboard_provider";
const DEFAULT_PROVIDER: &str = "outboard_default_provider";
const ALGORITHMS: &str = "outboard_algorithms";

/// outboard's own section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboardSection {
    /// The provider's file, absolute.
    pub module: PathBuf,
    /// Further keys and their values, in order: `CIPHERS`, `THRESHOLDS` …
    pub keys: Vec<(String, String)>,
}

/// A configuration that was composed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Composed {
    /// The file's text.
    pub text: String,
    /// What the user should know about it, one sentence or two each: what in the existing configuration keeps
    /// outboard from being used, or was changed for it.
    pub notes: Vec<String>,
    /// Whether the existing configuration activates outboard already.
    pub was_enabled: bool,
}

/// Why nothing could be composed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The existing configuration.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// A path or value that a configuration cannot hold.
    #[error("{name} {value:?} cannot be written into openssl.cnf: {cause}; choose another")]
    Value {
        /// What it is: "module" or a key.
        name: String,
        /// Its value.
        value: String,
        /// What is wrong with it.
        cause: &'static str,
    },
}

/// Composes the text of a configuration that does what `existing` does and enables outboard.
///
/// `existing` is an absolute path, or `None` when there is none. `env` is the environment that it will be used in,
/// for `$ENV::NAME`.
///
/// # Errors
/// [`Error::Unreadable`] when `existing` cannot be read, [`Error::Value`] for a path or value that holds a zero byte,
/// is not UTF-8, or for a key that is no name.
pub fn compose(
    existing: Option<&Path>,
    outboard: &OutboardSection,
    env: &Environment,
) -> Result<Composed, Error> {
    let conf = existing.map(|path| Conf::load(path, env)).transpose()?.unwrap_or_default();
    let found = Existing::look(&conf);
    let mut out = Writer::default();
    let mut notes = found.notes(&conf, existing);

    out.line("# Made by outboard: what was there before, unchanged, and outboard added.");
    if let Some(path) = existing {
        include(&mut out, path)?;
    }
    if !found.starts {
        out.section(DEFAULT_SECTION);
        out.set("openssl_conf", INIT);
    }
    for (i, init) in found.inits.iter().enumerate() {
        // One section of algorithms for each, since each may have other properties to keep.
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
    // Where outboard is configured already, by that: a second section would hide what is wrong with the first.
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
        for (key, value) in settings(outboard)? {
            out.set(&key, &value);
        }
    }
    for (key, value) in settings(outboard)?.iter().filter(|(_, value)| conf.section(value).is_some()) {
        let section = format!("openssl.cnf has a section [{value}], which OpenSSL takes {key} = {value} for");
        notes.push(format!("{section}: rename that section"));
    }
    Ok(Composed { text: out.0, notes, was_enabled: found.is_active(NAME) })
}

/// Brings the existing file in: by name, or by its text where OpenSSL would refuse to include it.
fn include(out: &mut Writer, path: &Path) -> Result<(), Error> {
    let unreadable = |cause| Unreadable { path: path.to_owned(), cause };
    let bytes = std::fs::read(path).map_err(unreadable)?;
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        // A byte order mark is skipped at the start of the first file only.
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

/// The text so far.
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
