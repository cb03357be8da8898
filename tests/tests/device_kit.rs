//! The trial of the kit (packaging/kit/try) with the simulated accelerator: what it finds, faults
//! and signals. Afterwards /etc and the list of modules are as before.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::file_tree::{FileTree, assert_etc_is, whole_etc};
use outboard_tests::machine::{allowed_drivers, set_patience};
use outboard_tests::module::module;
use outboard_tests::simulated::Simulated;

/// In the directory of the kit.
const FILE: &str = "trial.tar.xz";

/// An unpacked kit with the programs of this machine, and the system before its trial.
struct Kit {
    directory: PathBuf,
    etc: FileTree,
    modules: Vec<String>,
    allowed: Vec<String>,
}

fn modules() -> Vec<String> {
    let text = fs::read_to_string("/proc/modules").expect("proc is mounted");
    let mut names: Vec<_> =
        text.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect();
    names.sort();
    names
}

impl Kit {
    fn unpack() -> Kit {
        let directory = PathBuf::from("/tmp/outboard-kit");
        let _ = fs::remove_dir_all(&directory);
        let put = |from: &Path, to: &str, mode| {
            let to = directory.join(to);
            fs::create_dir_all(to.parent().expect("a directory")).expect("/tmp");
            fs::copy(from, &to).expect("/tmp has room");
            fs::set_permissions(to, PermissionsExt::from_mode(mode)).expect("our own");
        };
        put(&on_path("outboard").expect("the command"), "glibc/bin/outboard", 0o755);
        put(&module().expect("the provider"), "glibc/lib/outboard/outboard.so", 0o644);
        fs::write(directory.join("try"), include_str!("../../packaging/kit/try")).expect("/tmp has room");
        Kit { directory, etc: whole_etc(), modules: modules(), allowed: allowed_drivers() }
    }

    /// The trial, for at most so many seconds.
    fn trial(&self, seconds: u32) -> Command {
        let mut command = Command::new("sh");
        command.arg(self.directory.join("try")).arg(self.directory.join(FILE)).arg(seconds.to_string());
        command
    }

    /// Runs it to its end, which must have this exit code. Returns what it printed.
    #[track_caller]
    fn tried(&self, command: &mut Command, code: i32) -> String {
        let output = command.output().expect("a shell");
        let text = status_and_output(&output);
        assert_eq!(output.status.code(), Some(code), "{text}");
        self.assert_restored(&text);
        text
    }

    #[track_caller]
    fn assert_restored(&self, when: &str) {
        assert_etc_is(&self.etc, when);
        assert_eq!(modules(), self.modules, "{when}");
        assert_eq!(allowed_drivers(), self.allowed, "{when}");
        assert!(!self.directory.join("outboard-trial").exists(), "{when}");
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

/// A simulation with few drivers, each of which is checked before it is allowed.
fn few_drivers(test: &str) -> Option<Simulated> {
    drop(Simulated::reachable(test)?);
    Some(Simulated::load_with(&Simulated::find(test)?, &["preset=cesa"]))
}

#[test]
fn a_trial_leaves_one_file_and_the_system_as_it_was() {
    let Some(_simulated) = few_drivers("a_trial_leaves_one_file_and_the_system_as_it_was") else { return };
    let kit = Kit::unpack();
    let text = kit.tried(&mut kit.trial(600), 0);
    assert!(text.contains("tune: done") && text.contains("prove: done"), "{text}");
    let read = kit.read();
    for part in ["proven: ", "sim-cbc-aes over", "chacha20", "software: ", "outboard: "] {
        assert!(read.contains(part), "{part}: {read}");
    }
}

#[test]
fn what_goes_wrong_is_in_the_file_and_the_system_as_it_was() {
    let Some(simulated) = few_drivers("what_goes_wrong_is_in_the_file_and_the_system_as_it_was") else {
        return;
    };
    let kit = Kit::unpack();
    for (fault, finding) in [("wrong", "wrong result"), ("error 5", "sim-cbc-aes"), ("never", "sim-cbc-aes")]
    {
        set_patience(Duration::from_secs(1));
        simulated.fault(&format!("sim-cbc-aes {fault} every=20"));
        let text = kit.tried(&mut kit.trial(40), 1);
        let read = kit.read();
        assert!(read.contains(finding) && !text.contains("hangs"), "{fault}: {text}\n{read}");
        simulated.let_go();
    }
    signals_leave_the_system_as_it_was(&kit);
    fs::remove_dir_all(&kit.directory).expect("our own");
}

fn signals_leave_the_system_as_it_was(kit: &Kit) {
    for (number, signal) in
        [libc::SIGINT, libc::SIGHUP, libc::SIGTERM].into_iter().cycle().take(4).enumerate()
    {
        // A group of its own, as a shell makes it for the terminal's foreground.
        let mut trial = kit.trial(600);
        let child =
            trial.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell");
        thread::sleep(Duration::from_millis(300 + 4900 * number as u64));
        // SAFETY: it is the group of the child, which was not waited for.
        unsafe { libc::kill(-(child.id() as i32), signal) };
        let text = status_and_output(&child.wait_with_output().expect("our child"));
        kit.assert_restored(&text);
        if kit.directory.join(FILE).exists() {
            assert!(kit.read().contains("Trial"), "{text}");
        }
    }
}
