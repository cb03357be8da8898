//! Reads an archive that may be damaged or hostile, into memory. Nothing is written to a disk, so
//! a path in the archive is only a name; names that do not belong into a bundle are errors all the
//! same, since they show that the file is no bundle.

use std::io::{self, Read};
use std::path::{Component, Path};

use lzma_rust2::XzReader;
use tar::{Archive, Entry, EntryType};

use crate::bundle::files::{Files, Item};

/// Maximum size of all content and headers, unpacked, in bytes.
const LARGEST: u64 = 64 << 20;
/// Maximum size of one file in bytes.
const LARGEST_FILE: u64 = 32 << 20;
const MOST_ENTRIES: usize = 100_000;
/// Maximum memory of the decoder in KiB: enough for the dictionary of `xz -9`.
const DECODER_KB: u32 = 80 << 10;

#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The data ends early or is not what it claims to be.
    #[error("the archive is damaged or cut short ({0}): copy it again, in binary mode")]
    Damaged(io::Error),
    #[error("the archive has more than {} MiB unpacked: it is no bundle of outboard", LARGEST >> 20)]
    TooLarge,
    #[error("the archive has more than {MOST_ENTRIES} entries: it is no bundle of outboard")]
    TooMany,
    /// A path leads out of the archive.
    #[error("the archive has an entry {0:?}, which leads out of it: it is no bundle of outboard")]
    Outside(String),
    #[error(
        "the archive's entry {path:?} is a {what}, and a bundle has files and directories only: unpack it and \
         give the directory"
    )]
    Kind { path: String, what: &'static str },
    #[error("the archive is empty")]
    Empty,
}

/// Reads a tar archive, compressed by xz if `is_xz`.
/// Errors: [`Unfit`] for everything that `outboard bundle` does not write.
pub fn unpack(input: impl Read, is_xz: bool) -> Result<Files, Unfit> {
    if is_xz {
        let mut xz = Limited { inner: XzReader::new_mem_limit(input, false, DECODER_KB), left: LARGEST };
        let files = read(&mut xz)?;
        // The check sum stands at the end.
        return io::copy(&mut xz, &mut io::sink()).map(|_| files).map_err(damaged);
    }
    read(Limited { inner: input, left: LARGEST })
}

fn read(input: impl Read) -> Result<Files, Unfit> {
    let mut files = Files::default();
    let mut archive = Archive::new(input);
    for (number, entry) in archive.entries().map_err(damaged)?.enumerate() {
        if number >= MOST_ENTRIES {
            return Err(Unfit::TooMany);
        }
        let mut entry = entry.map_err(damaged)?;
        let Some(path) = path_of(&entry)? else { continue };
        match entry.header().entry_type() {
            EntryType::Directory => files.add(&path, Item::Directory),
            EntryType::Regular | EntryType::Continuous => {
                if entry.size() > LARGEST_FILE {
                    return Err(Unfit::TooLarge);
                }
                // The size in a header is a claim: memory grows with what is really there.
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(damaged)?;
                if bytes.len() as u64 != entry.size() {
                    return Err(Unfit::Damaged(io::ErrorKind::UnexpectedEof.into()));
                }
                files.add(&path, Item::File(bytes));
            }
            EntryType::XGlobalHeader => {}
            kind => return Err(Unfit::Kind { path, what: name_of(kind) }),
        }
    }
    if files.is_empty() { Err(Unfit::Empty) } else { Ok(files) }
}

/// The path of an entry without `./`; `None` for the top directory.
fn path_of(entry: &Entry<impl Read>) -> Result<Option<String>, Unfit> {
    let bytes = entry.path_bytes();
    let path = String::from_utf8_lossy(&bytes).into_owned();
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(&path).components() {
        match component {
            Component::CurDir => {}
            // The path is UTF-8, so its parts are.
            Component::Normal(part) => parts.extend(part.to_str()),
            _ => return Err(Unfit::Outside(path.clone())),
        }
    }
    Ok((!parts.is_empty()).then(|| parts.join("/")))
}

fn name_of(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Symlink => "symbolic link",
        EntryType::Link => "hard link",
        EntryType::Char | EntryType::Block => "device node",
        EntryType::Fifo => "FIFO",
        EntryType::GNUSparse => "sparse file",
        _ => "special entry",
    }
}

fn damaged(error: io::Error) -> Unfit {
    match error.get_ref().is_some_and(|cause| cause.is::<Limit>()) {
        true => Unfit::TooLarge,
        false => Unfit::Damaged(error),
    }
}

/// A reader that fails after a number of bytes.
struct Limited<R> {
    inner: R,
    left: u64,
}

#[derive(Debug, thiserror::Error)]
#[error("more data than a bundle has")]
struct Limit;

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(len as u64).ok_or_else(|| io::Error::other(Limit))?;
        Ok(len)
    }
}

#[cfg(test)]
#[path = "unpack_tests.rs"]
mod tests;
