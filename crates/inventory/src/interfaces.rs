//! The device nodes through which programs may reach a driver, and their permissions.

use outboard_documents::status::Node;
use outboard_drivers::root::Root;
use rustix::fs::{Access, AtFlags, CWD, FileType, accessat, stat};

pub fn read(root: &Root, path: &str) -> Node {
    let absent = Node { path: path.to_owned(), exists: false, openable: None, group: None, mode: None };
    let answer = format!("node-{}", path.trim_start_matches("/dev/"));
    if !root.is_live() {
        if let Some(kept) = root.answer(&answer, || None) {
            return from_text(&kept, absent);
        }
        let device = path.replacen("/dev/", "sys/class/misc/", 1);
        return Node { exists: root.exists(&path[1..]) || root.exists(&device), ..absent };
    }
    let node = stat_node(path, absent);
    root.answer(&answer, || Some(to_text(&node)));
    node
}

fn to_text(node: &Node) -> String {
    let state = match (node.exists, node.openable) {
        (false, _) => "absent",
        (true, Some(false)) => "closed",
        (true, _) => "open",
    };
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    format!("{state} {} {}\n", word(&node.mode), word(&node.group))
}

fn from_text(text: &str, absent: Node) -> Node {
    let mut words = text.split_whitespace();
    let state = words.next();
    if !matches!(state, Some("open" | "closed")) {
        return absent;
    }
    let mut word = || words.next().filter(|word| *word != "-").map(String::from);
    Node { exists: true, openable: Some(state == Some("open")), mode: word(), group: word(), ..absent }
}

fn stat_node(path: &str, absent: Node) -> Node {
    let Ok(status) = stat(path) else { return absent };
    let exists = FileType::from_raw_mode(status.st_mode) == FileType::CharacterDevice;
    let openable = accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS).is_ok();
    Node {
        exists,
        openable: Some(openable),
        group: Some(group_name(status.st_gid)),
        mode: Some(format!("{:04o}", status.st_mode & 0o7777)),
        ..absent
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
        let null = read(&Root::live(), "/dev/null");
        assert_eq!((null.reach(), null.mode.as_deref()), (Some(true), Some("0666")));
        assert_eq!(read(&Root::live(), "/dev/no-such-device").reach(), None);
    }

    #[test]
    fn a_bundle_keeps_the_permissions_of_a_node() {
        let absent =
            Node { path: "/dev/null".to_owned(), exists: false, openable: None, group: None, mode: None };
        let null = read(&Root::live(), "/dev/null");
        assert_eq!(from_text(&to_text(&null), absent.clone()), null);
        assert_eq!(from_text(&to_text(&absent), absent.clone()), absent);
    }

    #[test]
    fn a_saved_tree_has_the_node_when_sysfs_has_the_device() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::saved(tree.path()).unwrap();
        assert_eq!(read(&root, "/dev/crypto").reach(), None);
        std::fs::create_dir_all(tree.path().join("sys/class/misc/crypto")).unwrap();
        assert_eq!(read(&root, "/dev/crypto").reach(), Some(true));
    }
}
