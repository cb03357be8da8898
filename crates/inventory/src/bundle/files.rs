//! Files in memory, in place of a directory. There are no links among them, so no path leads
//! anywhere else.

use std::collections::BTreeMap;
use std::io;

use outboard_drivers::root::{Entry, FileSource};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    File(Vec<u8>),
    /// A file whose content was not read, only its name.
    Name,
    /// A directory, or a link as sysfs has them for devices.
    Directory,
}

/// Files by path, without a leading slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    items: BTreeMap<String, Item>,
}

impl Files {
    /// Adds an item; content replaces a bare name.
    pub fn add(&mut self, path: &str, item: Item) {
        let path = path.trim_matches('/').to_owned();
        let is_poorer = |old: &Item| match (old, &item) {
            (Item::File(_), Item::File(_)) => false,
            (Item::File(_), _) => true,
            (Item::Directory, Item::Name) => true,
            _ => false,
        };
        if !path.is_empty() && !self.items.get(&path).is_some_and(is_poorer) {
            self.items.insert(path, item);
        }
    }

    /// All items, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.items.iter().map(|(path, item)| (path.as_str(), item))
    }

    pub fn remove(&mut self, path: &str) -> Option<Item> {
        self.items.remove(path)
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn has_below(&self, directory: &str) -> bool {
        self.below(directory).next().is_some()
    }

    fn below<'a>(&'a self, directory: &str) -> impl Iterator<Item = (&'a str, &'a Item)> {
        let prefix = match directory.trim_matches('/') {
            "" => String::new(),
            directory => format!("{directory}/"),
        };
        let from = self.items.range(prefix.clone()..);
        from.map_while(move |(path, item)| Some((path.strip_prefix(&prefix)?, item)))
    }
}

impl FileSource for Files {
    fn is_live(&self) -> bool {
        false
    }

    fn read(&self, relative: &str) -> io::Result<Vec<u8>> {
        match self.items.get(relative.trim_matches('/')) {
            Some(Item::File(bytes)) => Ok(bytes.clone()),
            Some(Item::Name) => Ok(Vec::new()),
            Some(Item::Directory) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn list(&self, relative: &str) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for (path, item) in self.below(relative) {
            let (name, is_inside) = match path.split_once('/') {
                Some((name, _)) => (name, true),
                None => (path, *item == Item::Directory),
            };
            match entries.iter_mut().rev().find(|entry| entry.name == name) {
                Some(known) => known.is_link_or_dir |= is_inside,
                None => entries.push(Entry { name: name.to_owned(), is_link_or_dir: is_inside }),
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries
    }

    fn exists(&self, relative: &str) -> bool {
        self.items.contains_key(relative.trim_matches('/')) || self.has_below(relative)
    }

    fn answered(&self, _name: &str, _text: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_answer_like_a_directory() {
        let mut files = Files::default();
        files.add("sys/bus/platform/drivers/x/f1090000.crypto", Item::Directory);
        files.add("sys/bus/platform/drivers/x/bind", Item::Name);
        files.add("proc/crypto", Item::File(b"name".to_vec()));
        files.add("proc/crypto", Item::Name);
        let names = |directory| {
            let entries = files.list(directory).into_iter();
            entries.map(|entry| (entry.name, entry.is_link_or_dir)).collect::<Vec<_>>()
        };
        let expected = [("bind".to_owned(), false), ("f1090000.crypto".to_owned(), true)];
        assert_eq!(names("sys/bus/platform/drivers/x"), expected);
        assert_eq!(names("sys/bus"), [("platform".to_owned(), true)]);
        assert!(names("sys/bu").is_empty());
        assert_eq!(files.read("proc/crypto").unwrap(), b"name");
        assert!(files.exists("sys/bus") && !files.exists("sys/module"));
        assert!(files.read("../proc/crypto").is_err() && files.read("sys/bus").is_err());
    }
}
