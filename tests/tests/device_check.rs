//! `outboard check`: a sporadic fault is found, and a driver with a wrong result is not used again.

use std::fs;
use std::path::Path;

use outboard_tests::command::{failed, status_and_output, succeeded};
use outboard_tests::machine::are_interrupts_counted;
use outboard_tests::mounted::Mounted;
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::Machine;
use outboard_tests::world::{DriverChoice, Order, World};
use outboard_uapi::DEVICE;
use serde_json::Value;

const DRIVER: &str = "sim-ctr-aes";
const OTHER: &str = "sim-ecb-aes";

/// The file with the results of checks.
const FINDINGS: &str = "/etc/outboard/checked";

/// The recorded result of a check of this driver, from `outboard status`.
#[track_caller]
fn saved(machine: &Machine, driver: &str) -> Option<Value> {
    let output = machine.command(&["status", "--json"]).output().expect("the command runs");
    let status: Value = serde_json::from_str(&succeeded(&output, &["status"])).expect("JSON");
    let checked = status["checked"].as_array().expect("what was checked");
    checked.iter().find(|one| one["driver"] == driver).cloned()
}

/// Whether the provider offers this cipher with these drivers.
fn is_offered(drivers: &str, cipher: &str) -> bool {
    let world = World::new(DriverChoice::Simulated(drivers.to_owned()), &[], Order::DefaultFirst);
    world.unwrap_or_else(|error| panic!("{error}")).hard_if_offered(cipher).is_some()
}

/// One test of many parts, because loading the simulation takes long.
#[test]
fn a_driver_that_is_wrong_once_in_a_thousand_is_found_and_not_used_again() {
    let test = "a_driver_that_is_wrong_once_in_a_thousand_is_found_and_not_used_again";
    let Some(machine) = Machine::new(test) else { return };
    if !Path::new(DEVICE).exists() {
        return skip(test, format!("{DEVICE} (insmod outboard.ko)"));
    }
    let Some(file) = Simulated::find(test) else { return };
    // Recorded by an earlier test.
    let _ = fs::remove_file(FINDINGS);
    let simulated = Simulated::load(&file);
    simulated.allow(&[DRIVER, OTHER]);

    a_right_result_is_saved(&machine);
    an_unfinished_check_is_not_saved(&machine);
    a_finding_that_cannot_be_written_is_reported(&machine);

    simulated.fault(&format!("{DRIVER} wrong every=1000"));
    // It ends at the first wrong result.
    let output = machine.command(&["check", "--for", "1h", DRIVER]).output().expect("the command runs");
    let wrong = status_and_output(&output);
    assert_eq!(output.status.code(), Some(1), "{wrong}");
    assert!(wrong.contains("WRONG") && wrong.contains("the result is wrong from byte"), "{wrong}");
    assert!(wrong.contains(&format!("the provider does not use {DRIVER}")), "{wrong}");
    simulated.fault("clear");

    a_driver_that_was_wrong_is_not_used(&machine);
    it_is_used_again_when_that_is_forgotten(&machine);
    a_wrong_result_that_allow_finds_is_saved(&machine, &simulated);
    let _ = fs::remove_file(FINDINGS);
}

fn a_right_result_is_saved(machine: &Machine) {
    assert_eq!(saved(machine, DRIVER), None);
    let right = machine.checked(&["--json", "--for", "0", "--seed", "7", DRIVER], 0);
    let answer: Value = serde_json::from_str(&right).expect("JSON");
    assert_eq!((&answer["schema"], &answer["seed"]), (&"outboard-check/1".into(), &7.into()));
    let found = &answer["drivers"][0];
    assert_eq!((&found["verdict"], &found["selftest"]), (&"exact".into(), &"passed".into()), "{found}");
    assert_eq!(
        found["interrupts"].as_u64().is_some_and(|count| count > 0),
        are_interrupts_counted(),
        "{found}"
    );
    let known = saved(machine, DRIVER).expect("it was checked");
    assert_eq!((&known["verdict"], &known["fault"]), (&"exact".into(), &Value::Null), "{known}");
    assert_eq!((&known["made"], &known["requests"]), (&answer["made"], &found["requests"]), "{known}");
    assert_eq!(saved(machine, OTHER), None);
}

