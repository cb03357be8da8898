//! `outboard bench strongswan`: charon computes messages of IKE by hardware, and nothing of the
//! measurement remains, however the command ends.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};

use outboard_tests::command::{failed, status_and_output, succeeded};
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::processes::{network_namespaces, process_names, signal};
use outboard_tests::services::machine;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::Machine;
use serde_json::Value;
use tempfile::TempDir;

const CHARON: &str = "/usr/sbin/charon-systemd";
const PROPOSAL: &str = "aes128-sha256-x25519";

/// What a measurement could leave behind.
#[derive(Debug, PartialEq)]
struct State {
    files: Vec<String>,
    charons: usize,
    namespaces: usize,
    drivers: BTreeSet<String>,
    runtime_files: BTreeSet<String>,
}

fn file_names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).expect("a directory").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

/// The benchmark, with its files in a directory of its own.
struct Benchmark {
    machine: Machine,
    folder: TempDir,
}

impl Benchmark {
    fn command(&self, more: &[&str]) -> Command {
        let arguments = ["bench", "strongswan", "--proposal", PROPOSAL, "--json"];
        let mut command = self.machine.command(&[&arguments, more].concat());
        command.env("TMPDIR", self.folder.path());
        command
    }

    fn state(&self) -> State {
        let drivers = fs::read_to_string("/proc/crypto").expect("the drivers");
        let names = drivers.lines().filter(|line| line.starts_with("driver")).map(str::to_owned);
        State {
            files: file_names(self.folder.path()).collect(),
            charons: charons(),
            namespaces: network_namespaces().len(),
            drivers: names.collect(),
            runtime_files: file_names(Path::new("/run")).collect(),
        }
    }

    /// Starts a benchmark without time limit and waits until all four ends run.
    fn start(&self) -> Child {
        let mut child = self.command(&["--for", "24h"]).spawn().expect("the command runs");
        wait_until("four charons", || {
            assert!(matches!(child.try_wait(), Ok(None)), "it ended");
            charons() == 4
        });
        child
    }
}

fn charons() -> usize {
    process_names().iter().filter(|name| name.starts_with("charon")).count()
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

/// The figures of the three servers.
#[track_caller]
fn is_measured(answer: &Value) {
    let [one] = &answer["applications"].as_array().expect("applications")[..] else { panic!("{answer}") };
    assert!(one["name"].as_str().expect("a name").starts_with("connections to strongSwan 6."), "{one}");
    assert_eq!((&one["cipher"], &one["at_once"]), (&PROPOSAL.into(), &1.into()), "{one}");
    // The messages of two connections have some thousand bytes.
    assert!(one["bytes"].as_u64() > Some(2 * 1000), "{one}");
    let [plain, policy, hardware] = &one["runs"].as_array().expect("runs")[..] else { panic!("{one}") };
    for run in [plain, policy, hardware] {
        let each = &run["connections"];
        assert_eq!((&run["figure"]["samples"], &each["in_run"]), (&5.into(), &2.into()), "{run}");
        assert_eq!((&each["latency_connections"], &each["latency_p99_ms"]), (&10.into(), &Value::Null));
        for name in ["per_second", "server_cpu_ms", "system_cpu_ms", "latency_p50_ms"] {
            assert!(number(&each[name]) > 0.0, "{name}: {run}");
        }
        assert!(run["fault"].is_null(), "{run}");
    }
    assert!(plain["driver"].is_null() && plain["connections"]["requests"].is_null(), "{plain}");
    // `outboard tune` found that software wins for requests of this size.
    assert_eq!((&policy["driver"], &policy["evidence"]), (&ACCELERATOR.into(), &Value::Null), "{policy}");
    assert!(number(&policy["connections"]["requests"]) >= 2.0, "{policy}");
    assert_eq!(policy["connections"]["hardware_requests"], 0.0, "{policy}");
    assert_eq!((&hardware["driver"], &hardware["evidence"]), (&ACCELERATOR.into(), &"interrupts".into()));
    assert!(number(&hardware["connections"]["hardware_requests"]) >= 2.0, "{hardware}");
    assert!(number(&hardware["connections"]["interrupts"]) >= 2.0, "{hardware}");
    assert!(number(&hardware["hardware_percent"]) > 50.0, "{hardware}");
    let notes: Vec<&str> =
        answer["notes"].as_array().expect("notes").iter().flat_map(Value::as_str).collect();
    for (contestant, end) in [
        ("OpenSSL with outboard", "no request by hardware"),
        ("OpenSSL with outboard, THRESHOLDS = ALL:1", "requests by hardware for each"),
    ] {
        let start = format!("{PROPOSAL}: {contestant}: ");
        let is_verdict = |note: &&&str| note.starts_with(&start) && note.ends_with(end);
        assert!(notes.iter().find(is_verdict).is_some(), "{start}: {notes:?}");
    }
}

#[test]
fn connections_to_strongswan_are_measured_and_leave_no_trace() {
    let Some(machine) = machine("connections_to_strongswan_are_measured_and_leave_no_trace") else { return };
    machine.tuned(&["--ciphers", "AES-128-CBC"]);
    let bench = Benchmark { machine, folder: tempfile::tempdir().expect("a directory") };

    let brief = ["--connections", "2", "--for", "0", "--all-hardware"];
    // The first run loads kernel modules, which stay.
    let output = bench.command(&brief).output().expect("the command runs");
    let answer: Value = serde_json::from_str(&succeeded(&output, &brief)).expect("JSON");
    is_measured(&answer);
    let before = bench.state();
    assert_eq!((before.files.len(), before.charons), (0, 0), "{before:?}");

    let child = bench.start();
    signal(child.id(), libc::SIGINT);
    let output = child.wait_with_output().expect("our child");
    assert_eq!(output.status.code(), Some(130), "{}", status_and_output(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["interrupted"], true, "{answer}");
    wait_until("the state of before, after SIGINT", || bench.state() == before);

    let mut child = bench.start();
    signal(child.id(), libc::SIGKILL);
    assert_eq!(child.wait().expect("our child").code(), None);
    wait_until("the state of before, after SIGKILL", || bench.state() == before);

    let output = bench.command(&[]).uid(65534).output().expect("the command runs");
    let text = failed(&output, &["bench", "strongswan"], 1);
    assert!(text.contains("outboard bench strongswan: this must be run as root"), "{text}");
    let refused = bench.command(&["--proposal", "3des-sha1-modp1024"]).output().expect("the command runs");
    let text = failed(&refused, &["bench", "strongswan"], 2);
    assert!(text.contains("write a proposal as aes128-sha256-x25519"), "{text}");
    let unknown = bench.command(&["--proposal", "aes128-sha256-nosuchgroup"]).output().expect("it runs");
    let text = failed(&unknown, &["bench", "strongswan"], 1);
    assert!(text.contains("charon: load-conn: ") && text.contains("nosuchgroup"), "{text}");
    fs::rename(CHARON, format!("{CHARON}.away")).expect("charon");
    let missing = bench.command(&[]).output().expect("the command runs");
    fs::rename(format!("{CHARON}.away"), CHARON).expect("charon");
    let text = failed(&missing, &["bench", "strongswan"], 1);
    assert!(
        text.contains("there is no charon-systemd command: install the package charon-systemd"),
        "{text}"
    );
    wait_until("the state of before, after errors", || bench.state() == before);
}
