//! The processes that have mapped an installed provider, proc(5).

use std::io::ErrorKind;

use outboard_console::printable_line;
use outboard_drivers::root::Root;

use super::installed::Mapping;

/// File names of the provider: installed, and as cargo builds it.
const PROVIDER_FILES: [&str; 2] = ["outboard.so", "liboutboard_provider.so"];

/// The kernel appends this to the path of a mapped file that was removed or replaced.
const DELETED: &str = " (deleted)";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// The systemd unit to which it belongs, if it is a service.
    pub unit: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processes {
    pub found: Vec<Process>,
    /// Number of processes whose mappings this user may not read.
    pub unreadable: usize,
}

impl Process {
    fn read(root: &Root, pid: u32) -> Option<Self> {
        let status = root.text(&format!("proc/{pid}/status"))?;
        let name = status.lines().find_map(|line| line.strip_prefix("Name:"))?.trim();
        let unit = root.text(&format!("proc/{pid}/cgroup")).and_then(|text| unit_in(&text));
        Some(Self { pid, name: printable_line(name), unit })
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
            match root.read(&format!("proc/{pid}/maps")) {
                Ok(maps) => {
                    let maps = String::from_utf8_lossy(&maps);
                    if maps.lines().filter_map(provider_in).any(|mapping| is_installed(&mapping)) {
                        all.found.extend(Process::read(root, pid));
                    }
                }
                Err(error) if error.kind() == ErrorKind::PermissionDenied => all.unreadable += 1,
                // The process has ended.
                Err(_) => {}
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
        assert_eq!(nginx.name, "ng\u{fffd}inx");
        assert_eq!((nginx.unit.as_deref(), &all.found[0].unit), (Some("nginx.service"), &None));
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
            for file in ["maps", "status", "cgroup"] {
                fs::write(tree.path().join("proc/7").join(file), bytes).unwrap();
            }
            let root = Root::saved(tree.path()).unwrap();
            let _ = Processes::with_provider(&root);
            let _ = Process::read(&root, 7);
        }
    }
}
