//! A machine that systemd booted: its units, and its configuration before and after a change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{status_and_output, succeeded};
use crate::file_tree::{FileTree, assert_same_tree, entries_below, whole_etc};

/// All of /etc, and of /run without what systemd, udev and the journal keep there. The content of
/// files in /run, such as process ids, changes with each restart and is left out.
#[must_use]
pub fn snapshot() -> FileTree {
    let volatile = ["/run/systemd", "/run/udev", "/run/log", "/run/credentials"];
    let mut all = whole_etc();
    all.append(&mut entries_below("/run", false, &volatile));
    all
}

/// Fails with the entries that differ.
#[track_caller]
pub fn assert_unchanged(before: &FileTree) {
    assert_same_tree(&snapshot(), before, "afterwards");
}

/// Whether systemd is the first process, sd_booted(3).
#[must_use]
pub fn is_booted() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// systemctl(1), which must succeed.
#[track_caller]
pub fn systemctl(arguments: &[&str]) -> String {
    let output = Command::new("systemctl").arg("--no-pager").args(arguments).output().expect("systemctl");
    succeeded(&output, arguments)
}

/// A unit that was started by a test, until dropped.
pub struct Started(&'static str);

impl Started {
    /// Starts the unit after systemd has read its files.
    #[track_caller]
    pub fn start(unit: &'static str) -> Started {
        systemctl(&["daemon-reload"]);
        let output = Command::new("systemctl").args(["start", unit]).output().expect("systemctl");
        if !output.status.success() {
            let journal =
                Command::new("journalctl").args(["--no-pager", "-u", unit]).output().expect("journalctl");
            panic!("{}\n{}", status_and_output(&output), status_and_output(&journal));
        }
        Started(unit)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = Command::new("systemctl").args(["stop", self.0]).status();
        let _ = Command::new("systemctl").args(["reset-failed", self.0]).status();
    }
}

/// Files that a test adds, until dropped.
#[derive(Default)]
pub struct AddedFiles(Vec<PathBuf>);

impl AddedFiles {
    /// Writes a file; its directories are created and stay.
    #[track_caller]
    pub fn add(&mut self, path: &str, text: &str) {
        let path = PathBuf::from(path);
        fs::create_dir_all(path.parent().expect("an absolute path")).expect("a directory");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.0.push(path);
    }

    /// A file that something else writes.
    pub fn remove_at_the_end(&mut self, path: &str) {
        self.0.push(PathBuf::from(path));
    }
}

impl Drop for AddedFiles {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}
