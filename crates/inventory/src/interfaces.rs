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
        if !root.is_live() {
            let device = path.replacen("/dev/", "sys/class/misc/", 1);
            return Self { exists: root.exists(&path[1..]) || root.exists(&device), ..absent };
        }
        let Ok(status) = stat(path) else { return absent };
        let exists = FileType::from_raw_mode(status.st_mode) == FileType::CharacterDevice;
        let openable = accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS).is_ok();
        Self {
            path,
            exists,
            openable: Some(openable),
            group: Some(group_name(root, status.st_gid)),
            mode: Some(format!("{:04o}", status.st_mode & 0o7777)),
        }
    }

    /// `None`: it does not exist. `Some(false)`: it exists, but this user may not open it. In a
    /// saved tree permissions are ignored.
    pub fn reach(&self) -> Option<bool> {
        self.exists.then(|| self.openable.unwrap_or(true))
    }
}

fn group_name(root: &Root, gid: u32) -> String {
    let groups = root.text("etc/group").unwrap_or_default();
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
    fn a_saved_tree_has_the_node_when_sysfs_has_the_device() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::saved(tree.path()).unwrap();
        assert_eq!(Node::read(&root, "/dev/crypto").reach(), None);
        std::fs::create_dir_all(tree.path().join("sys/class/misc/crypto")).unwrap();
        assert_eq!(Node::read(&root, "/dev/crypto").reach(), Some(true));
    }
}
