//! `outboard bench`: a figure of an accelerator is measured on the accelerator, or reported as
//! invalid.
//!
//! The speed of the machine varies. The tests rely on orders, counts and the simulation's least times.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use outboard_accel::af_alg::{AfAlg, HashAfAlg};
use outboard_accel::check::{check_hash_seeded, check_seeded};
use outboard_accel::{Accelerator, Algorithm, Error, HashAlgorithm};
use outboard_tests::child::{Exit, fork};
use outboard_tests::command::{failed, status_and_output, succeeded};
use outboard_tests::machine::{ACCELERATOR, cbc_aes_drivers, counts_interrupts, reachable_software_driver};
use outboard_tests::module::module;
use outboard_tests::processes::{Pid, children, has_open, signal, stopped_with_a_child, wait_until_gone};
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::{Machine, set_thresholds};
use outboard_uapi::{DEVICE, SYSFS};
use serde_json::Value;

/// On MIPS, bench has no instructions to hide from OpenSSL, and no process for that.
const WITHOUT: &[&str] = if cfg!(target_arch = "mips") { &[] } else { &["--no-cpu-instructions"] };
const SOFTWARE: &[&str] = ["OpenSSL", "OpenSSL without CPU instructions"].split_at(1 + WITHOUT.len()).0;

/// The output of the command, which must end with this code.
#[track_caller]
fn benched(machine: &Machine, arguments: &[&str], code: i32) -> Value {
    let arguments = [&["bench", "--json", "--for", "0"], arguments].concat();
    let output = machine.command(&arguments).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", status_and_output(&output));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", status_and_output(&output)))
}

/// The rows of a contestant.
fn rows<'a>(answer: &'a Value, contestant: &str) -> Vec<&'a Value> {
    let rows = answer["rows"].as_array().expect("rows");
    rows.iter().filter(|row| row["contestant"] == contestant).collect()
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

/// Asserts that a figure is complete.
#[track_caller]
fn is_whole(row: &Value) {
    let figure = &row["figure"];
    assert!(number(&figure["megabytes_per_second"]) > 0.0 && row["fault"].is_null(), "{row}");
    assert!(number(&figure["samples"]) >= 5.0 && number(&figure["spread"]) >= 0.0, "{row}");
    assert!(number(&figure["cpu_ms_per_megabyte"]) >= 0.0, "{row}");
    assert!(number(&row["context_switches_per_request"]) >= 0.0, "{row}");
    let p50 = number(&row["latency_p50_us"]);
    assert!(p50 > 0.0 && row["latency_p99_us"].as_f64().is_none_or(|p99| p99 >= p50), "{row}");
}

