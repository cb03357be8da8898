//! `outboard enable --restart` where it does not succeed: a service that does not start, one that
//! does not load the provider, and a command that is killed.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use outboard_tests::command::succeeded;
use outboard_tests::lane::is_full_lane;
use outboard_tests::services::{disables, enables, fails, machine, succeeds};
use outboard_tests::sites::downloads;
use outboard_tests::systemd::{Started, assert_unchanged, snapshot, systemctl};

use crate::device_services::{NGINX, nginx};

#[test]
fn a_service_that_does_not_start_is_restored() {
    let Some(machine) = machine("a_service_that_does_not_start_is_restored") else { return };
    let (mut files, nginx) = nginx();
    drop(nginx);
    files.add(
        "/etc/systemd/system/nginx.service.d/10-test.conf",
        "[Service]\nExecStartPre=/bin/sh -c 'test -z \"$OPENSSL_CONF\"'\n",
    );
    let _nginx = Started::start("nginx.service");
    let before = snapshot();
    let text = fails(&machine, &["enable", "nginx", "--restart", "--force"]);
    assert!(text.contains("step \"restart\" failed"), "{text}");
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
