//! Commands that change the system, with a fault at each of their changes: they are killed, get a
//! signal, the disk is full, or it reports an error. Between any two changes the system must be one
//! that works, and afterwards it can be restored byte for byte, with modes and owners.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use outboard_uapi::SYSFS;

use crate::command::{status_and_output, succeeded};
use crate::fault_injection::{InjectedFault, run};
use crate::file_tree::{FileTree, add_missing, assert_same_tree, entries_below, whole_etc};
use crate::lane::is_full_lane;
use crate::machine::{ACCELERATOR, is_allowed};
use crate::tuning::Machine;

/// Each drop-in, or file that stands for one, with the configuration that it names.
const PAIRS: [(&str, &str); 2] = [
    ("etc/systemd/system/nginx.service.d/50-outboard.conf", "etc/outboard/nginx.service.cnf"),
    ("etc/profile.d/outboard.sh", "etc/outboard/openssl.cnf"),
];

/// Where changes of the running system get faults.
pub const DIRECTORIES: [&str; 3] = ["/etc/", "/sys/class/misc/", "/sys/devices/virtual/misc/"];

/// In the fast lane one of this number of faults is injected.
const FAST: usize = 10;

/// A driver that is allowed has computed at least this number of requests of its check.
const CHECKED: u64 = 100;

/// A command, and those before and after it.
pub struct Change<'a> {
    /// In messages.
    pub name: &'a str,
    /// Must succeed before.
    pub before: &'a [&'a [&'a str]],
    /// The arguments of the command.
    pub command: &'a [&'a str],
    /// Restores the system.
    pub undo: &'a [&'a str],
    /// The state before is one of files only. It is restored without the commands, which load OpenSSL.
    pub is_in_files: bool,
    /// A fault may leave a temporary file, which the next change replaces: the command is repeated
    /// before it is undone.
    pub needs_repetition: bool,
}

/// The faults that were injected, and those that there are: the fast lane leaves most out.
#[derive(Default)]
pub struct Tally {
    tries: usize,
    injected: usize,
}

impl Tally {
    /// Whether the next fault is to be injected in this lane.
    pub fn takes_next(&mut self) -> bool {
        self.tries += 1;
        let takes = is_full_lane() || self.tries % FAST == 0;
        self.injected += usize::from(takes);
        takes
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        println!("{} faults of {}", self.injected, self.tries);
    }
}

/// A machine whose accelerator is allowed after a check. One that was allowed without has computed
/// nothing.
pub fn machine(test: &str) -> Option<Machine> {
    let machine = Machine::with_accelerator(test)?;
    succeeds(&machine, &["allow", ACCELERATOR]);
    Some(machine)
}

/// Runs a command, which must succeed.
#[track_caller]
pub fn succeeds(machine: &Machine, arguments: &[&str]) {
    succeeded(&machine.command(arguments).output().expect("the command runs"), arguments);
}

/// The random number generator of the machine.
#[must_use]
pub fn generator() -> String {
    let generators = fs::read_to_string("/sys/class/misc/hw_random/rng_available").unwrap_or_default();
    generators.split_whitespace().next().unwrap_or_default().to_owned()
}

/// No service or shell names a configuration that is missing.
#[track_caller]
pub fn drop_ins_are_whole(root: &Path) {
    for (user, used) in PAIRS {
        assert!(!root.join(user).exists() || root.join(used).exists(), "{user} without {used}");
    }
}

/// What must be true at any time.
#[track_caller]
pub fn works(root: &Path) {
    drop_ins_are_whole(root);
    // An image has no drivers, and the machine's may be allowed without a check then.
    if root == Path::new("/") && is_allowed(ACCELERATOR) {
        let requests = fs::read_to_string(format!("{SYSFS}/drivers/{ACCELERATOR}/requests"));
        let requests: u64 = requests.expect("it is allowed").trim().parse().expect("a number");
        assert!(requests >= CHECKED, "allowed after {requests} requests");
    }
}

/// The system that is changed: the running one, or an image.
pub enum Place<'a> {
    /// The machine's.
    Running,
    /// The system below a directory.
    Image(&'a Path),
}

impl Place<'_> {
    fn root(&self) -> &Path {
        match self {
            Place::Running => Path::new("/"),
            Place::Image(root) => root,
        }
    }

    /// The command for this system.
    #[must_use]
    pub fn command(&self, outboard: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(outboard);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Place::Image(root) = self {
            command.arg("--root").arg(root);
        }
        command
    }

    /// Its output.
    pub fn run(&self, outboard: &Path, arguments: &[&str]) -> Output {
        self.command(outboard, arguments).output().expect("the command runs")
    }

    fn entries(&self) -> FileTree {
        match self {
            Place::Running => whole_etc(),
            Place::Image(root) => entries_below(&root.to_string_lossy(), true, &[]),
        }
    }

    fn faults(&self, at: usize) -> Vec<InjectedFault> {
        match self {
            Place::Running => faults_of_running_system(at),
            Place::Image(_) => {
                let [no_space, error] = [libc::ENOSPC, libc::EIO].map(InjectedFault::Fails);
                vec![InjectedFault::Kill, no_space, error, InjectedFault::Signal(SIGNALS[at % SIGNALS.len()])]
            }
        }
    }
}