#[test]
fn each_way_is_measured_beside_software_and_interrupts_prove_it() {
    let test = "each_way_is_measured_beside_software_and_interrupts_prove_it";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if !counts_interrupts(test) {
        return;
    }
    let arguments = [&["--size", "1K,16K", "--depth", "1,4", "AES-128-CBC"], WITHOUT].concat();
    let answer = benched(&machine, &arguments, 0);
    assert_eq!((&answer["schema"], &answer["interrupted"]), (&"outboard-bench/1".into(), &false.into()));
    answer["rows"].as_array().expect("rows").iter().for_each(is_whole);
    for &software in SOFTWARE {
        let rows = rows(&answer, software);
        assert_eq!(rows.len(), 4, "two sizes, both ways: {answer}");
        assert!(rows.iter().all(|row| row["evidence"].is_null() && row["depth"] == 1), "{answer}");
    }
    let contestants = answer["contestants"].as_array().expect("contestants");
    let of = |kind: &str| contestants.iter().filter(|one| one["kind"] == kind).collect::<Vec<_>>();
    let accelerators = of("accelerator");
    assert!(!accelerators.is_empty(), "{answer}");
    for way in accelerators {
        assert_eq!(way["driver"], ACCELERATOR, "{answer}");
        let rows = rows(&answer, way["name"].as_str().expect("a name"));
        let depths = if way["interface"] == DEVICE { 2 } else { 1 };
        assert_eq!(rows.len(), 4 * depths, "{way}: {answer}");
        for row in rows {
            assert_eq!(row["evidence"], "interrupts", "{row}");
            assert!(number(&row["figure"]["interrupts_per_request"]) > 0.0, "{row}");
        }
    }
    let plain = of("kernel-software");
    assert!(plain.iter().all(|one| one["interface"] == "AF_ALG"), "{answer}");
    match reachable_software_driver() {
        // The command selects them: there may be one for each implementation, and templates of
        // them.
        Ok(_) => {
            let known = cbc_aes_drivers();
            let is_known = |one: &Value| known.iter().any(|driver| one["driver"] == driver.as_str());
            assert!(!plain.is_empty() && plain.iter().all(|one| is_known(one)), "{known:?}: {answer}");
            assert!(plain.iter().all(|one| one["driver"] != ACCELERATOR), "{answer}");
        }
        // Linux 7.3 has a list of names that AF_ALG accepts.
        Err(_) => assert!(answer["notes"].to_string().contains("was not measured: AF_ALG"), "{answer}"),
    }

    the_kernels_own_benchmark_is_read(&machine);
    a_file_through_openssl_is_hardwares_and_right(&machine);

    let mut command = machine.command(&["bench", "--for", "0", "--size", "4K", "--driver", ACCELERATOR]);
    let output = command.output().expect("the command runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", status_and_output(&output));
    for says in ["AES-128-CBC encryption, MB/s", &format!("\n  {ACCELERATOR} over "), " yes\n", "Linux "] {
        assert!(text.contains(says), "{says}: {text}");
    }
}

