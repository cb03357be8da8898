//! `outboard prefer` and `outboard enable disk`, `ipsec` and `ktls`: the kernel selects the
//! accelerator, which raises interrupts; `--undo` and `disable` restore what it selected before and
//! all of /etc.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use outboard_drivers::netlink::change;
use outboard_tests::command::{failed, on_path, status_and_output, succeeded};
use outboard_tests::file_tree::{assert_etc_is, etc_without_lock};
use outboard_tests::kernel_users::{Network, send_over_ktls, shell, with_dm_crypt};
use outboard_tests::machine::{ACCELERATOR, cpu_has_aes};
use outboard_tests::simulated::{self, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::{wait_until, wait_while};
use outboard_tests::tuning::Machine;

/// The machine with a simulation that every other driver outranks. Dropped in this order.
struct Outranked {
    _simulated: Simulated,
    machine: Machine,
}

/// The parameters: flags that dm-crypt accepts, and a priority that every other driver outranks.
const ACCEPTED: [&str; 3] = ["preset=ideal", "allocates=N", "priority=1"];

impl Outranked {
    fn new(test: &str, parameters: &[&str], tools: &[&str]) -> Option<Outranked> {
        let machine = Machine::new(test)?;
        for name in tools {
            if on_path(name).is_none() {
                skip(test, format!("the {name} command"));
                return None;
            }
        }
        let file = Simulated::find(test)?;
        Some(Outranked { _simulated: Simulated::load_with(&file, parameters), machine })
    }

    /// Runs the command, which must succeed.
    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        succeeded(&self.machine.command(arguments).output().expect("the command runs"), arguments)
    }

    /// Runs the command, which must fail.
    #[track_caller]
    fn fails(&self, arguments: &[&str]) -> String {
        failed(&self.machine.command(arguments).output().expect("the command runs"), arguments, 1)
    }
}

/// The registered drivers: algorithm, name, priority. Instances that nothing uses may come and go.
fn drivers() -> Vec<(String, String, i64)> {
    let text = fs::read_to_string("/proc/crypto").expect("proc is mounted");
    let field = |entry: &str, key: &str| {
        let line = entry.lines().find(|line| line.split(':').next().is_some_and(|word| word.trim() == key));
        line.and_then(|line| line.split_once(": "))
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default()
    };
    let entries = text.split("\n\n").filter(|entry| !entry.trim().is_empty());
    entries
        .map(|entry| {
            (field(entry, "name"), field(entry, "driver"), field(entry, "priority").parse().unwrap_or(0))
        })
        .collect()
}

/// Waits until the drivers and their priorities are these. Instances of templates end some time after
/// their last user, those of earlier tests meanwhile, and one that is made again is first in the list.
/// A module that the kernel loaded for another cipher stays, with its drivers.
#[track_caller]
fn wait_until_drivers_are(before: &[(String, String, i64)]) {
    let before: BTreeSet<_> = before.iter().cloned().collect();
    wait_while(|| {
        let now: BTreeSet<_> = drivers().into_iter().collect();
        let has_ended = |driver: &(String, String, i64)| driver.1.contains('(') && before.contains(driver);
        let is_of_a_module = |driver: &(String, String, i64)| {
            !driver.1.contains('(') && before.iter().all(|(_, name, _)| *name != driver.1)
        };
        let is_usual = |driver: &(String, String, i64)| has_ended(driver) || is_of_a_module(driver);
        let changed: Vec<_> = now.symmetric_difference(&before).filter(|driver| !is_usual(driver)).collect();
        (!changed.is_empty()).then(|| format!("not as before: {changed:?}"))
    });
}

fn priority(driver: &str) -> i64 {
    drivers().into_iter().find(|(_, name, _)| name == driver).unwrap_or_else(|| panic!("no {driver}")).2
}

/// The driver with the highest priority.
fn first_of(algorithm: &str) -> String {
    let of = drivers().into_iter().filter(|(name, ..)| name == algorithm);
    of.max_by_key(|(.., priority)| *priority).map(|(_, driver, _)| driver).unwrap_or_default()
}

/// The interrupts of the simulation while `work` runs, and what it returns.
fn watched<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = simulated::interrupts();
    let result = work();
    (simulated::interrupts() - before, result)
}

/// A loop device over a file of 1 MiB.
struct Disk {
    node: String,
    _folder: tempfile::TempDir,
}

impl Disk {
    fn new() -> Disk {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file: PathBuf = folder.path().join("disk");
        fs::write(&file, vec![0; 1 << 20]).expect("a file");
        let node = shell(&format!("modprobe -q loop; losetup -f --show {}", file.display()));
        Disk { node, _folder: folder }
    }

