//! `outboard enable --restart` and `disable --restart`, run by tests in a machine that systemd
//! booted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::command::{failed, succeeded};
use crate::device::driver_count;
use crate::lane::is_full_lane;
use crate::skip::skip;
use crate::systemd::{assert_unchanged, is_booted, snapshot};
use crate::tuning::{Machine, set_thresholds};

/// A machine with systemd and the accelerator, whose policy has it serve CBC, or a reported skip.
pub fn machine(test: &str) -> Option<Machine> {
    if !is_booted() {
        skip(test, "systemd as the first process (the test machines services and services-trixie)");
        return None;
    }
    let machine = Machine::with_accelerator(test)?;
    // The lock of /etc/outboard is created once.
    succeeds(&machine, &["enable", "ssh", "--force"]);
    succeeds(&machine, &["disable", "ssh"]);
    set_thresholds("4096");
    Some(machine)
}

/// Runs the command, which must succeed.
#[track_caller]
pub fn succeeds(machine: &Machine, arguments: &[&str]) -> String {
    succeeded(&machine.command(arguments).output().expect("the command runs"), arguments)
}

/// Runs the command, which must fail.
#[track_caller]
pub fn fails(machine: &Machine, arguments: &[&str]) -> String {
    failed(&machine.command(arguments).output().expect("the command runs"), arguments, 1)
}

/// Enables and restarts a service, and checks what is reported.
#[track_caller]
pub fn enables(machine: &Machine, arguments: &[&str]) -> Value {
    let arguments = [&["enable"], arguments, &["--restart", "--json"]].concat();
    let found: Value = serde_json::from_str(&succeeds(machine, &arguments)).expect("JSON");
    assert_eq!(
        (&found["schema"], &found["enabled"]),
        (&"outboard-restart/1".into(), &true.into()),
        "{found}"
    );
    for name in ["processes_with_outboard", "hardware_requests", "hardware_bytes", "interrupts"] {
        assert!(found[name].as_u64() > Some(0), "{name}: {found:#}");
    }
    found
}

/// Disables and restarts a service, and checks what is reported.
#[track_caller]
pub fn disables(machine: &Machine, arguments: &[&str]) {
    let arguments = [&["disable"], arguments, &["--restart", "--json"]].concat();
    let text = succeeds(machine, &arguments);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["processes_with_outboard"], 0, "{found:#}");
    assert!(!found["exchanges"].as_array().expect("a list").is_empty(), "{found:#}");
}

/// Runs a command that prints JSON, while a client makes requests.
#[track_caller]
pub fn meanwhile(machine: &Machine, arguments: &[&str], request: impl Fn() + Sync) -> Value {
    let over = AtomicBool::new(false);
    let output = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                request();
            }
        });
        let output = machine.command(arguments).output();
        over.store(true, Ordering::Relaxed);
        output.expect("the command runs")
    });
    serde_json::from_str(&succeeded(&output, arguments)).expect("JSON")
}

/// The requests of the accelerator during a function.
pub fn requests_of(work: impl FnOnce()) -> u64 {
    let before = driver_count("requests");
    work();
    driver_count("requests") - before
}

/// Enables, uses and disables a service, several times in `make test-all`. The arguments name it and
/// may contain `--force` or `--aes-required`.
pub fn in_rounds(machine: &Machine, arguments: &[&str], traffic: impl Fn()) {
    let service: Vec<&str> =
        arguments.iter().copied().filter(|word| !["--force", "--aes-required"].contains(word)).collect();
    // The first login creates a file in /run.
    traffic();
    let before = snapshot();
    for _ in 0..if is_full_lane() { 2 } else { 1 } {
        enables(machine, arguments);
        assert!(requests_of(&traffic) >= 200, "{service:?} does not use the accelerator");
        disables(machine, &service);
        assert_unchanged(&before);
        assert_eq!(requests_of(&traffic), 0, "{service:?} still uses the accelerator");
    }
}
