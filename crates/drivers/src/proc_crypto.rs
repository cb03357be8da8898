//! /proc/crypto, parsed tolerantly. The format is that of `c_show` in the kernel's crypto/proc.c:
//! `key : value` lines, and a blank line after each driver. A damaged entry is skipped with a
//! warning that names its line.

use std::fmt;

/// The longest algorithm or driver name of the kernel, in bytes with its NUL (CRYPTO_MAX_ALG_NAME).
const LONGEST_NAME: usize = 128;

/// Drivers and damaged entries that are read. A kernel with all modules has about 1000 drivers; a saved
/// file may have any number.
pub(crate) const MOST_DRIVERS: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverType {
    Skcipher,
    Lskcipher,
    Aead,
    Ahash,
    Shash,
    Akcipher,
    Sig,
    Kpp,
    Rng,
    Cipher,
    Acomp,
    Scomp,
    Compression,
    Larval,
    Unknown,
    Other(String),
}

const DRIVER_TYPES: &[(&str, DriverType)] = &[
    ("skcipher", DriverType::Skcipher),
    ("lskcipher", DriverType::Lskcipher),
    ("aead", DriverType::Aead),
    ("ahash", DriverType::Ahash),
    ("shash", DriverType::Shash),
    ("akcipher", DriverType::Akcipher),
    ("sig", DriverType::Sig),
    ("kpp", DriverType::Kpp),
    ("rng", DriverType::Rng),
    ("cipher", DriverType::Cipher),
    ("acomp", DriverType::Acomp),
    ("scomp", DriverType::Scomp),
    ("compression", DriverType::Compression),
    ("larval", DriverType::Larval),
    ("unknown", DriverType::Unknown),
];

impl DriverType {
    pub fn from_name(name: &str) -> Self {
        DRIVER_TYPES
            .iter()
            .find(|(n, _)| *n == name)
            .map_or_else(|| Self::Other(name.into()), |(_, kind)| kind.clone())
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => DRIVER_TYPES.iter().find(|(_, kind)| kind == known).map_or("unknown", |(name, _)| name),
        }
    }
}

impl fmt::Display for DriverType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selftest {
    /// It passed, or there is no test for the algorithm.
    Passed,
    /// It runs, or waits for its turn. The file has the kernel's placeholder for it as well. The kernel
    /// does not use such a driver yet.
    Pending,
    /// It has not passed: it failed. The kernel does not use such a driver.
    Unknown,
    Other(String),
}

impl Selftest {
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown => "not passed",
            other => other.word(),
        }
    }

    pub fn word(&self) -> &str {
        match self {
            Self::Passed => "passed",
            Self::Pending => "pending",
            Self::Unknown => "unknown",
            Self::Other(word) => word,
        }
    }
}

/// One driver of the kernel's crypto API. Sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CryptoDriver {
    pub algorithm: String,
    pub name: String,
    /// The kernel module, or `kernel` when it is built in.
    pub module: String,
    /// The priority; the kernel selects the highest.
    pub priority: i32,
    pub refcnt: Option<u32>,
    pub selftest: Selftest,
    pub internal: bool,
    pub kind: DriverType,
    /// The line `async`; `None` for kinds without that line.
    pub is_async: Option<bool>,
    pub blocksize: Option<u32>,
    pub min_keysize: Option<u32>,
    pub max_keysize: Option<u32>,
    pub ivsize: Option<u32>,
    pub maxauthsize: Option<u32>,
    pub digestsize: Option<u32>,
    /// Line of the entry in the file, counted from 1.
    pub line: usize,
}

