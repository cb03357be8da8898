//! Processes: their names, environment and mapped provider, proc(5).

use std::io::ErrorKind;

use outboard_console::printable_line;
use outboard_drivers::root::Root;

use crate::installed::Mapping;

/// File names of the provider: installed, and as cargo builds it.
const PROVIDER_FILES: [&str; 2] = ["outboard.so", "liboutboard_provider.so"];

/// The kernel appends this to the path of a mapped file that was removed or replaced.
const DELETED: &str = " (deleted)";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// The effective user; `None` if it cannot be read.
    pub user: Option<u32>,
    /// The systemd unit to which it belongs, if it is a service.
    pub unit: Option<String>,
    /// OPENSSL_CONF of the environment with which it was started.
    pub openssl_conf: EnvironmentValue,
    pub provider: ProviderMapping,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvironmentValue {
    Set(String),
    Unset,
    /// Only root and the owner of a process may read its environment.
    Unreadable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderMapping {
    Mapped {
        path: String,
        /// Whether the file was removed or replaced since.
        is_replaced: bool,
    },
    NotMapped,
    /// Only root and the owner of a process may read its mappings.
    Unreadable,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processes {
    pub found: Vec<Process>,
    /// Number of processes whose mappings this user may not read.
    pub unreadable: usize,
}

impl Process {
    #[must_use]
    pub fn read(root: &Root, pid: u32) -> Option<Self> {
        let provider = ProviderMapping::read(root, pid, |_| true);
        Self::with(root, pid, provider)
    }

    fn with(root: &Root, pid: u32, provider: ProviderMapping) -> Option<Self> {
        let status = root.text(&format!("proc/{pid}/status"))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.strip_prefix(':')?.trim())
        };
        // Uid: real, effective, saved, file system.
        let user = field("Uid").and_then(|ids| ids.split_whitespace().nth(1)?.parse().ok());
        Some(Self {
            pid,
            name: printable_line(field("Name")?),
            user,
            unit: root.text(&format!("proc/{pid}/cgroup")).and_then(|text| unit_in(&text)),
            openssl_conf: EnvironmentValue::read(root, pid, "OPENSSL_CONF"),
            provider,
        })
    }
}

impl EnvironmentValue {
    fn read(root: &Root, pid: u32, name: &str) -> Self {
        let Ok(bytes) = root.read(&format!("proc/{pid}/environ")) else { return Self::Unreadable };
        let mut variables = bytes.split(|byte| *byte == 0);
        let value = variables.find_map(|one| one.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
        value.map_or(Self::Unset, |value| Self::Set(printable_line(&String::from_utf8_lossy(value))))
    }
}

impl ProviderMapping {
    fn read(root: &Root, pid: u32, is_counted: impl Fn(&Mapping) -> bool) -> Self {
        let bytes = match root.read(&format!("proc/{pid}/maps")) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Self::Unreadable,
            // The process has ended.
            Err(_) => return Self::NotMapped,
        };
        let text = String::from_utf8_lossy(&bytes);
        let Some(mapping) = text.lines().filter_map(provider_in).find(|one| is_counted(one)) else {
            return Self::NotMapped;
        };
        Self::Mapped { path: printable_line(mapping.path), is_replaced: mapping.is_deleted }
    }
}

/// The service in the control groups of a process, cgroups(7). systemd makes the slices and the
/// service below them; what is in a service, in a session or below a user's manager, others may have
/// named.
fn unit_in(text: &str) -> Option<String> {
    let mut paths = text.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.find_map(|path| {
        let mut names = path.strip_prefix('/')?.split('/').peekable();
        names.next_if(|slice| *slice == "user.slice").is_none().then_some(())?;
        let service = names.find(|name| !name.ends_with(".slice"))?;
        service.ends_with(".service").then(|| printable_line(service))
    })
}

fn provider_in(line: &str) -> Option<Mapping<'_>> {
    let path = &line[line.find('/')?..];
    let plain = path.strip_suffix(DELETED);
    let is_deleted = plain.is_some();
    let path = plain.unwrap_or(path);
    let range = line.split(' ').next()?;
    PROVIDER_FILES.contains(&path.rsplit('/').next()?).then_some(Mapping { range, path, is_deleted })
}

