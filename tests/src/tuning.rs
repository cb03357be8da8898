//! `outboard tune` and `outboard check`, run by tests, and the policy file that `tune` writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use outboard_policy::{Measured, PolicyText, cpu_identity};
use outboard_uapi::DEVICE;
use serde_json::Value;

use crate::command::{on_path, status_and_output, succeeded};
use crate::machine::{ACCELERATOR, is_allowed, reachable_accelerator};
use crate::module::module;
use crate::skip::skip;

/// The path of the policy.
pub const POLICY: &str = "/etc/outboard/policy";

/// The cipher of the accelerator that the tests use.
pub const CIPHER: &str = "AES-128-CBC";

/// One test at a time: there is one policy, and a measurement needs an idle machine.
static ALONE: Mutex<()> = Mutex::new(());

/// The command and the provider, on a machine without a policy; a policy is removed at the end.
pub struct Machine {
    outboard: PathBuf,
    module: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    /// `None`, and a reported skip, where a part is missing.
    pub fn new(test: &str) -> Option<Machine> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = on_path("outboard").ok_or_else(|| "the outboard command".to_owned());
        let parts = parts.and_then(|outboard| Ok((outboard, module()?)));
        let (outboard, module) = parts.map_err(|missing| skip(test, missing)).ok()?;
        // Where no driver was ever allowed.
        let _ = fs::create_dir("/etc/outboard");
        let _ = fs::remove_file(POLICY);
        Some(Machine { outboard, module, _alone: alone })
    }

    /// The same, if /dev/outboard reaches the accelerator.
    pub fn with_accelerator(test: &str) -> Option<Machine> {
        let machine = Machine::new(test)?;
        if Path::new(DEVICE).exists() && !is_allowed(ACCELERATOR) {
            // Fails where there is no accelerator, which the next line reports.
            let _ = machine.command(&["allow", "--now", ACCELERATOR]).output();
        }
        reachable_accelerator().map_err(|missing| skip(test, missing)).ok().map(|_| machine)
    }

    /// The command with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.outboard);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// `outboard tune` by wall time.
    pub fn tune(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&["tune", "--goal", "throughput", "--module"]);
        command.arg(&self.module).args(arguments);
        command
    }

    /// Its output; it must succeed.
    #[track_caller]
    pub fn tuned(&self, arguments: &[&str]) -> Value {
        let output = self.tune(&[&["--json"], arguments].concat()).output().expect("the command runs");
        let text = succeeded(&output, arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The output of `outboard check`, which must end with this code.
    #[track_caller]
    pub fn checked(&self, arguments: &[&str], code: i32) -> String {
        let output = self.command(&[&["check"], arguments].concat()).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(code), "{}", status_and_output(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The state of the policy in `outboard status`.
    #[track_caller]
    pub fn policy(&self) -> Value {
        let output = self.command(&["status", "--json"]).output().expect("the command runs");
        let status: Value = serde_json::from_str(&succeeded(&output, &["status"])).expect("JSON");
        status["policy"].clone()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_file(POLICY);
    }
}

/// Sets the thresholds of the accelerator in the policy. Where `tune` has written none, it is made.
pub fn set_thresholds(from: &str) {
    set_thresholds_of(ACCELERATOR, from);
}

/// The same for a driver, whose name the other words of its lines may follow.
pub fn set_thresholds_of(driver: &str, from: &str) {
    // A service that was disabled leaves no empty directory.
    let _ = fs::create_dir("/etc/outboard");
    let text = fs::read_to_string(POLICY).unwrap_or_else(|_| policy_without_ciphers());
    let others = text.lines().filter(|line| !line.starts_with("AES-"));
    let lines = [CIPHER, "AES-256-CBC"].map(|cipher| format!("{cipher} {from} {from} {driver}"));
    let new: String = others.chain(lines.iter().map(String::as_str)).flat_map(|line| [line, "\n"]).collect();
    fs::write(POLICY, new).expect("the policy's file");
}

/// A policy of this machine, to which lines of ciphers can be added.
pub fn policy_without_ciphers() -> String {
    let read = |file: &str| fs::read_to_string(file).expect("proc is mounted");
    let cpu = cpu_identity(&read("/proc/cpuinfo"));
    let kernel = read("/proc/sys/kernel/osrelease");
    let (kernel, cpu) = (kernel.trim(), [cpu.as_str(), "CPU"]);
    PolicyText::new(Measured { made: "2026-11-29T12:00:00Z", goal: "balanced", kernel, cpu }).finish()
}
