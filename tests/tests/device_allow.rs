//! `outboard allow` and `outboard disallow`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use outboard_accel::Algorithm;
use outboard_accel::device::Device;
use outboard_tests::command::{failed, on_path, succeeded};
use outboard_tests::device::reached;
use outboard_tests::file_tree::{assert_same_tree, etc_without_lock};
use outboard_tests::machine::{ACCELERATOR, is_allowed};
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_uapi::SYSFS;

/// The command, on a machine whose accelerator /dev/outboard can reach.
struct Outboard {
    program: PathBuf,
    _reached: outboard_tests::device::Reached,
}

impl Outboard {
    fn find(test: &str) -> Option<Outboard> {
        let Some(program) = on_path("outboard") else {
            skip(test, "the outboard command");
            return None;
        };
        Some(Outboard { program, _reached: reached(test)? })
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(&self.program).args(arguments).output().expect("the command runs")
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        succeeded(&self.run(arguments), arguments)
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32) -> String {
        failed(&self.run(arguments), arguments, code)
    }
}

#[test]
fn a_driver_is_checked_allowed_listed_and_disallowed() {
    let test = "a_driver_is_checked_allowed_listed_and_disallowed";
    let Some(outboard) = Outboard::find(test) else { return };
    outboard.succeeds(&["disallow", ACCELERATOR]);
    assert!(!is_allowed(ACCELERATOR));
    assert!(!outboard.succeeds(&["allow", "--list"]).contains(ACCELERATOR));
    assert!(outboard.fails(&["disallow", ACCELERATOR], 1).contains("neither allowed nor saved"));
    for _ in 0..2 {
        let text = outboard.succeeds(&["allow", ACCELERATOR]);
        assert!(text.contains("every result right"), "{text}");
        assert!(is_allowed(ACCELERATOR));
    }
    assert!(outboard.succeeds(&["allow", "--list"]).contains("cbc(aes)"));
    let json = outboard.succeeds(&["allow", "--list", "--json"]);
    assert!(json.contains("outboard-allow/1") && json.contains(ACCELERATOR), "{json}");
}

#[test]
fn a_driver_that_is_not_an_accelerator_or_not_registered_is_refused() {
    let Some(outboard) = Outboard::find("a_driver_that_is_not_an_accelerator_or_not_registered_is_refused")
    else {
        return;
    };
    let text = outboard.fails(&["allow", "no-such-driver"], 1);
    assert!(text.contains("/proc/crypto"), "{text}");
    let listing = std::fs::read_to_string("/proc/crypto").expect("proc is mounted");
    let software = listing.lines().filter_map(|line| line.strip_prefix("driver")?.split_once(": "));
    let software: Vec<&str> = software
        .map(|(_, name)| name)
        .filter(|name| {
            ["sha1-", "sha256-", "aes-generic", "aes-lib"].iter().any(|start| name.starts_with(start))
        })
        .collect();
    for driver in software {
        outboard.fails(&["allow", driver], 1);
        assert!(!is_allowed(driver));
    }
    outboard.fails(&["allow", "--list", "x"], 2);
}

/// The command is killed at this number of moments.
const MOMENTS: u32 = 20;

/// A driver of the simulation that fails its check at the end.
const WRONG: &str = "sim-cbc-aes";

fn is_on_trial() -> bool {
    Path::new(SYSFS).join("drivers").join(WRONG).exists()
}

/// Another process may not use a driver that is checked.
#[track_caller]
fn refused_here() {
    assert!(!is_allowed(WRONG));
    let error = Device::reach(WRONG, Algorithm::CbcAes).err().expect("it did not pass its check");
    assert!(error.to_string().contains("root has not allowed it"), "{error}");
}

/// Begins a check that fails at the end.
fn allowing(simulated: &Simulated, outboard: &Path) -> Child {
    simulated.fault("clear");
    simulated.fault(&format!("{WRONG} error 5 after=150"));
    let mut command = Command::new(outboard);
    command.args(["allow", WRONG]).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the command runs")
}

#[test]
fn a_driver_is_refused_to_others_until_it_passed_and_sigkill_leaves_nothing() {
    let test = "a_driver_is_refused_to_others_until_it_passed_and_sigkill_leaves_nothing";
    let Some(reachable) = Simulated::reachable(test) else { return };
    let (simulated, outboard) = (&reachable.simulated, &reachable.outboard);
    simulated.takes(Duration::from_millis(1));
    let ended = allowing(simulated, outboard).wait_with_output().expect("it runs");
    failed(&ended, &["allow", WRONG], 1);
    let before = etc_without_lock();

    let start = Instant::now();
    let mut child = allowing(simulated, outboard);
    let mut seen = 0;
    while child.try_wait().expect("a child").is_none() {
        refused_here();
        if is_on_trial() {
            seen += 1;
        }
        if seen == 1 {
            let second = Command::new(outboard).args(["allow", "--now", WRONG]).output().expect("it runs");
            let text = failed(&second, &["allow", "--now", WRONG], 1);
            assert!(text.contains("another process has just allowed it, or checks it now"), "{text}");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let whole = start.elapsed();
    assert!(seen > 1, "it was not seen on trial");
    assert!(!is_on_trial() && !is_allowed(WRONG));

    let mut killed_on_trial = 0;
    for moment in 0..MOMENTS {
        let mut child = allowing(simulated, outboard);
        if moment % 2 == 0 {
            thread::sleep(whole * moment / MOMENTS);
        } else {
            // Whatever the start of the command takes now.
            while !is_on_trial() && child.try_wait().expect("a child").is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(u64::from(moment)));
        }
        killed_on_trial += u32::from(is_on_trial());
        child.kill().expect("a child that was not waited for");
        child.wait().expect("a child");
        refused_here();
        assert!(!is_on_trial(), "killed after {moment} of {MOMENTS}");
        assert_same_tree(&etc_without_lock(), &before, &format!("killed after {moment} of {MOMENTS}"));
    }
    assert!(killed_on_trial > MOMENTS / 4, "killed on trial: {killed_on_trial}");
    simulated.fault("clear");
    simulated.takes(Duration::ZERO);
    let output = Command::new(outboard).args(["allow", "--now", WRONG]).output().expect("it runs");
    succeeded(&output, &["allow", "--now", WRONG]);
    assert!(is_allowed(WRONG));
}