impl Processes {
    /// The processes of the system that have mapped an installed provider.
    #[must_use]
    pub fn with_provider(root: &Root) -> Self {
        let entries = root.list("proc");
        let mut pids: Vec<u32> = entries.iter().filter_map(|entry| entry.name.parse().ok()).collect();
        pids.sort_unstable();
        let mut all = Self::default();
        for pid in pids {
            let is_installed = |mapping: &Mapping| !root.is_live() || mapping.is_installed(pid);
            match ProviderMapping::read(root, pid, is_installed) {
                ProviderMapping::NotMapped => {}
                ProviderMapping::Unreadable => all.unreadable += 1,
                mapped => all.found.extend(Process::with(root, pid, mapped)),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(tree: &tempfile::TempDir, file: &str, text: &str) {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn processes_with_the_provider_are_found() {
        let tree = tempfile::tempdir().unwrap();
        let lib = "7f00-7f01 r-xp 00000000 08:01 12  /usr/lib/outboard/outboard.so\n";
        write(&tree, "proc/20/maps", &format!("5500-5600 r-xp 0 08:01 7  /usr/sbin/nginx\n{lib}"));
        write(&tree, "proc/20/status", "Name:\tng\u{1b}inx\nUid:\t0\t33\t0\t0\n");
        write(&tree, "proc/20/cgroup", "12:cpu:/\n0::/system.slice/nginx.service/sub\n");
        write(&tree, "proc/20/environ", "A=1\0OPENSSL_CONF=/etc/outboard/nginx.service.cnf\0");
        write(&tree, "proc/3/maps", "1-2 r-xp 0 0:1 3 /x/liboutboard_provider.so (deleted)\n");
        write(&tree, "proc/3/status", "Name:\tx\n");
        write(&tree, "proc/4/maps", "1-2 r-xp 0 0:1 3 /x/notoutboard.so\n3-4 rw-p 0 0:0 0 \n");
        write(&tree, "proc/4/status", "Name:\ty\nUid: z\n");
        write(&tree, "proc/5/status", "Name:\thidden\n");
        write(&tree, "proc/self/maps", lib);
        let root = Root::saved(tree.path()).unwrap();
        let all = Processes::with_provider(&root);
        // Process 5 has no maps any more.
        assert_eq!(all.unreadable, 0);
        assert_eq!(all.found.iter().map(|p| p.pid).collect::<Vec<_>>(), [3, 20]);
        let nginx = &all.found[1];
        assert_eq!((nginx.name.as_str(), nginx.user), ("ng\u{fffd}inx", Some(33)));
        assert_eq!((nginx.unit.as_deref(), &all.found[0].unit), (Some("nginx.service"), &None));
        assert_eq!(nginx.openssl_conf, EnvironmentValue::Set("/etc/outboard/nginx.service.cnf".to_owned()));
        let path = "/usr/lib/outboard/outboard.so".to_owned();
        assert_eq!(nginx.provider, ProviderMapping::Mapped { path, is_replaced: false });
        let replaced = &all.found[0];
        assert!(matches!(replaced.provider, ProviderMapping::Mapped { is_replaced: true, .. }));
        assert_eq!(replaced.openssl_conf, EnvironmentValue::Unreadable);
        assert_eq!(Process::read(&root, 4).unwrap().provider, ProviderMapping::NotMapped);
        assert_eq!(Process::read(&root, 6), None);
    }

    #[test]
    fn only_a_service_of_the_system_is_a_unit() {
        for (path, unit) in [
            ("/system.slice/nginx.service", Some("nginx.service")),
            ("/system.slice/system-openvpn.slice/openvpn@a.service/nginx.service", Some("openvpn@a.service")),
            ("/web.slice/nginx.service", Some("nginx.service")),
            ("/user.slice/user-1000.slice/user@1000.service/app.slice/nginx.service", None),
            ("/user.slice/user-1000.slice/session-2.scope/nginx.service", None),
            ("/system.slice/docker-1.scope/system.slice/nginx.service", None),
            ("/nginx/nginx.service", None),
            ("/", None),
        ] {
            assert_eq!(unit_in(&format!("12:cpu:/\n0::{path}\n")).as_deref(), unit, "{path}");
        }
    }

    #[test]
    fn files_of_any_content_are_read() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("proc/7")).unwrap();
        for bytes in [&b""[..], b"\xff\xfe\0\0", b"/", b" (deleted)", b"/outboard.so (deleted)", b"Name:"] {
            for file in ["maps", "status", "environ", "cgroup"] {
                fs::write(tree.path().join("proc/7").join(file), bytes).unwrap();
            }
            let root = Root::saved(tree.path()).unwrap();
            let _ = Processes::with_provider(&root);
            let _ = Process::read(&root, 7);
        }
    }
}
