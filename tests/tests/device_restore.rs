//! The saved allow list after the module was loaded again: each driver is checked again, then
//! allowed or not.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use outboard_tests::command::{failed, on_path, status_and_output, succeeded};
use outboard_tests::kernel_module::{self, is_loaded, load, unload};
use outboard_tests::machine::{ACCELERATOR, allowed_drivers, is_allowed};
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_uapi::SYSFS;

const DIRECTORY: &str = "/etc/outboard";
const LIST: &str = "/etc/outboard/allowed";
/// A driver of the simulated accelerator, with injected faults and delays.
const SIMULATED: &str = "sim-cbc-aes";

/// One test at a time: all of them load and unload modules.
static ALONE: Mutex<()> = Mutex::new(());

/// The command and the modules; afterwards the machine is restored.
struct Machine {
    outboard: PathBuf,
    module: PathBuf,
    allowed_before: Vec<String>,
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    /// A freshly loaded module, and an empty saved list.
    fn new(test: &str) -> Option<Machine> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = on_path("outboard").ok_or_else(|| "the outboard command".to_owned());
        let parts = parts.and_then(|outboard| Ok((outboard, kernel_module::file("outboard")?)));
        let (outboard, module) = parts.map_err(|missing| skip(test, missing)).ok()?;
        let allowed_before = allowed_drivers();
        let machine = Machine { outboard, module, allowed_before, _alone: alone };
        let _ = fs::remove_dir_all(DIRECTORY);
        machine.reload();
        Some(machine)
    }

    /// The same, with the machine's accelerator allowed.
    fn with_accelerator(test: &str) -> Option<Machine> {
        let machine = Machine::new(test)?;
        let output = machine.run(&["allow", ACCELERATOR]);
        if !output.status.success() && status_and_output(&output).contains("/proc/crypto lists no driver") {
            skip(test, format!("an accelerator ({ACCELERATOR} in /proc/crypto)"));
            return None;
        }
        assert!(output.status.success(), "{}", status_and_output(&output));
        Some(machine)
    }

    /// As after a boot: no driver is allowed.
    #[track_caller]
    fn reload(&self) {
        if is_loaded("outboard") {
            unload("outboard");
        }
        load(&self.module);
        assert_eq!(allowed_drivers(), [] as [&str; 0]);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.outboard);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command runs")
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        succeeded(&self.run(arguments), arguments)
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str]) -> String {
        failed(&self.run(arguments), arguments, 1)
    }

    #[track_caller]
    fn lists(&self, driver: &str, state: &str) {
        let text = self.succeeds(&["allow", "--list"]);
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(driver));
        assert!(line.is_some_and(|line| line.ends_with(state)), "{driver}, {state}: {text}");
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let _ = fs::remove_dir_all(DIRECTORY);
        self.reload();
        for driver in &self.allowed_before {
            fs::write(format!("{SYSFS}/allow"), driver).expect("it was allowed before");
        }
    }
}

/// The accelerator's device, bound again when this is dropped.
struct Bound(String);

impl Bound {
    const DRIVER: &str = "/sys/bus/virtio/drivers/virtio_crypto";

    fn find(test: &str) -> Option<Bound> {
        let entries = fs::read_dir(Self::DRIVER).ok().into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let name =
            names.find(|name| name.strip_prefix("virtio").is_some_and(|rest| rest.parse::<u32>().is_ok()));
        if name.is_none() {
            skip(test, format!("a device bound to {}", Self::DRIVER));
        }
        name.map(Bound)
    }

    fn write(&self, file: &str) {
        fs::write(Path::new(Self::DRIVER).join(file), &self.0).expect("bind and unbind, as root");
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if !Path::new(Self::DRIVER).join(&self.0).exists() {
            self.write("bind");
        }
    }
}

