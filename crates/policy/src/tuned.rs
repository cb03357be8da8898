//! The policy file: the measurements of `outboard tune` on this machine. A text file with one line
//! for each cipher. Lines above them identify the kernel, CPU and drivers that were measured. A
//! file that was made for another kernel, CPU or driver is not used.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::algorithms::is_name;
use crate::figures;
use crate::lookahead::{LookaheadRow, lookahead_row};

/// Path at which the provider looks for the policy file.
pub const POLICY_FILE: &str = "/etc/outboard/policy";

/// The first two words of the first line that is not a comment: file type and format version.
pub(crate) const MAGIC: [&str; 2] = ["outboard-policy", "2"];

/// Maximum size of a policy file, in bytes.
const LONGEST: usize = 64 * 1024;

/// Maximum number of bytes read from a file of the kernel. The first CPU's part of /proc/cpuinfo is
/// shorter.
const FIRST_CPU: usize = 16 * 1024;

/// Used in place of a threshold where software is always faster.
const NEVER: &str = "never";

/// A policy file whose every line is valid. Kept as text, because a reader needs only a few words
/// of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuned {
    text: String,
}

/// Measured thresholds of a cipher. Default: nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CipherRow<'a> {
    /// Smallest request in bytes that is offloaded: for encryption, for decryption. `None`: no
    /// request is offloaded.
    pub from: [Option<usize>; 2],
    pub driver: &'a str,
    /// Best size of the chunks into which a request is split, in bytes, if it was measured.
    pub piece: Option<usize>,
    /// Number of bytes of a key from which a session for it was measured to pay, if it was measured.
    pub key_bytes: Option<usize>,
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is not a regular file of at most 64 KiB that only root or the user of this process
    /// may write.
    #[error(
        "it must be a file of 64 KiB at most that is owned by root (or the current user) and writable by its owner only"
    )]
    Owner,
    #[error("line {0} is not understood: run `outboard tune` again")]
    Line(usize),
    /// The file was made for another kernel, CPU or driver.
    #[error("it was made for {was}, and here is {here}: run `outboard tune` again")]
    Stale { was: String, here: String },
}

impl Tuned {
    /// Reads a file that only root, or the user of this process, may write. `None` if it does not
    /// exist.
    /// Errors: [`Unfit::Io`] if the file cannot be read, [`Unfit::Owner`] if others may write it or
    /// it is not a regular file of at most 64 KiB, [`Unfit::Line`] if a line is not valid.
    pub fn read(path: &Path) -> Result<Option<Tuned>, Unfit> {
        trusted(path)?.map_or(Ok(None), |text| Tuned::parse(text).map(Some).map_err(Unfit::Line))
    }

    /// Checks the text of a policy file.
    /// Errors: number of the first line that is not valid, from 1.
    pub fn parse(text: String) -> Result<Tuned, usize> {
        let mut begun = false;
        for (number, line) in (1_usize..).zip(text.lines()) {
            let words = words(line);
            let is_understood = match words {
                [None, ..] => continue,
                _ if !begun => words[..3] == [Some(MAGIC[0]), Some(MAGIC[1]), None],
                [Some("made" | "goal" | "kernel" | "cpu"), value, ..] => value.is_some(),
                [Some("driver"), _, _, version, ..] => version.is_some(),
                // The numbers are for the command; the provider does not parse them.
                [Some(figures::WORD), .., last] => last.is_some(),
                [Some(LookaheadRow::WORD), ..] => lookahead_row(words).is_some(),
                _ => row(words).is_some(),
            };
            if !is_understood {
                return Err(number);
            }
            begun = true;
        }
        if begun { Ok(Tuned { text }) } else { Err(1) }
    }

    /// The word after the keyword that begins a line: `made`, `goal`, `kernel` or `cpu`. Empty if
    /// there is no such line.
    pub fn value(&self, word: &str) -> &str {
        let line = self.text.lines().map(words).find(|words| words[0] == Some(word));
        line.and_then(|words| words[1]).unwrap_or_default()
    }

    /// Checks that the file was made for this kernel, CPU and version of each driver. `root` is
    /// `/`, or has copies of a system's files.
    /// Errors: [`Unfit::Stale`] with the first difference.
    pub fn is_of(&self, root: &(impl SystemFiles + ?Sized)) -> Result<(), Unfit> {
        same("kernel", self.value("kernel"), kernel_text(root, RELEASE).trim())?;
        same("CPU", self.value("cpu"), &cpu_identity(&kernel_text(root, "proc/cpuinfo")))?;
        for line in self.text.lines() {
            if let [Some("driver"), Some(driver), Some(module), Some(version), ..] = words(line) {
                same(driver, version, &module_version(root, module))?;
            }
        }
        Ok(())
    }

    pub fn has_driver(&self, driver: &str) -> bool {
        self.lines().any(|words| words[..2] == [Some("driver"), Some(driver)])
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = [Option<&str>; 6]> {
        self.text.lines().map(words)
    }

    /// The thresholds of a cipher; the last line if there are several.
    pub fn of(&self, cipher: &str) -> Option<CipherRow<'_>> {
        let is_its = |words: &[Option<&str>; 6]| words[0].is_some_and(|first| is_name(first, cipher));
        let mut last = None;
        for line in self.text.lines() {
            last = Some(words(line)).filter(is_its).or(last);
        }
        row(last?)
    }
}

/// The files of a system, below `/` or wherever copies of them are.
pub trait SystemFiles {
    /// At most the first `most` bytes of a file, if it can be read. The path has no leading slash.
    fn beginning(&self, file: &str, most: usize) -> Option<Vec<u8>>;
}

