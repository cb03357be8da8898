//! Commands that change the system, with a fault at each of their changes: they are killed, the disk
//! is full, or it reports an error. Between any two changes the system must be one that works, and
//! afterwards it can be restored byte for byte, with modes and owners.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::fault_injection::{FAULTS, InjectedFault, run};
use outboard_tests::file_tree::{FileTree, assert_same_tree, entries_below, whole_etc};
use outboard_tests::lane::is_full_lane;
use outboard_tests::machine::{ACCELERATOR, is_allowed};
use outboard_tests::skip::skip;
use outboard_tests::tuning::{Machine, POLICY};
use outboard_uapi::SYSFS;

/// Each drop-in, or file that stands for one, with the configuration that it names.
const PAIRS: [(&str, &str); 2] = [
    ("etc/systemd/system/nginx.service.d/50-outboard.conf", "etc/outboard/nginx.service.cnf"),
    ("etc/profile.d/outboard.sh", "etc/outboard/openssl.cnf"),
];

/// Where changes get faults.
const DIRECTORIES: [&str; 3] = ["/etc/", "/sys/class/misc/", "/sys/devices/virtual/misc/"];

/// In the fast lane one of this number of faults is injected.
const FAST: usize = 10;

/// A driver that is allowed has computed at least this number of requests of its check.
const CHECKED: u64 = 100;

/// A command, and those before and after it.
struct Change<'a> {
    name: &'a str,
    /// Must succeed before.
    before: &'a [&'a [&'a str]],
    command: &'a [&'a str],
    /// Restores the system.
    undo: &'a [&'a str],
    /// A fault may leave a temporary file, which the next change replaces: the command is repeated
    /// before it is undone.
    needs_repetition: bool,
}

/// A machine whose accelerator is allowed after a check. One that was allowed without has computed
/// nothing.
fn machine(test: &str) -> Option<Machine> {
    let machine = Machine::with_accelerator(test)?;
    succeeds(&machine, &["allow", ACCELERATOR]);
    Some(machine)
}

#[track_caller]
fn succeeds(machine: &Machine, arguments: &[&str]) {
    succeeded(&machine.command(arguments).output().expect("the command runs"), arguments);
}

/// What must be true at any time.
#[track_caller]
fn works(root: &Path) {
    for (user, used) in PAIRS {
        assert!(!root.join(user).exists() || root.join(used).exists(), "{user} without {used}");
    }
    // An image has no drivers, and the machine's may be allowed without a check then.
    if root == Path::new("/") && is_allowed(ACCELERATOR) {
        let requests = fs::read_to_string(format!("{SYSFS}/drivers/{ACCELERATOR}/requests"));
        let requests: u64 = requests.expect("it is allowed").trim().parse().expect("a number");
        assert!(requests >= CHECKED, "allowed after {requests} requests");
    }
}

/// The system that is changed: the running one, or an image.
enum Place<'a> {
    Running,
    Image(&'a Path),
}

impl Place<'_> {
    fn root(&self) -> &Path {
        match self {
            Place::Running => Path::new("/"),
            Place::Image(root) => root,
        }
    }

    fn command(&self, outboard: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(outboard);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Place::Image(root) = self {
            command.arg("--root").arg(root);
        }
        command
    }

    fn run(&self, outboard: &Path, arguments: &[&str]) -> Output {
        self.command(outboard, arguments).output().expect("the command runs")
    }

    fn entries(&self) -> FileTree {
        match self {
            Place::Running => whole_etc(),
            Place::Image(root) => entries_below(&root.to_string_lossy(), true, &[]),
        }
    }
}

/// Injects the faults. Returns how many there were.
#[track_caller]
fn with_each_fault(outboard: &Path, place: &Place, change: &Change, tries: &mut usize) -> usize {
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
    let mut count = 0;
    for _ in 0..2 {
        prepare();
        let (output, seen) = run(command(), &directories, None, &mut works);
        succeeded(&output, change.command);
        place.run(outboard, change.undo);
        count = seen;
    }
    assert!(count > 2, "{}: {count} changes", change.name);
    let before = place.entries();
    let mut injected = 0;
    for at in 0..count {
        for fault in FAULTS {
            *tries += 1;
            if !is_full_lane() && *tries % FAST != 0 {
                continue;
            }
            let when = format!("{}: {fault:?} at change {at} of {count}", change.name);
            prepare();
            let (output, seen) = run(command(), &directories, Some((at, fault)), &mut works);
            let text = status_and_output(&output);
            assert!(seen > at, "{when}: only {seen} changes: {text}");
            assert_ne!(output.status.code(), Some(101), "{when}: {text}");
            if fault == InjectedFault::Kill {
                assert_eq!(output.status.code(), None, "{when}");
            }
            if change.needs_repetition || injected % 2 == 0 {
                // What was interrupted can be repeated; what was done already may be refused.
                let again = command().output().expect("the command runs");
                assert_ne!(again.status.code(), Some(101), "{when}: {}", status_and_output(&again));
                works();
            }
            // Fails where nothing was changed.
            let undone = status_and_output(&place.run(outboard, change.undo));
            // A lock whose holder was killed is removed by the next one.
            place.run(outboard, &["enable", "--list"]);
            assert_same_tree(&place.entries(), &before, &format!("{when}\n{text}\n{undone}"));
            assert!(!is_allowed(ACCELERATOR) || change.command[0] != "allow", "{when}");
            injected += 1;
        }
    }
    println!("{}: {injected} faults at {count} changes", change.name);
    injected
}

