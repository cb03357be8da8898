//! `outboard bench disk` and `bench ipsec`: the kernel encrypts with the named driver, and nothing
//! remains afterwards.
//!
//! The speed is not tested.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Child;

use outboard_tests::command::{failed, on_path, status_and_output};
use outboard_tests::machine::{ACCELERATOR, cpu_has_aes};
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::Machine;
use serde_json::Value;

/// What a benchmark could leave behind.
#[derive(Debug, PartialEq)]
struct Surroundings {
    drivers: BTreeSet<String>,
    devices: BTreeSet<String>,
    processes: BTreeSet<String>,
    namespaces: BTreeSet<String>,
}

impl Surroundings {
    fn now() -> Surroundings {
        // The name and the priority of a driver.
        let crypto = fs::read_to_string("/proc/crypto").expect("proc is mounted");
        let field = |entry: &str, key: &str| {
            let line = entry.lines().find(|line| line.starts_with(key));
            line.unwrap_or_default().rsplit(": ").next().unwrap_or_default().to_owned()
        };
        let drivers = crypto.split("\n\n").filter(|entry| !entry.trim().is_empty());
        let drivers = drivers.map(|entry| field(entry, "driver") + " " + &field(entry, "priority")).collect();
        let blocks = fs::read_dir("/sys/block").expect("sysfs is mounted").flatten();
        let blocks = blocks.map(|entry| entry.path());
        let is_ours = |path: &std::path::PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("dm-") || path.join("loop").exists()
        };
        let devices = blocks.filter(is_ours).map(|path| path.display().to_string()).collect();
        let all = fs::read_dir("/proc").expect("proc is mounted").flatten().map(|entry| entry.path());
        let (mut processes, mut namespaces) = (BTreeSet::new(), BTreeSet::new());
        for process in all {
            let comm = fs::read_to_string(process.join("comm")).unwrap_or_default();
            if ["fio", "iperf3", "ip", "outboard", "outboard-lab", "exe"].contains(&comm.trim()) {
                let words = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
                processes.insert(format!("{} {}", process.display(), words.replace('\0', " ")));
            }
            if let Ok(namespace) = fs::read_link(process.join("ns/net")) {
                namespaces.insert(namespace.display().to_string());
            }
        }
        Surroundings { drivers, devices, processes, namespaces }
    }

    /// Nothing was added or removed; the kernel needs a moment for some objects.
    #[track_caller]
    fn are_back(&self) {
        let mut looks = 0;
        wait_until("as it was before", || {
            let now = Surroundings::now();
            looks += 1;
            if looks % 100 == 0 {
                eprintln!("not as it was before: {:?}", now.difference(self));
            }
            now == *self
        });
    }

    /// The driver for the CPU's instructions, if its module is loaded.
    fn has_one_above_the_simulation(&self) -> bool {
        let priority =
            |driver: &String| driver.strip_prefix("cbc-aes-")?.split_once(' ')?.1.parse::<u32>().ok();
        self.drivers.iter().filter_map(priority).any(|priority| priority > 300)
    }

    fn difference(&self, before: &Surroundings) -> Vec<String> {
        let of = |mine: &BTreeSet<String>, theirs: &BTreeSet<String>| {
            mine.symmetric_difference(theirs).cloned().collect::<Vec<_>>()
        };
        [
            of(&self.drivers, &before.drivers),
            of(&self.devices, &before.devices),
            of(&self.processes, &before.processes),
            of(&self.namespaces, &before.namespaces),
        ]
        .concat()
    }
}

fn tools(test: &str, names: &[&str]) -> Option<()> {
    for name in names {
        if on_path(name).is_none() {
            skip(test, format!("the {name} command"));
            return None;
        }
    }
    Some(())
}

/// Its output.
#[track_caller]
fn benched(machine: &Machine, arguments: &[&str]) -> Value {
    let arguments = [&["bench"], arguments, &["--json", "--for", "0"]].concat();
    let output = machine.command(&arguments).output().expect("the command runs");
    assert!(output.status.success(), "{arguments:?}: {}", status_and_output(&output));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", status_and_output(&output)))
}

/// Its runs, whose figures are complete.
#[track_caller]
fn runs(application: &Value) -> &Vec<Value> {
    let runs = application["runs"].as_array().expect("runs");
    for run in runs {
        let positive = |value: &Value| value.as_f64().is_some_and(|number| number > 0.0);
        assert!(positive(&run["figure"]["megabytes_per_second"]), "{run}");
        assert!(positive(&run["system_percent"]), "the kernel works: {run}");
        assert_eq!((&run["figure"]["samples"], &run["fault"]), (&5.into(), &Value::Null), "{run}");
        assert!(run["hardware_percent"].is_null(), "the provider takes no part: {run}");
    }
    runs
}

#[track_caller]
fn start(machine: &Machine, arguments: &[&str]) -> Child {
    machine.command(&[&["bench"], arguments, &["--json", "--for", "1h"]].concat()).spawn().expect("it starts")
}

