//! Records what is read of the running system.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;

use outboard_drivers::root::{ANSWERS, Entry, FileSource, Root};

use crate::bundle::files::{Files, Item};

#[derive(Debug, Default)]
pub struct Recording {
    files: Rc<RefCell<Files>>,
}

impl Recording {
    pub fn root(&self) -> Root {
        let recorder = Recorder { live: Root::live(), files: Rc::clone(&self.files) };
        Root::of_files(Path::new("/"), Box::new(recorder))
    }

    pub fn files(&self) -> Files {
        self.files.borrow().clone()
    }
}

#[derive(Debug)]
struct Recorder {
    live: Root,
    files: Rc<RefCell<Files>>,
}

impl FileSource for Recorder {
    fn is_live(&self) -> bool {
        true
    }

    fn read(&self, relative: &str) -> io::Result<Vec<u8>> {
        let bytes = self.live.read(relative)?;
        self.files.borrow_mut().add(relative, Item::File(bytes.clone()));
        Ok(bytes)
    }

    fn list(&self, relative: &str) -> Vec<Entry> {
        let entries = self.live.list(relative);
        let mut files = self.files.borrow_mut();
        for Entry { name, is_link_or_dir } in &entries {
            let item = if *is_link_or_dir { Item::Directory } else { Item::Name };
            files.add(&format!("{relative}/{name}"), item);
        }
        entries
    }

    fn exists(&self, relative: &str) -> bool {
        let exists = self.live.exists(relative);
        if exists {
            self.files.borrow_mut().add(relative, Item::Name);
        }
        exists
    }

    fn answered(&self, name: &str, text: &str) {
        self.files.borrow_mut().add(&format!("{ANSWERS}/{name}"), Item::File(text.as_bytes().to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_has_the_files_that_were_read_and_no_others() {
        let recording = Recording::default();
        let root = recording.root();
        assert!(root.is_live());
        let release = root.text("proc/sys/kernel/osrelease").unwrap();
        assert!(root.exists("dev/null") && !root.exists("dev/no-such-device"));
        assert_eq!(root.answer("question", || Some("yes".into())).as_deref(), Some("yes"));
        let files = recording.files();
        let paths: Vec<&str> = files.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["dev/null", "outboard/question", "proc/sys/kernel/osrelease"]);
        let saved = Root::of_files(Path::new("copy"), Box::new(files));
        assert_eq!(saved.text("proc/sys/kernel/osrelease"), Some(release));
        assert_eq!(saved.answer("question", || None).as_deref(), Some("yes"));
    }
}
