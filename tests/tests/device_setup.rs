//! `outboard setup` and `outboard undo`: what they change, what they refuse, and that everything is
//! taken back: by `undo`, by a signal, and after SIGKILL.

use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::Output;
use std::thread;
use std::time::Duration;

use outboard_tests::command::{failed, status_and_output, succeeded};
use outboard_tests::engine::{DRIVERS, Engine};
use outboard_tests::file_tree::{FileTree, assert_same_tree, whole_etc};
use outboard_tests::kernel_module;
use outboard_tests::machine::{ACCELERATOR, allowed_drivers, is_allowed};
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::{Machine, POLICY};
use serde_json::Value;

const DIRECTORY: &str = "/etc/outboard";
const FINDINGS: &str = "/etc/outboard/checked";
const ECB: &str = "engine-ecb-aes";

/// A machine on which outboard has changed nothing.
fn untouched(test: &str) -> Option<(Machine, FileTree)> {
    let machine = Machine::new(test)?;
    let _ = fs::remove_dir_all(DIRECTORY);
    for driver in allowed_drivers() {
        fs::write("/sys/class/misc/outboard/disallow", driver).expect("it is allowed");
    }
    Some((machine, whole_etc()))
}

fn run(machine: &Machine, arguments: &[&str]) -> Output {
    machine.command(arguments).output().expect("the command runs")
}