fn an_unfinished_check_is_not_saved(machine: &Machine) {
    let child = machine.command(&["check", "--for", "1h", OTHER]).spawn().expect("the command runs");
    let pid = i32::try_from(child.id()).expect("a small number");
    // SIGINT is handled once the second process exists.
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    wait_until("checking", || fs::read_to_string(&children).is_ok_and(|text| !text.is_empty()));
    // SAFETY: no pointer; the child was not waited for, so its process id has not been reused.
    unsafe { libc::kill(pid, libc::SIGINT) };
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", status_and_output(&output));
    assert_eq!(saved(machine, OTHER), None);
}

fn a_finding_that_cannot_be_written_is_reported(machine: &Machine) {
    let before = fs::read_to_string(FINDINGS).expect("one was checked");
    {
        let _read_only = Mounted::over("/etc/outboard", "ro");
        let output = machine.command(&["check", "--for", "0", OTHER]).output().expect("the command runs");
        let text = status_and_output(&output);
        assert_eq!(output.status.code(), Some(0), "it is right all the same: {text}");
        assert!(text.contains("not saved") && text.contains("mount -o remount,rw"), "{text}");
        let text =
            failed(&machine.command(&["check", "--forget", OTHER]).output().expect("it runs"), &["check"], 1);
        assert!(text.contains("mount -o remount,rw"), "{text}");
    }
    assert_eq!(fs::read_to_string(FINDINGS).expect("as it was"), before);
}

fn a_driver_that_was_wrong_is_not_used(machine: &Machine) {
    let known = saved(machine, DRIVER).expect("it was checked");
    assert_eq!(known["verdict"], "wrong", "{known}");
    assert!(known["fault"].as_str().is_some_and(|text| text.contains("wrong from byte")), "{known}");
    // Without the fault it passes, but the wrong result stays recorded.
    machine.checked(&["--for", "0", DRIVER], 0);
    assert_eq!(saved(machine, DRIVER), Some(known));
    let refused =
        failed(&machine.command(&["allow", "--now", DRIVER]).output().expect("it runs"), &["allow"], 1);
    assert!(refused.contains("found a wrong result") && refused.contains("--forget"), "{refused}");
    let both = format!("{DRIVER},{OTHER}");
    assert!(!is_offered(&both, "AES-128-CTR") && is_offered(&both, "AES-128-ECB"));
    let arguments = ["ciphers", "--driver", DRIVER, "--no-system-config"];
    let shown = succeeded(&machine.command(&arguments).output().expect("it runs"), &arguments);
    assert!(shown.contains(&format!("{DRIVER} gave a wrong result when it was checked on ")), "{shown}");
}

/// Else the provider would use the driver over AF_ALG, to which the allow list does not apply.
fn a_wrong_result_that_allow_finds_is_saved(machine: &Machine, simulated: &Simulated) {
    succeeded(&machine.command(&["disallow", "--now", DRIVER]).output().expect("it runs"), &["disallow"]);
    simulated.fault(&format!("{DRIVER} wrong every=40"));
    let refused =
        failed(&machine.command(&["allow", "--now", DRIVER]).output().expect("it runs"), &["allow"], 1);
    simulated.fault("clear");
    assert!(refused.contains("does not use it over any interface"), "{refused}");
    let known = saved(machine, DRIVER).expect("allow has saved it");
    assert_eq!(known["verdict"], "wrong", "{known}");
    assert!(!is_offered(DRIVER, "AES-128-CTR"));
    let again =
        failed(&machine.command(&["allow", "--now", DRIVER]).output().expect("it runs"), &["allow"], 1);
    assert!(again.contains("found a wrong result") && again.contains("--forget"), "{again}");
}

fn it_is_used_again_when_that_is_forgotten(machine: &Machine) {
    // A result recorded with another kernel is not used.
    let text = fs::read_to_string(FINDINGS).expect("what was found");
    fs::write(FINDINGS, text.replace(&format!("{DRIVER} wrong "), &format!("{DRIVER} wrong 1")))
        .expect("written");
    assert!(is_offered(DRIVER, "AES-128-CTR") && saved(machine, DRIVER).is_none());
    fs::write(FINDINGS, text).expect("written");
    assert!(!is_offered(DRIVER, "AES-128-CTR"));
    let forget = ["check", "--forget", DRIVER];
    succeeded(&machine.command(&forget).output().expect("it runs"), &forget);
    assert!(is_offered(DRIVER, "AES-128-CTR") && saved(machine, DRIVER).is_none());
    succeeded(&machine.command(&["allow", "--now", DRIVER]).output().expect("it runs"), &["allow"]);
    let error = failed(&machine.command(&forget).output().expect("it runs"), &forget, 1);
    assert!(error.contains(&format!("has no entry for {DRIVER}")), "{error}");
}