    /// Runs a script with the disk opened by dm-crypt, and counts interrupts of accelerators.
    fn opened(&self, cipher: &str, script: &str) -> (u64, String) {
        let key = "33".repeat(if cipher.contains("xts") { 64 } else { 16 });
        let table = format!("0 2048 crypt {cipher} {key} 0 {} 0", self.node);
        watched(|| with_dm_crypt(&table, script))
    }

    fn written(&self, cipher: &str, text: &str) -> u64 {
        let script = format!(
            "yes {text} | head -c 524288 | busybox dd of=$NODE bs=64k iflag=fullblock conv=fsync 2>/dev/null"
        );
        self.opened(cipher, &script).0
    }

    /// Whether it reads back what was written, and the interrupts.
    fn reads(&self, cipher: &str, text: &str) -> (u64, bool) {
        let script = "busybox dd if=$NODE bs=64k count=8 2>/dev/null | sort | uniq -c";
        let (interrupts, lines) = self.opened(cipher, script);
        // 524288 bytes may end within a line.
        let whole = 524_288 / (text.len() + 1);
        (interrupts, lines.lines().any(|line| line.trim() == format!("{whole} {text}")))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            shell(&format!("losetup -d {}", self.node));
        }
    }
}

#[test]
fn dm_crypt_gets_a_preferred_driver_and_reads_what_software_wrote_and_the_reverse() {
    let test = "dm_crypt_gets_a_preferred_driver_and_reads_what_software_wrote_and_the_reverse";
    let Some(with) = Outranked::new(test, &ACCEPTED, &["dmsetup", "losetup"]) else { return };
    let disk = Disk::new();
    for (cipher, driver, algorithm) in [
        ("aes-xts-plain64", "sim-xts-aes", "xts(aes)"),
        ("aes-cbc-plain64", "sim-cbc-aes", "cbc(aes)"),
        ("aes-cbc-essiv:sha256", "sim-cbc-aes", "cbc(aes)"),
    ] {
        assert_eq!(disk.written(cipher, "software"), 0, "{cipher}: written by software");
        assert_ne!(first_of(algorithm), driver);
        let before = etc_without_lock();
        with.succeeds(&["prefer", driver, "--force"]);
        assert_eq!(first_of(algorithm), driver);
        let list = with.succeeds(&["enable", "--list"]);
        assert!(list.contains(&format!("prefer:{driver}")), "{list}");

        let (interrupts, is_read) = disk.reads(cipher, "software");
        assert!(is_read && interrupts > 0, "{cipher}: read by hardware, {interrupts} interrupts");
        assert!(disk.written(cipher, "hardware") > 0, "{cipher}: written by hardware");

        with.succeeds(&["prefer", driver, "--undo"]);
        assert_eq!(priority(driver), 1, "its own");
        assert_etc_is(&before, "undone");
        let (interrupts, is_read) = disk.reads(cipher, "hardware");
        assert!(is_read && interrupts == 0, "{cipher}: read by software, {interrupts} interrupts");
    }
}

#[test]
fn a_preference_is_restored_as_at_boot_and_kept_while_two_want_it() {
    let test = "a_preference_is_restored_as_at_boot_and_kept_while_two_want_it";
    let Some(with) = Outranked::new(test, &ACCEPTED, &[]) else { return };
    let shown = with.succeeds(&["prefer", "sim-xts-aes", "--dry-run"]);
    assert!(
        shown.contains("+++ /etc/outboard/prefer.d/prefer-sim-xts-aes") && priority("sim-xts-aes") == 1,
        "{shown}"
    );
    with.succeeds(&["prefer", "sim-xts-aes", "--force"]);
    let raised = priority("sim-xts-aes");
    assert!(raised > 1);
    // Twice in a row: the own priority stays on record.
    with.succeeds(&["prefer", "sim-xts-aes", "--force"]);
    assert_eq!(priority("sim-xts-aes"), raised);
    with.succeeds(&["enable", "disk", "--force"]);

    // The next boot begins with the driver's own priority.
    change::prefer("sim-xts-aes", 1).expect("root may change it");
    with.succeeds(&["prefer", "--restore"]);
    assert_eq!(first_of("xts(aes)"), "sim-xts-aes");

    with.succeeds(&["disable", "disk"]);
    assert_eq!(first_of("xts(aes)"), "sim-xts-aes", "still preferred by name");
    assert_eq!(priority("sim-cbc-aes"), 1, "disk alone preferred it");
    with.succeeds(&["disable", "--all"]);
    assert_eq!(priority("sim-xts-aes"), 1);
    let text = with.fails(&["prefer", "sim-xts-aes", "--undo"]);
    assert!(text.contains("is not preferred by this command"), "{text}");
    let text = with.fails(&["prefer", "no-such-driver"]);
    assert!(text.contains("the kernel has no driver no-such-driver"), "{text}");
}