fn saved() -> Vec<String> {
    let list = fs::read_to_string(LIST).unwrap_or_default();
    list.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn only_the_accelerator() -> (Vec<String>, Vec<String>) {
    (vec![ACCELERATOR.to_owned()], vec![ACCELERATOR.to_owned()])
}

fn files() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(DIRECTORY)
        .expect(DIRECTORY)
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn output(child: Child) -> Output {
    child.wait_with_output().expect("the command ends")
}

#[test]
fn an_allowed_driver_is_restored_after_the_module_was_loaded_again() {
    let test = "an_allowed_driver_is_restored_after_the_module_was_loaded_again";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    machine.lists(ACCELERATOR, "allowed, saved");
    assert_eq!(files(), ["allowed"]);
    machine.reload();
    machine.lists(ACCELERATOR, "saved, not allowed now");
    let text = machine.succeeds(&["allow", "--restore"]);
    assert!(text.contains("every result right"), "{text}");
    assert!(is_allowed(ACCELERATOR));
    let text = machine.succeeds(&["allow", "--restore"]);
    assert_eq!(text, format!("{ACCELERATOR} is allowed already\n"));
}

#[test]
fn an_unsaved_change_of_the_list_ends_with_the_next_load() {
    let test = "an_unsaved_change_of_the_list_ends_with_the_next_load";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let text = machine.succeeds(&["disallow", "--now", ACCELERATOR]);
    assert!(text.contains("saved for the next boot"), "{text}");
    assert!(!is_allowed(ACCELERATOR));
    machine.succeeds(&["allow", "--restore"]);
    assert!(is_allowed(ACCELERATOR));

    let text = machine.succeeds(&["disallow", ACCELERATOR]);
    assert!(text.contains("forgotten"), "{text}");
    assert!(!is_allowed(ACCELERATOR) && saved().is_empty());

    machine.succeeds(&["allow", "--now", ACCELERATOR]);
    machine.lists(ACCELERATOR, "allowed until the module is unloaded");
    machine.reload();
    let text = machine.succeeds(&["allow", "--restore"]);
    assert!(text.contains("No driver is saved"), "{text}");
    assert!(!is_allowed(ACCELERATOR));
}

#[test]
fn a_driver_is_forgotten_without_the_module_too() {
    let test = "a_driver_is_forgotten_without_the_module_too";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    unload("outboard");
    assert!(machine.fails(&["allow", "--restore"]).contains("the outboard module is not loaded: "));
    let listed = machine.run(&["allow", "--list"]);
    assert!(
        status_and_output(&listed).contains("saved, not allowed now")
            && status_and_output(&listed).contains("not loaded")
    );
    let text = machine.succeeds(&["disallow", ACCELERATOR]);
    assert!(text.contains("is forgotten; it was not allowed now"), "{text}");
    assert!(saved().is_empty());
}

#[test]
fn a_late_driver_is_waited_for() {
    let test = "a_late_driver_is_waited_for";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let Some(device) = Bound::find(test) else { return };
    device.write("unbind");
    machine.reload();
    let text = machine.fails(&["allow", "--restore"]);
    assert!(text.contains(&format!("/proc/crypto lists no driver {ACCELERATOR}")), "{text}");
    assert!(text.contains("1 of 1 in /etc/outboard/allowed could not be restored and stay saved"), "{text}");
    let restoring =
        machine.command(&["allow", "--restore", "--wait", "300"]).spawn().expect("the command runs");
    thread::sleep(Duration::from_secs(1));
    assert!(!is_allowed(ACCELERATOR));
    device.write("bind");
    let restored = output(restoring);
    assert!(restored.status.success() && is_allowed(ACCELERATOR), "{}", status_and_output(&restored));
}

/// One test of three parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn a_driver_that_is_wrong_or_is_not_checked_to_the_end_is_not_allowed() {
    let test = "a_driver_that_is_wrong_or_is_not_checked_to_the_end_is_not_allowed";
    let Some(module) = Simulated::find(test) else { return };
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let simulated = Simulated::load(&module);
    wrong_at_first_it_is_neither_allowed_nor_saved(&machine, &simulated);
    ended_in_the_middle_of_its_check_it_is_as_it_was(&machine, &simulated);
    wrong_later_it_is_not_allowed_again_and_the_others_are(&machine, &simulated);
}

fn wrong_at_first_it_is_neither_allowed_nor_saved(machine: &Machine, simulated: &Simulated) {
    for rule in ["wrong size=4096", "wrong every=100", "error 5", "error 5 every=100"] {
        simulated.fault(&format!("{SIMULATED} {rule}"));
        let text = machine.fails(&["allow", SIMULATED]);
        assert!(text.contains("is not allowed"), "{rule}: {text}");
        assert_eq!((allowed_drivers(), saved()), only_the_accelerator());
        simulated.fault("clear");
        if rule.starts_with("wrong") {
            machine.fails(&["allow", SIMULATED]);
            machine.succeeds(&["check", "--forget", SIMULATED]);
        }
    }
}

fn ended_in_the_middle_of_its_check_it_is_as_it_was(machine: &Machine, simulated: &Simulated) {
    simulated.takes(Duration::from_millis(5));
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let ended = allowed_while(machine, signal, libc::SIG_DFL);
        assert_eq!(ended.status.signal(), Some(signal), "{}", status_and_output(&ended));
        assert_eq!((allowed_drivers(), saved()), only_the_accelerator());
        assert_eq!(files(), ["allowed"]);
    }
    // As under nohup(1).
    let ended = allowed_while(machine, libc::SIGHUP, libc::SIG_IGN);
    assert!(ended.status.success() && is_allowed(SIMULATED), "{}", status_and_output(&ended));
    machine.succeeds(&["disallow", SIMULATED]);
    assert_eq!(files(), ["allowed"]);
    simulated.takes(Duration::ZERO);
}

