//! The device nodes through which programs may reach a driver, and their permissions.

use outboard_drivers::root::Root;
use rustix::fs::{Access, AtFlags, CWD, FileType, accessat, stat};
use serde::Serialize;

/// A device node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its path.
    pub path: &'static str,
    /// Whether it exists. In a saved tree any file of that name counts, and so does the device in
    /// /sys/class/misc, since device nodes are hard to copy.
    pub exists: bool,
    /// Whether this user may read and write it; `None` for a saved tree.
    pub openable: Option<bool>,
    /// The group that owns it, e.g. `crypto`; `None` for a saved tree.
    pub group: Option<String>,
    /// The permission bits in octal, e.g. `0660`; `None` for a saved tree.
    pub mode: Option<String>,
}

impl Node {
    /// Reads the properties of `path`, given as /dev/NAME.
    pub fn read(root: &Root, path: &'static str) -> Self {
        let absent = Self { path, exists: false, openable: None, group: None, mode: None };
        let answer = format!("node-{}", path.trim_start_matches("/dev/"));
        if !root.is_live() {
            if let Some(kept) = root.answer(&answer, || None) {
                return Self::from_text(&kept, absent);
            }
            let device = path.replacen("/dev/", "sys/class/misc/", 1);
            return Self { exists: root.exists(&path[1..]) || root.exists(&device), ..absent };
        }
        let node = Self::stat(path, absent);
        root.answer(&answer, || Some(node.to_text()));
        node
    }

    /// The words in which a bundle keeps the properties.
    fn to_text(&self) -> String {
        let state = match (self.exists, self.openable) {
            (false, _) => "absent",
            (true, Some(false)) => "closed",
            (true, _) => "open",
        };
        let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
        format!("{state} {} {}\n", word(&self.mode), word(&self.group))
    }

    fn from_text(text: &str, absent: Self) -> Self {
        let mut words = text.split_whitespace();
        let state = words.next();
        if !matches!(state, Some("open" | "closed")) {
            return absent;
        }
        let mut word = || words.next().filter(|word| *word != "-").map(String::from);
        Self { exists: true, openable: Some(state == Some("open")), mode: word(), group: word(), ..absent }
    }

    fn stat(path: &'static str, absent: Self) -> Self {
        let Ok(status) = stat(path) else { return absent };
        let exists = FileType::from_raw_mode(status.st_mode) == FileType::CharacterDevice;
        let openable = accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS).is_ok();
        Self {
            path,
            exists,
            openable: Some(openable),
            group: Some(group_name(status.st_gid)),
            mode: Some(format!("{:04o}", status.st_mode & 0o7777)),
        }
    }

    /// `None`: it does not exist. `Some(false)`: it exists, but this user may not open it. In a
    /// saved tree permissions are ignored.
    pub fn reach(&self) -> Option<bool> {
        self.exists.then(|| self.openable.unwrap_or(true))
    }
}

/// Read without a [`Root`]: a bundle must not contain the names of users.
fn group_name(gid: u32) -> String {
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    let number = gid.to_string();
    groups
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(2) == Some(&number.as_str()))
        .map_or(number.clone(), |fields| fields[0].to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_the_running_system_are_looked_at() {
        let null = Node::read(&Root::live(), "/dev/null");
        assert_eq!((null.reach(), null.mode.as_deref()), (Some(true), Some("0666")));
        assert_eq!(Node::read(&Root::live(), "/dev/no-such-device").reach(), None);
    }

    #[test]
    fn a_bundle_keeps_the_permissions_of_a_node() {
        let absent = Node { path: "/dev/null", exists: false, openable: None, group: None, mode: None };
        let null = Node::read(&Root::live(), "/dev/null");
        assert_eq!(Node::from_text(&null.to_text(), absent.clone()), null);
        assert_eq!(Node::from_text(&absent.to_text(), absent.clone()), absent);
    }

    #[test]
    fn a_saved_tree_has_the_node_when_sysfs_has_the_device() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::saved(tree.path()).unwrap();
        assert_eq!(Node::read(&root, "/dev/crypto").reach(), None);
        std::fs::create_dir_all(tree.path().join("sys/class/misc/crypto")).unwrap();
        assert_eq!(Node::read(&root, "/dev/crypto").reach(), Some(true));
    }
}
