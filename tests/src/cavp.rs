//! Test vectors of NIST's Cryptographic Algorithm Validation Program, from response files (.rsp)
//! outside this tree.

use std::fs;
use std::path::PathBuf;

use crate::bytes::hex;

/// The variable that names the directory of `scripts/cavp`.
const DIRECTORY: &str = "OUTBOARD_VECTORS";

/// The files.
#[derive(Debug)]
pub struct Vectors(PathBuf);

impl Vectors {
    /// The directory that the environment names, or what is missing.
    pub fn find() -> Result<Vectors, String> {
        let named = std::env::var_os(DIRECTORY).map(PathBuf::from);
        let there = named.filter(|directory| directory.is_dir());
        there.map(Vectors).ok_or_else(|| format!("the test vectors of NIST ({DIRECTORY}; scripts/cavp)"))
    }

    /// The text of one file.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        let path = self.0.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// One vector: its own values, and those of its section of the file.
#[derive(Clone, Debug, Default)]
pub struct Case<'t> {
    section: &'t str,
    values: Vec<(&'t str, &'t str)>,
}

/// The vectors of a file.
///
/// From a line `Count` or `Len` to the next empty line, `Name = value` belongs to one vector.
/// Elsewhere, and in brackets, it belongs to all vectors that follow. A word without a value, such
/// as `FAIL`, has an empty value; in brackets it names a section.
pub fn cases(text: &str) -> impl Iterator<Item = Case<'_>> {
    let (mut common, mut lines) = (Case::default(), text.lines());
    std::iter::from_fn(move || {
        let mut case: Option<Case<'_>> = None;
        for line in lines.by_ref().map(str::trim) {
            if line.is_empty() && case.is_some() {
                break;
            } else if line.is_empty() || line.starts_with('#') {
                continue;
            } else if let Some(inside) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                inside.split(',').for_each(|part| match part.split_once('=') {
                    Some((name, value)) => common.set(name.trim(), value.trim()),
                    None => common.section = part.trim(),
                });
                continue;
            }
            let (name, value) =
                line.split_once('=').map_or((line, ""), |(name, value)| (name.trim(), value.trim()));
            let begins = name.eq_ignore_ascii_case("count") || name.eq_ignore_ascii_case("len");
            if begins && case.is_none() {
                case = Some(common.clone());
            }
            case.as_mut().unwrap_or(&mut common).set(name, value);
        }
        case
    })
}

impl<'t> Case<'t> {
    fn set(&mut self, name: &'t str, value: &'t str) {
        match self.values.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some(known) => known.1 = value,
            None => self.values.push((name, value)),
        }
    }

    /// The section, for example ENCRYPT.
    pub fn section(&self) -> &'t str {
        self.section
    }

    /// The value of a name, which is case-insensitive.
    pub fn get(&self, name: &str) -> Option<&'t str> {
        self.values.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, value)| value)
    }

    /// A number in decimal digits.
    #[track_caller]
    pub fn number(&self, name: &str) -> usize {
        let value = self.get(name).unwrap_or_else(|| panic!("no {name} in {self:?}"));
        value.parse().unwrap_or_else(|_| panic!("{name} is no number in {self:?}"))
    }

    /// Bytes in hexadecimal digits.
    #[track_caller]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        hex(self.get(name).unwrap_or_else(|| panic!("no {name} in {self:?}")))
    }

    /// The first `length` bytes; a file has one zero byte for an empty value.
    #[track_caller]
    pub fn first_bytes(&self, name: &str, length: usize) -> Vec<u8> {
        let mut bytes = self.bytes(name);
        assert!(bytes.len() >= length, "{name} has fewer bytes than {length} in {self:?}");
        bytes.truncate(length);
        bytes
    }
}
