//! The policy file: what `outboard tune` measured on this machine. Text, a line for each cipher; what it belongs to stands
//! above. A file that belongs to another kernel, CPU or driver is not obeyed.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::algorithms::is;

/// Where the provider looks for it.
pub const POLICY_FILE: &str = "/etc/outboard/policy";

/// The first word of the first line that is no comment, and the format's version.
const MAGIC: [&str; 2] = ["outboard-policy", "1"];

/// No policy is longer.
const LONGEST: usize = 64 * 1024;

/// No CPU's part of /proc/cpuinfo is longer.
const FIRST_CPU: usize = 16 * 1024;

/// Stands where software always wins.
const NEVER: &str = "never";

/// A file whose every line is understood. It is kept as text: who reads it asks for a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuned {
    text: String,
}

/// A cipher that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CipherRow<'a> {
    /// The smallest request in bytes that goes to the accelerator when encrypting, and when decrypting; `None`: none does.
    pub from: [Option<usize>; 2],
    /// The driver that was measured.
    pub driver: &'a str,
    /// Into pieces of how many bytes a request is best cut, if that was measured.
    pub piece: Option<usize>,
}

/// Why a file is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The kernel does not hand it out.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Anybody could have written it.
    #[error(
        "it must be a file of 64 KiB at most that belongs to root (or to who runs this) and that nobody else may write"
    )]
    Owner,
    /// It is damaged.
    #[error("line {0} is not understood: run `outboard tune` again")]
    Line(usize),
    /// It belongs to another time or machine.
    #[error("it was made for {was}, and here is {here}: run `outboard tune` again")]
    Stale {
        /// What was measured.
        was: String,
        /// What is here.
        here: String,
    },
}

impl Tuned {
    /// Reads a file that only root, or the user of this process, may write. `None` when there is none.
    pub fn read(path: &Path) -> Result<Option<Tuned>, Unfit> {
        trusted(path)?.map_or(Ok(None), |text| Tuned::parse(text).map(Some).map_err(Unfit::Line))
    }

    /// The error is the number of the line that is wrong.
    pub fn parse(text: String) -> Result<Tuned, usize> {
        let mut begun = false;
        for (number, line) in (1_usize..).zip(text.lines()) {
            let words = words(line);
            let is_understood = match words {
                [None, ..] => continue,
                _ if !begun => words[..3] == [Some(MAGIC[0]), Some(MAGIC[1]), None],
                [Some("made" | "goal" | "kernel" | "cpu"), value, ..] => value.is_some(),
                [Some("driver"), _, _, version, _] => version.is_some(),
                _ => row(words).is_some(),
            };
            if !is_understood {
                return Err(number);
            }
            begun = true;
        }
        if begun { Ok(Tuned { text }) } else { Err(1) }
    }

    /// The first word behind a word that begins a line: `made`, `goal`, `kernel`, `cpu`.
    pub fn value(&self, word: &str) -> &str {
        let line = self.text.lines().map(words).find(|words| words[0] == Some(word));
        line.and_then(|words| words[1]).unwrap_or_default()
    }

    /// Whether it was made here. `root` is `/`, or where a system's files were copied to.
    pub fn is_of(&self, root: &Path) -> Result<(), Unfit> {
        same("kernel", self.value("kernel"), said_by(root, RELEASE).trim())?;
        same("CPU", self.value("cpu"), &cpu_identity(&said_by(root, "proc/cpuinfo")))?;
        for line in self.text.lines() {
            if let [Some("driver"), Some(driver), Some(module), Some(version), _] = words(line) {
                same(driver, version, &module_version(root, module))?;
            }
        }
        Ok(())
    }

    /// What it says of a cipher; the last line if there are several.
    pub fn of(&self, cipher: &str) -> Option<CipherRow<'_>> {
        let is_its = |words: &[Option<&str>; 5]| words[0].is_some_and(|first| is(first, cipher));
        let mut last = None;
        for line in self.text.lines() {
            last = Some(words(line)).filter(is_its).or(last);
        }
        row(last?)
    }
}

