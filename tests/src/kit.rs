//! The kit for a trial (packaging/kit/try): the archive of `make kit`, or the programs of this machine.
//! A trial writes one file, and leaves /etc, the modules, their parameters and what is allowed as they
//! were.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::command::{on_path, status_and_output, succeeded};
use crate::file_tree::{FileTree, assert_same_tree, whole_etc};
use crate::machine::allowed_drivers;
use crate::module::module;
use crate::time_limit::wait_until;

/// In the directory of the kit.
const FILE: &str = "trial.tar.xz";

const DIRECTORY: &str = "/tmp/outboard-kit";

/// Names the archive.
const ARCHIVE: &str = "OUTBOARD_KIT";

/// Loaded modules, and parameters with their values.
type Modules = BTreeMap<PathBuf, Vec<u8>>;

/// An unpacked kit, and the system before its trial.
pub struct Kit {
    directory: PathBuf,
    etc: FileTree,
    modules: Modules,
    allowed: Vec<String>,
}

impl Drop for Kit {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// The loaded modules, and the readable parameters of all.
fn modules() -> Modules {
    let text = fs::read_to_string("/proc/modules").expect("proc is mounted");
    let mut all: Modules =
        text.lines().map(|line| (line.split(' ').next().unwrap_or_default().into(), Vec::new())).collect();
    for module in fs::read_dir("/sys/module").expect("sysfs is mounted").flatten() {
        for parameter in fs::read_dir(module.path().join("parameters")).into_iter().flatten().flatten() {
            let path = parameter.path();
            if let Ok(value) = fs::read(&path) {
                all.insert(path, value);
            }
        }
    }
    all
}

/// The directory of the kit.
fn emptied() -> PathBuf {
    let _ = fs::remove_dir_all(DIRECTORY);
    fs::create_dir_all(DIRECTORY).expect("/tmp");
    DIRECTORY.into()
}

impl Kit {
    /// A kit with the programs of this machine. /etc/outboard is empty, as undo leaves it.
    #[must_use]
    pub fn unpack() -> Kit {
        fs::create_dir_all("/etc/outboard").expect("as root");
        let directory = emptied();
        let put = |from: &Path, to: &str, mode| {
            let to = directory.join(to);
            fs::create_dir_all(to.parent().expect("a directory")).expect("/tmp");
            fs::copy(from, &to).expect("/tmp has room");
            fs::set_permissions(to, PermissionsExt::from_mode(mode)).expect("our own");
        };
        put(&on_path("outboard").expect("the command"), "glibc/bin/outboard", 0o755);
        put(&module().expect("the provider"), "glibc/lib/outboard/outboard.so", 0o644);
        fs::write(directory.join("try"), include_str!("../../packaging/kit/try")).expect("/tmp has room");
        Kit::at(directory)
    }

    /// The archive of `make kit ARCH=...`, which scripts/test makes, as its user unpacks it.
    #[must_use]
    pub fn of_archive() -> Kit {
        let archive = std::env::var_os(ARCHIVE).expect("OUTBOARD_KIT names the archive");
        let directory = emptied();
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(archive).arg("-C").arg(&directory).arg("--strip-components=1");
        succeeded(&tar.output().expect("tar runs"), &["-xzf"]);
        Kit::at(directory)
    }

    fn at(directory: PathBuf) -> Kit {
        Kit { directory, etc: whole_etc(), modules: modules(), allowed: allowed_drivers() }
    }

    /// Puts a built module next to `try`.
    pub fn give(&self, module: &Path) {
        fs::copy(module, self.directory.join("outboard.ko")).expect("/tmp has room");
    }

    /// The command of a trial with a limit in seconds.
    fn trial(&self, seconds: u32) -> Command {
        let mut command = Command::new("sh");
        command.arg(self.directory.join("try")).arg(self.directory.join(FILE)).arg(seconds.to_string());
        command
    }

    /// Runs a trial with a limit in seconds, which must end with the exit code `code`. Returns its
    /// output, and that of `status --from` for its file.
    #[track_caller]
    pub fn tried(&self, seconds: u32, code: i32) -> (String, String) {
        let output = self.trial(seconds).output().expect("a shell");
        let text = status_and_output(&output);
        assert_eq!(output.status.code(), Some(code), "{text}");
        self.assert_restored(&text);
        (text, self.read())
    }

    /// Ends `count` trials with a limit in seconds by SIGINT, SIGHUP and SIGTERM, at random moments.
    #[track_caller]
    pub fn signals_leave_the_system_as_it_was(&self, count: usize, seconds: u32) {
        for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM].into_iter().cycle().take(count) {
            let random =
                SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").subsec_nanos() % 1_000_000;
            let after = Duration::from_secs(seconds.into()).mul_f64(f64::from(random) / 1e6);
            // A group of its own, as a shell makes it for the terminal's foreground.
            let mut trial = self.trial(seconds);
            let child = trial.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            let mut child = child.expect("a shell");
            thread::sleep(after);
            // SAFETY: it is the group of the child, which was not waited for.
            unsafe { libc::kill(-(child.id() as i32), signal) };
            // Its output is less than what a pipe holds.
            wait_until("ended by its signal", || child.try_wait().expect("our child").is_some());
            let text = status_and_output(&child.wait_with_output().expect("our child"));
            self.assert_restored(&format!("signal {signal} after {after:?}: {text}"));
            if self.directory.join(FILE).exists() {
                assert!(self.read().contains("Trial"), "{text}");
            }
        }
    }

    #[track_caller]
    fn assert_restored(&self, when: &str) {
        assert_same_tree(&whole_etc(), &self.etc, when);
        assert_eq!(allowed_drivers(), self.allowed, "{when}");
        assert!(!self.directory.join("outboard-trial").exists(), "{when}");
        // A driver that does not answer holds modules, which the trial names.
        let stuck = when.lines().filter(|_| when.contains("does not answer"));
        let remain = stuck.filter_map(|line| line.strip_prefix("modules that remain: ")).next().unwrap_or("");
        let mut now = modules();
        now.retain(|path, _| {
            let name = path.strip_prefix("/sys/module").unwrap_or(path).iter().next().expect("a name");
            !remain.split(' ').any(|module| name == module) || self.modules.contains_key(path)
        });
        let differ = |one: &Modules, other: &Modules| -> Vec<PathBuf> {
            one.iter()
                .filter(|entry| other.get(entry.0) != Some(entry.1))
                .map(|entry| entry.0.clone())
                .collect()
        };
        let (before, after) = (differ(&self.modules, &now), differ(&now, &self.modules));
        assert!(before.is_empty() && after.is_empty(), "{when}: modules: {before:?}; {after:?}");
    }

    /// The output of `status --from` for the file.
    #[track_caller]
    fn read(&self) -> String {
        let file = self.directory.join(FILE);
        let size = fs::metadata(&file).expect("the file is written").len();
        assert!(size < 1_000_000, "{size}");
        let output = Command::new("outboard").args(["status", "--from"]).arg(&file).output();
        let text = succeeded(&output.expect("the command"), &["status", "--from"]);
        fs::remove_file(file).expect("our own");
        text
    }
}