/// Allows the simulated driver, and sends a signal in the middle of its check. A command that a
/// shell started in the background ignores SIGINT, and this one would too.
fn allowed_while(machine: &Machine, signal: i32, disposition: libc::sighandler_t) -> Output {
    let mut command = machine.command(&["allow", SIMULATED]);
    let set = move || {
        // SAFETY: SIG_DFL and SIG_IGN are valid for each of these signals.
        unsafe { libc::signal(signal, disposition) };
        Ok(())
    };
    // SAFETY: signal(2) is async-signal-safe, and nothing else is called.
    let allowing = unsafe { command.pre_exec(set) }.spawn().expect("the command runs");
    wait_until("on trial", || Path::new(SYSFS).join("drivers").join(SIMULATED).exists());
    // SAFETY: no pointer; the child was not waited for, so its process id has not been reused.
    assert_eq!(unsafe { libc::kill(allowing.id() as libc::pid_t, signal) }, 0);
    output(allowing)
}

/// The wrong driver has the higher priority: those after it must not be affected.
fn wrong_later_it_is_not_allowed_again_and_the_others_are(machine: &Machine, simulated: &Simulated) {
    machine.succeeds(&["disallow", ACCELERATOR]);
    machine.succeeds(&["allow", SIMULATED, ACCELERATOR]);
    machine.reload();
    simulated.fault(&format!("{SIMULATED} wrong every=50"));
    let text = machine.fails(&["allow", "--restore"]);
    assert!(
        text.contains(&format!("{SIMULATED} is not allowed: ")) && text.contains("the result is wrong"),
        "{text}"
    );
    assert!(text.contains("1 of 2 in /etc/outboard/allowed could not be restored"), "{text}");
    assert_eq!(allowed_drivers(), [ACCELERATOR]);
    machine.lists(SIMULATED, "saved, not allowed now");

    // Without the fault it would pass, but what was found stays saved.
    simulated.fault("clear");
    machine.reload();
    let text = machine.fails(&["allow", "--restore"]);
    assert!(text.contains(&format!("outboard check --forget {SIMULATED}")), "{text}");
    machine.reload();
    machine.succeeds(&["check", "--forget", SIMULATED]);
    machine.succeeds(&["allow", "--restore"]);
    assert_eq!(allowed_drivers(), [SIMULATED, ACCELERATOR]);
}

#[test]
fn a_driver_that_cannot_be_saved_is_not_allowed_and_the_list_stays() {
    let test = "a_driver_that_cannot_be_saved_is_not_allowed_and_the_list_stays";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    machine.succeeds(&["disallow", ACCELERATOR]);
    let mount = |arguments: &[&str]| {
        let mounted = Command::new("mount").args(arguments).status().expect("mount");
        assert!(mounted.success(), "mount {arguments:?}");
    };
    fs::create_dir_all(DIRECTORY).expect("as root");
    mount(&["-t", "tmpfs", "-o", "size=16k", "tmpfs", DIRECTORY]);
    fs::write(LIST, "other-driver\n").expect("room for the list");
    let filler = Path::new(DIRECTORY).join("filler");
    let _ = fs::write(&filler, vec![0; 64 << 10]);
    let text = machine.fails(&["allow", ACCELERATOR]);
    assert!(
        text.contains("No space left") && text.contains("free some space") && text.contains("--now"),
        "{text}"
    );
    assert_eq!((allowed_drivers(), saved()), (Vec::new(), vec!["other-driver".to_owned()]));
    fs::remove_file(filler).expect("remove");
    assert_eq!(files(), ["allowed"]);

    fs::write(LIST, format!("{ACCELERATOR}\n")).expect("room for the list");
    mount(&["-o", "remount,ro", DIRECTORY]);
    for arguments in [["allow", ACCELERATOR], ["disallow", ACCELERATOR]] {
        let text = machine.fails(&arguments);
        assert!(text.contains("Read-only file system") && text.contains("remount,rw"), "{text}");
    }
    machine.succeeds(&["allow", "--restore"]);
    assert!(is_allowed(ACCELERATOR));
    let text = machine.fails(&["disallow", ACCELERATOR]);
    assert!(text.contains("no longer allowed, but could not be forgotten"), "{text}");
    assert!(!is_allowed(ACCELERATOR));
    assert!(Command::new("umount").arg(DIRECTORY).status().expect("umount").success());
}

#[test]
fn only_root_changes_either_list() {
    let test = "only_root_changes_either_list";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    for arguments in
        [&["allow", ACCELERATOR][..], &["disallow", ACCELERATOR], &["disallow", "--now", ACCELERATOR]]
    {
        let output = machine.command(arguments).uid(65534).gid(65534).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(1), "{}", status_and_output(&output));
        assert!(
            status_and_output(&output).contains("only root may do that: try again with sudo"),
            "{}",
            status_and_output(&output)
        );
    }
    let listed =
        machine.command(&["allow", "--list"]).uid(65534).gid(65534).output().expect("the command runs");
    assert!(
        listed.status.success() && status_and_output(&listed).contains("allowed, saved"),
        "{}",
        status_and_output(&listed)
    );
    assert_eq!((allowed_drivers(), saved()), only_the_accelerator());
}
