//! `outboard bench https` and its like: the servers encrypt by hardware, and nothing of them
//! remains, however the command ends.

use std::collections::HashSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command};

use outboard_tests::command::{on_path, status_and_output};
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::module::module;
use outboard_tests::processes::network_namespaces;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::{Machine, set_thresholds};
use serde_json::Value;
use tempfile::TempDir;

/// The programs that they start; none of these runs in the test machine otherwise.
const PROGRAMS: [&str; 9] =
    ["nginx", "curl", "sshd", "sshd-session", "sshd-auth", "ssh", "scp", "openvpn", "iperf3"];

/// A benchmark of two programs that talk to each other.
struct Bench {
    machine: Machine,
    arguments: Vec<String>,
    /// Part of the command line of a client during a measurement.
    client: &'static str,
    /// The folder of all its files.
    folder: TempDir,
}

impl Bench {
    /// `None`, and a reported skip, where a part is missing.
    fn new(test: &str, programs: &[&str], arguments: &[&str], client: &'static str) -> Option<Bench> {
        let find = |name: &&str| on_path(name).is_none().then(|| format!("the {name} command"));
        if let Some(missing) = programs.iter().find_map(find) {
            skip(test, missing);
            return None;
        }
        let machine = Machine::with_accelerator(test)?;
        set_thresholds("4096");
        let module = module().map_err(|missing| skip(test, missing)).ok()?;
        let mut arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        arguments.extend(["--json".to_owned(), "--module".to_owned(), module.display().to_string()]);
        let folder = tempfile::tempdir().expect("a directory");
        // Servers drop root privileges.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("our own");
        Some(Bench { machine, arguments, client, folder })
    }

    fn command(&self, more: &[&str]) -> Command {
        let arguments: Vec<&str> = ["bench"]
            .into_iter()
            .chain(self.arguments.iter().map(String::as_str))
            .chain(more.iter().copied())
            .collect();
        let mut command = self.machine.command(&arguments);
        command.env("TMPDIR", self.folder.path());
        // With AES instructions libssl uses ciphers with MAC of the default provider, and does not
        // fetch AES in CBC mode.
        command.env("OPENSSL_ia32cap", "~0x200000200000000");
        command
    }

