//! Directories recorded with owners, permissions and contents, to be compared with what they are
//! later.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Path, owner, group, permissions, and the content of a file or link.
pub type FileEntry = (PathBuf, u32, u32, u32, Vec<u8>);

/// The entries of directories.
pub type FileTree = BTreeSet<FileEntry>;

/// All entries below a directory. Files are read if `reads` is set. `left_out` and the entries below
/// it are not recorded.
#[must_use]
pub fn entries_below(directory: &str, reads: bool, left_out: &[&str]) -> FileTree {
    let mut all = FileTree::new();
    walk(Path::new(directory), left_out, reads, &mut all);
    assert!(!all.is_empty(), "{directory} is missing or empty");
    all
}

/// All of /etc.
#[must_use]
pub fn whole_etc() -> FileTree {
    entries_below("/etc", true, &[])
}

/// All of /etc, except outboard's directory and lock, which exist while a command changes something
/// there.
#[must_use]
pub fn etc_without_lock() -> FileTree {
    let mut all = whole_etc();
    all.retain(|(path, ..)| !path.ends_with("outboard/.lock") && !path.ends_with("etc/outboard"));
    all
}

fn walk(directory: &Path, left_out: &[&str], reads: bool, all: &mut FileTree) {
    // An entry may be removed while this runs.
    let opened = match fs::read_dir(directory) {
        Ok(opened) => opened,
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => panic!("{}: {error}", directory.display()),
    };
    for entry in opened.flatten() {
        let path = entry.path();
        if left_out.iter().any(|name| path == Path::new(name)) {
            continue;
        }
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

/// Makes the entries of a recorded tree that are missing now. Root owns them.
pub fn add_missing(tree: &FileTree, now: &FileTree) {
    for (path, _, _, mode, content) in tree.difference(now) {
        match mode & libc::S_IFMT {
            libc::S_IFDIR => fs::create_dir(path).expect("as root"),
            libc::S_IFREG => fs::write(path, content).expect("as root"),
            other => panic!("{}: an entry of type {other:o}", path.display()),
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777)).expect("as root");
    }
}

/// Fails with the paths of the entries that differ from [`etc_without_lock`].
#[track_caller]
pub fn assert_etc_is(before: &FileTree, when: &str) {
    assert_same_tree(&etc_without_lock(), before, when);
}

/// Fails with the paths of the entries that differ.
#[track_caller]
pub fn assert_same_tree(now: &FileTree, before: &FileTree, when: &str) {
    let paths = |one: &FileTree, other: &FileTree| -> Vec<PathBuf> {
        one.difference(other).map(|entry| entry.0.clone()).collect()
    };
    let (gone, new) = (paths(before, now), paths(now, before));
    assert!(gone.is_empty() && new.is_empty(), "{when}: changed or gone: {gone:?}; changed or new: {new:?}");
}