impl CryptoDriver {
    /// Whether the kernel offers this driver to users: self-tested, not internal, not being
    /// registered or removed.
    pub fn is_usable(&self) -> bool {
        self.selftest == Selftest::Passed && !self.internal && self.kind != DriverType::Larval
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line, counted from 1.
    pub line: usize,
    pub damage: Damage,
}

/// The damage, and the part that was skipped because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    Entry { fault: Fault, of: Option<String> },
    Line(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    CutLine,
    NoColon,
    Second(&'static str),
    Missing(&'static str),
    Value(&'static str, &'static str),
    TooMany,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.damage {
            Damage::Entry { fault, of } => {
                write!(f, "/proc/crypto line {}: {fault}; the entry", self.line)?;
                of.iter().try_for_each(|name| write!(f, " of {name}"))?;
                f.write_str(if *fault == Fault::TooMany {
                    " and all others are left out"
                } else {
                    " is left out"
                })
            }
            Damage::Line(what) => {
                write!(f, "/proc/interrupts line {}: {what}; the line is left out", self.line)
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutLine => f.write_str("the file ends in the middle of a line"),
            Self::NoColon => f.write_str("a line without a colon"),
            Self::Second(key) => write!(f, "a second \"{key}\" in one entry"),
            Self::Missing(key) => write!(f, "no \"{key}\""),
            Self::TooMany => write!(f, "more than {MOST_DRIVERS} entries"),
            Self::Value(key, is) => write!(f, "\"{key}\" {is}"),
        }
    }
}

/// All drivers in the order of the file, and the damage of entries that were skipped.
pub fn parse(bytes: &[u8]) -> (Vec<CryptoDriver>, Vec<Warning>) {
    let mut parser = Parser::default();
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let text = line.trim_ascii();
        if text.is_empty() {
            parser.finish_entry();
        } else if parser.entry.is_none() && parser.drivers.len() + parser.warnings.len() >= MOST_DRIVERS {
            let damage = Damage::Entry { fault: Fault::TooMany, of: None };
            parser.warnings.push(Warning { line: number, damage });
            break;
        } else {
            parser.line(number, text);
            if !line.ends_with(b"\n") {
                parser.damage(number, Fault::CutLine);
            }
        }
    }
    parser.finish_entry();
    mark_pending(&mut parser.drivers);
    (parser.drivers, parser.warnings)
}

/// While an algorithm is tested, a larval with the name of its driver stands next to it
/// (`crypto_alloc_test_larval` in crypto/algapi.c). The word `unknown` alone does not tell a test that
/// runs from one that failed.
fn mark_pending(drivers: &mut [CryptoDriver]) {
    let is_larval = |driver: &&CryptoDriver| driver.kind == DriverType::Larval;
    let tested: Vec<String> = drivers.iter().filter(is_larval).map(|driver| driver.name.clone()).collect();
    for driver in drivers.iter_mut().filter(|driver| driver.selftest == Selftest::Unknown) {
        if tested.contains(&driver.name) {
            driver.selftest = Selftest::Pending;
        }
    }
}

#[derive(Default)]
struct Parser {
    drivers: Vec<CryptoDriver>,
    warnings: Vec<Warning>,
    entry: Option<Entry>,
}

#[derive(Default)]
struct Entry {
    start: usize,
    damage: Option<(usize, Fault)>,
    seen: [bool; KEYS.len()],
    algorithm: Option<String>,
    name: Option<String>,
    module: Option<String>,
    priority: Option<i32>,
    selftest: Option<Selftest>,
    kind: Option<DriverType>,
    internal: bool,
    is_async: Option<bool>,
    sizes: [Option<u32>; SIZES],
}

/// The keys that are read: first those that every entry has, last those whose value is a number of
/// bytes (or, for refcnt, of references).
#[rustfmt::skip]
const KEYS: [&str; 15] = [
    "name", "driver", "module", "priority", "selftest", "type",
    "internal", "async",
    "refcnt", "blocksize", "min keysize", "max keysize", "ivsize", "maxauthsize", "digestsize",
];
const NAME: usize = 0;
const DRIVER: usize = 1;
const NEEDED: usize = 6;
const SIZES: usize = 7;

impl Parser {
    fn line(&mut self, number: usize, line: &[u8]) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return self.damage(number, Fault::NoColon);
        };
        let (key, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if key == KEYS[NAME].as_bytes() && self.entry.as_ref().is_some_and(|entry| entry.seen[NAME]) {
            self.finish_entry(); // the blank line is missing
        }
        if let Err(fault) = self.entry(number).set(key, value) {
            self.damage(number, fault);
        }
    }

    fn entry(&mut self, number: usize) -> &mut Entry {
        self.entry.get_or_insert_with(|| Entry { start: number, ..Entry::default() })
    }

    fn damage(&mut self, number: usize, fault: Fault) {
        self.entry(number).damage.get_or_insert((number, fault));
    }

    fn finish_entry(&mut self) {
        // A larval is the kernel's placeholder while an algorithm is looked up or tested. It may
        // have no driver name yet.
        let is_larval = |entry: &Entry| matches!(entry.kind, Some(DriverType::Larval));
        let is_unnamed = |entry: &Entry| entry.seen[DRIVER] && entry.name.is_none();
        match self.entry.take().filter(|entry| !(is_larval(entry) && is_unnamed(entry))).map(Entry::finish) {
            Some(Ok(driver)) => self.drivers.push(driver),
            Some(Err(warning)) => self.warnings.push(warning),
            None => {}
        }
    }
}

impl Entry {
    fn set(&mut self, key: &[u8], value: &[u8]) -> Result<(), Fault> {
        let Some(known) = KEYS.iter().position(|known| known.as_bytes() == key) else {
            return Ok(()); // newer kernels add lines
        };
        let key = KEYS[known];
        if std::mem::replace(&mut self.seen[known], true) {
            return Err(Fault::Second(key));
        }
        self.keep(known, value).map_err(|is| Fault::Value(key, is))
    }

