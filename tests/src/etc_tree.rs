//! A directory recorded with owners, permissions and contents, to be compared with what it is
//! later.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Path, owner, permissions and content of each entry, sorted.
pub type Entries = Vec<(PathBuf, u32, u32, Vec<u8>)>;

/// All below a directory, except outboard's lock and directory, which are created once.
#[track_caller]
pub fn of(directory: &str) -> Entries {
    let mut all = Entries::new();
    walk(Path::new(directory), &mut all);
    all.retain(|(path, ..)| !path.ends_with("outboard/.lock") && !path.ends_with("etc/outboard"));
    all.sort();
    all
}

#[track_caller]
fn walk(directory: &Path, all: &mut Entries) {
    for entry in fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        let about = path.symlink_metadata().expect("an entry");
        let content = if about.is_file() { fs::read(&path).expect("a file") } else { Vec::new() };
        all.push((path.clone(), about.uid(), about.permissions().mode(), content));
        if about.is_dir() {
            walk(&path, all);
        }
    }
}
