//! The files of a configuration, line by line, in the order in which OpenSSL reads them.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a file, in bytes.
const LARGEST_FILE: usize = 1 << 20;
const MOST_FILES: usize = 1000;
const DEEPEST: usize = 32;

pub trait Files {
    /// The content of a file; of one that is too large at least one byte more than 1 MiB.
    /// Errors: as open(2) and read(2). An implementation may refuse what is not a regular file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// The paths of the files in a directory; `None` if it is not a directory.
    /// Errors: as stat(2) and opendir(3).
    fn list(&self, path: &Path) -> io::Result<Option<Vec<PathBuf>>>;
}

pub struct System;

impl Files for System {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // NONBLOCK: opening a FIFO must not block. The check below rejects it.
        let nonblock = 0o4000;
        let file = File::options().read(true).custom_flags(nonblock).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path) -> io::Result<Option<Vec<PathBuf>>> {
        if !std::fs::metadata(path)?.is_dir() {
            return Ok(None);
        }
        // Unsorted: OpenSSL also uses the order of readdir(3).
        Ok(Some(std::fs::read_dir(path)?.filter_map(Result::ok).map(|entry| entry.path()).collect()))
    }
}

/// A stack of open files. As in conf_def.c, only one directory can be included at a time: its files
/// replace each other on top of the stack until all are read.
pub(super) struct Sources<'a> {
    files_of: Option<&'a dyn Files>,
    stack: Vec<Source>,
    directory: Option<std::vec::IntoIter<PathBuf>>,
    pub(super) files: Vec<PathBuf>,
}

struct Source {
    path: Arc<Path>,
    bytes: Vec<u8>,
    at: usize,
    line: usize,
}

/// A line with its continuation lines joined, and the position at which it ends.
pub(super) struct Line {
    pub(super) text: Vec<u8>,
    pub(super) file: Arc<Path>,
    pub(super) number: usize,
    /// The line contained a zero byte, which libcrypto does not expect. The rest of the line is
    /// dropped.
    pub(super) had_nul: bool,
}

pub(super) fn read(files: &dyn Files, path: &Path) -> io::Result<Vec<u8>> {
    let bytes = files.read(path)?;
    match bytes.len() > LARGEST_FILE {
        true => Err(io::Error::other("it is larger than 1 MiB")),
        false => Ok(bytes),
    }
}

impl<'a> Sources<'a> {
    /// `.include` is followed in `files_of`, and ignored without.
    pub(super) fn new(path: &Path, mut bytes: Vec<u8>, files_of: Option<&'a dyn Files>) -> Self {
        // Only at the start of the first file. Anywhere else OpenSSL rejects a file with a byte
        // order mark.
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        let mut sources = Self { files_of, stack: Vec::new(), directory: None, files: Vec::new() };
        let first = sources.opened(path, bytes);
        sources.stack.push(first);
        sources
    }

    /// Inserts the lines of a file, or of all `*.cnf` and `*.conf` files of a directory, as the
    /// next lines.
    /// Errors: the reason why the file is not included, as text. OpenSSL also continues without the
    /// file.
    pub(super) fn include(&mut self, path: &Path) -> Result<(), String> {
        let Some(files) = self.files_of else { return Ok(()) };
        let failed = |e: io::Error| format!("{} is not included: {e}", path.display());
        if self.stack.len() >= DEEPEST || self.files.len() >= MOST_FILES {
            return Err(format!("{} is not included: too many files include each other", path.display()));
        }
        if let Some(names) = files.list(path).map_err(failed)? {
            if self.directory.is_some() {
                return Err(format!("directory {} is not included: we are inside of one", path.display()));
            }
            self.directory = Some(names.into_iter().filter(|p| is_conf(p)).collect::<Vec<_>>().into_iter());
            let first = self.next_of_directory();
            self.stack.extend(first);
        } else {
            let bytes = read(files, path).map_err(failed)?;
            let source = self.opened(path, bytes);
            self.stack.push(source);
        }
        Ok(())
    }

    fn opened(&mut self, path: &Path, bytes: Vec<u8>) -> Source {
        self.files.push(path.to_owned());
        Source { path: path.into(), bytes, at: 0, line: 0 }
    }

    fn next_of_directory(&mut self) -> Option<Source> {
        let files = self.files_of?;
        while let Some(path) = self.directory.as_mut()?.next() {
            if self.files.len() >= MOST_FILES {
                break;
            }
            if let Ok(bytes) = read(files, &path) {
                return Some(self.opened(&path, bytes));
            }
        }
        self.directory = None;
        None
    }

    pub(super) fn line(&mut self) -> Option<Line> {
        loop {
            let top = self.stack.last_mut()?;
            if let Some(line) = top.line() {
                return Some(line);
            }
            match self.next_of_directory() {
                // Replaces the file that was read completely: one of the directory, or one that
                // such a file included.
                Some(next) => *self.stack.last_mut()? = next,
                None => drop(self.stack.pop()),
            }
        }
    }
}

fn is_conf(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    [".conf", ".cnf"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

impl Source {
    fn line(&mut self) -> Option<Line> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let (mut text, mut had_nul) = (Vec::new(), false);
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            let length = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |n| n + 1);
            let line = &rest[..length];
            let end = line.iter().rposition(|b| !matches!(b, b'\r' | b'\n')).map_or(0, |n| n + 1);
            let kept = line[..end].split(|&b| b == 0).next().unwrap_or_default();
            had_nul |= kept.len() < end;
            text.extend_from_slice(kept);
            self.at += length;
            self.line += 1;
            // A single backslash continues the line. A double backslash is an escaped backslash.
            if text.last() != Some(&b'\\') || text.iter().rev().nth(1) == Some(&b'\\') {
                break;
            }
            text.pop();
        }
        Some(Line { text, file: Arc::clone(&self.path), number: self.line, had_nul })
    }
}