    /// Five samples each; with outboard the accelerator encrypted.
    #[track_caller]
    fn is_hardwares(&self, cipher: &str, more: &[&str], bytes: &[u64]) {
        let output = self.command(&[&["--for", "0"], more].concat()).output().expect("the command runs");
        assert!(output.status.success(), "{}", status_and_output(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let applications = answer["applications"].as_array().expect("applications");
        let found: Vec<_> = applications.iter().map(|one| one["bytes"].as_u64().expect("a number")).collect();
        assert_eq!(found, bytes, "{answer}");
        for one in applications {
            assert_eq!(one["cipher"], cipher, "{one}");
            let [plain, with] = &one["runs"].as_array().expect("runs")[..] else { panic!("two: {one}") };
            assert!(plain["evidence"].is_null() && plain["hardware_percent"].is_null(), "{plain}");
            assert_eq!((&plain["driver"], &with["driver"]), (&Value::Null, &ACCELERATOR.into()), "{one}");
            assert_eq!((&with["evidence"], &with["fault"]), (&"interrupts".into(), &Value::Null), "{with}");
            assert!(number(&with["hardware_percent"]) > 90.0, "{with}");
            for run in [plain, with] {
                let figure = &run["figure"];
                assert!(number(&figure["megabytes_per_second"]) > 0.0 && figure["samples"] == 5, "{run}");
                assert!(number(&run["user_percent"]) + number(&run["system_percent"]) > 0.0, "{run}");
            }
        }
        self.nothing_is_left();
    }

    /// A cipher that competes with those of the arguments is measured in software only.
    #[track_caller]
    fn is_softwares(&self, cipher: &str) {
        let output = self.command(&["--for", "8s", "--cipher", cipher]).output().expect("the command runs");
        assert!(output.status.success(), "{}", status_and_output(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let applications = answer["applications"].as_array().expect("applications");
        let one = applications.iter().find(|one| one["cipher"] == cipher);
        let one = one.unwrap_or_else(|| panic!("{cipher}: {answer}"));
        let [run] = &one["runs"].as_array().expect("runs")[..] else { panic!("one: {one}") };
        assert!(run["evidence"].is_null() && run["driver"].is_null() && run["fault"].is_null(), "{run}");
        assert!(number(&run["figure"]["megabytes_per_second"]) > 0.0, "{run}");
        self.nothing_is_left();
    }

    /// Starts a benchmark without time limit and waits until some clients have run.
    fn start(&self, clients: usize) -> Child {
        let child = self.command(&["--for", "24h"]).spawn().expect("the command runs");
        let mut seen = HashSet::new();
        wait_until("measuring", || {
            seen.extend(self.processes().into_iter().filter(|(_, line)| line.contains(self.client)));
            seen.len() >= clients
        });
        child
    }

    /// SIGINT in the middle.
    #[track_caller]
    fn ends_when_asked(&self) {
        // Both sides have a sample when the third begins.
        let child = self.start(3);
        signal(&child, libc::SIGINT);
        let output = child.wait_with_output().expect("our child");
        assert_eq!(output.status.code(), Some(130), "{}", status_and_output(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answer["interrupted"], true, "{answer}");
        assert_eq!(answer["applications"][0]["runs"].as_array().map(Vec::len), Some(2), "{answer}");
        self.nothing_is_left();
    }

    /// SIGKILL in the middle.
    #[track_caller]
    fn ends_when_killed(&self) {
        let child = self.start(1);
        signal(&child, libc::SIGKILL);
        let output = child.wait_with_output().expect("our child");
        assert_eq!(output.status.code(), None, "{}", status_and_output(&output));
        // The kernel signals the servers; the process that cleans up waits for the end of its
        // input.
        wait_until("the servers have ended", || self.processes().is_empty());
        wait_until("the files are gone", || self.files().is_empty());
    }

    #[track_caller]
    fn nothing_is_left(&self) {
        assert_eq!(self.files(), Vec::<String>::new());
        assert_eq!(self.processes(), HashSet::new());
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("our own").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Servers, clients, and other processes with the folder in their command line, which the
    /// command itself has not.
    fn processes(&self) -> HashSet<(String, String)> {
        let folder = self.folder.path().to_str().expect("UTF-8");
        let read =
            |file: &Path| String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).replace('\0', " ");
        let all = fs::read_dir("/proc").expect("proc is mounted").flatten();
        all.filter_map(|entry| {
            let line = read(&entry.path().join("cmdline"));
            let name = read(&entry.path().join("comm"));
            let is_ours = PROGRAMS.contains(&name.trim_end()) || line.contains(folder);
            is_ours.then(|| (entry.file_name().to_string_lossy().into_owned(), line))
        })
        .collect()
    }
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

fn signal(child: &Child, signal: i32) {
    let pid = i32::try_from(child.id()).expect("a process number");
    // SAFETY: the child has not been waited for, so its number is its own.
    unsafe { libc::kill(pid, signal) };
}

#[test]
fn downloads_from_nginx_are_encrypted_by_virtio_crypto_and_leave_no_trace() {
    let test = "downloads_from_nginx_are_encrypted_by_virtio_crypto_and_leave_no_trace";
    let arguments = ["https", "--suite", "AES128-SHA", "--megabytes", "1"];
    let Some(bench) = Bench::new(test, &["nginx", "curl", "openssl"], &arguments, "--output /dev/null")
    else {
        return;
    };
    bench.is_hardwares("AES128-SHA", &["--at-once", "2"], &[2 << 20]);
    bench.ends_when_asked();
    bench.ends_when_killed();
}

#[test]
fn copies_by_scp_are_encrypted_by_virtio_crypto_and_leave_no_trace() {
    let test = "copies_by_scp_are_encrypted_by_virtio_crypto_and_leave_no_trace";
    let arguments = ["ssh", "--cipher", "aes128-cbc", "--megabytes", "2"];
    let programs = ["sshd", "scp", "ssh", "ssh-keygen", "openssl"];
    let Some(bench) = Bench::new(test, &programs, &arguments, "/file /dev/null") else { return };
    bench.is_hardwares("aes128-cbc umac-64-etm@openssh.com", &[], &[2 << 20]);
    bench.is_softwares("chacha20-poly1305@openssh.com");
    // Its sessions are not children of the command.
    bench.ends_when_killed();
}

#[test]
fn a_tunnel_of_openvpns_is_encrypted_by_virtio_crypto_and_leaves_no_trace() {
    let test = "a_tunnel_of_openvpns_is_encrypted_by_virtio_crypto_and_leaves_no_trace";
    // Packets above the threshold.
    let arguments = ["openvpn", "--cipher", "AES-128-CBC", "--mtu", "9000", "--megabytes", "2"];
    let programs = ["openvpn", "iperf3", "ip", "openssl"];
    let Some(bench) = Bench::new(test, &programs, &arguments, "iperf3 -c") else { return };
    let before = network_namespaces();
    bench.is_hardwares("AES-128-CBC", &[], &[2 << 20]);
    bench.is_hardwares("AES-128-CBC", &["--receive"], &[2 << 20]);
    bench.is_softwares("CHACHA20-POLY1305");
    bench.ends_when_asked();
    wait_until("the networks are gone", || network_namespaces() == before);
}
