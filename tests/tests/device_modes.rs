//! Every cipher other than AES in CBC mode, with the simulated accelerator over /dev/outboard.

use std::fs;
use std::path::Path;
use std::process::Command;

use outboard_accel::Algorithm;
use outboard_accel::device::Device;
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::child::in_own_process;
use outboard_tests::command::{failed, succeeded};
use outboard_tests::device::count;
use outboard_tests::evp::{Context, Direction};
use outboard_tests::machine::is_allowed;
use outboard_tests::modes;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::stream::Stream;
use outboard_tests::world::{CIPHERS, DriverChoice, OTHER_CIPHERS, Order, World};
use outboard_uapi::SYSFS;

const DRIVERS: [&str; 4] = ["sim-ctr-aes", "sim-ecb-aes", "sim-xts-aes", "sim-cbc-des3-ede"];

fn world(settings: &[(&str, &str)]) -> World {
    let choice = DriverChoice::Simulated(DRIVERS.join(","));
    World::new(choice, settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
}

/// The module's counters of a driver.
#[track_caller]
fn requests(driver: &str) -> u64 {
    count(&format!("drivers/{driver}/requests"))
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn ciphers_of_every_mode_go_to_the_accelerator_and_are_right() {
    let test = "ciphers_of_every_mode_go_to_the_accelerator_and_are_right";
    let Some(Reachable { simulated, outboard, .. }) = Simulated::reachable(test) else { return };

    root_is_asked_first();
    before_linux_7_2_af_alg_leads_there_too();
    each_driver_is_allowed_when_its_answers_are_right(&outboard, &simulated);
    each_cipher_is_offered_for_its_own_driver();
    each_request_is_done_by_the_driver();
    every_sequence_and_length_is_right();
    a_stream_ends_right_when_requests_fail(&simulated);
    a_wrong_answer_is_never_shown(&simulated);
    in_own_process(|| a_driver_that_becomes_wrong_is_noticed(&simulated));
    the_limits_of_a_driver_are_kept();
}

fn root_is_asked_first() {
    for (driver, algorithm) in DRIVERS.into_iter().zip(&Algorithm::ALL[1..]) {
        let error = Device::reach(driver, *algorithm).err().expect("it is not allowed").to_string();
        assert!(error.contains(&format!("outboard allow {driver}")), "{error}");
    }
}

/// Without permission of root, as with AF_ALG.
fn before_linux_7_2_af_alg_leads_there_too() {
    let world = world(&[("THRESHOLDS", "ALL:1")]);
    if world.hard_if_offered(OTHER_CIPHERS[0]).is_some() {
        modes::the_published_vectors_hold(&world);
    }
}

/// `outboard check` compares them with its own plain code.
fn each_driver_is_allowed_when_its_answers_are_right(outboard: &Path, simulated: &Simulated) {
    let run = |arguments: &[&str]| Command::new(outboard).args(arguments).output().expect("the command runs");
    for driver in DRIVERS {
        simulated.fault(&format!("{driver} wrong every=40"));
        let arguments = ["allow", "--now", driver];
        let text = failed(&run(&arguments), &arguments, 1);
        assert!(text.contains("the result is wrong from byte"), "{text}");
        assert!(!is_allowed(driver));
        simulated.fault("clear");
        succeeded(&run(&["check", "--forget", driver]), &["check", "--forget", driver]);
        let text = succeeded(&run(&arguments), &arguments);
        assert!(text.contains("every result right") && is_allowed(driver), "{text}");
    }
}

fn each_cipher_is_offered_for_its_own_driver() {
    for (number, driver) in DRIVERS.iter().enumerate() {
        let choice = DriverChoice::Simulated((*driver).to_owned());
        let world = World::new(choice, &[], Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
        let offered = |algorithm: &&str| world.hard_if_offered(algorithm).is_some();
        let expected = [&OTHER_CIPHERS[..3], &OTHER_CIPHERS[3..6], &OTHER_CIPHERS[6..8], &OTHER_CIPHERS[8..]];
        let found: Vec<&str> = CIPHERS.iter().chain(&OTHER_CIPHERS).copied().filter(|a| offered(a)).collect();
        assert_eq!(found, expected[number], "{driver}");
    }
    let chosen = world(&[("CIPHERS", "AES-256-CTR,DES-EDE3-CBC")]);
    let offered = OTHER_CIPHERS.map(|algorithm| chosen.hard_if_offered(algorithm).is_some());
    assert_eq!(offered, OTHER_CIPHERS.map(|algorithm| ["AES-256-CTR", "DES-EDE3-CBC"].contains(&algorithm)));
}

fn each_request_is_done_by_the_driver() {
    let world = world(&[("THRESHOLDS", "ALL:4096")]);
    for (number, algorithm) in OTHER_CIPHERS.iter().enumerate() {
        let driver = DRIVERS[[0, 0, 0, 1, 1, 1, 2, 2, 3][number]];
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let (before, before_there) = (world.counts(), requests(driver));
            let outputs = [&hard, &soft].map(|cipher| {
                let key = bytes(7, cipher.key_length());
                let mut context = Context::keyed(cipher, &key, &[9; 16], direction);
                context.set_padding(false).expect("padding off");
                let mut output = vec![0; 5 * 4096 + 16];
                context.update(&bytes(8, 4096), &mut output).expect("update");
                context.update(&bytes(8, 4 * 4096), &mut output[4096..]).expect("update");
                output
            });
            assert_same(&outputs[0], &outputs[1], algorithm);
            let done = world.counts() - before;
            assert_eq!((done.hw_requests, done.hw_bytes, done.sw_requests), (2, 5 * 4096, 0), "{algorithm}");
            assert_eq!(requests(driver) - before_there, 2, "{algorithm} by {driver}");
        }
        // 64 KiB in one update: in chunks where the mode can be split.
        let cut = !algorithm.contains("XTS") && !algorithm.contains("DES");
        let before = requests(driver);
        let mut context = Context::keyed(&hard, &bytes(7, hard.key_length()), &[9; 16], Direction::Encrypt);
        context.update(&bytes(8, 1 << 16), &mut vec![0; (1 << 16) + 16]).expect("update");
        assert_eq!(requests(driver) - before, if cut { 4 } else { 1 }, "{algorithm}: 64 KiB at once");
    }
}

fn every_sequence_and_length_is_right() {
    let forced = world(&[("THRESHOLDS", "ALL:1")]);
    modes::the_published_vectors_hold(&forced);
    modes::chosen_sequences_are_answered_alike(&forced);
    modes::descriptions_are_the_default_providers(&forced);
    modes::records_of_triple_des_are_sealed_and_opened_alike(&forced);
    modes::counters_carry_and_wrap(&forced);
    modes::any_sequence_of_calls_is_answered_alike(&world(&[("THRESHOLDS", "ALL:17")]), 27);
    modes::each_update_of_xts_is_a_data_unit(&world(&[("THRESHOLDS", "ALL:512")]));
    modes::either_provider_decrypts_what_the_other_encrypted(&world(&[("THRESHOLDS", "ALL:1024")]));
}

fn a_stream_ends_right_when_requests_fail(simulated: &Simulated) {
    for algorithm in OTHER_CIPHERS {
        let world = world(&[("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off")]);
        let before = world.counts();
        simulated.fault("all error 5 every=2");
        pieces_are_right(&world, algorithm);
        simulated.fault("clear");
        let done = world.counts() - before;
        assert!(done.failures > 0 && done.mismatches == 0, "{algorithm}: {done:?}");
    }
}

fn a_wrong_answer_is_never_shown(simulated: &Simulated) {
    for algorithm in OTHER_CIPHERS {
        in_own_process(|| {
            let world = world(&[("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off")]);
            // The first result for each key is compared with that of software, and repeated.
            simulated.fault("all garbage count=2");
            pieces_are_right(&world, algorithm);
            simulated.fault("clear");
            assert_eq!(world.counts().mismatches, 1, "{algorithm}");
        });
    }
}

/// Each result is compared in full here; the default does so with one in 64.
fn a_driver_that_becomes_wrong_is_noticed(simulated: &Simulated) {
    let settings = [("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off"), ("SHADOW_CHECKS", "1")];
    let world = world(&settings);
    let stream = Stream::new(&world.soft("AES-128-CTR"), 1, 60, 1600);
    let mut journey = stream.start(&world.hard("AES-128-CTR"));
    assert!((0..40).all(|_| journey.go()));
    let before = world.counts();
    assert_eq!((before.hw_requests, before.mismatches), (40, 0), "{before:?}");
    simulated.fault("all garbage");
    assert!(journey.ends_right(), "a wrong result was shown");
    simulated.fault("clear");
    let after = world.counts() - before;
    assert_eq!((after.hw_requests, after.mismatches), (0, 1), "after one wrong result it rests: {after:?}");
}

/// The provider submits no request that the module refuses.
fn the_limits_of_a_driver_are_kept() {
    let allow_anew = |limits: &str| {
        for driver in DRIVERS {
            fs::write(format!("{SYSFS}/disallow"), driver).expect("it was allowed");
            fs::write(format!("{SYSFS}/allow"), format!("{driver}{limits}")).expect("as root");
        }
    };
    allow_anew(" length=8192 requests=2 one-direction");
    in_own_process(|| {
        let world = world(&[("THRESHOLDS", "ALL:1"), ("KEY_BYTES", "0"), ("LOG_LEVEL", "off")]);
        for algorithm in OTHER_CIPHERS {
            let before = world.counts();
            for (direction, length) in [Direction::Encrypt, Direction::Decrypt, Direction::Encrypt]
                .into_iter()
                .flat_map(|direction| [4096, 80 * 1024, 8192].map(|length| (direction, length)))
            {
                let outputs = [world.hard(algorithm), world.soft(algorithm)].map(|cipher| {
                    let key = bytes(7, cipher.key_length());
                    let mut context = Context::keyed(&cipher, &key, &[9; 16], direction);
                    context.set_padding(false).expect("padding off");
                    let mut output = vec![0; length + 16];
                    context.update(&bytes(8, length), &mut output).expect("update");
                    output
                });
                assert_same(&outputs[0], &outputs[1], algorithm);
            }
            let done = world.counts() - before;
            assert!(done.hw_requests >= 6, "{algorithm}: {done:?}");
            assert_eq!((done.failures, done.mismatches), (0, 0), "{algorithm}: {done:?}");
        }
    });
    allow_anew("");
}

/// A stream of chunks in place, each above the threshold.
#[track_caller]
fn pieces_are_right(world: &World, algorithm: &str) {
    let outputs = [world.hard(algorithm), world.soft(algorithm)].map(|cipher| {
        let mut context =
            Context::keyed(&cipher, &bytes(7, cipher.key_length()), &[9; 16], Direction::Encrypt);
        let mut all = Vec::new();
        for piece in 0..6 {
            let mut buffer = bytes(piece, 4096 + 16);
            let written = context.update_in_place(&mut buffer, 4096).expect("update");
            all.extend_from_slice(&buffer[..written]);
        }
        all
    });
    assert_same(&outputs[0], &outputs[1], algorithm);
}