/// A file's text. It must be one that only root, or the user of this process, may write. `None` when there is none.
pub(crate) fn trusted(path: &Path) -> Result<Option<String>, Unfit> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let about = file.metadata()?;
    // Who owns our own files is who we are.
    let ours = || fs::metadata("/proc/self").is_ok_and(|own| own.uid() == about.uid());
    let is_plain = about.is_file() && about.len() <= LONGEST as u64;
    if !is_plain || about.mode() & 0o022 != 0 || (about.uid() != 0 && !ours()) {
        return Err(Unfit::Owner);
    }
    let text = String::from_utf8(beginning(file, LONGEST)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))?;
    Ok(Some(text))
}

/// A file's bytes, so many at most.
fn beginning(mut file: fs::File, most: usize) -> io::Result<Vec<u8>> {
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

/// What a file of /proc says, as far as it matters.
pub(crate) fn said_by(root: &Path, file: &str) -> String {
    // Every process asks: of many CPUs the first says enough, and the kernel writes /proc/cpuinfo as far as it is read.
    // What cannot be read is not what was measured.
    beginning_of(root, file).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// The beginning of a file of the kernel's, if it can be read.
fn beginning_of(root: &Path, file: &str) -> Option<Vec<u8>> {
    fs::File::open(root.join(file)).and_then(|file| beginning(file, FIRST_CPU)).ok()
}

/// The kernel's release.
pub(crate) const RELEASE: &str = "proc/sys/kernel/osrelease";

/// The first words of a line, without what follows a #.
#[inline(never)]
fn words(line: &str) -> [Option<&str>; 5] {
    let mut words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
    [(); 5].map(|()| words.next())
}

/// `AES-128-CBC 4096 never virtio_crypto_aes_cbc 65536`, the last word where it was measured.
fn row(words: [Option<&str>; 5]) -> Option<CipherRow<'_>> {
    let [_, encrypt, decrypt, driver, piece] = words;
    let piece = match piece {
        Some(word) => Some(word.parse().ok()?),
        None => None,
    };
    Some(CipherRow { from: [from(encrypt?)?, from(decrypt?)?], driver: driver?, piece })
}

#[inline(never)]
fn same(what: &str, was: &str, here: &str) -> Result<(), Unfit> {
    let stale = |text: &str| format!("{what} {text}");
    if was == here { Ok(()) } else { Err(Unfit::Stale { was: stale(was), here: stale(here) }) }
}

impl CipherRow<'_> {
    /// Whether the accelerator is not worth it at any size, in neither direction.
    pub fn is_never(&self) -> bool {
        self.from == [None, None]
    }
}

fn from(word: &str) -> Option<Option<usize>> {
    if word == NEVER { Some(None) } else { word.parse().ok().map(Some) }
}

/// A threshold as the file has it.
pub fn from_text(from: Option<usize>) -> String {
    from.map_or_else(|| NEVER.to_owned(), |bytes| bytes.to_string())
}

/// Lines of /proc/cpuinfo that say which CPU it is and what it can do; the others vary from boot to boot.
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

/// FNV-1a of nothing.
const HASH: u64 = 0xcbf2_9ce4_8422_2325;

/// And of what follows.
fn hash(before: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(before, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A CPU as a number, by the first one of /proc/cpuinfo.
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

/// The version of a kernel module, by which a rebuilt one is told: its build ID as a number; `-` where there is none.
pub fn module_version(root: &Path, module: &str) -> String {
    let note = beginning_of(root, &format!("sys/module/{module}/notes/.note.gnu.build-id"));
    note.map_or_else(|| "-".to_owned(), |note| hash(HASH, &note).to_string())
}

#[cfg(test)]
#[path = "tuned_tests.rs"]
mod tests;