/// An image with a unit of nginx and the provider.
fn image() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a directory");
    for (path, text) in [
        ("usr/lib/systemd/system/nginx.service", "[Service]\nExecStart=/usr/sbin/nginx\n"),
        ("usr/lib/outboard/outboard.so", ""),
        ("etc/ssl/openssl.cnf", "config_diagnostics = 1\n"),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    root
}

#[track_caller]
fn services_can_be_undone(outboard: &Path, place: &Place) {
    let (nginx, openssl) = (["enable", "nginx", "--force"], ["enable", "openssl", "--force"]);
    let (no_nginx, no_openssl) = (["disable", "nginx"], ["disable", "openssl"]);
    let change =
        |name, before, command, undo| Change { name, before, command, undo, needs_repetition: false };
    let (mut tries, mut injected) = (0, 0);
    for change in [
        change("enable nginx", &[], &nginx[..], &no_nginx[..]),
        change("disable nginx", &[&nginx[..]], &no_nginx[..], &no_nginx[..]),
        change("enable openssl", &[], &openssl[..], &no_openssl[..]),
        change("disable openssl", &[&openssl[..]], &no_openssl[..], &no_openssl[..]),
    ] {
        injected += with_each_fault(outboard, place, &change, &mut tries);
    }
    println!("{injected} faults of {tries}");
}

#[test]
fn a_fault_at_any_change_of_a_service_can_be_undone() {
    let test = "a_fault_at_any_change_of_a_service_can_be_undone";
    let Some(outboard) = on_path("outboard") else { return skip(test, "the outboard command") };
    let image = image();
    services_can_be_undone(&outboard, &Place::Image(image.path()));
}

/// The same where OpenSSL is loaded with each new configuration, which takes seconds.
#[test]
fn a_fault_at_any_change_of_the_running_system_can_be_undone() {
    let test = "a_fault_at_any_change_of_the_running_system_can_be_undone";
    let Some(_machine) = machine(test) else { return };
    match on_path("outboard").filter(|_| on_path("nginx").is_some()) {
        Some(outboard) => services_can_be_undone(&outboard, &Place::Running),
        None => skip(test, "the nginx command"),
    }
}

#[test]
fn a_fault_at_any_change_of_a_driver_or_a_generator_can_be_undone() {
    let test = "a_fault_at_any_change_of_a_driver_or_a_generator_can_be_undone";
    let Some(machine) = machine(test) else { return };
    let Some(outboard) = on_path("outboard") else { return skip(test, "the outboard command") };
    let generators = fs::read_to_string("/sys/class/misc/hw_random/rng_available").unwrap_or_default();
    let generator = generators.split_whitespace().next().unwrap_or_default();
    let (mut tries, mut injected) = (0, 0);
    let prefer = ["prefer", ACCELERATOR, "--force"];
    let no_preference = ["prefer", ACCELERATOR, "--undo"];
    let select = ["rng", "select", generator];
    let change =
        |name, before, command, undo| Change { name, before, command, undo, needs_repetition: false };
    for change in [
        change("prefer", &[], &prefer[..], &no_preference[..]),
        change("prefer --undo", &[&prefer[..]], &no_preference[..], &no_preference[..]),
    ] {
        injected += with_each_fault(&outboard, &Place::Running, &change, &mut tries);
    }
    let (allow, disallow) = (["allow", ACCELERATOR], ["disallow", ACCELERATOR]);
    succeeds(&machine, &disallow);
    let change = |name, before, command, undo| Change { name, before, command, undo, needs_repetition: true };
    for change in [
        change("allow", &[], &allow[..], &disallow[..]),
        change("rng select", &[], &select[..], &["rng", "select", "auto"][..]),
    ] {
        injected += with_each_fault(&outboard, &Place::Running, &change, &mut tries);
    }
    succeeds(&machine, &allow);
    println!("{injected} faults of {tries}");
}

