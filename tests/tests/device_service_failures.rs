//! `outboard enable --restart` where it does not succeed: a service that does not start, one that
//! does not load the provider, and a command that is killed.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use outboard_tests::command::{status_and_output, succeeded};
use outboard_tests::lane::is_full_lane;
use outboard_tests::services::{disables, enables, fails, machine, succeeds};
use outboard_tests::sites::downloads;
use outboard_tests::systemd::{Started, assert_unchanged, snapshot, systemctl};
use outboard_tests::time_limit::wait_until;

use crate::device_services::{NGINX, nginx};

#[test]
fn a_service_that_does_not_start_is_restored() {
    let Some(machine) = machine("a_service_that_does_not_start_is_restored") else { return };
    let (mut files, nginx) = nginx();
    drop(nginx);
    files.add(
        "/tmp/outboard-test-start",
        "printf '\\033]0;pwn\\007\\033[31mred\\n'\ntest -z \"$OPENSSL_CONF\"\n",
    );
    files.add(
        "/etc/systemd/system/nginx.service.d/10-test.conf",
        "[Service]\nExecStartPre=/bin/sh /tmp/outboard-test-start\n",
    );
    let _nginx = Started::start("nginx.service");
    let before = snapshot();
    let text = fails(&machine, &["enable", "nginx", "--restart", "--force"]);
    assert!(text.contains("step \"restart\" failed"), "{text}");
    // The lines of the journal come with it.
    assert!(text.contains("\u{fffd}]0;pwn\u{fffd}\u{fffd}[31mred\n") && !text.contains('\u{1b}'), "{text:?}");
    assert!(text.contains("The change was undone; the service was restarted and works as before"), "{text}");
    assert_unchanged(&before);
    downloads(NGINX);
}

#[test]
fn a_service_that_does_not_load_the_provider_is_restored() {
    let test = "a_service_that_does_not_load_the_provider_is_restored";
    let Some(machine) = machine(test) else { return };
    let (mut files, nginx) = nginx();
    drop(nginx);
    assert_eq!(fs::read_to_string("/sys/module/apparmor/parameters/enabled").expect("AppArmor").trim(), "Y");
    let profile = "/etc/apparmor.d/outboard-test";
    files.add(
        profile,
        "profile outboard-test /usr/sbin/nginx {\n  file,\n  network,\n  capability,\n  signal,\n  ptrace,\n  unix,\n\
         deny /usr/local/lib/outboard/** mr,\n}\n",
    );
    let parser =
        |option| Command::new("apparmor_parser").args([option, profile]).output().expect("the parser");
    succeeded(&parser("--replace"), &[profile]);
    let _nginx = Started::start("nginx.service");
    let before = snapshot();
    let text = fails(&machine, &["enable", "nginx", "--restart", "--force"]);
    succeeded(&parser("--remove"), &[profile]);
    assert!(text.contains("step \"provider\" failed") || text.contains("step \"restart\" failed"), "{text}");
    assert!(text.contains("The change was undone; the service was restarted and works as before"), "{text}");
    assert_unchanged(&before);
    downloads(NGINX);
}

#[test]
fn a_killed_command_leaves_a_service_that_works() {
    let Some(machine) = machine("a_killed_command_leaves_a_service_that_works") else { return };
    let (_files, _nginx) = nginx();
    let before = snapshot();
    let arguments = ["enable", "nginx", "--restart", "--force"];
    let start = Instant::now();
    succeeds(&machine, &arguments);
    let whole = start.elapsed();
    for quarter in if is_full_lane() { 1..4 } else { 2..3 } {
        disables(&machine, &["nginx"]);
        assert_unchanged(&before);
        let mut child = machine.command(&arguments).spawn().expect("the command runs");
        thread::sleep(whole * quarter / 4);
        child.kill().expect("our child");
        child.wait().expect("our child");
        // systemd completes a restart that was requested.
        let deadline = Instant::now() + Duration::from_secs(30);
        while systemctl(&["list-jobs", "--no-legend"]).contains("nginx") && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(100));
        }
        downloads(NGINX);
        enables(&machine, &["nginx", "--force"]);
    }
    disables(&machine, &["nginx"]);
    assert_unchanged(&before);
}

/// From the moment at which the drop-in exists, also when a shell in the background has the command
/// ignore SIGINT.
#[test]
fn a_signal_has_the_change_undone() {
    let Some(machine) = machine("a_signal_has_the_change_undone") else { return };
    let (_files, _nginx) = nginx();
    let before = snapshot();
    let drop_in = Path::new("/etc/systemd/system/nginx.service.d/50-outboard.conf");
    let signals = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];
    for &signal in &signals[..if is_full_lane() { 3 } else { 1 }] {
        let mut command = machine.command(&["enable", "nginx", "--restart", "--force"]);
        let set = move || {
            // SAFETY: SIG_DFL is valid for each of these signals.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            Ok(())
        };
        // SAFETY: signal(2) is async-signal-safe, and nothing else is called.
        let child = unsafe { command.pre_exec(set) }.spawn().expect("the command runs");
        wait_until("a drop-in", || drop_in.exists());
        // SAFETY: no pointer; the child was not waited for, so its process id has not been reused.
        assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, signal) }, 0);
        let output = child.wait_with_output().expect("our child");
        let text = status_and_output(&output);
        assert_eq!(output.status.signal(), Some(signal), "{text}");
        assert!(text.contains("interrupted (SIG") && text.contains("The change was undone"), "{text}");
        assert_unchanged(&before);
        downloads(NGINX);
    }
}

#[test]
fn a_service_whose_command_was_killed_is_listed_as_unverified() {
    let test = "a_service_whose_command_was_killed_is_listed_as_unverified";
    let Some(machine) = machine(test) else { return };
    let (_files, _nginx) = nginx();
    let before = snapshot();
    let drop_in = Path::new("/etc/systemd/system/nginx.service.d/50-outboard.conf");
    let mut child =
        machine.command(&["enable", "nginx", "--restart", "--force"]).spawn().expect("the command runs");
    wait_until("a drop-in", || drop_in.exists());
    child.kill().expect("our child");
    child.wait().expect("our child");
    let list = succeeds(&machine, &["enable", "--list"]);
    assert!(
        list.contains("nginx: enable --restart ended before the restarted service was verified"),
        "{list}"
    );
    succeeds(&machine, &["enable", "nginx", "--restart", "--force"]);
    let list = succeeds(&machine, &["enable", "--list"]);
    assert!(!list.contains("unverified"), "{list}");
    disables(&machine, &["nginx"]);
    assert_unchanged(&before);
}