/// What it records as the driver's own priority is what the other change has left.
#[test]
fn a_preference_waits_for_another_change_before_it_reads_the_priority() {
    let test = "a_preference_waits_for_another_change_before_it_reads_the_priority";
    let Some(with) = Outranked::new(test, &ACCEPTED, &[]) else { return };
    change::prefer("sim-xts-aes", 5000).expect("root may change it");
    let lock = fs::File::create("/etc/outboard/.lock").expect("a file of root's");
    // SAFETY: no pointer is passed.
    assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0);
    let child =
        with.machine.command(&["prefer", "sim-xts-aes", "--force"]).spawn().expect("the command runs");
    // Between two attempts.
    let (system_call, waiting) =
        (format!("/proc/{}/syscall", child.id()), format!("{} ", libc::SYS_clock_nanosleep));
    wait_until("a command that waits for the lock", || {
        fs::read_to_string(&system_call).is_ok_and(|call| call.starts_with(&waiting))
    });
    change::prefer("sim-xts-aes", 1).expect("root may change it");
    drop(lock);
    let output = child.wait_with_output().expect("our child");
    let text = succeeded(&output, &["prefer"]);
    assert!(text.contains("(its own is 1)"), "{text}");
    with.succeeds(&["prefer", "sim-xts-aes", "--undo"]);
    assert_eq!(priority("sim-xts-aes"), 1);
}

