//! `outboard tune`: its measurements, the policy that it writes, and the provider's use of it.

//!
//! The speed of the machine varies, so that results are compared only with each other, except where
//! the simulation is slower than any software.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Output;

use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::command::{failed, on_path, run, status_and_output};
use outboard_tests::device::count;
use outboard_tests::evp::{Context, Direction};
use outboard_tests::machine::{ACCELERATOR, are_interrupts_counted};
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::mounted::Mounted;
use outboard_tests::pipe;
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::{Machine, POLICY};
use outboard_tests::world::{DriverChoice, Order, World};
use outboard_uapi::{DEVICE, SYSFS};
use serde_json::Value;

const CIPHER: &str = "AES-128-CBC";

/// A cipher of the accelerator for which the policy decides.
fn world(settings: &[(&str, &str)]) -> World {
    World::new(DriverChoice::Accelerator, settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Whether a request of this length goes to the accelerator.
#[track_caller]
fn goes_to_hardware(world: &World, direction: Direction, length: usize) -> bool {
    let mut context = Context::keyed(&world.hard(CIPHER), &bytes(1, 16), &[7; 16], direction);
    context.set_padding(false).expect("padding off");
    let before = world.counts().hw_requests;
    let mut output = vec![0; length + 16];
    context.update(&bytes(2, length), &mut output).expect("update");
    world.counts().hw_requests > before
}

/// Replaces the lines of the policy that begin with this word.
fn rewrite(word: &str, with: &str) {
    let text = fs::read_to_string(POLICY).expect("a policy");
    let others = text.lines().filter(|line| line.split(' ').next() != Some(word));
    let new: String = others.chain([with]).flat_map(|line| [line, "\n"]).collect();
    fs::write(POLICY, new).expect("the policy's file");
}

#[test]
fn a_measured_policy_is_written_and_every_application_follows_it() {
    let test = "a_measured_policy_is_written_and_every_application_follows_it";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    assert_eq!(machine.policy(), Value::Null);
    let answer = machine.tuned(&["--ciphers", CIPHER]);
    assert_eq!(answer["schema"], "outboard-tune/1");
    assert_eq!(answer["written"], POLICY);
    let cipher = &answer["ciphers"][0];
    assert_eq!((&cipher["name"], &cipher["driver"]), (&CIPHER.into(), &ACCELERATOR.into()));
    let from = ["encrypt", "decrypt"].map(|direction| what_was_found(&cipher[direction]));
    let policy = fs::read_to_string(POLICY).expect("a policy");
    let line = policy.lines().find(|line| line.split(' ').next() == Some(CIPHER)).unwrap_or_default();
    // What is not decided stays in software.
    let [encrypt, decrypt] = from.each_ref().map(|way| way.as_deref().unwrap_or("never"));
    let (pieces, key_bytes) = (cipher["pieces"]["bytes"].as_u64(), cipher["key_bytes"].as_u64());
    assert!(pieces.is_some() || from == [None, None], "{cipher}");
    assert!(pieces.is_none_or(|bytes| [16384, 32768, 65536].contains(&bytes)), "{cipher}");
    let pieces = pieces.or(key_bytes.map(|_| 16384));
    let optional = |number: Option<u64>| number.map(|bytes| format!(" {bytes}")).unwrap_or_default();
    let expected =
        format!("{CIPHER} {encrypt} {decrypt} {ACCELERATOR}{}{}", optional(pieces), optional(key_bytes));
    assert_eq!(line, expected, "{policy}");
    let about = fs::metadata(POLICY).expect("the policy");
    assert_eq!((about.uid(), about.permissions().mode() & 0o7777), (0, 0o644));
    assert_eq!(machine.policy()["in_force"], true, "{}", machine.policy());

    the_provider_obeys_each_direction();
    openssl_cnf_overrides_the_policy();
    a_policy_of_another_kernel_is_not_used(&machine);
    a_policy_that_anybody_could_have_written_is_not_used(&machine);
}

/// The threshold of a direction, as in the policy, if one could be determined.
#[track_caller]
fn what_was_found(way: &Value) -> Option<String> {
    let points = way["points"].as_array().expect("points");
    assert!(!points.is_empty() && points.len() <= 14, "{points:?}");
    let number = |value: &Value| value.as_f64().expect("a number");
    let is_counted = are_interrupts_counted();
    for point in points {
        let (hardware, software) = (&point["hardware"], &point["software"]);
        assert!(number(&hardware["interrupts_per_request"]) > 0.0 || !is_counted, "{point}");
        assert!(point["refused"].is_null(), "{point}");
        let [hard, soft] = [hardware, software].map(|figure| number(&figure["megabytes_per_second"]));
        assert!(hard > 0.0 && soft > 0.0, "{point}");
        match point["verdict"].as_str().expect("a verdict") {
            "wins" => assert!(hard >= soft, "{point}"),
            "loses" => assert!(hard <= soft, "{point}"),
            other => assert!(["even", "unclear"].contains(&other), "{point}"),
        }
    }
    let is_won = |point: &&Value| point["verdict"] == "wins" && point["bytes"] == way["from"];
    match (way["from"].as_u64(), &way["undecided"]) {
        (None, Value::Bool(true)) => None,
        (Some(from), Value::Bool(false)) if points.iter().any(|point| is_won(&point)) => {
            Some(from.to_string())
        }
        (None, Value::Bool(false)) => Some("never".to_owned()),
        _ => panic!("{way}"),
    }
}

fn the_provider_obeys_each_direction() {
    rewrite(CIPHER, &format!("{CIPHER} 8192 16384 {ACCELERATOR} 16384 0"));
    let tuned = world(&[]);
    for (direction, from) in [(Direction::Encrypt, 8192), (Direction::Decrypt, 16384)] {
        assert!(goes_to_hardware(&tuned, direction, from), "{direction:?} {from}");
        assert!(!goes_to_hardware(&tuned, direction, from - 16), "{direction:?} below {from}");
    }
    rewrite(CIPHER, &format!("{CIPHER} never 64 {ACCELERATOR} 16384 0"));
    let one_way = world(&[]);
    assert!(!goes_to_hardware(&one_way, Direction::Encrypt, 65536));
    assert!(goes_to_hardware(&one_way, Direction::Decrypt, 64));
    rewrite(CIPHER, &format!("{CIPHER} 64 64 some-other-driver"));
    assert!(world(&[]).hard_if_offered(CIPHER).is_none(), "measured with another driver");
    rewrite(CIPHER, &format!("{CIPHER} never never some-other-driver"));
    assert!(world(&[("DRIVERS", ACCELERATOR)]).hard_if_offered(CIPHER).is_none(), "one that may not be used");
    rewrite(CIPHER, &format!("{CIPHER} never never {ACCELERATOR}"));
    let never = world(&[]);
    assert!(never.hard_if_offered(CIPHER).is_none());
    assert!(never.hard_if_offered("AES-256-CBC").is_none(), "not measured");
}

fn openssl_cnf_overrides_the_policy() {
    for settings in [[("THRESHOLDS", "AES-128-CBC:64")], [("THRESHOLDS", "ALL:64")]] {
        assert!(goes_to_hardware(&world(&settings), Direction::Encrypt, 64));
    }
    assert!(world(&[("THRESHOLDS", "AES-256-CBC:64")]).hard_if_offered(CIPHER).is_none());
}

fn a_policy_of_another_kernel_is_not_used(machine: &Machine) {
    rewrite(CIPHER, &format!("{CIPHER} 64 64 {ACCELERATOR}"));
    assert!(world(&[]).hard_if_offered(CIPHER).is_some());
    assert!(world(&[("POLICY", "NONE")]).hard_if_offered(CIPHER).is_none());
    rewrite("kernel", "kernel 2.6.32");
    assert!(world(&[]).hard_if_offered(CIPHER).is_none());
    let policy = machine.policy();
    assert_eq!(policy["in_force"], false, "{policy}");
    assert!(
        policy["problem"].as_str().is_some_and(|why| why.contains("2.6.32") && why.contains("outboard tune"))
    );
}

fn a_policy_that_anybody_could_have_written_is_not_used(machine: &Machine) {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").expect("proc is mounted");
    rewrite("kernel", &format!("kernel {}", kernel.trim()));
    assert!(world(&[]).hard_if_offered(CIPHER).is_some());
    fs::set_permissions(POLICY, fs::Permissions::from_mode(0o666)).expect("its mode");
    assert!(world(&[]).hard_if_offered(CIPHER).is_none());
    assert_eq!(machine.policy()["in_force"], false);
}

#[test]
fn a_signal_writes_nothing_and_shows_what_was_measured() {
    let test = "a_signal_writes_nothing_and_shows_what_was_measured";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    for signal in [libc::SIGINT, libc::SIGTERM] {
        fs::write(POLICY, "# mine\n").expect("the policy's file");
        let (mut read, write) = pipe::full();
        let mut child = machine.tune(&[]).stdout(write).spawn().expect("the command runs");
        let pid = i32::try_from(child.id()).expect("a process number");
        // The first output of the command follows the first measured cipher; it blocks there until
        // the pipe is read.
        let writing = format!("{} 0x1 ", libc::SYS_write);
        let system_call = format!("/proc/{pid}/syscall");
        wait_until("a cipher measured", || {
            fs::read_to_string(&system_call).is_ok_and(|call| call.starts_with(&writing))
        });
        // SAFETY: the child has not been waited for, so its number is its own.
        unsafe { libc::kill(pid, signal) };
        read.read_exact(&mut [0; pipe::ROOM]).expect("what fills the pipe");
        let mut text = String::new();
        read.read_to_string(&mut text).expect("the end");
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{signal}: {text}");
        assert!(text.starts_with(CIPHER) && !text.contains("AES-256-CBC"), "{text}");
        assert!(text.contains("Interrupted: nothing was written"), "{text}");
        assert_eq!(fs::read_to_string(POLICY).expect("the policy"), "# mine\n");
        assert!(!Path::new("/etc/outboard/policy.new").exists());
        let left = fs::read_dir(std::env::temp_dir()).expect("a directory").flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert!(!left.iter().any(|name| name.starts_with("outboard-lab-")), "{left:?}");
    }
}

#[test]
fn if_nothing_can_be_written_the_old_policy_remains_and_the_reason_is_reported() {
    let test = "if_nothing_can_be_written_the_old_policy_remains_and_the_reason_is_reported";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let run = |arguments: &[&str]| -> Output { machine.tune(arguments).output().expect("the command runs") };
    {
        let _read_only = Mounted::over("/etc/outboard", "ro");
        let error = failed(&run(&[]), &["tune"], 1);
        assert!(error.contains("mount -o remount,rw") && error.contains(POLICY), "{error}");
    }
    {
        // Space for the old file, but not for one more page.
        let _full = Mounted::over("/etc/outboard", "size=4k");
        fs::write(POLICY, "# mine\n").expect("the policy's file");
        let error = failed(&run(&["--ciphers", CIPHER]), &["tune"], 1);
        assert!(error.contains("free some space"), "{error}");
        assert_eq!(fs::read_to_string(POLICY).expect("the policy"), "# mine\n");
        assert!(!Path::new("/etc/outboard/policy.new").exists());
    }
}

/// One test of many parts, because loading the simulation takes long.
#[test]
fn the_choice_follows_the_hardware() {
    const DRIVER: &str = "sim-ctr-aes";
    let test = "the_choice_follows_the_hardware";
    let Some(machine) = Machine::new(test) else { return };
    if !Path::new(DEVICE).exists() {
        return skip(test, format!("{DEVICE} (insmod outboard.ko)"));
    }
    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    fs::write(format!("{SYSFS}/allow"), DRIVER).expect("it is allowed");

    where_hardware_is_slower_than_any_software_nothing_is_offered(&machine, &simulated);
    look_ahead_serves_the_sizes_of_the_policy(&simulated);
    pieces_are_as_long_as_the_engines_want_them(&machine, &simulated);
    the_provider_cuts_as_the_policy_says();

    // It completes at once without computing, which the provider detects.
    simulated.set("bandwidth", "0");
    simulated.set("compute", "N");
    let refused = |arguments: &[&str], why: &str| {
        let answer = machine.tuned(&[&CTR, arguments].concat());
        for direction in ["encrypt", "decrypt"] {
            let way = &answer["ciphers"][0][direction];
            for point in way["points"].as_array().expect("points") {
                assert!(point["refused"].as_str().is_some_and(|text| text.contains(why)), "{point}");
            }
            assert_eq!((&way["from"], &way["undecided"]), (&Value::Null, &false.into()), "{way}");
        }
        assert!(answer["written"].is_null(), "{answer}");
    };
    refused(&["--dry-run"], "in software");

    // The driver computes on the CPU without reporting it. A command that writes no policy needs no
    // directory.
    simulated.set("compute", "Y");
    simulated.set("soft_below", "1000000");
    {
        let _read_only = Mounted::over("/etc/outboard", "ro");
        refused(&["--dry-run"], "no interrupt");
    }
    let text = machine.checked(&["--for", "0", DRIVER], 0);
    let is_named = text.contains("no interrupt came") || !are_interrupts_counted();
    assert!(text.contains("exact") && is_named, "{text}");
}

fn pieces_are_as_long_as_the_engines_want_them(machine: &Machine, simulated: &Simulated) {
    // Where each request costs 16 ms; where each engine takes as long for a chunk of 16 KiB,
    // and there are four.
    let models = [("1", "16000000", "0", 65536), ("4", "0", "1000000", 16384)];
    for (engines, overhead_ns, bandwidth, best) in models {
        for (parameter, value) in
            [("engines", engines), ("overhead_ns", overhead_ns), ("bandwidth", bandwidth)]
        {
            simulated.set(parameter, value);
        }
        let answer = machine.tuned(&[&CTR[..], &["--dry-run"]].concat());
        let pieces = &answer["ciphers"][0]["pieces"];
        let tried = pieces["tried"].as_array().expect("two sizes");
        let verdicts: Vec<_> = tried.iter().map(|tried| tried["verdict"].as_str()).collect();
        let sizes: Vec<_> = tried.iter().map(|tried| &tried["bytes"]).collect();
        assert_eq!(sizes, [32768, 65536], "{pieces}");
        // If the machine stopped during the measurement, no result is determined.
        assert!(
            pieces["bytes"] == best || verdicts.contains(&Some("unclear")),
            "{engines} engines: {pieces}"
        );
    }
    simulated.set("engines", "1");
}

fn the_provider_cuts_as_the_policy_says() {
    const CIPHER: &str = "AES-128-CTR";
    let driver = "sim-ctr-aes";
    for (piece, requests) in [("", 4), (" 16384", 4), (" 32768", 2), (" 65536", 1)] {
        rewrite(CIPHER, &format!("{CIPHER} 4096 4096 {driver}{piece}"));
        let choice = DriverChoice::Simulated(driver.to_owned());
        let world = World::new(choice, &[("KEY_BYTES", "0")], Order::DefaultFirst)
            .unwrap_or_else(|error| panic!("{error}"));
        let (hard, soft) = (world.hard(CIPHER), world.soft(CIPHER));
        let before = count(&format!("drivers/{driver}/requests"));
        let (key, iv, text) = (bytes(1, 16), [7; 16], bytes(2, 65536));
        let [right, got] = [&soft, &hard].map(|cipher| {
            let mut output = vec![0; text.len() + 16];
            let mut context = Context::keyed(cipher, &key, &iv, Direction::Decrypt);
            context.update(&text, &mut output).expect("update");
            output
        });
        assert_same(&got, &right, CIPHER);
        assert_eq!(count(&format!("drivers/{driver}/requests")) - before, requests, "pieces of{piece}");
    }
}

/// The requests to the simulation.
const CTR: [&str; 2] = ["--ciphers", "AES-128-CTR"];

/// One of each of its drivers of AES, in the order in which they are measured.
const OF_EACH_DRIVER: [(&str, &str); 6] = [
    ("AES-128-CBC", "sim-cbc-aes"),
    ("AES-128-CTR", "sim-ctr-aes"),
    ("AES-128-ECB", "sim-ecb-aes"),
    ("AES-128-XTS", "sim-xts-aes"),
    ("AES-128-GCM", "sim-gcm-aes"),
    ("AES-128-CCM", "sim-ccm-aes"),
];

fn where_hardware_is_slower_than_any_software_nothing_is_offered(machine: &Machine, simulated: &Simulated) {
    let (names, drivers): (Vec<_>, Vec<_>) = OF_EACH_DRIVER.into_iter().unzip();
    simulated.allow(&drivers);
    // Bytes per second.
    simulated.set("bandwidth", "1000000");
    let list = names.join(",");
    let slow = machine.tuned(&["--ciphers", &list]);
    let measured = slow["ciphers"].as_array().expect("ciphers");
    assert_eq!(measured.len(), names.len(), "{slow}");
    for (cipher, (name, driver)) in measured.iter().zip(OF_EACH_DRIVER) {
        assert_eq!((&cipher["name"], &cipher["driver"]), (&name.into(), &driver.into()), "{cipher}");
        for way in ["encrypt", "decrypt"] {
            assert_eq!(what_was_found(&cipher[way]), Some("never".to_owned()), "{cipher}");
        }
    }
    let lookahead = slow["lookahead"].as_array().expect("look-ahead");
    let policy = fs::read_to_string(POLICY).expect("a policy");
    assert_eq!(lookahead.len(), 2, "CTR and GCM: {slow}");
    for (one, name) in lookahead.iter().zip(["AES-128-CTR", "AES-128-GCM"]) {
        assert_eq!((&one["name"], &one["driver"]), (&name.into(), &"sim-ecb-aes".into()), "{one}");
        assert_eq!((&one["requests"]["from"], &one["connections"]), (&Value::Null, &Value::Null), "{one}");
        assert!(policy.contains(&format!("\nlookahead {name} never sim-ecb-aes\n")), "{policy}");
    }
    let offering = |settings: &[(&str, &str)]| {
        let choice = DriverChoice::Simulated(drivers.join(","));
        World::new(choice, settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
    };
    let world = offering(&[("CIPHERS", &list), ("LOG_LEVEL", "info")]);
    assert!(names.iter().all(|name| world.hard_if_offered(name).is_none()));
    let openssl = on_path("openssl").expect("the openssl command");
    let key = "00112233445566778899aabbccddeeff";
    let arguments = ["enc", "-aes-128-ctr", "-K", key, "-iv", key, "-in", "/dev/null"];
    let output = run(&openssl, &world.config(), &arguments);
    let log = String::from_utf8_lossy(&output.stderr);
    let says = "AES-128-CCM: software was measured to win";
    assert!(output.status.success() && log.contains(says), "{}", status_and_output(&output));
    let others = offering(&[]);
    assert!(names.iter().all(|name| others.hard_if_offered(name).is_none()));
    assert!(others.hard_if_offered("AES-256-CTR").is_none(), "not measured");
}

fn look_ahead_serves_the_sizes_of_the_policy(simulated: &Simulated) {
    simulated.set("bandwidth", "0");
    for (sizes, served, left) in [("512-4096", [512, 4096], [511, 4097]), ("1024", [1024, 65536], [16, 1023])]
    {
        rewrite("lookahead", &format!("lookahead AES-128-GCM {sizes} sim-ecb-aes 1"));
        let choice = DriverChoice::Simulated("sim-ecb-aes".to_owned());
        let world = World::new(choice, &[], Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
        let ahead_bytes = |length: usize| {
            let mut stream =
                MessageStream::new(&world.hard("AES-128-GCM"), &bytes(1, 16), Direction::Encrypt);
            let before = world.counts();
            for number in 0..64_u64 {
                let mut nonce = [0x5a; NONCE];
                nonce[4..].copy_from_slice(&number.to_be_bytes());
                stream.process(&StreamMessage::new(number, nonce, length), false).expect("a message");
            }
            // A context adds its counts to the table when it is freed.
            drop(stream);
            (world.counts() - before).ahead_bytes
        };
        assert!(served.into_iter().all(|length| ahead_bytes(length) > 0), "{sizes}");
        assert!(left.into_iter().all(|length| ahead_bytes(length) == 0), "{sizes}");
    }
}