impl SystemFiles for Path {
    fn beginning(&self, file: &str, most: usize) -> Option<Vec<u8>> {
        fs::File::open(self.join(file)).and_then(|file| beginning(file, most)).ok()
    }
}

/// The text of a file that only root, or the user of this process, may write. `None` if it does not
/// exist.
pub(crate) fn trusted(path: &Path) -> Result<Option<String>, Unfit> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let about = file.metadata()?;
    // /proc/self belongs to the effective user of this process.
    let own = || fs::metadata("/proc/self").ok().map(|about| about.uid());
    let is_plain = about.is_file() && about.len() <= LONGEST as u64;
    if !is_plain || about.mode() & 0o022 != 0 || !is_trusted_owner(about.uid(), own) {
        return Err(Unfit::Owner);
    }
    let text = String::from_utf8(beginning(file, LONGEST)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))?;
    Ok(Some(text))
}

/// Whether files of this user are trusted: root and the user of this process are.
fn is_trusted_owner(owner: u32, own: impl FnOnce() -> Option<u32>) -> bool {
    owner == 0 || own() == Some(owner)
}

/// At most the first `most` bytes of a file.
fn beginning(mut file: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; most];
    let mut len = 0;
    while len < most {
        match file.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(len);
    Ok(bytes)
}

/// The beginning of a text file of the kernel; empty if it cannot be read.
pub(crate) fn kernel_text(root: &(impl SystemFiles + ?Sized), file: &str) -> String {
    // Every process that loads the provider reads these files. The kernel generates /proc/cpuinfo
    // only as far as it is read, and the first CPU is sufficient. An unreadable file compares as
    // different from what was measured.
    root.beginning(file, FIRST_CPU).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

pub(crate) const RELEASE: &str = "proc/sys/kernel/osrelease";

/// The first words of a line, without the comment after `#`.
#[inline(never)]
fn words(line: &str) -> [Option<&str>; 6] {
    let mut words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
    [(); 6].map(|()| words.next())
}

/// Parses `AES-128-CBC 4096 never virtio_crypto_aes_cbc 65536 100000`. The last two words are
/// optional.
fn row(words: [Option<&str>; 6]) -> Option<CipherRow<'_>> {
    let [_, encrypt, decrypt, driver, piece, key_bytes] = words;
    let number = |word: Option<&str>| word.map_or(Some(None), |word| word.parse().ok().map(Some));
    Some(CipherRow {
        from: [CipherRow::size(encrypt?)?, CipherRow::size(decrypt?)?],
        driver: driver?,
        piece: number(piece)?,
        key_bytes: number(key_bytes)?,
    })
}

#[inline(never)]
fn same(what: &str, was: &str, here: &str) -> Result<(), Unfit> {
    let stale = |text: &str| format!("{what} {text}");
    if was == here { Ok(()) } else { Err(Unfit::Stale { was: stale(was), here: stale(here) }) }
}

impl CipherRow<'_> {
    /// Whether no request is offloaded, in either direction.
    pub fn is_never(&self) -> bool {
        self.from == [None, None]
    }

    /// The line in the policy file. The size of chunks stands before the bytes of a key, so that these
    /// are written only with it.
    pub(crate) fn line(&self, cipher: &str) -> String {
        let [encrypt, decrypt] = self.from.map(from_text);
        let pieces = self.piece.into_iter().chain(self.piece.and(self.key_bytes));
        let pieces: String = pieces.map(|bytes| format!(" {bytes}")).collect();
        format!("{cipher} {encrypt} {decrypt} {}{pieces}", self.driver)
    }

    /// Parses a threshold; the outer `None` for a word that is none.
    pub(crate) fn size(word: &str) -> Option<Option<usize>> {
        if word == NEVER { Some(None) } else { word.parse().ok().map(Some) }
    }
}

/// A threshold as written in the file.
pub fn from_text(from: Option<usize>) -> String {
    from.map_or_else(|| NEVER.to_owned(), |bytes| bytes.to_string())
}

/// Keys of /proc/cpuinfo that identify the CPU and its features. Other lines vary from boot to
/// boot.
const IDENTITY: [&str; 17] = [
    "vendor_id",
    "cpu family",
    "model",
    "model name",
    "stepping",
    "flags",
    "Features",
    "CPU implementer",
    "CPU variant",
    "CPU part",
    "CPU revision",
    "system type",
    "cpu model",
    "ASEs implemented",
    "isa",
    "uarch",
    "cpu",
];

/// FNV-1a offset basis: the hash of no bytes.
const HASH: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a hash, continued from `before`.
fn hash(before: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(before, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Identifies a CPU by a hash over the first CPU of /proc/cpuinfo, as a decimal number.
pub fn cpu_identity(cpuinfo: &str) -> String {
    let mut identity = HASH;
    for line in cpuinfo.trim_start_matches('\n').lines() {
        if line.is_empty() {
            break;
        }
        let key = line.split_once(':').map_or(line, |(key, _)| key).trim_ascii();
        if IDENTITY.contains(&key) {
            identity = hash(identity, line.as_bytes());
        }
    }
    identity.to_string()
}

/// Version of a kernel module, which changes when the module is rebuilt: the hash of its build ID
/// note as a decimal number; `-` if there is none.
pub fn module_version(root: &(impl SystemFiles + ?Sized), module: &str) -> String {
    let note = root.beginning(&format!("sys/module/{module}/notes/.note.gnu.build-id"), FIRST_CPU);
    note.map_or_else(|| "-".to_owned(), |note| hash(HASH, &note).to_string())
}

#[cfg(test)]
#[path = "tuned_tests.rs"]
mod tests;
