//! /proc/crypto, read tolerantly. The format is that of `c_show` in the kernel's crypto/proc.c: `key : value` lines,
//! a blank line after each driver. A damaged entry costs that entry and leaves a warning that names its line.

use std::fmt;

/// The longest algorithm or driver name of the kernel, in bytes with its NUL (CRYPTO_MAX_ALG_NAME).
const LONGEST_NAME: usize = 128;

/// What a driver computes, from the line `type`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // the kernel's own words
pub enum Kind {
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

const KINDS: &[(&str, Kind)] = &[
    ("skcipher", Kind::Skcipher),
    ("lskcipher", Kind::Lskcipher),
    ("aead", Kind::Aead),
    ("ahash", Kind::Ahash),
    ("shash", Kind::Shash),
    ("akcipher", Kind::Akcipher),
    ("sig", Kind::Sig),
    ("kpp", Kind::Kpp),
    ("rng", Kind::Rng),
    ("cipher", Kind::Cipher),
    ("acomp", Kind::Acomp),
    ("scomp", Kind::Scomp),
    ("compression", Kind::Compression),
    ("larval", Kind::Larval),
    ("unknown", Kind::Unknown),
];

impl Kind {
    /// The kind named as in /proc/crypto.
    pub fn from_name(name: &str) -> Self {
        KINDS
            .iter()
            .find(|(n, _)| *n == name)
            .map_or_else(|| Self::Other(name.into()), |(_, kind)| kind.clone())
    }

    /// The kernel's word for it.
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => KINDS.iter().find(|(_, kind)| kind == known).map_or("unknown", |(name, _)| name),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the kernel says about a driver's self-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selftest {
    /// It passed, or there is no test for the algorithm.
    Passed,
    /// It has not passed: it failed, or has not run yet. The kernel does not use such a driver.
    Unknown,
    /// A word that this version does not know.
    Other(String),
}

/// One driver of the kernel's crypto API. Sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// The algorithm, e.g. `cbc(aes)`.
    pub algorithm: String,
    /// The driver's own name, e.g. `mv-cbc-aes`.
    pub name: String,
    /// The kernel module, or `kernel` when it is built in.
    pub module: String,
    /// The kernel picks the highest.
    pub priority: i32,
    /// References held in the kernel.
    pub refcnt: Option<u32>,
    /// The state of the self-test.
    pub selftest: Selftest,
    /// A helper of another driver, not for users.
    pub internal: bool,
    /// What it computes.
    pub kind: Kind,
    /// The line `async`; kinds without that line have `None`.
    pub is_async: Option<bool>,
    /// Block size.
    pub blocksize: Option<u32>,
    /// Smallest key.
    pub min_keysize: Option<u32>,
    /// Largest key.
    pub max_keysize: Option<u32>,
    /// Size of the initialisation vector.
    pub ivsize: Option<u32>,
    /// Largest authentication tag.
    pub maxauthsize: Option<u32>,
    /// Size of a digest.
    pub digestsize: Option<u32>,
    /// Line of the entry in the file, counted from 1.
    pub line: usize,
}

impl Driver {
    /// The kernel hands this driver to users: self-tested, not internal, not on its way in or out.
    pub fn is_usable(&self) -> bool {
        self.selftest == Selftest::Passed && !self.internal && self.kind != Kind::Larval
    }
}

/// Something in a file of the kernel that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file, e.g. `/proc/crypto`.
    pub file: &'static str,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong and what was done about it.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} line {}: {}", self.file, self.line, self.text)
    }
}

/// All drivers in the order of the file, and what was wrong with the entries that are left out.
pub fn parse(bytes: &[u8]) -> (Vec<Driver>, Vec<Warning>) {
    let mut parser = Parser::default();
    let mut number = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        number += 1;
        let (line, complete, after) = match rest.iter().position(|b| *b == b'\n') {
            Some(end) => (&rest[..end], true, &rest[end + 1..]),
            None => (rest, false, &rest[rest.len()..]),
        };
        parser.line(number, line);
        if !complete && !line.trim_ascii().is_empty() {
            parser.damage(number, "the file ends in the middle of a line".into());
        }
        rest = after;
    }
    parser.finish_entry();
    (parser.drivers, parser.warnings)
}

#[derive(Default)]
struct Parser {
    drivers: Vec<Driver>,
    warnings: Vec<Warning>,
    entry: Option<Entry>,
}

#[derive(Default)]
struct Entry {
    start: usize,
    damage: Option<(usize, String)>,
    seen: Vec<&'static str>,
    algorithm: Option<String>,
    name: Option<String>,
    module: Option<String>,
    priority: Option<i32>,
    selftest: Option<Selftest>,
    kind: Option<Kind>,
    internal: bool,
    is_async: Option<bool>,
    sizes: [Option<u32>; SIZES.len()],
}