#[track_caller]
fn tell(child: &Child, signal: i32) {
    let pid = i32::try_from(child.id()).expect("a pid");
    // SAFETY: no pointer; the process is a child of this one and was not waited for yet.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

fn is_running(word: &str) -> bool {
    Surroundings::now().processes.iter().any(|process| process.contains(word))
}

/// iperf3's client.
const AT_WORK: &str = "iperf3 -c 198.18.";

/// SIGINT and SIGKILL while a program with this in its command line runs.
#[track_caller]
fn ends_well(machine: &Machine, arguments: &[&str], word: &str) {
    let before = Surroundings::now();
    let works = || is_running(word);
    let child = start(machine, arguments);
    wait_until("at work", works);
    tell(&child, libc::SIGINT);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", status_and_output(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("what was measured until then");
    assert_eq!(answer["interrupted"], true, "{answer}");
    // It ended after all of its work.
    before.are_back();

    let mut child = start(machine, arguments);
    wait_until("at work", works);
    tell(&child, libc::SIGKILL);
    child.wait().expect("it ends");
    before.are_back();
}

/// The simulation with the preset of TI's chip, whose driver dm-crypt accepts: it allocates no
/// memory.
#[track_caller]
fn as_one_that_allocates_nothing(simulated: &Simulated) {
    simulated.set("preset", "sa2ul");
    wait_until("tested", || {
        let drivers = fs::read_to_string("/proc/crypto").expect("proc is mounted");
        let mut own = drivers.split("\n\n").filter(|driver| driver.contains(": outboard_sim\n"));
        drivers.contains(": sim-cbc-aes\n") && own.all(|driver| driver.contains(": passed\n"))
    });
}

#[test]
fn a_disk_is_measured_with_each_driver_that_dm_crypt_takes_and_nothing_is_left() {
    let test = "a_disk_is_measured_with_each_driver_that_dm_crypt_takes_and_nothing_is_left";
    let Some(machine) = Machine::new(test) else { return };
    if tools(test, &["fio", "dmsetup", "modprobe"]).is_none() {
        return;
    }
    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    // The modules that stay loaded, and their entries in /proc/crypto.
    let small = ["disk", "--megabytes", "4", "--size", "64K", "--depth", "4"];
    let cbc = [&small[..], &["--cipher", "aes-cbc-essiv:sha256"]].concat();
    let refused = benched(&machine, &[&cbc[..], &["--direction", "read"]].concat());
    assert!(runs(&refused["applications"][0]).iter().all(|run| run["evidence"].is_null()), "{refused}");
    for driver in [ACCELERATOR, "sim-cbc-aes"] {
        if driver == ACCELERATOR && !Path::new("/sys/module/virtio_crypto").exists() {
            skip(test, "virtio-crypto");
            continue;
        }
        let notes = refused["notes"].as_array().expect("notes");
        let says = |note: &&Value| note.as_str().is_some_and(|note| note.starts_with(driver));
        let note = notes.iter().find(says).unwrap_or_else(|| panic!("{driver}: {refused}"));
        assert!(note.to_string().contains("for its flag ALLOCATES_MEMORY"), "{note}");
    }

    // What competes with AES-XTS in software.
    let adiantum = "xchacha12,aes-adiantum-plain64";
    let answer = benched(&machine, &[&small[..], &["--cipher", adiantum, "--direction", "read"]].concat());
    let [run] = &runs(&answer["applications"][0])[..] else { panic!("one: {answer}") };
    assert!(run["evidence"].is_null() && run["driver"].to_string().contains("adiantum("), "{run}");

    as_one_that_allocates_nothing(&simulated);
    let before = Surroundings::now();
    let answer = benched(&machine, &cbc);
    before.are_back();
    let both = answer["applications"].as_array().expect("applications");
    let names: Vec<&Value> = both.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["dm-crypt, fio reads 64 KiB", "dm-crypt, fio writes 64 KiB"], "{answer}");
    for one in both {
        assert_eq!((&one["cipher"], &one["at_once"]), (&"aes-cbc-essiv:sha256".into(), &4.into()), "{one}");
        let [choice, software] = &runs(one)[..] else { panic!("two: {one}") };
        let driver = choice["driver"].as_str().expect("a driver");
        if before.has_one_above_the_simulation() {
            continue;
        }
        assert!(driver.starts_with("essiv(sim-cbc-aes,"), "the highest priority: {one}");
        assert_eq!(
            (&choice["contestant"], &choice["evidence"]),
            (&"dm-crypt's choice".into(), &"interrupts".into()),
            "{one}"
        );
        assert_eq!(
            (&software["contestant"], &software["evidence"]),
            (&"software".into(), &Value::Null),
            "{one}"
        );
        assert!(!software["driver"].to_string().contains("sim-"), "{one}");
    }

    ends_well(&machine, &cbc, "fio --name=");
    a_driver_that_is_wrong_is_not_measured(&machine, &simulated, &cbc);
    for (arguments, says) in [
        (&["bench", "disk", "--on", "/proc"][..], "O_TMPFILE"),
        (&["bench", "disk", "--cipher", "aes-cbc-essiv:sha256", "--bits", "512"], "does not take aes-"),
    ] {
        let output = machine.command(arguments).output().expect("the command runs");
        let error = failed(&output, arguments, 1);
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
    a_missing_program_is_named(&machine, "disk", "fio", "the package fio");
    let mut unprivileged = machine.command(&["bench", "disk"]);
    std::os::unix::process::CommandExt::uid(&mut unprivileged, 65534);
    let error = failed(&unprivileged.output().expect("the command runs"), &["bench", "disk"], 1);
    assert!(error.contains("must be run as root"), "{error}");
    before.are_back();
}

/// Root's command does not find programs by PATH: the program is hidden meanwhile.
fn a_missing_program_is_named(machine: &Machine, benchmark: &str, program: &str, says: &str) {
    let arguments = ["bench", benchmark];
    let hide = |is_hidden: bool| {
        for directory in ["/usr/sbin", "/usr/bin", "/sbin", "/bin"] {
            let (there, hidden) = (format!("{directory}/{program}"), format!("{directory}/{program}.hidden"));
            let (from, to) = if is_hidden { (there, hidden) } else { (hidden, there) };
            // It is in one of these, or in several that are links to each other.
            let _ = fs::rename(from, to);
        }
    };
    hide(true);
    let output = machine.command(&arguments).output().expect("the command runs");
    hide(false);
    let error = failed(&output, &arguments, 1);
    assert!(error.contains(says), "{error}");
}

fn a_driver_that_is_wrong_is_not_measured(machine: &Machine, simulated: &Simulated, arguments: &[&str]) {
    // Not a size of the kernel's self-test, which would reject the driver.
    simulated.fault("sim-cbc-aes wrong every=3 size=4096");
    let output = machine.command(&[&["bench"], arguments].concat()).output().expect("the command runs");
    simulated.let_go();
    let error = failed(&output, arguments, 1);
    assert!(error.contains("reads otherwise, from byte") && error.contains("sim-cbc-aes"), "{error}");
    assert!(output.stdout.is_empty(), "no figure: {}", status_and_output(&output));
}

#[test]
fn ipsec_is_measured_with_each_driver_that_the_kernel_takes_and_nothing_is_left() {
    let test = "ipsec_is_measured_with_each_driver_that_the_kernel_takes_and_nothing_is_left";
    let Some(machine) = Machine::new(test) else { return };
    if tools(test, &["ip", "iperf3", "modprobe"]).is_none() {
        return;
    }
    let cbc = ["ipsec", "--esp", "cbc(aes)+hmac(sha256)"];
    let answer = benched(&machine, &cbc);
    let [one] = &answer["applications"].as_array().expect("applications")[..] else {
        panic!("one: {answer}")
    };
    assert_eq!((&one["name"], &one["at_once"]), (&"ESP, tunnel mode, iperf3".into(), &1.into()), "{one}");
    let runs = runs(one);
    assert!(runs.iter().all(|run| run["driver"].to_string().contains("echainiv(authenc(")), "{one}");
    assert!(runs.iter().any(|run| run["evidence"].is_null()), "software as well: {one}");
    if Path::new("/sys/module/virtio_crypto").exists() {
        let is_ones = |run: &&Value| run["driver"].to_string().contains(ACCELERATOR);
        let run = runs.iter().find(is_ones).unwrap_or_else(|| panic!("{ACCELERATOR}: {answer}"));
        assert_eq!(run["evidence"], "interrupts", "{run}");
        if !cpu_has_aes() {
            assert_eq!(run["contestant"], "the kernel's choice", "{answer}");
        }
    } else {
        skip(test, "virtio-crypto");
    }
    // What competes with AES in software.
    let answer = benched(&machine, &["ipsec", "--esp", "rfc7539esp(chacha20,poly1305)"]);
    let [run] = &self::runs(&answer["applications"][0])[..] else { panic!("one: {answer}") };
    assert!(run["evidence"].is_null() && run["driver"].to_string().contains("rfc7539esp("), "{run}");
    ends_well(&machine, &cbc, AT_WORK);
    a_missing_program_is_named(&machine, "ipsec", "ip", "the package iproute2 (on OpenWrt ip-full)");

    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    a_driver_that_loses_packets_is_not_measured(&machine, &simulated);
}

fn a_driver_that_loses_packets_is_not_measured(machine: &Machine, simulated: &Simulated) {
    let arguments = ["ipsec", "--esp", "rfc4106(gcm(aes))", "--mode", "transport"];
    let before = Surroundings::now();
    let child = start(machine, &arguments);
    wait_until("at work", || is_running(AT_WORK));
    // After the kernel's self-test, which would reject the driver; so rarely that TCP recovers and
    // no error is visible.
    simulated.fault("sim-gcm-aes wrong every=200");
    let output = child.wait_with_output().expect("it ends");
    simulated.let_go();
    let error = failed(&output, &arguments, 1);
    assert!(error.contains("sim-gcm-aes") && error.contains("dropped packets (Xfrm"), "{error}");
    assert!(output.stdout.is_empty(), "no figure: {}", status_and_output(&output));
    before.are_back();
}
