//! `outboard ciphers`: its output agrees with what OpenSSL does.

use std::fs;
use std::path::Path;
use std::process::Command;

use outboard_tests::bytes::bytes;
use outboard_tests::command::{failed, on_path, status_and_output, succeeded};
use outboard_tests::evp::{Context, Direction};
use outboard_tests::machine::{ACCELERATOR, interface_to_accelerator};
use outboard_tests::module::module;
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::world::{DriverChoice, Order, World, accelerator_world, outboard_section, write_config};
use outboard_uapi::SYSFS;
use serde_json::Value;

/// The output of the command with these arguments and without an openssl.cnf.
#[track_caller]
fn shown(outboard: &Path, arguments: &[&str]) -> Value {
    let module = module().expect("the caller has looked");
    let mut all =
        vec!["ciphers", "--json", "--no-system-config", "--module", module.to_str().expect("a plain name")];
    all.extend(arguments);
    let output = Command::new(outboard).args(&all).output().expect("the command runs");
    serde_json::from_str(&succeeded(&output, &all)).expect("JSON")
}

/// Asserts that a world offers the shown algorithms, and returns their names.
#[track_caller]
fn offers_what_is_shown(world: &World, shown: &Value) -> Vec<String> {
    assert_eq!(shown["schema"], "outboard-ciphers/1");
    let algorithms = shown["algorithms"].as_array().expect("a list");
    assert_eq!(algorithms.len(), 28, "{shown:#}");
    let mut offered = Vec::new();
    for algorithm in algorithms {
        let name = algorithm["name"].as_str().expect("a name");
        let is_there = if name.starts_with("HMAC-") {
            // One check for all digests: a test machine has drivers for each or for none.
            world.hard_hmac().is_some()
        } else if name.starts_with("SHA") {
            world.hard_digest(name).is_some()
        } else {
            world.hard_if_offered(name).is_some()
        };
        assert_eq!(algorithm["offered"], is_there, "{algorithm:#}");
        assert_eq!(algorithm["reason"].is_null(), is_there, "{algorithm:#}");
        if is_there {
            offered.push(name.to_owned());
        }
    }
    offered
}