/// The policy is measured before, so that setup allows and does not measure: the faults of a
/// measurement are those of tune.
#[test]
fn a_fault_or_a_signal_at_any_change_of_setup_or_undo_can_be_undone() {
    let test = "a_fault_or_a_signal_at_any_change_of_setup_or_undo_can_be_undone";
    let Some(machine) = machine(test) else { return };
    let Some(outboard) = on_path("outboard") else { return skip(test, "the outboard command") };
    machine.tuned(&["--ciphers", "AES-128-CBC"]);
    let policy = fs::read_to_string(POLICY).expect("it is measured");
    succeeds(&machine, &["undo", "--yes"]);
    let clean = whole_etc();
    let generators = fs::read_to_string("/sys/class/misc/hw_random/rng_available").unwrap_or_default();
    let generator = generators.split_whitespace().next().unwrap_or_default();
    let (set_up, undo) = (["setup", "--yes", "--goal", "throughput"], ["undo", "--yes"]);
    let with_policy = || {
        fs::create_dir_all("/etc/outboard").expect("as root");
        fs::write(POLICY, &policy).expect("as root");
    };
    let with_everything = || {
        with_policy();
        succeeds(&machine, &["allow", ACCELERATOR]);
        succeeds(&machine, &["prefer", ACCELERATOR, "--force"]);
        succeeds(&machine, &["enable", "openssl", "--force"]);
        succeeds(&machine, &["rng", "select", generator]);
    };
    let (mut tries, mut injected) = (0, 0);
    for (command, prepare) in [(&set_up[..], &with_policy as &dyn Fn()), (&undo, &with_everything)] {
        let command = || Place::Running.command(&outboard, command);
        let mut works = || works(Path::new("/"));
        prepare();
        let (output, count) = run(command(), &DIRECTORIES, None, &mut works);
        succeeded(&output, &["without a fault"]);
        succeeds(&machine, &undo);
        assert_same_tree(&whole_etc(), &clean, "without a fault");
        for at in 0..count {
            for fault in FAULTS.into_iter().chain([InjectedFault::Interrupt]) {
                tries += 1;
                if !is_full_lane() && tries % FAST != 0 {
                    continue;
                }
                prepare();
                let before = whole_etc();
                let (output, _) = run(command(), &DIRECTORIES, Some((at, fault)), &mut works);
                let text = status_and_output(&output);
                assert_ne!(output.status.code(), Some(101), "{fault:?} at {at} of {count}: {text}");
                if text.contains("what it had changed is undone") {
                    assert_same_tree(&whole_etc(), &before, &text);
                }
                let again = succeeded(&Place::Running.run(&outboard, &undo), &undo);
                assert_same_tree(
                    &whole_etc(),
                    &clean,
                    &format!("{fault:?} at {at} of {count}: {text}{again}"),
                );
                assert!(!is_allowed(ACCELERATOR), "{fault:?} at {at} of {count}: {text}");
                injected += 1;
            }
        }
    }
    succeeds(&machine, &["allow", ACCELERATOR]);
    println!("{injected} faults of {tries}");
}

/// The measurement takes seconds, so few faults are injected in the fast lane.
#[test]
fn a_fault_at_any_change_of_tune_leaves_the_old_or_the_new_policy() {
    let test = "a_fault_at_any_change_of_tune_leaves_the_old_or_the_new_policy";
    let Some(machine) = machine(test) else { return };
    let arguments = ["--ciphers", "AES-128-CBC"];
    let (output, count) = run(machine.tune(&arguments), &DIRECTORIES, None, &mut || {});
    succeeded(&output, &arguments);
    let policy = Path::new("/etc/outboard/policy");
    let mark = "# the old one\n";
    let places: Vec<usize> = if is_full_lane() { (0..count).collect() } else { vec![count / 2] };
    for at in places {
        for fault in FAULTS.into_iter().take(if is_full_lane() { 3 } else { 1 }) {
            fs::write(policy, mark).expect("/etc/outboard");
            let mut whole = || {
                let text = fs::read_to_string(policy).expect("a policy at any time");
                assert!(text == mark || text.ends_with('\n') && text.contains("AES-128-CBC"), "{text}");
            };
            let (output, _) = run(machine.tune(&arguments), &DIRECTORIES, Some((at, fault)), &mut whole);
            assert_ne!(output.status.code(), Some(101), "{at} {fault:?}: {}", status_and_output(&output));
        }
    }
    // The next one overwrites what a killed one has left.
    succeeded(&machine.tune(&arguments).output().expect("the command runs"), &arguments);
    assert!(!Path::new("/etc/outboard/policy.new").exists());
}
