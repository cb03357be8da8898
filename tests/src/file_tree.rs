//! Directories recorded with owners, permissions and contents, to be compared with what they are
//! later.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Path, owner, group, permissions, and the content of a file or link.
pub type Entry = (PathBuf, u32, u32, u32, Vec<u8>);

/// The entries of directories.
pub type Tree = BTreeSet<Entry>;

/// All below a directory.
#[must_use]
pub fn of(directory: &str) -> Tree {
    recorded(directory, &[], true)
}

/// All below a directory, without the contents of files, and without these entries and what is below
/// them.
#[must_use]
pub fn without_contents(directory: &str, left_out: &[&str]) -> Tree {
    recorded(directory, left_out, false)
}

/// All of /etc, except outboard's directory and lock, which are created once.
#[must_use]
pub fn of_etc() -> Tree {
    let mut all = of("/etc");
    all.retain(|(path, ..)| !path.ends_with("outboard/.lock") && !path.ends_with("etc/outboard"));
    all
}

fn recorded(directory: &str, left_out: &[&str], reads: bool) -> Tree {
    let mut all = Tree::new();
    walk(Path::new(directory), left_out, reads, &mut all);
    assert!(!all.is_empty(), "{directory} cannot be read, or is empty");
    all
}

fn walk(directory: &Path, left_out: &[&str], reads: bool, all: &mut Tree) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if left_out.iter().any(|name| path == Path::new(name)) {
            continue;
        }
        // A file may disappear meanwhile.
        let Ok(about) = path.symlink_metadata() else { continue };
        let content = match about.file_type() {
            kind if kind.is_symlink() => {
                fs::read_link(&path).map(|to| to.into_os_string().into_encoded_bytes())
            }
            kind if kind.is_file() && reads => fs::read(&path),
            _ => Ok(Vec::new()),
        };
        let content = match content {
            Ok(content) => content,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => panic!("{}: {error}", path.display()),
        };
        all.insert((path.clone(), about.uid(), about.gid(), about.permissions().mode(), content));
        if about.is_dir() {
            walk(&path, left_out, reads, all);
        }
    }
}

/// /etc is as it was; otherwise fails with the paths that differ.
#[track_caller]
pub fn assert_etc_is(before: &Tree, when: &str) {
    assert_same_tree(&of_etc(), before, when);
}

/// Fails with the paths of the entries that differ.
#[track_caller]
pub fn assert_same_tree(now: &Tree, before: &Tree, when: &str) {
    let paths = |one: &Tree, other: &Tree| -> Vec<PathBuf> {
        one.difference(other).map(|entry| entry.0.clone()).collect()
    };
    let (gone, new) = (paths(before, now), paths(now, before));
    assert!(gone.is_empty() && new.is_empty(), "{when}: changed or gone: {gone:?}; changed or new: {new:?}");
}
