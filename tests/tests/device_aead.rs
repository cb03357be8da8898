//! AEADs, with the simulated accelerator over /dev/outboard.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use outboard_accel::{Algorithm, reach};
use outboard_drivers::reach::TagCheck;
use outboard_tests::aead::{self, opened};
use outboard_tests::aead_script::sealed;
use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::child::in_own_process;
use outboard_tests::command::{failed, succeeded};
use outboard_tests::device::count;
use outboard_tests::lane::is_full_lane;
use outboard_tests::machine::is_allowed;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::tls::{Session, put_certificate};
use outboard_tests::world::{AEADS, DriverChoice, Order, World, write_text};

const DRIVERS: [(&str, Algorithm); 2] =
    [("sim-gcm-aes", Algorithm::GcmAes), ("sim-ccm-aes", Algorithm::CcmAes)];

fn world(settings: &[(&str, &str)]) -> World {
    let choice = DriverChoice::Simulated(DRIVERS.map(|(driver, _)| driver).join(","));
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
fn ciphers_that_authenticate_go_to_the_accelerator_and_are_right() {
    let test = "ciphers_that_authenticate_go_to_the_accelerator_and_are_right";
    let Some(Reachable { simulated, outboard, openssl }) = Simulated::reachable(test) else { return };

    the_driver_must_be_allowed_and_checked_first();
    each_driver_is_allowed_when_its_answers_are_right(&outboard, &simulated);
    each_cipher_is_offered_for_its_own_driver();
    each_message_is_one_request_of_the_driver();
    every_sequence_gives_equal_results();
    messages_are_right_when_requests_fail(&simulated);
    a_wrong_answer_is_never_shown(&simulated);
    a_driver_that_rejects_three_genuine_messages_is_not_used_again(&simulated);
    tls_sessions_go_to_the_accelerator(&openssl);
}

fn the_driver_must_be_allowed_and_checked_first() {
    for (driver, algorithm) in DRIVERS {
        let reached = reach(driver, algorithm, TagCheck::Missing);
        assert!(reached.accelerator.is_none());
        let why: Vec<String> = reached.passed.iter().map(ToString::to_string).collect();
        assert!(why[0].contains(&format!("outboard allow {driver}")), "{why:?}");
        assert!(why.len() == 2 && why[1].contains(&format!("outboard check {driver}")), "{why:?}");
    }
    let settings = [("LOG_LEVEL", "off")];
    assert!(AEADS.into_iter().all(|algorithm| world(&settings).hard_if_offered(algorithm).is_none()));
}

/// `outboard check` compares them with its own plain code, also for forged messages.
fn each_driver_is_allowed_when_its_answers_are_right(outboard: &Path, simulated: &Simulated) {
    let run = |arguments: &[&str]| Command::new(outboard).args(arguments).output().expect("the command runs");
    for (driver, _) in DRIVERS {
        let arguments = ["allow", "--now", driver];
        for (fault, found) in [("error 5 every=100", "sim"), ("wrong every=40", "wrong")] {
            simulated.fault(&format!("{driver} {fault}"));
            let text = failed(&run(&arguments), &arguments, 1);
            assert!(text.contains(found), "{text}");
            assert!(!is_allowed(driver));
            simulated.fault("clear");
        }
        succeeded(&run(&["check", "--forget", driver]), &["check", "--forget", driver]);
        let text = succeeded(&run(&arguments), &arguments);
        assert!(text.contains("every result right") && is_allowed(driver), "{text}");
    }
    let arguments = ["check", "--for", "0", "--json", DRIVERS[0].0];
    let text = succeeded(&run(&arguments), &arguments);
    assert!(text.contains("\"verdict\": \"exact\""), "{text}");

    let [(first, _), (second, algorithm)] = DRIVERS;
    succeeded(&run(&["disallow", "--now", second]), &["disallow"]);
    // Before Linux 7.2 AF_ALG leads to it.
    if reach(second, algorithm, TagCheck::Passed).accelerator.is_none() {
        // The first one uses up the time.
        let arguments = ["check", "--for", "1s", "--json", first, second];
        let text = succeeded(&run(&arguments), &arguments);
        assert!(
            text.contains("\"verdict\": \"unreached\"") && text.contains("\"not_checked\": []"),
            "{text}"
        );
    }
    succeeded(&run(&["allow", "--now", second]), &["allow"]);
}

fn each_cipher_is_offered_for_its_own_driver() {
    for (number, (driver, _)) in DRIVERS.iter().enumerate() {
        let choice = DriverChoice::Simulated((*driver).to_owned());
        let world = World::new(choice, &[], Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
        let found: Vec<&str> =
            AEADS.into_iter().filter(|algorithm| world.hard_if_offered(algorithm).is_some()).collect();
        assert_eq!(found, AEADS[3 * number..][..3], "{driver}");
    }
}

/// Each length above the threshold and each tag length: one request, and none in software.
fn each_message_is_one_request_of_the_driver() {
    let world = world(&[("THRESHOLDS", "ALL:4096")]);
    for (number, algorithm) in AEADS.into_iter().enumerate() {
        let is_ccm = number >= 3;
        let driver = DRIVERS[usize::from(is_ccm)].0;
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        let (key, nonce, aad) = (bytes(7, hard.key_length()), array(9), bytes(3, 13));
        for (length, tag, by_driver) in [
            (4095, 16, 0),
            (4096, 16, 1),
            (16_401, if is_ccm { 8 } else { 16 }, 1),
            (65_536, 16, 1),
            (65_537, 16, 0),
        ] {
            let plain = bytes(8, length);
            let (before, before_there) = (world.counts(), requests(driver));
            let [got, expected] = [&hard, &soft]
                .map(|cipher| sealed(cipher, is_ccm, (12, tag), &key, &nonce, &aad, &plain).expect("sealed"));
            assert_eq!(got, expected, "{algorithm}, {length} bytes");
            let (back, outcome) = opened(&hard, &key, &nonce, &aad, &got.0, &got.1);
            outcome.expect("opened");
            assert_same(&back, &plain, algorithm);
            let done = world.counts() - before;
            let expected = (2 * by_driver, 2 * by_driver * length as u64);
            assert_eq!((done.hw_requests, done.hw_bytes), expected, "{algorithm}, {length}: {done:?}");
            assert_eq!(requests(driver) - before_there, 2 * by_driver, "{algorithm} by {driver}");
        }
    }
    let counts = world.counts();
    assert_eq!((counts.failures, counts.mismatches), (0, 0), "{counts:?}");
}

fn every_sequence_gives_equal_results() {
    let forced = world(&[("THRESHOLDS", "ALL:1"), ("SHADOW_CHECKS", "2")]);
    aead::the_published_vectors_hold(&forced);
    aead::descriptions_are_the_default_providers(&forced);
    aead::chosen_sequences_are_answered_alike(&forced);
    aead::records_are_sealed_and_opened_alike(&forced, &AEADS);
    let [mixed, larger] = ["ALL:17", "ALL:1024"].map(|threshold| world(&[("THRESHOLDS", threshold)]));
    aead::any_sequence_of_calls_is_answered_alike(&mixed, 60);
    aead::either_provider_opens_what_the_other_sealed(&larger);
    for world in [forced, mixed, larger] {
        let done = world.counts();
        assert!(done.hw_requests > 0 && (done.failures, done.mismatches) == (0, 0), "{done:?}");
    }
}

/// A failed request is repeated in software, in the middle of any sequence.
fn messages_are_right_when_requests_fail(simulated: &Simulated) {
    for fault in ["all error 5 every=2", "all garbage every=3"] {
        simulated.fault(fault);
        for _ in 0..if is_full_lane() { 2 } else { 1 } {
            // Each disables its driver after some failures.
            in_own_process(|| {
                let settings = [("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off"), ("SHADOW_CHECKS", "1")];
                let world = world(&settings);
                aead::any_sequence_of_calls_is_answered_alike(&world, 8);
                if is_full_lane() {
                    aead::chosen_sequences_are_answered_alike(&world);
                }
                let counts = world.counts();
                assert!(counts.failures + counts.mismatches > 0, "{fault}: {counts:?}");
            });
        }
        simulated.fault("clear");
    }
}

fn a_wrong_answer_is_never_shown(simulated: &Simulated) {
    for (number, algorithm) in AEADS.into_iter().enumerate() {
        for decrypts in [false, true] {
            in_own_process(|| {
                let world = world(&[("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off")]);
                let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
                let (key, nonce, aad, plain) =
                    (bytes(7, hard.key_length()), array(9), bytes(3, 13), bytes(4, 4096));
                let seal = |cipher| {
                    sealed(cipher, number >= 3, (12, 16), &key, &nonce, &aad, &plain).expect("sealed")
                };
                let right = seal(&soft);
                // The first result for each key is compared with that of software, and repeated.
                simulated.fault("all garbage count=2");
                if decrypts {
                    let (back, outcome) = opened(&hard, &key, &nonce, &aad, &right.0, &right.1);
                    outcome.expect("opened");
                    assert_same(&back, &plain, algorithm);
                } else {
                    assert_eq!(seal(&hard), right, "{algorithm}");
                }
                simulated.fault("clear");
                assert_eq!(world.counts().mismatches, 1, "{algorithm}");
            });
        }
    }
}

/// EBADMSG for a correct tag: software decides.
fn a_driver_that_rejects_three_genuine_messages_is_not_used_again(simulated: &Simulated) {
    for (number, algorithm) in AEADS.into_iter().enumerate() {
        in_own_process(|| {
            let world = world(&[("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off")]);
            let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
            let (key, nonce, aad, plain) =
                (bytes(7, hard.key_length()), array(9), bytes(3, 13), bytes(4, 4096));
            let (text, tag) =
                sealed(&soft, number >= 3, (12, 16), &key, &nonce, &aad, &plain).expect("sealed");
            let mut forged = tag.clone();
            forged[15] ^= 0x80;
            // It may reject forged messages.
            assert_eq!(opened(&hard, &key, &nonce, &aad, &text, &forged).1.returned, 0, "{algorithm}");
            assert_eq!(world.counts().failures, 0, "{algorithm}");
            simulated.fault(&format!("all error {}", libc::EBADMSG));
            for rejected in [1, 2, 3, 3] {
                let (back, outcome) = opened(&hard, &key, &nonce, &aad, &text, &tag);
                outcome.expect("opened");
                assert_same(&back, &plain, algorithm);
                let counts = world.counts();
                assert_eq!((counts.failures, counts.mismatches), (rejected, 0), "{algorithm}");
            }
            simulated.fault("clear");
        });
    }
}

/// Files over TLS 1.2 and 1.3, with the provider on either side or on both.
fn tls_sessions_go_to_the_accelerator(openssl: &Path) {
    const SIZE: usize = 2_000_000;
    let world = world(&[("THRESHOLDS", "ALL:4096")]);
    let folder = world.folder();
    let configs = [true, false].map(|outboard| config(&world, outboard));
    put_certificate(openssl, &configs[1], folder);
    fs::write(folder.join("file"), bytes(1, SIZE)).expect("a file to send");
    let kinds = [
        ("-tls1_3", "TLS_AES_128_CCM_SHA256", false, true),
        ("-tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", true, true),
        ("-tls1_3", "TLS_AES_256_GCM_SHA384", true, false),
        ("-tls1_3", "TLS_AES_128_GCM_SHA256", true, true),
        ("-tls1_2", "ECDHE-RSA-AES256-GCM-SHA384", false, true),
    ];
    let count = if is_full_lane() { kinds.len() } else { 3 };
    for (version, suite, server, client) in kinds.into_iter().take(count) {
        let session = Session {
            openssl,
            folder,
            version,
            suite,
            server: &configs[usize::from(!server)],
            client: &configs[usize::from(!client)],
        };
        for up in [true, false] {
            let what = format!("{version} {suite}, server {server}, client {client}, up {up}");
            let before = world.counts();
            let carried = if up { session.upload(&folder.join("file")) } else { session.download("file") };
            let received = carried.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_same(&received.bytes, &bytes(1, SIZE), &what);
            let done = world.counts() - before;
            let sides = u64::from(server) + u64::from(client);
            assert!(done.hw_bytes >= sides * (SIZE as u64) * 95 / 100, "{what}: {done:?}");
            assert_eq!((done.failures, done.mismatches), (0, 0), "{what}: {done:?}");
        }
    }
}

fn config(world: &World, outboard: bool) -> PathBuf {
    let path = world.folder().join(if outboard { "outboard.cnf" } else { "plain.cnf" });
    let ours = if outboard { "outboard = outboard_section\n" } else { "" };
    write_text(&path, &format!("default = default_section\n{ours}"), &world.section, "");
    path
}