fn algorithm<'a>(shown: &'a Value, name: &str) -> &'a Value {
    let all = shown["algorithms"].as_array().expect("a list");
    all.iter().find(|algorithm| algorithm["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Whether a request of this length goes to hardware.
#[track_caller]
fn goes_to_hardware(world: &World, direction: Direction, length: usize) -> bool {
    let mut context = Context::keyed(&world.hard("AES-128-CBC"), &bytes(1, 16), &[7; 16], direction);
    context.set_padding(false).expect("padding off");
    let before = world.counts().hw_requests;
    context.update(&bytes(2, length), &mut vec![0; length + 16]).expect("update");
    world.counts().hw_requests > before
}

#[test]
fn the_accelerators_ciphers_are_shown_as_they_are_offered() {
    let test = "the_accelerators_ciphers_are_shown_as_they_are_offered";
    let thresholds = [("DIGESTS", "ALL"), ("THRESHOLDS", "ALL:4096,AES-128-CBC:512")];
    let Some(world) = accelerator_world(test, &thresholds) else { return };
    let Some(outboard) = on_path("outboard") else { return skip(test, "the outboard command") };
    let threshold = ["--threshold", "ALL:4096,AES-128-CBC:512"];
    let answer = shown(&outboard, &[&["--digests", "ALL"][..], &threshold].concat());
    let offered = offers_what_is_shown(&world, &answer);
    assert!(offered.iter().any(|name| name == "AES-128-CBC"), "{offered:?}");

    let cbc = algorithm(&answer, "AES-128-CBC");
    let interface = interface_to_accelerator().expect("the world has it");
    assert_eq!((&cbc["driver"], &cbc["interface"]), (&ACCELERATOR.into(), &interface.into()));
    assert_eq!(cbc["verdict"], "accelerator");
    assert_eq!(algorithm(&answer, "AES-256-CBC")["from"]["decrypt"], 4096);
    for (name, direction) in [("encrypt", Direction::Encrypt), ("decrypt", Direction::Decrypt)] {
        assert_eq!(cbc["from"][name], 512);
        // Decryption buffers a block until the next data arrives.
        assert!(goes_to_hardware(&world, direction, 512 + 16), "{name}");
        assert!(!goes_to_hardware(&world, direction, 512 - 16), "{name}");
    }

    let none = shown(&outboard, &["--ciphers", "NONE"]);
    let reason = &algorithm(&none, "AES-128-CBC")["reason"];
    assert_eq!(reason, "CIPHERS does not name it");
    let drivers = algorithm(&none, "AES-128-CBC")["drivers"].as_array().expect("a list");
    assert!(drivers.iter().any(|driver| driver["name"] == ACCELERATOR), "{drivers:?}");
}

#[test]
fn every_algorithm_of_an_engine_that_does_all_of_them_is_shown() {
    let test = "every_algorithm_of_an_engine_that_does_all_of_them_is_shown";
    let Some(reachable) = Simulated::reachable(test) else { return };
    let listed = fs::read_to_string("/proc/crypto").expect("proc is mounted");
    let names = listed.lines().filter_map(|line| line.strip_prefix("driver")?.split_once(": "));
    // The module has no sessions of those of IPsec.
    let drivers: Vec<&str> = names
        .map(|(_, name)| name.trim())
        .filter(|name| name.starts_with("sim-") && !name.starts_with("sim-authenc"))
        .collect();
    for driver in &drivers {
        fs::write(format!("{SYSFS}/allow"), driver).unwrap_or_else(|error| panic!("{driver}: {error}"));
    }
    let world =
        World::new(DriverChoice::Simulated(drivers.join(",")), &[("DIGESTS", "ALL")], Order::DefaultFirst)
            .unwrap_or_else(|error| panic!("{error}"));
    let mut arguments = vec!["--digests", "ALL", "--threshold", "4096"];
    arguments.extend(drivers.iter().flat_map(|driver| ["--driver", driver]));
    let answer = shown(&reachable.outboard, &arguments);
    assert_eq!(offers_what_is_shown(&world, &answer).len(), 28);
    for algorithm in answer["algorithms"].as_array().expect("a list") {
        assert_eq!(algorithm["interface"], "/dev/outboard", "{algorithm:#}");
        assert_eq!(algorithm["verdict"], "accelerator", "{algorithm:#}");
    }
    assert_eq!(algorithm(&answer, "SHA2-256")["from"], serde_json::json!({ "digest": 4096 }));
    assert_eq!(algorithm(&answer, "HMAC-SHA2-256")["from"], serde_json::json!({ "mac": 4096 }));
}

#[test]
fn a_value_that_the_provider_refuses_is_named_by_its_key_and_not_shown() {
    let test = "a_value_that_the_provider_refuses_is_named_by_its_key_and_not_shown";
    let parts = module().and_then(|module| {
        Ok((module, on_path("outboard").ok_or_else(|| "the outboard command".to_owned())?))
    });
    let (module, outboard) = match parts {
        Ok(parts) => parts,
        Err(missing) => return skip(test, missing),
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = folder.path().join("openssl.cnf");
    let arguments = ["ciphers", "--module", module.to_str().expect("a plain name")];
    let run =
        || Command::new(&outboard).args(arguments).env("OPENSSL_CONF", &config).output().expect("it runs");

    write_config(
        &config,
        &outboard_section(&module, &[("CIPHERS", "ALL,AES-128-CBC")], true),
        Order::DefaultFirst,
    );
    let complaint = failed(&run(), &arguments, 1);
    let named = ["openssl.cnf, section of provider outboard", ": CIPHERS: ", "stands alone"];
    assert!(named.iter().all(|part| complaint.contains(part)), "{complaint}");

    write_config(
        &config,
        &outboard_section(&module, &[("CIPHERS", "AES-128-CBC,BF-CBC")], true),
        Order::DefaultFirst,
    );
    let output = run();
    let warned = "CIPHERS: skipped: \"BF-CBC\" is none of AES-128-CBC";
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        log.contains("]: warn: openssl.cnf, section of provider outboard") && log.contains(warned),
        "{log}"
    );
    let text = succeeded(&output, &arguments);
    assert!(
        text.contains("note: openssl.cnf, section of provider outboard") && text.contains(warned),
        "{text}"
    );
    // A secret in the wrong place: logs and proofs are shown to others.
    write_config(
        &config,
        &outboard_section(
            &module,
            &[("CIPHERS", "AES-128-CBC,hunter2-90817"), ("COUNTERS", "hunter2-90817")],
            true,
        ),
        Order::DefaultFirst,
    );
    let mut openssl = Command::new("openssl");
    openssl.args(["list", "-providers"]).env("OPENSSL_CONF", &config);
    let logged = status_and_output(&openssl.output().expect("it runs"));
    let counters = "COUNTERS: a value of 8-15 bytes is not an absolute path";
    let skipped = "CIPHERS: skipped: a value of 8-15 bytes is none of";
    assert!(logged.contains(skipped) && logged.contains(counters), "{logged}");
    let shown = status_and_output(&run());
    assert!(shown.contains(skipped), "{shown}");
    assert!(!logged.contains("hunter2") && !shown.contains("hunter2"), "{logged}\n{shown}");
    let document = folder.path().join("proof.json");
    let mut prove = Command::new(&outboard);
    prove
        .args(["prove", "--module"])
        .arg(&module)
        .arg("--json")
        .arg(&document)
        .args(["--", "openssl", "version"]);
    succeeded(&prove.env("OPENSSL_CONF", &config).output().expect("it runs"), &["prove"]);
    let document = std::fs::read_to_string(&document).expect("a proof");
    assert!(
        document.contains("skipped: a value of 8-15 bytes") && !document.contains("hunter2"),
        "{document}"
    );
    let others = "AES-192-CBC, AES-256-CBC, AES-128-CTR";
    assert!(text.contains("enables outboard:") && text.contains(others), "{text}");
    assert!(text.contains("CIPHERS does not name it"), "{text}");
}
