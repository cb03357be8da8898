//! HMAC with the simulated accelerator over /dev/outboard.

use std::fs;
use std::path::Path;
use std::thread;

use outboard_tests::bytes::{assert_same, bytes, hex, hex_digits};
use outboard_tests::child::in_own_process;
use outboard_tests::command::{run, status_and_output};
use outboard_tests::device::count;
use outboard_tests::digests::DIGESTS;
use outboard_tests::evp::{Hmac, HmacContext};
use outboard_tests::hmacs::any_sequence_of_calls_is_answered_alike;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::threads::join;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tls::{Session, put_certificate};
use outboard_tests::world::{DriverChoice, Order, World, write_text};

const DRIVERS: [&str; 5] =
    ["sim-hmac-sha1", "sim-hmac-sha224", "sim-hmac-sha256", "sim-hmac-sha384", "sim-hmac-sha512"];

fn world_of(drivers: &str, settings: &[(&str, &str)]) -> World {
    let settings: Vec<_> = [("LOG_LEVEL", "off")].into_iter().chain(settings.iter().copied()).collect();
    World::new(DriverChoice::Simulated(drivers.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The length from which all messages go to the driver.
fn world(threshold: &str) -> World {
    world_of(&DRIVERS.join(","), &[("DIGESTS", "ALL"), ("THRESHOLDS", threshold)])
}

fn hard(world: &World) -> Hmac {
    world.hard_hmac().expect("HMAC is offered")
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn hmacs_go_to_the_accelerator_where_they_are_wanted_and_are_right() {
    let test = "hmacs_go_to_the_accelerator_where_they_are_wanted_and_are_right";
    let Some(Reachable { simulated, openssl, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);

    it_is_offered_where_digests_names_a_digest_that_a_driver_has();
    a_context_has_the_parameters_of_the_default_provider();
    published_values_come_out_of_the_driver();
    from_the_threshold_on_a_message_goes_to_the_driver();
    any_sequence_of_calls_returns_what_the_default_provider_does();
    calls_after_the_end_of_a_message_return_what_the_default_provider_does();
    copies_have_the_key_and_share_its_session();
    a_key_that_no_driver_accepts_is_used_in_software();
    threads_use_one_key_at_the_same_time();
    results_are_right_when_requests_fail_or_return_wrong_data(&simulated);
    software_replaces_a_device_that_is_unplugged_and_it_is_used_when_it_is_back(&simulated);
    a_failed_call_leaves_no_key_to_a_driver();
    records_of_tls_are_authenticated_by_the_driver(&openssl);
    openssl_authenticates_a_file_by_the_driver(&openssl);
    // The worlds were dropped, and with them all their objects in the kernel.
    assert_eq!((count("arenas"), count("requests")), (0, 0));
}

fn it_is_offered_where_digests_names_a_digest_that_a_driver_has() {
    let all = DRIVERS.join(",");
    for (drivers, digests, offered) in [
        (&*all, "NONE", false),
        (&*all, "SHA256", true),
        (DRIVERS[0], "ALL", true),
        (DRIVERS[0], "SHA512", false),
        ("sim-sha1", "ALL", false),
    ] {
        let world = world_of(drivers, &[("DIGESTS", digests)]);
        assert_eq!(world.hard_hmac().is_some(), offered, "{drivers}, {digests}");
    }
}

fn a_context_has_the_parameters_of_the_default_provider() {
    let world = world("ALL:1");
    assert_eq!(hard(&world).parameters(), world.soft_hmac().parameters());
}

/// RFC 2202 and RFC 4231, their second examples.
fn published_values_come_out_of_the_driver() {
    let world = world("ALL:0");
    let expected = [
        "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
        "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ];
    for (name, mac) in DIGESTS.into_iter().zip(expected) {
        assert_eq!(hard(&world).of(name, b"Jefe", b"what do ya want for nothing?"), hex(mac), "{name}");
        let done = world.counts_of(&format!("HMAC-{name}"));
        assert_eq!((done.hw_requests, done.hw_bytes, done.sw_requests), (1, 28, 0), "{name}: {done:?}");
    }
}

fn from_the_threshold_on_a_message_goes_to_the_driver() {
    let world = world("SHA2-256:5000");
    let (hard, soft, key) = (hard(&world), world.soft_hmac(), bytes(1, 32));
    for (length, piece, requests) in [
        (0, 1, 0),
        (4999, 100, 0),
        (5000, 1, 1),
        (65_536, 65_536, 1),
        (200_000, 4096, 0),
        ((1 << 20) + 1, 32_768, 0),
    ] {
        let message = bytes(length as u64, length);
        let (before, there) = (world.counts(), count("drivers/sim-hmac-sha256/requests"));
        let mut context = HmacContext::new(&hard);
        context.begin(Some("sha256"), Some(&key)).expect("init");
        message.chunks(piece).for_each(|piece| assert_eq!(context.update(piece).returned, 1));
        let (outcome, mac) = context.finish();
        outcome.expect("final");
        drop(context);
        assert_eq!(mac, soft.of("SHA2-256", &key, &message), "{length} bytes in pieces of {piece}");
        let done = world.counts() - before;
        let hardware = u64::from(requests > 0);
        assert_eq!((done.hw_requests, done.sw_requests), (hardware, 1 - hardware), "{length}: {done:?}");
        assert_eq!(done.hw_bytes + done.sw_bytes, length as u64, "{length}: {done:?}");
        assert_eq!(count("drivers/sim-hmac-sha256/requests") - there, requests, "{length} by {piece}");
    }
}

fn any_sequence_of_calls_returns_what_the_default_provider_does() {
    for threshold in ["ALL:0", "ALL:129", "ALL:4096"] {
        let world = world(threshold);
        any_sequence_of_calls_is_answered_alike(&world, 32);
        let done = world.counts();
        assert!(done.hw_requests > 0 && done.failures == 0 && done.mismatches == 0, "{threshold}: {done:?}");
    }
}

/// As TLS does for each record.
/// The driver computes the HMAC, and OpenSSL's own context has no byte of the message.
fn calls_after_the_end_of_a_message_return_what_the_default_provider_does() {
    let world = world("ALL:1024");
    let answers = |mac: &Hmac| {
        let mut context = HmacContext::new(mac);
        context.begin(Some("SHA2-256"), Some(&bytes(1, 32))).expect("a key");
        context.update(&bytes(2, 4096)).expect("a message");
        let (first, hmac) = context.finish();
        let again = context.finish().0.returned;
        let (more, end) = (context.update(&bytes(3, 100)).returned, context.finish().0.returned);
        context.begin(None, None).expect("the same key");
        context.update(&bytes(2, 4096)).expect("a message");
        (first, hmac, again, more, end, context.finish())
    };
    let before = world.counts().hw_requests;
    assert_eq!(answers(&hard(&world)), answers(&world.soft_hmac()));
    assert_eq!(world.counts().hw_requests, before + 2);
}

fn copies_have_the_key_and_share_its_session() {
    let world = world("ALL:1000");
    let (hard, soft, key) = (hard(&world), world.soft_hmac(), bytes(7, 20));
    let sessions = count("sessions");
    let mut keyed = HmacContext::new(&hard);
    keyed.begin(Some("SHA1"), Some(&key)).expect("init");
    for number in 0..40 {
        let message = bytes(number, 3000);
        let mut record = keyed.copy();
        record.update(&message[..13]).expect("update");
        record.update(&message[13..]).expect("update");
        assert_eq!(record.finish().1, soft.of("SHA1", &key, &message), "record {number}");
    }
    assert_eq!(count("sessions"), sessions + 1, "one for the key, and it stays");
    let done = world.counts();
    assert_eq!((done.hw_requests, done.failures, done.mismatches), (40, 0, 0), "{done:?}");
    drop(keyed);
    assert_eq!(count("sessions"), sessions);
}

fn a_key_that_no_driver_accepts_is_used_in_software() {
    let world = world("ALL:1");
    let (hard, soft, message) = (hard(&world), world.soft_hmac(), bytes(3, 5000));
    for (digest, key) in [("SHA3-256", 32), ("SHA1", 65), ("SHA2-512", 129), ("SHA2-256", 0)] {
        let key = bytes(4, key);
        assert_eq!(hard.of(digest, &key, &message), soft.of(digest, &key, &message), "{digest}");
    }
    // Only the default provider keeps the padding of a record secret.
    let macs = [&hard, &soft].map(|hmac| {
        let mut context = HmacContext::new(hmac);
        context.begin(Some("SHA1"), Some(&bytes(5, 20))).expect("init");
        context.set_key(&mut bytes(5, 20)).expect("a key");
        context.set_tls_data_size(4096).expect("the length of a record");
        context.update(&bytes(6, 13)).expect("a header");
        context.update(&bytes(7, 4000)).expect("a record");
        context.finish()
    });
    assert_eq!(macs[0], macs[1]);
    assert_eq!(world.counts().hw_requests, 0);
}

fn threads_use_one_key_at_the_same_time() {
    let world = world("ALL:1");
    let (hard, soft, key) = (hard(&world), world.soft_hmac(), bytes(8, 48));
    let mut keyed = HmacContext::new(&hard);
    keyed.begin(Some("SHA384"), Some(&key)).expect("init");
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..12_u64 {
            let (keyed, soft, key) = (&keyed, &soft, &key);
            threads.push(scope.spawn(move || {
                for round in 0..8 {
                    let message = bytes(number, 100 + 9000 * round);
                    let mut copy = keyed.copy();
                    copy.update(&message).expect("update");
                    assert_eq!(copy.finish().1, soft.of("SHA384", key, &message), "thread {number}");
                }
            }));
        }
        join(threads);
    });
    let done = world.counts();
    assert!(done.hw_requests > 0 && done.failures == 0 && done.mismatches == 0, "{done:?}");
}

fn results_are_right_when_requests_fail_or_return_wrong_data(simulated: &Simulated) {
    for name in DIGESTS {
        for (fault, failures, mismatches) in [("all error 5 every=2", 3, 0), ("all garbage after=2", 0, 1)] {
            in_own_process(|| {
                let world = world("ALL:1");
                let (hard, soft, key) = (hard(&world), world.soft_hmac(), bytes(9, 32));
                let mut keyed = HmacContext::new(&hard);
                keyed.begin(Some(name), Some(&key)).expect("init");
                simulated.fault(fault);
                // Those above 64 KiB are software's.
                for length in [5000, 150_000, 64, 300_000, 65_536, 1000, 20_000, 3000] {
                    let message = bytes(length as u64, length);
                    let mut copy = keyed.copy();
                    copy.update(&message).expect("update");
                    assert_eq!(copy.finish().1, soft.of(name, &key, &message), "{name}, {length}, {fault}");
                }
                simulated.fault("clear");
                let done = world.counts();
                assert_eq!(
                    (done.failures, done.mismatches),
                    (failures, mismatches),
                    "{name}, {fault}: {done:?}"
                );
            });
        }
    }
}

fn software_replaces_a_device_that_is_unplugged_and_it_is_used_when_it_is_back(simulated: &Simulated) {
    let world = world("ALL:1");
    let (hard, soft, key, message) = (hard(&world), world.soft_hmac(), bytes(13, 32), bytes(14, 60_000));
    let expected = soft.of("SHA1", &key, &message);
    let mut keyed = HmacContext::new(&hard);
    keyed.begin(Some("SHA1"), Some(&key)).expect("init");
    let record = || {
        let mut copy = keyed.copy();
        copy.update(&message).expect("update");
        copy.finish().1
    };
    assert_eq!(record(), expected);
    let mut begun = keyed.copy();
    begun.update(&message[..30_000]).expect("update");
    simulated.each_device("unbind");
    begun.update(&message[30_000..]).expect("update");
    assert_eq!(begun.finish().1, expected);
    (0..5).for_each(|_| assert_eq!(record(), expected));
    simulated.each_device("bind");
    let before = world.counts();
    wait_until("used again", || {
        assert_eq!(record(), expected);
        world.counts().hw_requests > before.hw_requests
    });
    let done = world.counts() - before;
    assert_eq!((done.failures, done.mismatches), (0, 0), "{done:?}");
}

/// Whatever the default provider computes from both calls, the driver must compute the same.
fn a_failed_call_leaves_no_key_to_a_driver() {
    let world = world("ALL:1");
    let (hard, soft, message) = (hard(&world), world.soft_hmac(), bytes(15, 5000));
    let ends = [&hard, &soft].map(|hmac| {
        let mut context = HmacContext::new(hmac);
        context.begin(Some("SHA2-256"), Some(&bytes(16, 32))).expect("init");
        let failed = context.begin(Some("no such digest"), Some(&bytes(17, 32)));
        assert_eq!(failed.returned, 0);
        (context.begin(None, None), context.update(&message), context.finish())
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!((world.counts().hw_requests, world.counts().mismatches), (0, 0));
}

fn records_of_tls_are_authenticated_by_the_driver(openssl: &Path) {
    let world = world_of(
        &DRIVERS.join(","),
        &[("CIPHERS", "NONE"), ("DIGESTS", "SHA1,SHA2-256"), ("THRESHOLDS", "ALL:4096")],
    );
    let folder = world.folder();
    let (plain, with) = (folder.join("plain.cnf"), folder.join("with.cnf"));
    write_text(&plain, "default = default_section\n", &world.section, "");
    write_text(&with, "default = default_section\noutboard = outboard_section\n", &world.section, "");
    put_certificate(openssl, &plain, folder);
    let sent = bytes(10, 300_000);
    fs::write(folder.join("file"), &sent).expect("a file to send");
    for (suite, row) in [("AES128-SHA", "HMAC-SHA1"), ("ECDHE-RSA-AES128-SHA256", "HMAC-SHA2-256")] {
        // Both sides agree on encrypt-then-MAC, so that no combined cipher with MAC is used.
        let session = Session { openssl, folder, version: "-tls1_2", suite, server: &with, client: &plain };
        let before = world.counts_of(row);
        let received = session.download("file").unwrap_or_else(|error| panic!("{suite}: {error}"));
        assert_same(&received.bytes, &sent, suite);
        let done = world.counts_of(row) - before;
        let records = (sent.len() / 16_384) as u64;
        assert!(done.hw_requests >= records, "{suite}: records were not sent to the driver: {done:?}");
        assert_eq!((done.failures, done.mismatches), (0, 0), "{suite}: {done:?}");
    }
    // The keys of TLS 1.3 are derived with short HMACs.
    let (version, suite) = ("-tls1_3", "TLS_AES_128_GCM_SHA256");
    let session = Session { openssl, folder, version, suite, server: &with, client: &with };
    let before = world.counts_of("HMAC-SHA2-256");
    let received = session.download("file").unwrap_or_else(|error| panic!("{suite}: {error}"));
    assert_same(&received.bytes, &sent, suite);
    let done = world.counts_of("HMAC-SHA2-256") - before;
    assert!(done.sw_requests > 0 && done.hw_requests == 0, "{suite}: {done:?}");
}

fn openssl_authenticates_a_file_by_the_driver(openssl: &Path) {
    let world = world("SHA2-512:4096");
    let (file, key) = (world.folder().join("file"), bytes(11, 64));
    let key_option = format!("hexkey:{}", hex_digits(&key));
    for (length, by_hardware) in [(50_000, true), (500_000, false), (3000, false)] {
        let content = bytes(12, length);
        fs::write(&file, &content).expect("a file");
        let before = world.counts_of("HMAC-SHA2-512");
        let path = file.to_str().expect("a plain name");
        let arguments = ["mac", "-digest", "SHA512", "-macopt", &key_option, "-in", path, "HMAC"];
        let output = run(openssl, &world.config(), &arguments);
        assert!(output.status.success(), "{}", status_and_output(&output));
        let text = String::from_utf8(output.stdout).expect("digits");
        assert_eq!(hex(text.trim()), world.soft_hmac().of("SHA512", &key, &content));
        let done = world.counts_of("HMAC-SHA2-512") - before;
        let expected = if by_hardware { length as u64 } else { 0 };
        assert_eq!((done.hw_bytes, done.hw_bytes + done.sw_bytes), (expected, length as u64), "{done:?}");
    }
}
