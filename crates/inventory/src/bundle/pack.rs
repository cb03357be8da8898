//! Writes files as a tar archive compressed by xz. The same files give the same bytes.

use std::io::{self, Write};

use lzma_rust2::{XzOptions, XzWriter};
use tar::{Builder, EntryType, Header};

use crate::bundle::files::{Files, Item};

/// Maximum size of an archive in bytes: forums and mail servers refuse larger attachments.
pub const LARGEST_ARCHIVE: usize = 1_000_000;

/// Compression level of xz: the dictionary is 4 MiB, which a router has.
const PRESET: u32 = 4;

#[derive(Debug)]
pub struct Packed {
    pub bytes: Vec<u8>,
    /// The files that were left out because the archive would have been too large.
    pub left_out: Vec<String>,
}

/// Packs files; leaves out the largest ones until the archive has at most [`LARGEST_ARCHIVE`]
/// bytes.
/// Errors: a path that tar cannot store.
pub fn pack(files: &Files) -> io::Result<Packed> {
    let mut files = files.clone();
    let mut left_out = Vec::new();
    loop {
        let bytes = compress(&files)?;
        if bytes.len() <= LARGEST_ARCHIVE {
            return Ok(Packed { bytes, left_out });
        }
        let Some(largest) = largest(&files) else {
            return Err(io::Error::other("even the names of the files do not fit into a bundle"));
        };
        files.remove(&largest);
        left_out.push(largest);
    }
}

fn largest(files: &Files) -> Option<String> {
    let sizes = files.iter().filter_map(|(path, item)| match item {
        Item::File(bytes) => Some((bytes.len(), path)),
        _ => None,
    });
    sizes.max().filter(|(size, _)| *size > 0).map(|(_, path)| path.to_owned())
}

fn compress(files: &Files) -> io::Result<Vec<u8>> {
    let xz = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    let mut tar = Builder::new(xz);
    for (path, item) in files.iter() {
        let mut header = Header::new_gnu();
        let (kind, mode, bytes): (_, _, &[u8]) = match item {
            Item::File(bytes) => (EntryType::Regular, 0o644, bytes),
            Item::Name if !files.has_below(path) => (EntryType::Regular, 0o644, &[]),
            // A directory of which only the name was asked, too.
            Item::Name | Item::Directory => (EntryType::Directory, 0o755, &[]),
        };
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, path, bytes)?;
    }
    let mut xz = tar.into_inner()?;
    xz.flush()?;
    xz.finish()
}