#[test]
fn a_disk_is_enabled_and_disabled_and_nothing_is_left() {
    let test = "a_disk_is_enabled_and_disabled_and_nothing_is_left";
    let Some(with) = Outranked::new(test, &ACCEPTED, &["dmsetup", "losetup"]) else { return };
    let disk = Disk::new();
    assert_eq!(disk.written("aes-xts-plain64", "software"), 0);
    let before = (etc_without_lock(), drivers());
    let shown = with.succeeds(&["enable", "disk", "--force", "--dry-run"]);
    for part in ["aes-xts-plain64", "sim-xts-aes", "+++ /etc/outboard/prefer.d/disk", "its priority is 1"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_etc_is(&before.0, "after a dry run");
    assert_eq!(drivers(), before.1, "after a dry run");
    let done = with.succeeds(&["enable", "disk", "--force"]);
    assert!(done.contains("the kernel prefers sim-xts-aes (its own priority is 1)"), "{done}");
    let enabled = etc_without_lock();
    with.succeeds(&["enable", "disk", "--force"]);
    assert_etc_is(&enabled, "enabled twice in a row");
    let (interrupts, is_read) = disk.reads("aes-xts-plain64", "software");
    assert!(is_read && interrupts > 0, "{interrupts}");
    assert!(disk.written("aes-xts-plain64", "hardware") > 0);
    with.succeeds(&["disable", "disk"]);
    wait_until_drivers_are(&before.1);
    assert_etc_is(&before.0, "disabled");
    assert_eq!(disk.reads("aes-xts-plain64", "hardware"), (0, true));
}

#[test]
fn a_disk_where_software_wins_is_refused_with_the_numbers() {
    let test = "a_disk_where_software_wins_is_refused_with_the_numbers";
    let slow = ["preset=ideal", "allocates=N", "priority=1", "bandwidth=30000000"];
    let Some(with) = Outranked::new(test, &slow, &["dmsetup"]) else { return };
    let before = (etc_without_lock(), drivers());
    // With --aes-required another cipher is not a reason to refuse it, and software is.
    for arguments in [&["enable", "disk"][..], &["enable", "disk", "--aes-required"]] {
        let (interrupts, text) = watched(|| with.fails(arguments));
        assert!(
            text.contains(
                "software wins for its requests of up to 4096 bytes; --force enables it all the same"
            ),
            "{text}"
        );
        let has_figure = |setting: &str, driver: &str| {
            let line = |line: &&str| line.contains(setting) && line.contains(driver);
            text.lines().filter(|line| line.trim_start().starts_with(setting)).any(|it| line(&it))
        };
        assert!(text.contains("MB/s") && has_figure("aes-xts-plain64", "sim-xts-aes"), "{text}");
        assert!(has_figure("aes-cbc-essiv:sha256", "essiv(sim-cbc-aes,"), "{text}");
        assert!(has_figure("xchacha12,aes-adiantum-plain64", "adiantum("), "{text}");
        assert!(interrupts > 0);
        wait_until_drivers_are(&before.1);
    }
    assert!(!Path::new("/etc/outboard/service-disk.json").exists());
    assert_etc_is(&before.0, "refused");
}

#[test]
fn a_measurement_of_ipsec_that_was_killed_leaves_no_priority_and_no_accelerator() {
    let test = "a_measurement_of_ipsec_that_was_killed_leaves_no_priority_and_no_accelerator";
    let Some(with) = Outranked::new(test, &ACCEPTED, &["ip"]) else { return };
    let (etc, before) = (etc_without_lock(), drivers());
    // New instances around the accelerator, and other priorities. Instances of software may stay.
    let changed = || -> Vec<_> {
        let is_new = |driver: &(String, String, i64)| driver.1.contains("sim-") && !before.contains(driver);
        let had_another = |driver: &(String, String, i64)| {
            before.iter().any(|had| (&had.0, &had.1) == (&driver.0, &driver.1) && had.2 != driver.2)
        };
        drivers().into_iter().filter(|driver| is_new(driver) || had_another(driver)).collect()
    };
    let mut child = with.machine.command(&["enable", "ipsec"]).spawn().expect("it starts");
    // The first instance of the accelerator has the highest priority for a moment.
    wait_until("at work", || !changed().is_empty());
    child.kill().expect("a signal");
    child.wait().expect("it ends");
    wait_while(|| {
        Some(changed()).filter(|changed| !changed.is_empty()).map(|changed| format!("left: {changed:?}"))
    });
    assert_etc_is(&etc, "killed");
}

#[test]
fn a_driver_that_allocates_memory_is_refused_for_a_disk_whatever_the_options() {
    let test = "a_driver_that_allocates_memory_is_refused_for_a_disk_whatever_the_options";
    let Some(with) = Outranked::new(test, &["preset=ideal", "priority=1"], &["dmsetup"]) else { return };
    let text = with.fails(&["enable", "disk", "--force"]);
    assert!(text.contains("ALLOCATES_MEMORY"), "{text}");
    assert!(text.contains("no accelerator can be reached for its ciphers"), "{text}");
}

#[test]
fn ipsec_and_ktls_get_the_accelerator_until_they_are_disabled() {
    let test = "ipsec_and_ktls_get_the_accelerator_until_they_are_disabled";
    let Some(with) = Outranked::new(test, &ACCEPTED, &["ip"]) else { return };
    let before = etc_without_lock();
    let pinged = || {
        let (interrupts, output) = watched(|| Network::new().ping());
        assert!(output.status.success(), "{}", status_and_output(&output));
        interrupts
    };
    // The other accelerator of the machine, which would be the selected one.
    let other = change::prefer(ACCELERATOR, 0);
    assert_eq!(pinged(), 0);
    let done = with.succeeds(&["enable", "ipsec", "--force"]);
    assert!(done.contains("aes128-sha256") && done.contains("swanctl"), "{done}");
    assert!(pinged() > 0);
    with.succeeds(&["disable", "ipsec"]);
    assert_eq!(pinged(), 0);
    if other.is_ok() {
        change::prefer(ACCELERATOR, 150).expect("its own priority");
    }

    let sent = |expected: &str| {
        let (interrupts, sent) = watched(send_over_ktls);
        sent.unwrap_or_else(|missing| panic!("{missing}"));
        assert_eq!(interrupts > 0, expected == "hardware", "{interrupts} interrupts");
    };
    sent("software");
    let text = with.fails(&["enable", "ktls"]);
    assert!(text.contains("run outboard setup"), "{text}");
    with.succeeds(&["enable", "ktls", "--force"]);
    let load = fs::read_to_string("/etc/modules-load.d/outboard-ktls.conf").expect("written");
    assert!(load.ends_with("\ntls\noutboard_sim\n"), "{load}");
    sent("hardware");
    with.succeeds(&["disable", "ktls"]);
    sent("software");
    assert_etc_is(&before, "disabled");
}

#[test]
fn an_accelerator_before_aes_instructions_needs_force_and_others_need_root() {
    let test = "an_accelerator_before_aes_instructions_needs_force_and_others_need_root";
    let Some(with) = Outranked::new(test, &ACCEPTED, &[]) else { return };
    if cpu_has_aes() {
        shell("modprobe -q aesni_intel");
        let text = with.fails(&["prefer", "sim-xts-aes"]);
        assert!(text.contains("WARNING") && text.contains("CPU's own instructions"), "{text}");
        assert_eq!(priority("sim-xts-aes"), 1);
    }
    use std::os::unix::process::CommandExt;
    for arguments in [&["prefer", "sim-xts-aes", "--force"][..], &["enable", "disk", "--force"]] {
        let mut command = with.machine.command(arguments);
        let text = failed(&command.uid(65534).output().expect("the command runs"), arguments, 1);
        assert!(text.contains("sudo"), "{text}");
    }
    assert_eq!(priority("sim-xts-aes"), 1);
}