#[track_caller]
fn document(machine: &Machine, arguments: &[&str]) -> Value {
    let text = succeeded(&run(machine, arguments), arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_setup_that_only_shows_and_one_of_another_user_change_nothing() {
    let test = "a_setup_that_only_shows_and_one_of_another_user_change_nothing";
    let Some((machine, before)) = untouched(test) else { return };
    let Some(_engine) = Engine::load(test) else { return };
    for arguments in [&["setup"][..], &["setup", "--dry-run"]] {
        let text = succeeded(&run(&machine, arguments), arguments);
        for line in ["to allow", ECB, "look-ahead for", "to measure", "Nothing was changed"] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
    let shown = document(&machine, &["setup", "--json"]);
    assert_eq!((&shown["schema"], &shown["changed"]), (&"outboard-setup/1".into(), &false.into()));
    let mut command = machine.command(&["setup", "--yes"]);
    let text = failed(&command.uid(65534).output().expect("the command runs"), &["setup as another user"], 1);
    assert!(text.contains("only root may") && text.lines().count() == 1, "{text}");
    let mut command = machine.command(&["undo", "--yes"]);
    succeeded(&command.uid(65534).output().expect("the command runs"), &["undo as another user"]);
    assert_same_tree(&whole_etc(), &before, "shown");
    assert_eq!(allowed_drivers(), [] as [&str; 0]);
}

/// One test of many parts, because the measurement takes minutes.
#[test]
fn setup_allows_what_the_services_need_and_undo_takes_everything_back() {
    let test = "setup_allows_what_the_services_need_and_undo_takes_everything_back";
    let Some((machine, before)) = untouched(test) else { return };
    let Some(_engine) = Engine::load(test) else { return };
    next_is(&machine, "outboard setup");
    let done = document(&machine, &["setup", "--yes", "--json"]);
    assert_eq!((&done["changed"], &done["policy"]), (&true.into(), &"measured".into()), "{done:#}");
    assert!(allowed_drivers().contains(&ECB.to_owned()), "{done:#}");
    let text = fs::read_to_string(format!("{DIRECTORY}/allowed")).expect("it is saved");
    assert!(text.contains(ECB), "{text}");
    let services = done["services"].as_array().expect("services");
    assert!(services.iter().any(|one| one["service"] == "openssl"), "{done:#}");
    let policy = fs::read(POLICY).expect("it is measured");

    let again = document(&machine, &["setup", "--yes", "--json"]);
    assert_eq!((&again["changed"], &again["policy"]), (&false.into(), &"in-force".into()), "{again:#}");
    assert_eq!(again["services"], done["services"]);
    assert!(fs::read(POLICY).expect("it stays") == policy);

    // The goal of `outboard tune` stays, and another one is measured.
    let text = String::from_utf8(policy).expect("text");
    fs::write(POLICY, text.replace("\ngoal balanced\n", "\ngoal throughput\n")).expect("as root");
    let kept = document(&machine, &["setup", "--json"]);
    assert_eq!((&kept["goal"], &kept["policy"]), (&"throughput".into(), &"in-force".into()), "{kept:#}");
    let other = document(&machine, &["setup", "--json", "--goal", "cpu"]);
    assert_eq!((&other["goal"], &other["policy"]), (&"cpu".into(), &"to-measure".into()), "{other:#}");

    // What other commands change is taken back too.
    succeeded(&run(&machine, &["prefer", "engine-cbc-aes", "--force"]), &["prefer"]);
    succeeded(&run(&machine, &["check", ECB, "--for", "0"]), &["check"]);
    let shown = succeeded(&run(&machine, &["undo"]), &["undo"]);
    for part in ["preference", "driver", "policy", "findings", "Nothing was changed"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let undone = document(&machine, &["undo", "--yes", "--json"]);
    let parts = undone["parts"].as_array().expect("parts");
    assert!(parts.iter().all(|part| part["state"] == "undone"), "{undone:#}");
    assert_same_tree(&whole_etc(), &before, "undone");
    assert_eq!(allowed_drivers(), [] as [&str; 0]);
    let nothing = succeeded(&run(&machine, &["undo", "--yes"]), &["undo"]);
    assert!(nothing.contains("nothing to undo"), "{nothing}");
    next_is(&machine, "outboard setup");
}

/// The next step that `outboard status` names.
#[track_caller]
fn next_is(machine: &Machine, step: &str) {
    let status = document(machine, &["status", "--json"]);
    // Before Linux 7.2 the drivers are reached without permission too.
    assert_eq!(status["verdict"]["next"], step, "{:#}", status["verdict"]);
}

#[test]
fn a_signal_while_setup_checks_or_measures_leaves_the_machine_as_it_was() {
    let test = "a_signal_while_setup_checks_or_measures_leaves_the_machine_as_it_was";
    let Some((machine, before)) = untouched(test) else { return };
    let Some(_engine) = Engine::load(test) else { return };
    for (signal, is_measuring) in [(libc::SIGINT, false), (libc::SIGTERM, true), (libc::SIGINT, true)] {
        let child = machine.command(&["setup", "--yes"]).spawn().expect("the command runs");
        // The last driver that is allowed comes before the measurement.
        let last = if is_measuring { "engine-cbc-aes" } else { ECB };
        wait_until("allowed", || is_allowed(last));
        if is_measuring {
            thread::sleep(Duration::from_secs(2));
        }
        // SAFETY: the child has not been waited for.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        let output = child.wait_with_output().expect("a child");
        let text = status_and_output(&output);
        assert!(output.status.signal() == Some(signal) || output.status.code() == Some(130), "{text}");
        assert!(text.contains("what it had changed is undone"), "{text}");
        assert_same_tree(&whole_etc(), &before, &text);
        assert_eq!(allowed_drivers(), [] as [&str; 0], "{text}");
    }
    // SIGKILL leaves a driver that has passed its check, and nothing that undo does not find.
    let mut child = machine.command(&["setup", "--yes"]).spawn().expect("the command runs");
    wait_until("allowed", || is_allowed(ECB));
    child.kill().expect("a child");
    child.wait().expect("a child");
    succeeded(&run(&machine, &["undo", "--yes"]), &["undo"]);
    assert_same_tree(&whole_etc(), &before, "killed");
    assert_eq!(allowed_drivers(), [] as [&str; 0]);
}

#[test]
fn drivers_that_are_wrong_or_never_answer_are_not_allowed() {
    let test = "drivers_that_are_wrong_or_never_answer_are_not_allowed";
    let Some((machine, before)) = untouched(test) else { return };
    let Some(file) = Simulated::find(test) else { return };
    // The kernel, and so setup, prefers it to virtio-crypto.
    let simulated = Simulated::load_with(&file, &["priority=5000"]);
    let timeout = Path::new("/sys/module/outboard/parameters/timeout");
    let usual = fs::read_to_string(timeout).expect("the module's parameter");
    fs::write(timeout, "1").expect("as root");
    for (rule, reason) in [("all garbage", "the result is wrong"), ("all never", "")] {
        simulated.fault(rule);
        let output = run(&machine, &["setup", "--yes"]);
        simulated.let_go();
        let text = status_and_output(&output);
        assert_eq!(output.status.code(), Some(1), "{rule}: {text}");
        assert!(text.contains("None of") && text.contains(reason), "{rule}: {text}");
        assert_eq!(allowed_drivers(), [] as [&str; 0], "{rule}: {text}");
        // That is saved, so that the provider does not use the drivers over AF_ALG.
        assert!(Path::new(FINDINGS).exists(), "{rule}: {text}");
        fs::remove_dir_all(DIRECTORY).expect("as root");
        assert_same_tree(&whole_etc(), &before, rule);
    }
    fs::write(timeout, usual.trim()).expect("as root");
}

#[test]
fn without_the_module_one_sentence_names_what_loads_it() {
    let test = "without_the_module_one_sentence_names_what_loads_it";
    let Some((machine, before)) = untouched(test) else { return };
    let Ok(module) = kernel_module::file("outboard") else { return skip(test, "outboard.ko") };
    let was_loaded = kernel_module::is_loaded("outboard");
    if was_loaded {
        kernel_module::unload("outboard");
    }
    let output = run(&machine, &["setup"]);
    let shown = document_of(&run(&machine, &["setup", "--json"]));
    if was_loaded {
        kernel_module::load(&module);
        fs::write("/sys/class/misc/outboard/allow", ACCELERATOR).expect("it is there");
    }
    let text = status_and_output(&output);
    // Before Linux 7.2 AF_ALG leads to the accelerator.
    if output.status.code() == Some(0) {
        assert!(text.contains("AF_ALG") && text.contains("to check"), "{text}");
        assert_eq!(shown["drivers"][0]["state"], "to-check", "{shown:#}");
    } else {
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("without outboard's module") && text.contains("Next: "), "{text}");
        assert!(shown["obstacles"][0]["next"].is_string(), "{shown:#}");
    }
    assert_same_tree(&whole_etc(), &before, &text);
}

#[track_caller]
fn document_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", status_and_output(output)))
}

#[test]
fn a_part_that_cannot_be_undone_does_not_keep_the_others() {
    let test = "a_part_that_cannot_be_undone_does_not_keep_the_others";
    let Some((machine, before)) = untouched(test) else { return };
    let Some(_engine) = Engine::load(test) else { return };
    let (driver, _) = DRIVERS[0];
    succeeded(&run(&machine, &["allow", driver]), &["allow"]);
    succeeded(&run(&machine, &["enable", "openssl", "--force"]), &["enable"]);
    let configuration = format!("{DIRECTORY}/openssl.cnf");
    let text = fs::read_to_string(&configuration).expect("it is enabled");
    fs::write(&configuration, text + "# mine\n").expect("as root");
    let output = run(&machine, &["undo", "--yes"]);
    let said = status_and_output(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("openssl") && said.contains("1 of 3 could not be undone"), "{said}");
    assert!(!is_allowed(driver) && Path::new(&configuration).exists(), "{said}");
    succeeded(&run(&machine, &["undo", "--yes", "--overwrite"]), &["undo"]);
    fs::remove_file(format!("{configuration}.outboard-old")).expect("the edited file is kept");
    fs::remove_dir(DIRECTORY).expect("nothing else is there");
    assert_same_tree(&whole_etc(), &before, "undone");
}
