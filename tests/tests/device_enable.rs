//! `outboard enable` and `disable` of Debian's nginx: after a SIGKILL, with a full disk and with a
//! broken openssl.cnf the system is as it was, or the change can be completed. The machine has no
//! init system: nginx is not started.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread;

use outboard_tests::command::{failed, on_path, status_and_output, succeeded};
use outboard_tests::file_tree::{assert_same_tree, whole_etc};
use outboard_tests::mounted::Mounted;
use outboard_tests::skip::skip;
use outboard_tests::tuning::Machine;

const DROP_IN: &str = "/etc/systemd/system/nginx.service.d/50-outboard.conf";

fn machine(test: &str) -> Option<Machine> {
    if on_path("nginx").is_none() {
        skip(test, "the nginx command");
        return None;
    }
    Machine::with_accelerator(test)
}

/// Runs the command, which must succeed.
#[track_caller]
fn succeeds(machine: &Machine, arguments: &[&str]) -> String {
    succeeded(&machine.command(arguments).output().expect("the command runs"), arguments)
}

/// Runs the command, which must fail.
#[track_caller]
fn fails(machine: &Machine, arguments: &[&str]) -> String {
    failed(&machine.command(arguments).output().expect("the command runs"), arguments, 1)
}

#[test]
fn a_killed_change_is_completed_or_undone_by_the_next_one() {
    let test = "a_killed_change_is_completed_or_undone_by_the_next_one";
    let Some(machine) = machine(test) else { return };
    succeeds(&machine, &["enable", "nginx", "--force"]);
    succeeds(&machine, &["disable", "nginx"]);
    let before = whole_etc();
    let start = std::time::Instant::now();
    succeeds(&machine, &["enable", "nginx", "--force"]);
    let whole = start.elapsed();
    let enabled = whole_etc();
    for tenth in 5..=12_u32 {
        succeeds(&machine, &["disable", "nginx"]);
        assert_same_tree(&whole_etc(), &before, "disabled");
        let mut child = machine.command(&["enable", "nginx", "--force"]).spawn().expect("the command runs");
        thread::sleep(whole * tenth / 10);
        child.kill().expect("our child");
        child.wait().expect("our child");
        // The drop-in never names a configuration that is not there.
        assert!(!Path::new(DROP_IN).exists() || Path::new("/etc/outboard/nginx.service.cnf").exists());
        succeeds(&machine, &["enable", "nginx", "--force"]);
        assert_same_tree(&whole_etc(), &enabled, &format!("killed after {:?}", whole * tenth / 10));
    }
    succeeds(&machine, &["disable", "nginx"]);
    assert_same_tree(&whole_etc(), &before, "disabled");
}

#[test]
fn a_full_disk_and_a_user_without_rights_change_nothing() {
    let test = "a_full_disk_and_a_user_without_rights_change_nothing";
    let Some(machine) = machine(test) else { return };
    let full = Mounted::over("/etc/outboard", "size=4k,mode=755");
    let before = whole_etc();
    let text = fails(&machine, &["enable", "nginx", "--force"]);
    assert!(text.contains("free some space"), "{text}");
    let mut now = whole_etc();
    now.retain(|entry| before.contains(entry) || !entry.0.ends_with(".lock"));
    assert_same_tree(&now, &before, "with a full disk");
    drop(full);

    let before = whole_etc();
    let mut command = machine.command(&["enable", "nginx", "--force"]);
    let text = failed(&command.uid(65534).output().expect("the command runs"), &["as nobody"], 1);
    assert!(text.contains("only root may"), "{text}");
    assert_same_tree(&whole_etc(), &before, "a user without rights");
}

#[test]
fn a_broken_openssl_cnf_is_refused_and_a_missing_default_provider_is_added() {
    let test = "a_broken_openssl_cnf_is_refused_and_a_missing_default_provider_is_added";
    let Some(machine) = machine(test) else { return };
    let folder = tempfile::tempdir().expect("a directory");
    let own = folder.path().join("own.cnf");
    let directory = Path::new("/etc/systemd/system/nginx.service.d");
    fs::create_dir_all(directory).expect("a directory");
    let unit = format!("[Service]\nEnvironment=OPENSSL_CONF={}\n", own.display());
    fs::write(directory.join("10-own.conf"), unit).expect("a file");
    fs::write(&own, "openssl_conf = i\n[i]\nno assignment\n").expect("a file");
    let text = fails(&machine, &["enable", "nginx", "--force"]);
    assert!(text.contains("OpenSSL refuses the whole configuration"), "{text}");

    fs::write(&own, "openssl_conf = i\n[i]\nproviders = p\n[p]\nbase = b\n[b]\nactivate = 1\n")
        .expect("a file");
    let text = succeeds(&machine, &["enable", "nginx", "--force"]);
    assert!(text.contains("activates base and not the default provider"), "{text}");
    let mut openssl = Command::new("openssl");
    openssl.args(["list", "-providers"]).env("OPENSSL_CONF", "/etc/outboard/nginx.service.cnf");
    let output = openssl.output().expect("openssl");
    let text = succeeded(&output, &["list"]);
    for provider in ["base", "default", "outboard"] {
        assert!(text.lines().any(|line| line.trim() == provider), "{}", status_and_output(&output));
    }
    succeeds(&machine, &["disable", "nginx"]);
    fs::remove_dir_all(directory).expect("our own");
}