/// Requests of 4 KiB, the threshold; software has the key's first 64 KiB: 3 %.
fn a_file_through_openssl_is_hardwares_and_right(machine: &Machine) {
    set_thresholds("4096");
    let module = module().expect("the provider");
    let module = module.to_str().expect("UTF-8");
    let arguments = ["bench", "file", "--json", "--for", "0", "--megabytes", "2", "--module", module];
    let output = machine.command(&arguments).output().expect("the command runs");
    assert!(output.status.success(), "{}", status_and_output(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let file = &answer["applications"][0];
    assert_eq!((&file["at_once"], &file["bytes"]), (&1.into(), &(2 << 20).into()), "{answer}");
    let [plain, with] = &file["runs"].as_array().expect("runs")[..] else { panic!("two: {answer}") };
    assert!(plain["evidence"].is_null() && plain["hardware_percent"].is_null(), "{plain}");
    assert_eq!((&plain["driver"], &with["driver"]), (&Value::Null, &ACCELERATOR.into()), "{answer}");
    assert_eq!((&with["evidence"], &with["fault"]), (&"interrupts".into(), &Value::Null), "{with}");
    assert!(number(&with["hardware_percent"]) > 96.0, "{with}");
    for run in [plain, with] {
        let figure = &run["figure"];
        assert!(number(&figure["megabytes_per_second"]) > 0.0 && figure["samples"] == 5, "{run}");
        assert!(number(&run["user_percent"]) + number(&run["system_percent"]) > 0.0, "{run}");
    }
}

/// False if this CPU has no cycle counter that outboard knows, which the answer must then state.
#[track_caller]
fn kernel_was_measured(answer: &Value) -> bool {
    let has_counter = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    let stated = answer["notes"].to_string().contains("--kernel: no cycle counter is known");
    assert_eq!(stated, !has_counter, "{answer}");
    has_counter
}

/// The driver that the kernel prefers, which is the accelerator's if the CPU lacks AES
/// instructions.
fn the_kernels_own_benchmark_is_read(machine: &Machine) {
    let arguments =
        ["--kernel", "--size", "1K,64K", "--depth", "1,4", "--direction", "encrypt", "AES-128-CBC"];
    let answer = benched(machine, &arguments, 0);
    if !kernel_was_measured(&answer) {
        return;
    }
    let contestants = answer["contestants"].as_array().expect("contestants");
    let tcrypt = contestants.iter().find(|one| one["kind"] == "tcrypt").unwrap_or_else(|| panic!("{answer}"));
    let rows = rows(&answer, tcrypt["name"].as_str().expect("a name"));
    // It has no figure for 64 KiB.
    let depths: Vec<&Value> = rows.iter().map(|row| &row["depth"]).collect();
    assert_eq!(depths, [1, 4], "{answer}");
    for row in rows {
        assert!(row["bytes"] == 1024 && row["figure"]["samples"] == 5 && row["fault"].is_null(), "{row}");
        assert!(number(&row["figure"]["megabytes_per_second"]) > 0.0, "{row}");
        let expected = if tcrypt["driver"] == ACCELERATOR { "interrupts".into() } else { Value::Null };
        assert_eq!(row["evidence"], expected, "{row}");
    }
}

/// One test of many parts, because loading the simulation takes long.
#[test]
fn figures_match_the_simulation_and_invalid_ones_are_reported() {
    let test = "figures_match_the_simulation_and_invalid_ones_are_reported";
    let Some(machine) = Machine::new(test) else { return };
    if !Path::new(DEVICE).exists() {
        return skip(test, format!("{DEVICE} (insmod outboard.ko)"));
    }
    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    an_impossible_measurement_is_refused_with_the_next_step(&machine);
    fs::write(format!("{SYSFS}/allow"), DRIVER).expect("it is allowed");

    latency_interrupts_and_depth_are_the_models(&machine, &simulated);
    ctrl_c_leaves_what_was_measured(&machine);
    simulated.takes(Duration::ZERO);
    if !WITHOUT.is_empty() {
        each_pass_is_a_process_that_ctrl_c_ends(&machine);
        a_process_that_dies_takes_only_what_it_measured_with_it(&machine);
        nothing_is_left_of_a_command_that_is_killed(&machine);
    }
    each_pass_compares_results_again(&machine, &simulated);
    work_of_the_cpu_is_not_a_figure_of_the_accelerator(&machine, &simulated);
    a_wrong_or_failed_request_is_not_a_figure(&machine, &simulated);
}

#[test]
fn digests_and_hmacs_are_measured_as_ciphers_are() {
    let test = "digests_and_hmacs_are_measured_as_ciphers_are";
    let Some(machine) = Machine::new(test) else { return };
    if !Path::new(DEVICE).exists() {
        return skip(test, format!("{DEVICE} (insmod outboard.ko)"));
    }
    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    simulated.allow(&["sim-sha256", "sim-sha512", "sim-hmac-sha256", "sim-hmac-sha1"]);
    messages_are_measured_as_requests_are(&machine, &simulated, "sim-sha256", "SHA2-256");
    messages_are_measured_as_requests_are(&machine, &simulated, "sim-hmac-sha256", "HMAC-SHA2-256");
    digests_and_hmacs_go_by_both_names(&machine);
    tcrypt_hashes_too(&machine);
    without_a_name_an_allowed_digest_is_measured(&machine);
    ciphers_that_authenticate_are_measured_over_af_alg_too(&machine);
}

const DRIVER: &str = "sim-ctr-aes";

/// Only the simulation, over the interface that its driver is allowed to.
const SIMULATED: [&str; 5] = ["--driver", DRIVER, "--interface", DEVICE, "AES-128-CTR"];

const NAME: &str = "sim-ctr-aes over /dev/outboard";

fn an_impossible_measurement_is_refused_with_the_next_step(machine: &Machine) {
    for (arguments, says) in [
        (&["--driver", "rsa-generic"][..], ["does rsa", "sha224, hmac(sha256)"]),
        (&["--driver", "sim-sha256", "sha1"], ["does sha256", "name sha256, or none"]),
        (&["--driver", "sim-sha256", "hmac(sha256)"], ["does sha256", "name sha256, or none"]),
        (&["--driver", DRIVER, "AES-128-CBC"], ["does ctr(aes)", "name ctr(aes), or none"]),
        (
            &["--driver", DRIVER, "--interface", DEVICE],
            ["no interface reaches driver", "outboard allow sim-ctr-aes"],
        ),
    ] {
        let output = machine.command(&[&["bench"], arguments].concat()).output().expect("the command runs");
        let error = failed(&output, arguments, 1);
        assert!(says.iter().all(|words| error.contains(words)), "{arguments:?}: {error}");
    }
}

fn latency_interrupts_and_depth_are_the_models(machine: &Machine, simulated: &Simulated) {
    simulated.takes(Duration::from_millis(20));
    let arguments = ["--size", "4K", "--depth", "1,16", "--direction", "encrypt"];
    let answer = benched(machine, &[&arguments[..], &SIMULATED].concat(), 0);
    let [one, many] = rows(&answer, NAME)[..] else { panic!("two: {answer}") };
    for row in [one, many] {
        is_whole(row);
        assert_eq!(row["evidence"], "interrupts", "{row}");
        assert!(number(&row["latency_p50_us"]) >= 20_000.0, "faster than light: {row}");
    }
    // One at a time: an interrupt for each (and those of the kernel's requests), and 4096 bytes in
    // 20 ms at most.
    assert!(number(&one["figure"]["interrupts_per_request"]) >= 1.0, "{one}");
    let [slow, fast] = [one, many].map(|row| number(&row["figure"]["megabytes_per_second"]));
    assert!(slow <= 0.205 && fast > slow && fast <= 16.0 * 0.205, "{slow} {fast}: {answer}");
    assert_eq!(rows(&answer, "OpenSSL").len(), 1, "{answer}");
}

fn ctrl_c_leaves_what_was_measured(machine: &Machine) {
    let arguments = [&["bench", "--json", "--for", "1h", "--depth", "1"], &SIMULATED[..]].concat();
    let before = requests();
    let mut child = machine.command(&arguments).spawn().expect("the command runs");
    let mut errors = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    // `--for` is a limit, so the plan is somewhat shorter.
    let about = line.strip_prefix("outboard bench: 28 figures, about ").and_then(|rest| rest.split_once(':'));
    let minutes = about.and_then(|(minutes, _)| minutes.parse::<u32>().ok());
    assert!(minutes.is_some_and(|minutes| (50..=60).contains(&minutes)), "{line}");
    // Enough for a first sample of the first figure, and far fewer than for all figures.
    wait_until("a figure begun", || requests() > before + 300);
    signal(child.id(), libc::SIGINT);
    let answer = ended(child, 130);
    let rows = answer["rows"].as_array().expect("rows");
    assert!(answer["interrupted"] == true && !rows.is_empty() && rows.len() < 28, "{answer}");
    assert!(
        rows.iter().all(|row| row["fault"].is_null() && number(&row["figure"]["samples"]) > 0.0),
        "{answer}"
    );
}

/// The requests to the driver of the simulation.
fn requests() -> u64 {
    let text = fs::read_to_string(format!("{SYSFS}/drivers/{DRIVER}/requests")).expect("a driver");
    text.trim().parse().expect("a number")
}

/// Its output; it must end with this code.
#[track_caller]
fn ended(mut child: Child, code: i32) -> Value {
    let mut text = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut text).expect("the end");
    assert_eq!(child.wait().expect("it ends").code(), Some(code), "{text}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A run of many passes, in the middle of the first or a later one.
fn begun(machine: &Machine, arguments: &[&str]) -> Child {
    let arguments = [&["bench", "--json", "--for", "1h", "--depth", "1"], arguments, &SIMULATED[..]].concat();
    let before = requests();
    let child = machine.command(&arguments).spawn().expect("the command runs");
    wait_until("a figure begun", || requests() > before + 300);
    child
}

/// Waits for the processes of this number of further passes; only one exists at a time.
fn wait_for_passes(child: &Child, more: usize) {
    let mut seen: Vec<Pid> = Vec::new();
    wait_until("another pass", || {
        let now = children(child.id());
        assert!(now.len() < 2, "{now:?}");
        seen.extend(now);
        seen.dedup();
        seen.len() > more
    });
}

fn each_pass_is_a_process_that_ctrl_c_ends(machine: &Machine) {
    let child = begun(machine, &["--size", "1K", "--direction", "encrypt", "--no-cpu-instructions"]);
    wait_for_passes(&child, 1);
    wait_until("a session", || children(child.id()).iter().any(|&pass| has_open(pass, DEVICE)));
    assert!(!has_open(child.id(), DEVICE), "the process that only plans has none");
    let (pass, without) = stopped_with_a_child(child.id());
    // A terminal sends the signal to all of them.
    [without, pass, child.id()].into_iter().for_each(|pid| signal(pid, libc::SIGINT));
    signal(pass, libc::SIGCONT);
    let answer = ended(child, 130);
    wait_until_gone(&[pass, without]);
    let rows = answer["rows"].as_array().expect("rows");
    assert!(answer["interrupted"] == true && rows.len() == 3, "{answer}");
    // All of the first pass.
    rows.iter().for_each(is_whole);
}

fn each_pass_compares_results_again(machine: &Machine, simulated: &Simulated) {
    let child = begun(machine, &["--size", "1K", "--direction", "encrypt"]);
    simulated.fault(&format!("{DRIVER} wrong every=1"));
    wait_for_passes(&child, 2);
    signal(child.id(), libc::SIGINT);
    let answer = ended(child, 1);
    simulated.fault("clear");
    let [ours] = rows(&answer, NAME)[..] else { panic!("one: {answer}") };
    assert!(ours["fault"].as_str().is_some_and(|why| why.contains("wrong from byte")), "{ours}");
    rows(&answer, "OpenSSL").into_iter().for_each(is_whole);
}

fn a_process_that_dies_takes_only_what_it_measured_with_it(machine: &Machine) {
    let child = begun(machine, &["--size", "1K,16K", "--direction", "encrypt", "--no-cpu-instructions"]);
    let (pass, without) = stopped_with_a_child(child.id());
    signal(pass, libc::SIGKILL);
    // The other figures are measured by another process, and in the next pass.
    wait_for_passes(&child, 2);
    signal(child.id(), libc::SIGINT);
    let answer = ended(child, 1);
    wait_until_gone(&[without]);
    let all = answer["rows"].as_array().expect("rows");
    let (out, whole): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|row| !row["fault"].is_null());
    assert!(answer["interrupted"] == true && out.len() == 3 && whole.len() == 3, "{answer}");
    assert!(out.iter().all(|row| row["bytes"] == out[0]["bytes"]), "{answer}");
    let is_told = |row: &Value| {
        row["fault"].as_str().is_some_and(|why| why.contains("process") && why.contains("SIGKILL"))
    };
    assert!(out.into_iter().all(is_told), "{answer}");
    whole.into_iter().for_each(is_whole);
}

fn nothing_is_left_of_a_command_that_is_killed(machine: &Machine) {
    let mut child = begun(machine, &["--size", "1K", "--direction", "encrypt", "--no-cpu-instructions"]);
    let (pass, without) = stopped_with_a_child(child.id());
    signal(child.id(), libc::SIGKILL);
    child.wait().expect("it was killed");
    wait_until_gone(&[pass, without]);
}

fn work_of_the_cpu_is_not_a_figure_of_the_accelerator(machine: &Machine, simulated: &Simulated) {
    simulated.takes(Duration::ZERO);
    simulated.set("soft_below", "1000000");
    let arguments = [&["--size", "1K", "--depth", "1,4"], &SIMULATED[..]].concat();
    let answer = benched(machine, &arguments, 1);
    let silent = rows(&answer, NAME);
    assert_eq!(silent.len(), 4, "{answer}");
    for row in silent {
        assert_eq!(row["evidence"], "contradicted", "{row}");
        assert!(row["fault"].as_str().is_some_and(|why| why.contains("no interrupt")), "{row}");
        assert_eq!(number(&row["figure"]["interrupts_per_request"]), 0.0, "{row}");
    }
    rows(&answer, "OpenSSL").into_iter().for_each(is_whole);
    let output =
        machine.command(&[&["bench", "--for", "0"], &arguments[..]].concat()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.code() == Some(1) && text.contains("INVALID RESULT: AES-128-CTR"),
        "{}",
        status_and_output(&output)
    );
    simulated.set("soft_below", "0");
}

fn a_wrong_or_failed_request_is_not_a_figure(machine: &Machine, simulated: &Simulated) {
    let arguments = [&["--size", "1K", "--depth", "1"], &SIMULATED[..]].concat();
    for (fault, says) in [("wrong every=1", "wrong from byte"), ("error 5 every=1", DRIVER)] {
        simulated.fault(&format!("{DRIVER} {fault}"));
        let answer = benched(machine, &arguments, 1);
        for row in rows(&answer, NAME) {
            assert!(row["fault"].as_str().is_some_and(|why| why.contains(says)), "{row}");
            assert!(row["figure"].is_null() && row["evidence"].is_null(), "{row}");
        }
        rows(&answer, "OpenSSL").into_iter().for_each(is_whole);
        simulated.fault("clear");
    }
    benched(machine, &arguments, 0);
}

/// Messages to a driver of a digest or an HMAC.
fn messages_are_measured_as_requests_are(machine: &Machine, simulated: &Simulated, driver: &str, name: &str) {
    let over_device = format!("{driver} over {DEVICE}");
    simulated.takes(Duration::from_millis(2));
    // 96 KiB are two chunks of a message; 64 messages of 64 KiB are the maximum that a process can
    // have in flight.
    let arguments = [&["--size", "1K,64K,96K", "--depth", "1,64", "--driver", driver], WITHOUT].concat();
    let answer = benched(machine, &arguments, 0);
    assert!(
        answer["rows"].as_array().expect("rows").iter().all(|row| row["direction"].is_null()),
        "{answer}"
    );
    for &software in SOFTWARE {
        let rows = rows(&answer, software);
        assert_eq!(rows.len(), 3, "{answer}");
        rows.into_iter().for_each(is_whole);
    }
    let ours = rows(&answer, &over_device);
    let kinds: Vec<_> =
        ours.iter().map(|row| (number(&row["bytes"]) as u64, number(&row["depth"]) as u64)).collect();
    assert_eq!(kinds, [(1024, 1), (1024, 64), (65536, 1), (65536, 64), (98304, 1)], "{answer}");
    for row in &ours {
        is_whole(row);
        assert!(row["cipher"] == name && row["evidence"] == "interrupts", "{row}");
        let least = if row["bytes"] == 98304 { 4_000.0 } else { 2_000.0 };
        assert!(number(&row["latency_p50_us"]) >= least, "faster than light: {row}");
    }
    let speed = |row: &Value| number(&row["figure"]["megabytes_per_second"]);
    // 64 in flight cannot be slower than one in flight.
    let [one, many] = [ours[0], ours[1]].map(speed);
    assert!(one <= 0.52 && many > one, "{one} {many}: {answer}");
    // Over AF_ALG too, if the kernel allows it.
    let over_af_alg = rows(&answer, &format!("{driver} over AF_ALG"));
    assert!(over_af_alg.iter().all(|row| row["evidence"] == "interrupts" && row["depth"] == 1), "{answer}");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("cryptodev-linux is not loaded"), "{answer}");
    let not_there = notes.contains(&format!("AF_ALG does not reach driver {driver}"));
    assert!(over_af_alg.len() == 3 || not_there, "{answer}");

    simulated.fault(&format!("{driver} wrong every=1"));
    let arguments = ["--size", "1K", "--depth", "1,4", "--driver", driver];
    let answer = benched(machine, &arguments, 1);
    for row in rows(&answer, &over_device) {
        assert!(row["fault"].as_str().is_some_and(|why| why.contains("a result is wrong")), "{row}");
        assert!(row["figure"].is_null(), "{row}");
    }
    simulated.fault("clear");
    simulated.takes(Duration::ZERO);
    simulated.set("soft_from", "1");
    let answer = benched(machine, &arguments, 1);
    assert!(rows(&answer, &over_device).iter().all(|row| row["evidence"] == "contradicted"), "{answer}");
    simulated.set("soft_from", "0");
}

fn digests_and_hmacs_go_by_both_names(machine: &Machine) {
    for (name, kernel_name, says) in [
        ("SHA512", "sha512", "SHA2-512"),
        ("hmac(sha1)", "hmac(sha1)", "HMAC-SHA1"),
        ("hmac-sha256", "hmac(sha256)", "HMAC-SHA2-256"),
    ] {
        let arguments = ["bench", "--for", "0", "--size", "4K", name];
        let output = machine.command(&arguments).output().expect("it runs");
        let text = succeeded(&output, &arguments);
        assert!(text.contains(&format!("{says}, MB/s by bytes")), "{text}");
        // tcrypt's figures, or why there are none.
        let algorithm = HashAlgorithm::by_kernel_name(kernel_name).expect("its name");
        let own = match plain_driver(algorithm) {
            Some((driver, _)) => format!("{driver} over AF_ALG"),
            None => "was not measured: AF_ALG".to_owned(),
        };
        assert!(text.contains(&own), "{own}: {text}");
    }
}

/// The kernel's plain code for a digest or an HMAC, where AF_ALG reaches it.
fn plain_driver(algorithm: HashAlgorithm) -> Option<(String, HashAfAlg)> {
    let digest = HashAlgorithm { hmac: false, ..algorithm }.kernel_name();
    let names = match algorithm.hmac {
        true => [format!("hmac({digest}-generic)"), format!("hmac-{digest}-lib")],
        false => [format!("{digest}-generic"), format!("{digest}-lib")],
    };
    names.into_iter().find_map(|name| AfAlg::reach_hash(&name, algorithm).ok().map(|found| (name, found)))
}

fn tcrypt_hashes_too(machine: &Machine) {
    for (name, kernel_name, driver) in
        [("SHA2-512", "sha512", "sim-sha512"), ("HMAC-SHA1", "hmac(sha1)", "sim-hmac-sha1")]
    {
        let answer = benched(machine, &["--kernel", "--size", "1K,8K,64K", "--depth", "1,4", name], 0);
        if !kernel_was_measured(&answer) {
            continue;
        }
        let contestants = answer["contestants"].as_array().expect("contestants");
        let tcrypt =
            contestants.iter().find(|one| one["kind"] == "tcrypt").unwrap_or_else(|| panic!("{answer}"));
        let rows = rows(&answer, tcrypt["name"].as_str().expect("a name"));
        let bytes: Vec<&Value> = rows.iter().map(|row| &row["bytes"]).collect();
        assert_eq!(bytes, [1024, 8192], "{answer}");
        for row in rows {
            assert!(row["depth"] == 1 && row["figure"]["samples"] == 5 && row["fault"].is_null(), "{row}");
            assert!(
                number(&row["figure"]["megabytes_per_second"]) > 0.0 && row["direction"].is_null(),
                "{row}"
            );
            let is_sim = tcrypt["driver"] == driver;
            assert_eq!(row["evidence"], if is_sim { "interrupts".into() } else { Value::Null }, "{row}");
        }
        let says = format!("one message of {kernel_name} at a time");
        assert!(answer["notes"].to_string().contains(&says), "{answer}");
    }
}

fn without_a_name_an_allowed_digest_is_measured(machine: &Machine) {
    let answer = benched(machine, &["--size", "1K", "--depth", "1", "--interface", DEVICE], 0);
    let mut ciphers: Vec<&str> =
        answer["rows"].as_array().expect("rows").iter().filter_map(|row| row["cipher"].as_str()).collect();
    ciphers.dedup();
    assert_eq!(ciphers.last(), Some(&"SHA2-256"), "{answer}");
    assert_eq!(ciphers.len(), 4, "three kinds of ciphers: {answer}");
    assert!(answer["notes"].to_string().contains("accelerators also do"), "{answer}");
}

/// Programs do not use it, so no other test covers it.
fn ciphers_that_authenticate_are_measured_over_af_alg_too(machine: &Machine) {
    for (driver, algorithm, name) in
        [("sim-gcm-aes", Algorithm::GcmAes, "AES-128-GCM"), ("sim-ccm-aes", Algorithm::CcmAes, "AES-256-CCM")]
    {
        let arguments =
            ["--size", "16,4K,64K", "--depth", "1,4", "--driver", driver, "--interface", "AF_ALG", name];
        let found = match AfAlg::reach(driver, algorithm) {
            Ok(found) => found,
            Err(closed) => {
                let output =
                    machine.command(&[&["bench"], &arguments[..]].concat()).output().expect("it runs");
                let error = failed(&output, &arguments, 1);
                assert!(error.contains(&closed.to_string()), "{error}");
                continue;
            }
        };
        let checked = check_seeded(&found, algorithm, 5);
        assert!(checked.is_ok(), "{driver}: {:?}", checked.err());
        let answer = benched(machine, &arguments, 0);
        let ours = rows(&answer, &format!("{driver} over AF_ALG"));
        assert_eq!(ours.len(), 6, "three sizes, both ways: {answer}");
        for row in ours {
            is_whole(row);
            assert!(row["depth"] == 1 && row["evidence"] == "interrupts", "{row}");
        }
    }
}

/// Results over AF_ALG are correct, for messages of all lengths, and in the child of a fork.
#[test]
fn the_kernels_digests_over_af_alg_are_exact() {
    let test = "the_kernels_digests_over_af_alg_are_exact";
    let mut reached = 0;
    for algorithm in HashAlgorithm::all() {
        let name = algorithm.kernel_name();
        let Some((_, found)) = plain_driver(algorithm) else { continue };
        let checked = check_hash_seeded(&found, algorithm, 5);
        assert!(checked.is_ok(), "{name}: {:?}", checked.err());
        reached += 1;
        let mut session = found.open(&[7; 20]).expect("a key");
        let whole = session.digest(b"onetwo").expect("a digest");
        let mut inherited = Some(session);
        let child = fork(Exit::Quick, || {
            let mut session = inherited.take().expect("the parent's");
            session.digest(b"onetwo").is_ok_and(|digest| digest == whole)
        });
        child.wait().expect("the child");
        let mut session = inherited.take().expect("the parent's");
        assert!(session.digest(b"onetwo").is_ok_and(|digest| digest == whole), "{name}");
        let long = vec![0; session.max_request() + 1];
        assert!(matches!(session.digests(&[&long]), Err(Error::Misfit { .. })));
        assert!(matches!(session.digests(&[b"one", b"two"]), Err(Error::Batch { count: 2, max: 1 })));
    }
    if reached == 0 {
        skip(test, "a software driver for a digest that AF_ALG reaches".to_owned());
    }
}
