//! AEADs, digests and HMAC with the simulated accelerator where /dev/outboard does not reach it:
//! over AF_ALG before Linux 7.2, and over /dev/crypto on any kernel that has it.

use std::path::Path;
use std::process::Command;

use outboard_accel::{Accelerator, Algorithm, Error, Hash, HashAlgorithm, HashSession, reach, reach_hash};
use outboard_drivers::reach::TagCheck;
use outboard_tests::bytes::bytes;
use outboard_tests::child::in_own_process;
use outboard_tests::command::{on_path, succeeded};
use outboard_tests::digests::{self, DIGESTS, a_session_is_its_process_own};
use outboard_tests::exposure::wrong_results;
use outboard_tests::module::module;
use outboard_tests::simulated::{DRIVERS, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::world::{AEADS, DriverChoice, Order, World};
use outboard_tests::{aead, hmacs};

const AEAD_DRIVERS: [&str; 2] = ["sim-gcm-aes", "sim-ccm-aes"];

fn world(drivers: &[&str], settings: &[(&str, &str)]) -> World {
    let settings: Vec<_> = [("LOG_LEVEL", "off")].into_iter().chain(settings.iter().copied()).collect();
    World::new(DriverChoice::Simulated(drivers.join(",")), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn aeads(world: &World) -> usize {
    AEADS.into_iter().filter(|algorithm| world.hard_if_offered(algorithm).is_some()).count()
}

fn all_digests(threshold: &str) -> World {
    let drivers: Vec<&str> = DRIVERS.into_iter().filter(|driver| driver.contains("sha")).collect();
    world(&drivers, &[("DIGESTS", "ALL"), ("THRESHOLDS", threshold)])
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn the_other_interfaces_do_the_same_as_the_module() {
    let test = "the_other_interfaces_do_the_same_as_the_module";
    let Some(outboard) = on_path("outboard") else { return skip(test, "the outboard command") };
    if let Err(missing) = module() {
        return skip(test, missing);
    }
    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    let sha256 = HashAlgorithm { hash: Hash::Sha256, hmac: false };
    let reached = reach_hash("sim-sha256", sha256);
    let Some(accelerator) = reached.accelerator else { return nothing_is_offered(&reached.passed) };
    println!("     over {}", accelerator.interface());
    assert_ne!(accelerator.interface(), "/dev/outboard", "it is not allowed there");

    lines_that_are_not_written_do_not_reach_the_application(&simulated);
    digests_and_hmacs_are_right(&*accelerator, &simulated);
    an_unchecked_driver_is_not_used_for_aeads();
    let run = |arguments: &[&str]| {
        succeeded(&Command::new(&outboard).args(arguments).output().expect("the command runs"), arguments)
    };
    run(&["check", "--for", "0", AEAD_DRIVERS[0], AEAD_DRIVERS[1]]);
    ciphers_that_authenticate_are_right(&simulated, &outboard);
    run(&["check", "--forget", AEAD_DRIVERS[0], AEAD_DRIVERS[1]]);
    an_unchecked_driver_is_not_used_for_aeads();
}

/// The buffer of a result has had another result before.
fn lines_that_are_not_written_do_not_reach_the_application(simulated: &Simulated) {
    let settings = [("THRESHOLDS", "ALL:0"), ("LOOKAHEAD", "OFF"), ("SHADOW_CHECKS", "0")];
    for (name, driver) in [("AES-128-CBC", "sim-cbc-aes"), ("AES-256-CTR", "sim-ctr-aes")] {
        for process in 0..5 {
            // The first results are compared in full.
            simulated.fault(&format!("{driver} unwritten after={} count=1", 40 + 7 * process));
            in_own_process(|| {
                let world = world(&[driver], &settings);
                assert_eq!(wrong_results(&world, name, process, 80), Some(0), "{name}");
                let counts = world.counts_of(name);
                assert_eq!((counts.failures, counts.mismatches), (1, 0), "{name}: {counts:?}");
            });
            simulated.fault("clear");
        }
    }
}

/// No kernel interface reaches it.
fn nothing_is_offered(passed: &[Error]) {
    let passed: Vec<String> = passed.iter().map(ToString::to_string).collect();
    assert!(passed.len() == 3 && passed[2].contains("closed AF_ALG to accelerators"), "{passed:?}");
    let world = all_digests("ALL:1");
    assert!(DIGESTS.iter().all(|name| world.hard_digest(name).is_none()) && world.hard_hmac().is_none());
    an_unchecked_driver_is_not_used_for_aeads();
}

fn an_unchecked_driver_is_not_used_for_aeads() {
    let reached = reach(AEAD_DRIVERS[0], Algorithm::GcmAes, TagCheck::Missing);
    let why: Vec<String> = reached.passed.iter().map(ToString::to_string).collect();
    assert!(why.len() == 2 && why[1].contains("outboard check sim-gcm-aes"), "{why:?}");
    assert_eq!(aeads(&world(&AEAD_DRIVERS, &[])), 0);
}

fn digests_and_hmacs_are_right(sha256: &dyn Accelerator<dyn HashSession>, simulated: &Simulated) {
    let soft = all_digests("ALL:1").soft_digest("SHA256");
    a_session_is_its_process_own(sha256, &soft);
    for threshold in ["ALL:1", "ALL:4096"] {
        let world = all_digests(threshold);
        digests::any_sequence_of_calls_is_answered_alike(&world, 12);
        hmacs::any_sequence_of_calls_is_answered_alike(&world, 12);
        let done = world.counts();
        assert!(done.hw_requests > 0 && (done.failures, done.mismatches) == (0, 0), "{threshold}: {done:?}");
    }
    for fault in ["all error 5 every=2", "all garbage every=3"] {
        in_own_process(|| {
            let world = all_digests("ALL:1");
            simulated.fault(fault);
            for name in DIGESTS {
                let (hard, soft) = (world.hard_digest(name).expect("offered"), world.soft_digest(name));
                // Also messages that are too long for a request.
                for length in [5000, 150_000, 64, 300_000, 65_536, 1000] {
                    let message = bytes(length as u64, length);
                    assert_eq!(hard.of(&message), soft.of(&message), "{fault}: {name}, {length} bytes");
                }
            }
            hmacs::any_sequence_of_calls_is_answered_alike(&world, 4);
            simulated.fault("clear");
            let done = world.counts();
            assert!(done.failures + done.mismatches > 0, "{fault}: {done:?}");
        });
    }
}

fn ciphers_that_authenticate_are_right(simulated: &Simulated, outboard: &Path) {
    let forced = world(&AEAD_DRIVERS, &[("THRESHOLDS", "ALL:1"), ("SHADOW_CHECKS", "2")]);
    assert_eq!(aeads(&forced), AEADS.len());
    aead::the_published_vectors_hold(&forced);
    aead::chosen_sequences_are_answered_alike(&forced);
    aead::records_are_sealed_and_opened_alike(&forced, &AEADS);
    let mixed = world(&AEAD_DRIVERS, &[("THRESHOLDS", "ALL:17")]);
    aead::any_sequence_of_calls_is_answered_alike(&mixed, 24);
    for done in [forced.counts(), mixed.counts()] {
        assert!(done.hw_requests > 0 && (done.failures, done.mismatches) == (0, 0), "{done:?}");
    }
    for fault in ["all error 5 every=2", "all garbage every=3"] {
        in_own_process(|| {
            let world = world(&AEAD_DRIVERS, &[("THRESHOLDS", "ALL:1"), ("SHADOW_CHECKS", "1")]);
            simulated.fault(fault);
            aead::any_sequence_of_calls_is_answered_alike(&world, 4);
            aead::chosen_sequences_are_answered_alike(&world);
            let done = world.counts();
            assert!(done.failures + done.mismatches > 0, "{fault}: {done:?}");
            simulated.fault("clear");
        });
    }
    let arguments = ["ciphers", "--json", "--threshold", "1"];
    let offered = succeeded(&Command::new(outboard).args(arguments).output().expect("it runs"), &arguments);
    assert_eq!(offered.matches("\"driver\": \"sim-gcm-aes\"").count(), 3, "{offered}");
}
