//! Whether the file that a process has mapped is an installed provider. Any user can map a file that
//! is named like it.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A mapping of proc_pid_maps(5).
pub struct Mapping<'t> {
    pub range: &'t str,
    /// The path, as far as the kernel knows it.
    pub path: &'t str,
    /// Whether the file was removed or replaced since.
    pub is_deleted: bool,
}

impl Mapping<'_> {
    /// Whether only root, or the caller, can have put the file there: it and its directory belong to
    /// them, others may not write, and it is the file at that path, unless it was removed since.
    pub fn is_installed(&self, pid: u32) -> bool {
        let path = Path::new(self.path);
        let at_path = fs::metadata(path);
        if !path
            .parent()
            .and_then(|directory| fs::metadata(directory).ok())
            .is_some_and(|one| is_trusted(&one))
        {
            return false;
        }
        // Not by the device of maps, which differs from that of stat(2) on btrfs and overlayfs.
        match fs::metadata(format!("/proc/{pid}/map_files/{}", unpadded(self.range))) {
            Ok(mapped) if self.is_deleted => is_trusted(&mapped),
            Ok(mapped) => {
                let is_same = |at: Metadata| (at.dev(), at.ino()) == (mapped.dev(), mapped.ino());
                is_trusted(&mapped) && at_path.is_ok_and(is_same)
            }
            // CAP_CHECKPOINT_RESTORE is missing: a user, who sees own processes.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                self.is_deleted || at_path.is_ok_and(|at| is_trusted(&at))
            }
            // The process has ended.
            Err(_) => false,
        }
    }
}

fn is_trusted(about: &Metadata) -> bool {
    let is_own = about.uid() == 0 || about.uid() == rustix::process::geteuid().as_raw();
    is_own && about.mode() & 0o022 == 0
}

/// maps has at least eight digits, map_files none that are not needed.
fn unpadded(range: &str) -> String {
    let number = |text: &str| match text.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => digits.to_owned(),
    };
    range.split('-').map(number).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_others_may_write_or_that_is_another_one_is_not_installed() {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| line.contains(".so")).unwrap();
        let (range, path) = (line.split(' ').next().unwrap(), &line[line.find('/').unwrap()..]);
        let own = |path, is_deleted| Mapping { range, path, is_deleted }.is_installed(std::process::id());
        assert!(own(path, false), "{line}");
        assert!(!own("/tmp/outboard.so", false) && !own("/tmp/outboard.so", true));
        assert!(!own("/usr/lib/outboard/none.so", false));
        assert_eq!(unpadded("00008000-08048000"), "8000-8048000");
    }
}