    fn keep(&mut self, known: usize, value: &[u8]) -> Result<(), &'static str> {
        let value = std::str::from_utf8(value).map_err(|_| "is not text")?;
        if value.as_bytes().contains(&0) {
            return Err("contains a NUL");
        }
        match KEYS[known] {
            "name" => self.algorithm = Some(name(value)?),
            "driver" => self.name = Some(name(value)?),
            "module" => self.module = Some(name(value)?),
            "priority" => self.priority = Some(number(value)?),
            "type" => self.kind = Some(DriverType::from_name(&name(value)?)),
            "internal" => self.internal = yes_or_no(value)?,
            "async" => self.is_async = Some(yes_or_no(value)?),
            "selftest" => {
                self.selftest = Some(match value {
                    "passed" => Selftest::Passed,
                    "unknown" => Selftest::Unknown,
                    other => Selftest::Other(name(other)?),
                });
            }
            _ => self.sizes[known - (KEYS.len() - SIZES)] = Some(number(value)?),
        }
        Ok(())
    }

    fn finish(self) -> Result<CryptoDriver, Warning> {
        match self {
            Entry {
                damage: None,
                start: line,
                algorithm: Some(algorithm),
                name: Some(name),
                module: Some(module),
                priority: Some(priority),
                selftest: Some(selftest),
                kind: Some(kind),
                internal,
                is_async,
                sizes: [refcnt, blocksize, min_keysize, max_keysize, ivsize, maxauthsize, digestsize],
                ..
            } => Ok(CryptoDriver {
                algorithm,
                name,
                module,
                priority,
                refcnt,
                selftest,
                internal,
                kind,
                is_async,
                blocksize,
                min_keysize,
                max_keysize,
                ivsize,
                maxauthsize,
                digestsize,
                line,
            }),
            entry => {
                let missing = entry.seen[..NEEDED].iter().position(|seen| !seen).unwrap_or(NAME);
                let (line, fault) = entry.damage.unwrap_or((entry.start, Fault::Missing(KEYS[missing])));
                Err(Warning { line, damage: Damage::Entry { fault, of: entry.name.or(entry.algorithm) } })
            }
        }
    }
}

fn name(value: &str) -> Result<String, &'static str> {
    if value.is_empty() {
        return Err("is empty");
    }
    if value.len() >= LONGEST_NAME || value.chars().any(char::is_control) {
        return Err("is no name");
    }
    Ok(value.to_string())
}

fn number<T: TryFrom<i64>>(value: &str) -> Result<T, &'static str> {
    let number: Option<i64> = value.parse().ok();
    number.and_then(|number| number.try_into().ok()).ok_or("is no number in range")
}

fn yes_or_no(value: &str) -> Result<bool, &'static str> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("is neither yes nor no"),
    }
}

#[cfg(test)]
#[path = "proc_crypto_tests.rs"]
mod tests;