const SIGNALS: [i32; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// The faults of a change of the running system, where a command takes a second in a test machine.
/// ENOSPC and EIO are handled alike, so they alternate; so are signals, which come at every third
/// change.
#[must_use]
pub fn faults_of_running_system(at: usize) -> Vec<InjectedFault> {
    let mut faults = vec![InjectedFault::Kill, InjectedFault::Fails([libc::ENOSPC, libc::EIO][at % 2])];
    if at % 3 == 0 {
        faults.push(InjectedFault::Signal(SIGNALS[at / 3 % SIGNALS.len()]));
    }
    faults
}

/// Injects the faults.
#[track_caller]
pub fn with_each_fault(outboard: &Path, place: &Place, change: &Change, tally: &mut Tally) {
    let prepare = || {
        for arguments in change.before {
            succeeded(&place.run(outboard, arguments), arguments);
        }
    };
    let root = place.root().to_string_lossy().into_owned();
    let directories = match place {
        Place::Running => DIRECTORIES.to_vec(),
        Place::Image(_) => vec![root.as_str()],
    };
    let mut works = || works(place.root());
    let command = || place.command(outboard, change.command);
    // Twice without a fault: the first one loads what the kernel and the disk keep in memory.
    let (mut count, mut prepared, mut done) = (0, FileTree::new(), FileTree::new());
    for _ in 0..2 {
        prepare();
        prepared = place.entries();
        let (output, seen) = run(command(), &directories, None, &mut works);
        succeeded(&output, change.command);
        done = place.entries();
        place.run(outboard, change.undo);
        count = seen;
    }
    assert!(count > 2, "{}: {count} changes", change.name);
    let before = place.entries();
    let injected_before = tally.injected;
    for at in 0..count {
        for fault in place.faults(at) {
            if !tally.takes_next() {
                continue;
            }
            let when = format!("{}: {fault:?} at change {at} of {count}", change.name);
            match change.is_in_files {
                true => add_missing(&prepared, &before),
                false => prepare(),
            }
            let (output, seen) = run(command(), &directories, Some((at, fault)), &mut works);
            let text = status_and_output(&output);
            assert!(seen > at, "{when}: only {seen} changes: {text}");
            assert_ne!(output.status.code(), Some(101), "{when}: {text}");
            match fault {
                InjectedFault::Kill => assert_eq!(output.status.code(), None, "{when}"),
                InjectedFault::Signal(_) => {
                    assert!(!output.status.success(), "{when}: {text}");
                    let now = place.entries();
                    if now != done {
                        assert_same_tree(
                            &now,
                            &prepared,
                            &format!("{when}: neither done nor undone: {text}"),
                        );
                    }
                }
                InjectedFault::Fails(_) => {}
            }
            let is_repeated = change.needs_repetition || tally.injected % 2 == 0;
            if is_repeated && !matches!(fault, InjectedFault::Signal(_)) {
                // What was interrupted can be repeated; what was done already may be refused.
                let again = command().output().expect("the command runs");
                assert_ne!(again.status.code(), Some(101), "{when}: {}", status_and_output(&again));
                works();
            }
            // Fails where nothing was changed.
            let undone = status_and_output(&place.run(outboard, change.undo));
            if fault == InjectedFault::Kill {
                // A lock whose holder was killed is removed by the next one.
                place.run(outboard, &["enable", "--list"]);
            }
            assert_same_tree(&place.entries(), &before, &format!("{when}\n{text}\n{undone}"));
            assert!(!is_allowed(ACCELERATOR) || change.command[0] != "allow", "{when}");
        }
    }
    println!("{}: {} faults at {count} changes", change.name, tally.injected - injected_before);
}

/// Enables and disables nginx and the whole system.
#[track_caller]
pub fn services_can_be_undone(outboard: &Path, place: &Place) {
    let (nginx, openssl) = (["enable", "nginx", "--force"], ["enable", "openssl", "--force"]);
    let (no_nginx, no_openssl) = (["disable", "nginx"], ["disable", "openssl"]);
    let change = |name, before, command, undo| Change {
        name,
        before,
        command,
        undo,
        is_in_files: true,
        needs_repetition: false,
    };
    let mut tally = Tally::default();
    for change in [
        change("enable nginx", &[], &nginx[..], &no_nginx[..]),
        change("disable nginx", &[&nginx[..]], &no_nginx[..], &no_nginx[..]),
        change("enable openssl", &[], &openssl[..], &no_openssl[..]),
        change("disable openssl", &[&openssl[..]], &no_openssl[..], &no_openssl[..]),
    ] {
        with_each_fault(outboard, place, &change, &mut tally);
    }
}
