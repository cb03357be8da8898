//! Opens what `outboard status --from` names: a directory, an archive, or pasted text.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use outboard_drivers::root::Root;

use crate::bundle::files::{Files, Item};
use crate::bundle::unpack::{self, unpack};

const STDIN: &str = "-";
/// Maximum size of a pasted text in bytes.
const LONGEST_TEXT: u64 = 8 << 20;
/// The first bytes of a file show its type; tar has its mark at byte 257.
const HEAD: usize = 512;

#[derive(Debug)]
pub enum Source {
    Tree(Root),
    /// Text that the laboratory may recognise, and its name.
    Text(PathBuf, Vec<u8>),
}

#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error(
        "--from {path}: {cause}: give a directory that holds proc/ and sys/, a bundle, a file of pasted text, or - for standard input"
    )]
    Io {
        path: String,
        #[source]
        cause: io::Error,
    },
    #[error("--from {path}: {cause}")]
    Archive {
        path: String,
        #[source]
        cause: unpack::Unfit,
    },
    /// Neither an archive nor text.
    #[error("--from {path}: {what}")]
    Format {
        path: String,
        /// What it is instead, and the next step.
        what: String,
    },
}

/// Opens a directory, an archive or a text; `-` is standard input.
/// Errors: [`Unreadable`], with the name and the next step.
pub fn open(path: &Path) -> Result<Source, Unreadable> {
    let name = path.display().to_string();
    let failed = |cause| Unreadable::Io { path: name.clone(), cause };
    if path.as_os_str() == STDIN {
        return read(io::stdin().lock(), PathBuf::from("standard input"));
    }
    if path.is_dir() {
        let root = Root::saved(path).map_err(failed)?;
        return Ok(Source::Tree(root));
    }
    read(File::open(path).map_err(failed)?, path.to_owned())
}

fn read(mut input: impl Read, path: PathBuf) -> Result<Source, Unreadable> {
    let name = path.display().to_string();
    let failed = |cause| Unreadable::Io { path: name.clone(), cause };
    let mut head = Vec::new();
    input.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
    let is_xz = head.starts_with(b"\xfd7zXZ\0");
    let is_tar = head.get(257..262) == Some(b"ustar");
    if is_xz || is_tar {
        let files = unpack(std::io::Cursor::new(head).chain(input), is_xz);
        let files = files.map_err(|cause| Unreadable::Archive { path: name.clone(), cause })?;
        return Ok(Source::Tree(Root::of_files(&path, Box::new(files))));
    }
    let format = |what: &str| Unreadable::Format { path: name.clone(), what: what.to_owned() };
    let compressed: [(&[u8], &str); 4] =
        [(b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip")];
    if let Some((_, by)) = compressed.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(format(&format!(
            "it is compressed by {by}: unpack it first, and give the directory or file"
        )));
    }
    let mut bytes = head;
    input.take(LONGEST_TEXT).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 >= LONGEST_TEXT {
        return Err(format("it is longer than 8 MiB: give the part that shows the drivers or devices"));
    }
    if bytes.contains(&0) {
        return Err(format(
            "it is neither a bundle nor text: give a bundle of outboard, a directory that holds proc/ and sys/, or a text",
        ));
    }
    Ok(Source::Text(path, bytes))
}

/// The files that were recognised in a text.
pub fn root_of_text(path: &Path, found: &[(String, String)]) -> Root {
    let mut files = Files::default();
    for (path, text) in found {
        files.add(path, Item::File(text.as_bytes().to_vec()));
    }
    Root::of_files(path, Box::new(files))
}
