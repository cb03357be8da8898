//! A directory that is full or read-only, and a file in place of another.

use std::process::Command;
use std::thread;

use crate::command::status_and_output;

/// An empty file system over a directory, or a file over another, until dropped.
pub struct Mounted(&'static str);

impl Mounted {
    /// Mounts it with these options.
    #[track_caller]
    pub fn over(directory: &'static str, options: &str) -> Mounted {
        mount(&["mount", "-t", "tmpfs", "-o", options, "tmpfs", directory]);
        Mounted(directory)
    }

    /// Mounts a file over another.
    #[track_caller]
    pub fn file(file: &str, over: &'static str) -> Mounted {
        mount(&["mount", "--bind", file, over]);
        Mounted(over)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        mount(&["umount", self.0]);
    }
}

#[track_caller]
fn mount(words: &[&str]) {
    let output = Command::new(words[0]).args(&words[1..]).output().expect("the command runs");
    assert!(output.status.success() || thread::panicking(), "{words:?}: {}", status_and_output(&output));
}
