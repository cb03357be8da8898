//! The session of docs/openwrt.md, typed word by word in a system that looks like OpenWrt and has only
//! busybox's programs, from the packages to the proof and back.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::{MODULES, OpenWrt, SECTION, init_script, own_script};
use crate::command::{on_path, status_and_output, succeeded};
use crate::file_tree::{assert_same_tree, entries_below, whole_etc};
use crate::kernel_module;
use crate::sites::{downloads, site};
use crate::tuning::set_thresholds_of;

const PAGE: &str = include_str!("../../../docs/openwrt.md");
const SITE: &str = "https://127.0.0.1:4433/file";
/// All programs that the session's shell finds.
const PROGRAMS: &str = "/run/openwrt-programs";
/// What the stub of a package manager keeps.
const STATE: &str = "/run/package-stub";

/// The package manager of OpenWrt 24.10, or of 25.12.
#[derive(Clone, Copy, Debug)]
pub enum PackageTool {
    Opkg,
    Apk,
}

impl PackageTool {
    /// Its name, its place, and the end of names of packages.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            PackageTool::Opkg => ("opkg", "/bin/opkg", "ipk"),
            PackageTool::Apk => ("apk", "/usr/bin/apk", "apk"),
        }
    }
}

/// nginx, started by its init script, until dropped.
pub struct Nginx;

impl Nginx {
    #[must_use]
    pub fn start() -> Nginx {
        init_script("nginx", "start");
        Nginx::wait_until_it_listens();
        Nginx
    }

    /// procd does not wait for a service that it starts.
    pub fn wait_until_it_listens() {
        let listens = || TcpStream::connect("127.0.0.1:4433").is_ok();
        crate::time_limit::wait_until("nginx listens", listens);
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        init_script("nginx", "stop");
    }
}

/// The lines of a section that are indented, without comments.
fn lines(section: &str) -> impl Iterator<Item = &'static str> {
    let (_, rest) = PAGE.split_once(&format!("## {section}\n")).expect("the page has the section");
    let section = rest.split("\n## ").next().unwrap_or_default();
    let lines = section.lines().filter_map(|line| line.strip_prefix("    "));
    lines.map(|line| line.split(" #").next().unwrap_or_default().trim())
}

/// The lines that are typed on the router.
fn session(tool: &str) -> Vec<&'static str> {
    let installs = lines("Install").filter(|line| line.starts_with(tool));
    installs.chain(commands()).collect()
}

/// Those of outboard.
pub fn commands() -> impl Iterator<Item = &'static str> {
    lines("Use")
}

/// A router without outboard, whose packages lie in /tmp. Dropped, it removes what they installed.
struct Router {
    _openwrt: OpenWrt,
    tool: PackageTool,
}

impl Router {
    fn with(tool: PackageTool) -> Result<Router, String> {
        let (name, place, end) = tool.names();
        let outboard = on_path("outboard").ok_or("the outboard command")?;
        let module = kernel_module::file("outboard")?;
        let mut openwrt = OpenWrt::without_outboard()?;
        openwrt.files.add(place, include_str!("packages"));
        fs::set_permissions(place, PermissionsExt::from_mode(0o755)).expect("our own");
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").expect("proc is mounted");
        let module_path = format!("lib/modules/{}/outboard.ko", release.trim());
        let read = |path: &Path| fs::read(path).expect("a file");
        let packages = [
            (
                "kmod-outboard",
                vec![
                    (module_path.as_str(), 0o644, read(&module)),
                    ("etc/modules.d/60-outboard", 0o644, MODULES.into()),
                ],
            ),
            (
                "outboard",
                vec![
                    ("usr/bin/outboard", 0o755, read(&outboard)),
                    ("etc/init.d/outboard", 0o755, own_script("/usr/bin").into()),
                ],
            ),
            ("libopenssl-outboard", vec![("etc/ssl/modules.cnf.d/outboard.cnf", 0o644, SECTION.into())]),
        ];
        for (package, files) in packages {
            let folder = tempfile::tempdir().expect("a directory");
            let mut tar = Command::new("tar");
            tar.arg("-cf").arg(format!("/tmp/{package}_0.1.0-r1.{end}")).arg("-C").arg(folder.path());
            for (path, mode, bytes) in files {
                let to = folder.path().join(path);
                fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
                fs::write(&to, bytes).expect("a file");
                fs::set_permissions(&to, PermissionsExt::from_mode(mode)).expect("our own");
                tar.arg(path);
            }
            succeeded(&tar.output().expect("tar"), &[package]);
        }
        busybox_only(&[name, "uci", "ubus", "openssl"]);
        Ok(Router { _openwrt: openwrt, tool })
    }