/// The lines whose value is a number of bytes (or, for refcnt, of references).
const SIZES: [&str; 7] =
    ["refcnt", "blocksize", "min keysize", "max keysize", "ivsize", "maxauthsize", "digestsize"];
const WORDS: [&str; 8] = ["name", "driver", "module", "priority", "selftest", "internal", "type", "async"];

impl Parser {
    fn line(&mut self, number: usize, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return self.finish_entry();
        }
        let Some(colon) = line.iter().position(|b| *b == b':') else {
            return self.damage(number, "a line without a colon".into());
        };
        let key = String::from_utf8_lossy(line[..colon].trim_ascii());
        if key == "name" && self.entry.as_ref().is_some_and(|e| e.seen.contains(&"name")) {
            self.finish_entry(); // the blank line is missing
        }
        let entry = self.entry.get_or_insert_with(|| Entry { start: number, ..Entry::default() });
        if let Err(text) = entry.set(&key, &line[colon + 1..]) {
            self.damage(number, text);
        }
    }

    fn damage(&mut self, number: usize, text: String) {
        let entry = self.entry.get_or_insert_with(|| Entry { start: number, ..Entry::default() });
        entry.damage.get_or_insert((number, text));
    }

    fn finish_entry(&mut self) {
        let Some(entry) = self.entry.take() else { return };
        match entry.finish() {
            Ok(driver) => self.drivers.push(driver),
            Err((line, text)) => self.warnings.push(Warning { file: "/proc/crypto", line, text }),
        }
    }
}

impl Entry {
    fn set(&mut self, key: &str, value: &[u8]) -> Result<(), String> {
        let Some(known) = WORDS.iter().chain(&SIZES).copied().find(|k| *k == key) else {
            return Ok(()); // newer kernels add lines
        };
        if self.seen.contains(&known) {
            return Err(format!("a second \"{known}\" in one entry"));
        }
        self.seen.push(known);
        let value =
            std::str::from_utf8(value.trim_ascii()).map_err(|_| format!("\"{known}\" is not text"))?;
        if value.contains('\0') {
            return Err(format!("\"{known}\" contains a NUL"));
        }
        match known {
            "name" => self.algorithm = Some(name(known, value)?),
            "driver" => self.name = Some(name(known, value)?),
            "module" => self.module = Some(name(known, value)?),
            "priority" => self.priority = Some(number(known, value)?),
            "type" => self.kind = Some(Kind::from_name(&name(known, value)?)),
            "internal" => self.internal = yes_or_no(known, value)?,
            "async" => self.is_async = Some(yes_or_no(known, value)?),
            "selftest" => {
                self.selftest = Some(match value {
                    "passed" => Selftest::Passed,
                    "unknown" => Selftest::Unknown,
                    other => Selftest::Other(other.chars().take(LONGEST_NAME).collect()),
                });
            }
            size => {
                if let Some(index) = SIZES.iter().position(|s| *s == size) {
                    self.sizes[index] = Some(number(size, value)?);
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Driver, (usize, String)> {
        let who =
            self.name.as_ref().or(self.algorithm.as_ref()).map(|n| format!(" of {n}")).unwrap_or_default();
        if let Some((line, text)) = self.damage {
            return Err((line, format!("{text}; the entry{who} is left out")));
        }
        let start = self.start;
        let missing = |what: &str| (start, format!("no \"{what}\"; the entry{who} is left out"));
        let [refcnt, blocksize, min_keysize, max_keysize, ivsize, maxauthsize, digestsize] = self.sizes;
        Ok(Driver {
            algorithm: self.algorithm.ok_or_else(|| missing("name"))?,
            name: self.name.ok_or_else(|| missing("driver"))?,
            module: self.module.ok_or_else(|| missing("module"))?,
            priority: self.priority.ok_or_else(|| missing("priority"))?,
            selftest: self.selftest.ok_or_else(|| missing("selftest"))?,
            kind: self.kind.ok_or_else(|| missing("type"))?,
            internal: self.internal,
            is_async: self.is_async,
            refcnt,
            blocksize,
            min_keysize,
            max_keysize,
            ivsize,
            maxauthsize,
            digestsize,
            line: start,
        })
    }
}

fn name(key: &str, value: &str) -> Result<String, String> {
    if value.is_empty() {
        return Err(format!("\"{key}\" is empty"));
    }
    if value.len() >= LONGEST_NAME || value.contains(|c: char| c.is_control()) {
        return Err(format!("\"{key}\" is no name"));
    }
    Ok(value.to_string())
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("\"{key}\" is no number in range"))
}

fn yes_or_no(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("\"{key}\" is neither yes nor no")),
    }
}

#[cfg(test)]
#[path = "proc_crypto_tests.rs"]
mod tests;