    /// Types a line.
    fn types(&self, line: &str) -> Output {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", line]).env("PATH", PROGRAMS);
        shell.output().expect("busybox's shell")
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let installed = fs::read_to_string(format!("{STATE}/files")).unwrap_or_default();
        for file in installed.lines() {
            let _ = fs::remove_file(Path::new("/").join(file));
        }
        let (_, _, end) = self.tool.names();
        for package in ["kmod-outboard", "outboard", "libopenssl-outboard"] {
            let _ = fs::remove_file(format!("/tmp/{package}_0.1.0-r1.{end}"));
        }
        let _ = (fs::remove_dir_all(STATE), fs::remove_dir_all(PROGRAMS));
    }
}

/// A directory with busybox's programs, and these.
fn busybox_only(others: &[&str]) {
    let busybox = on_path("busybox").expect("it was found");
    let list = succeeded(&Command::new(&busybox).arg("--list").output().expect("busybox"), &["--list"]);
    fs::create_dir_all(PROGRAMS).expect("a directory");
    for name in list.lines() {
        let _ = symlink(&busybox, Path::new(PROGRAMS).join(name));
    }
    for name in others {
        let to = Path::new(PROGRAMS).join(name);
        let _ = fs::remove_file(&to);
        symlink(on_path(name).expect("a program"), to).expect("a link");
    }
    // Where a package puts it.
    symlink("/usr/bin/outboard", Path::new(PROGRAMS).join("outboard")).expect("a link");
}

/// Types the session with a package manager. `driver` computes AES in CBC mode.
///
/// # Errors
/// What is missing.
pub fn type_the_page(tool: PackageTool, driver: &str) -> Result<(), String> {
    site();
    if Path::new("/sys/module/outboard").exists() {
        kernel_module::unload("outboard");
    }
    let router = Router::with(tool)?;
    let _nginx = Nginx::start();
    let without = router.types("outboard status");
    assert_eq!(without.status.code(), Some(127), "{}", status_and_output(&without));
    let mut before = None;
    let mut done = Vec::new();
    for line in session(tool.names().0) {
        let name = line.split(' ').nth(1).unwrap_or_default();
        let line = match name {
            // The reader has a terminal, and answers.
            "setup" | "undo" => format!("{line} --yes"),
            // A part of the time shows the same.
            "prove" => line.replace("60s", "5s"),
            _ => line.to_owned(),
        };
        if name == "status" {
            let clean = router.types("outboard undo --yes");
            assert!(clean.status.success(), "{}", status_and_output(&clean));
            before = Some((whole_etc(), temporary()));
        }
        let output = match name {
            "prove" => while_clients_download(|| router.types(&line)),
            _ => router.types(&line),
        };
        let text = status_and_output(&output);
        println!("# {line}\n{text}");
        assert!(output.status.success(), "{line}: {text}");
        match name {
            "status" => assert!(text.contains("outboard setup"), "{text}"),
            "setup" => {
                assert!(text.contains(driver), "{text}");
                // The engine is computed by the CPU of this machine: as on a router whose engine wins.
                set_thresholds_of(driver, "4096");
            }
            "enable" => {
                Nginx::wait_until_it_listens();
                assert!(text.contains("nginx is enabled"), "{text}");
            }
            "prove" => assert!(text.contains("PROVEN"), "{text}"),
            "undo" => assert!(text.contains("All of it is undone"), "{text}"),
            _ => {}
        }
        done.push(name);
    }
    assert!(done.ends_with(&["status", "setup", "enable", "prove", "undo"]), "{done:?}");
    Nginx::wait_until_it_listens();
    let (etc, temporary_files) = before.expect("the page has outboard status");
    assert_same_tree(&whole_etc(), &etc, "after undo");
    assert_same_tree(&temporary(), &temporary_files, "after undo");
    Ok(())
}

fn temporary() -> crate::file_tree::FileTree {
    entries_below("/tmp", false, &["/tmp/tests", "/tmp/received"])
}

fn while_clients_download(work: impl FnOnce() -> Output) -> Output {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                downloads(SITE);
            }
        });
        let output = work();
        is_over.store(true, Ordering::Relaxed);
        output
    })
}
