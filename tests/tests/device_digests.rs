//! Digests with the simulated accelerator over /dev/outboard.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use outboard_accel::device::Device;
use outboard_accel::{Accelerator as _, Error, Hash, HashAlgorithm};
use outboard_tests::bytes::{bytes, hex};
use outboard_tests::child::{Exit, fork, in_own_process};
use outboard_tests::command::{failed, run, status_and_output, succeeded};
use outboard_tests::device::count;
use outboard_tests::digests::{DIGESTS, Script, Step, any_sequence_of_calls_is_answered_alike, play};
use outboard_tests::evp::{Digest, DigestContext};
use outboard_tests::machine::is_allowed;
use outboard_tests::module::module;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::threads::join;
use outboard_tests::time_limit::wait_until;
use outboard_tests::world::{DriverChoice, Order, World};

const DRIVERS: [&str; 5] = ["sim-sha1", "sim-sha224", "sim-sha256", "sim-sha384", "sim-sha512"];

/// The longest message that goes to a driver.
const MOST: usize = 1 << 20;

fn try_world(drivers: &str, settings: &[(&str, &str)]) -> Result<World, String> {
    World::new(DriverChoice::Simulated(drivers.to_owned()), settings, Order::DefaultFirst)
}

fn world(settings: &[(&str, &str)]) -> World {
    let all: Vec<_> =
        [("DIGESTS", "ALL"), ("LOG_LEVEL", "off")].into_iter().chain(settings.iter().copied()).collect();
    try_world(&DRIVERS.join(","), &all).unwrap_or_else(|error| panic!("{error}"))
}

fn offered(world: &World) -> Vec<&'static str> {
    DIGESTS.into_iter().filter(|name| world.hard_digest(name).is_some()).collect()
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn digests_go_to_the_accelerator_where_they_are_wanted_and_are_right() {
    let test = "digests_go_to_the_accelerator_where_they_are_wanted_and_are_right";
    let Some(Reachable { simulated, outboard, openssl }) = Simulated::reachable(test) else { return };

    root_is_asked();
    each_driver_is_allowed_when_its_answers_are_right(&outboard, &simulated);
    nothing_is_offered_unless_the_configuration_says_so();
    each_digest_is_offered_for_its_own_driver();
    descriptions_are_the_default_providers();
    published_digests_come_out_of_the_driver();
    whole_messages_go_to_the_driver_from_the_threshold_on();
    any_sequence_of_calls_returns_what_the_default_provider_does();
    copies_and_children_are_independent();
    no_message_has_several_requests();
    threads_hash_at_the_same_time();
    a_message_ends_right_when_requests_fail(&simulated);
    a_wrong_digest_is_never_shown(&simulated);
    a_driver_that_does_not_answer_costs_its_time_and_nothing_else(&simulated);
    a_device_that_is_unplugged_in_the_middle_of_a_message_is_not_missed(&simulated);
    openssl_hashes_a_file_by_the_driver(&openssl);
    // The worlds were dropped, and with them all their objects in the kernel. This program has a
    // link of its own.
    outboard_accel::device::close_unused();
    assert_eq!((count("sessions"), count("arenas"), count("requests")), (0, 0, 0));
}

fn algorithm(hash: Hash) -> HashAlgorithm {
    HashAlgorithm { hash, hmac: false }
}

fn root_is_asked() {
    for (driver, hash) in DRIVERS.into_iter().zip(Hash::ALL) {
        let error = Device::reach_hash(driver, algorithm(hash)).err().expect("it is not allowed").to_string();
        assert!(error.contains(&format!("outboard allow {driver}")), "{error}");
    }
}

fn each_driver_is_allowed_when_its_answers_are_right(outboard: &Path, simulated: &Simulated) {
    let run = |arguments: &[&str]| Command::new(outboard).args(arguments).output().expect("the command runs");
    for driver in DRIVERS {
        let arguments = ["allow", "--now", driver];
        if driver == DRIVERS[2] {
            simulated.fault(&format!("{driver} wrong every=40"));
            let text = failed(&run(&arguments), &arguments, 1);
            assert!(text.contains("the result is wrong from byte"), "{text}");
            assert!(!is_allowed(driver));
            simulated.fault("clear");
            succeeded(&run(&["check", "--forget", driver]), &["check", "--forget", driver]);
        }
        let text = succeeded(&run(&arguments), &arguments);
        assert!(text.contains("every result right") && is_allowed(driver), "{text}");
    }
    let arguments = ["check", "--for", "0", DRIVERS[0], DRIVERS[4]];
    let text = succeeded(&run(&arguments), &arguments);
    assert_eq!(text.matches(" exact").count(), 2, "{text}");
}

fn nothing_is_offered_unless_the_configuration_says_so() {
    let drivers = DRIVERS.join(",");
    for settings in [&[][..], &[("DIGESTS", "NONE")], &[("CIPHERS", "ALL"), ("THRESHOLDS", "ALL:0")]] {
        let world = try_world(&drivers, settings).unwrap_or_else(|error| panic!("{error}"));
        assert!(offered(&world).is_empty(), "{settings:?}");
        // The result for applications that prefer the provider.
        let digest = Digest::fetch(&world.context, "SHA2-256", "?provider=outboard").expect("OpenSSL's own");
        digest.of(&bytes(1, 100_000));
        assert_eq!(world.counts().requests(), 0);
    }
    let chosen = world(&[("DIGESTS", "sha256,SHA-1")]);
    assert_eq!(offered(&chosen), ["SHA1", "SHA2-256"]);
    let all = world(&[]);
    assert_eq!(offered(&all), DIGESTS);
    assert!(all.hard_digest("MD5").is_none() && all.hard_digest("SHA2-512/256").is_none());
}

fn each_digest_is_offered_for_its_own_driver() {
    for (driver, name) in DRIVERS.into_iter().zip(DIGESTS) {
        let world = try_world(driver, &[("DIGESTS", "ALL")]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(offered(&world), [name]);
    }
}

fn descriptions_are_the_default_providers() {
    let world = world(&[]);
    let others =
        ["SHA-1", "SSL3-SHA1", "1.3.14.3.2.26", "sha224", "SHA-256", "2.16.840.1.101.3.4.2.1", "SHA512"];
    for name in DIGESTS.into_iter().chain(others) {
        let (hard, soft) = (world.hard_digest(name).expect(name), world.soft_digest(name));
        assert_eq!(hard.description(), soft.description(), "{name}");
        assert_eq!(hard.parameters(), soft.parameters(), "{name}");
    }
}

/// FIPS 180-4's examples, each digest's "abc".
fn published_digests_come_out_of_the_driver() {
    let world = world(&[("THRESHOLDS", "ALL:0")]);
    let expected = [
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ];
    for (name, digest) in DIGESTS.into_iter().zip(expected) {
        assert_eq!(world.hard_digest(name).expect(name).of(b"abc"), hex(digest), "{name}");
    }
    let done = world.counts();
    assert_eq!((done.hw_requests, done.hw_bytes, done.sw_requests), (5, 15, 0), "{done:?}");
}

fn whole_messages_go_to_the_driver_from_the_threshold_on() {
    let world = world(&[("THRESHOLDS", "SHA2-256:20000")]);
    let (hard, soft) = (world.hard_digest("SHA256").expect("offered"), world.soft_digest("SHA256"));
    // Messages and chunks of various lengths: (bytes, chunk, requests to the driver).
    let cases = [
        (0, 1, 0),
        (19_999, 1000, 0),
        (20_000, 1, 1),
        (20_000, 20_000, 1),
        (65_536, 8192, 1),
        // Longer than a request.
        (65_537, 65_537, 0),
        (300_000, 4096, 0),
        (MOST + 1, 32_768, 0),
        (3 * MOST, 3 * MOST, 0),
    ];
    for (length, piece, requests) in cases {
        let message = bytes(length as u64, length);
        let (before, there) = (world.counts(), count("drivers/sim-sha256/requests"));
        let mut context = DigestContext::begun(&hard);
        message.chunks(piece).for_each(|piece| assert_eq!(context.update(piece).returned, 1));
        let (outcome, digest) = context.finish();
        outcome.expect("final");
        drop(context);
        assert_eq!(digest, soft.of(&message), "{length} bytes in pieces of {piece}");
        let done = world.counts() - before;
        let hardware = u64::from(requests > 0);
        assert_eq!(
            (done.hw_requests, done.sw_requests),
            (hardware, 1 - hardware),
            "{length} by {piece}: {done:?}"
        );
        assert_eq!(done.hw_bytes + done.sw_bytes, length as u64, "{length} by {piece}: {done:?}");
        assert_eq!(count("drivers/sim-sha256/requests") - there, requests, "{length} by {piece}");
    }
    // No measurement sets a threshold for it.
    assert!(self::world(&[("THRESHOLDS", "SHA2-256:1")]).hard_digest("SHA512").is_none());
}

fn any_sequence_of_calls_returns_what_the_default_provider_does() {
    let mut in_hardware = 0;
    for threshold in ["ALL:0", "ALL:1", "ALL:129", "ALL:4096", "ALL:32768"] {
        let world = world(&[("THRESHOLDS", threshold)]);
        any_sequence_of_calls_is_answered_alike(&world, 24);
        let done = world.counts();
        assert!(done.failures == 0 && done.mismatches == 0, "{threshold}: {done:?}");
        in_hardware += done.hw_requests;
    }
    // Few random messages have 32 to 64 KiB, and there may be none.
    assert!(in_hardware > 0);
}

/// The defect of the devcrypto engine in OpenSSH and sysupgrade: a copied context, or one that a
/// child inherited, shared the state in the kernel with the original.
fn copies_and_children_are_independent() {
    for threshold in ["ALL:1", "ALL:4096", "ALL:32768"] {
        let world = world(&[("THRESHOLDS", threshold)]);
        let (hard, soft) = (world.hard_digest("SHA1").expect("offered"), world.soft_digest("SHA1"));
        for (before, after) in [(10, 10), (10, 100_000), (5000, 100), (100_000, 100_000), (200_000, 0)] {
            let (first, rest, other) = (bytes(1, before), bytes(2, after), bytes(3, after + 1));
            let expected = [soft.of(&[&first[..], &rest].concat()), soft.of(&[&first[..], &other].concat())];
            let finish = |context: &mut DigestContext, rest: &[u8]| {
                // In two chunks, so that the copy is made in the middle.
                let (one, two) = rest.split_at(rest.len() / 2);
                context.update(one).expect("update");
                context.update(two).expect("update");
                context.finish().1
            };
            let mut context = DigestContext::begun(&hard);
            context.update(&first).expect("update");
            let (mut copy, copied) = context.copy();
            copied.expect("copy");
            let exit = if before > after { Exit::Quick } else { Exit::Clean };
            let child = fork(exit, || {
                finish(&mut context, &other) == expected[1] && finish(&mut copy, &rest) == expected[0]
            });
            assert_eq!(finish(&mut copy, &other), expected[1], "{threshold}: the copy, {before} and {after}");
            assert_eq!(
                finish(&mut context, &rest),
                expected[0],
                "{threshold}: the original, {before} and {after}"
            );
            child.wait().unwrap_or_else(|problem| panic!("{threshold}, {before} and {after}: {problem}"));
        }
        assert_eq!((world.counts().failures, world.counts().mismatches), (0, 0));
    }
}

/// Below the provider: the module keeps no state of a message.
fn no_message_has_several_requests() {
    let device = Device::reach_hash("sim-sha512", algorithm(Hash::Sha512)).expect("allowed");
    let mut session = device.open(&[]).expect("a session");
    let most = session.max_request();
    let whole = session.digest(&bytes(1, most)).expect("one request");
    assert_eq!(whole.as_slice(), world(&[]).soft_digest("SHA512").of(&bytes(1, most)));
    let refused = session.digest(&bytes(1, most + 1));
    assert!(matches!(refused, Err(Error::Misfit { .. })), "{refused:?}");
}

fn threads_hash_at_the_same_time() {
    let world = world(&[("THRESHOLDS", "ALL:1")]);
    let (hard, soft) = (world.hard_digest("SHA384").expect("offered"), world.soft_digest("SHA384"));
    let mut begun = DigestContext::begun(&hard);
    begun.update(&bytes(9, 3000)).expect("update");
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..12_u64 {
            let (hard, soft, begun) = (&hard, &soft, &begun);
            threads.push(scope.spawn(move || {
                for round in 0..8 {
                    let message = bytes(number, 100 + 9000 * round);
                    assert_eq!(hard.of(&message), soft.of(&message), "thread {number}");
                    // Threads may copy one context together.
                    let (mut copy, _) = begun.copy();
                    copy.update(&message).expect("update");
                    assert_eq!(copy.finish().1, soft.of(&[&bytes(9, 3000)[..], &message].concat()));
                }
            }));
        }
        join(threads);
    });
    assert_eq!(begun.finish().1, soft.of(&bytes(9, 3000)));
    let done = world.counts();
    assert!(done.hw_requests > 0 && done.failures == 0 && done.mismatches == 0, "{done:?}");
}

/// Messages of one request, and longer ones.
#[track_caller]
fn messages_are_right(world: &World, name: &str) {
    let (hard, soft) = (world.hard_digest(name).expect("offered"), world.soft_digest(name));
    for length in [5000, 150_000, 64, 300_000, 65_536, 1000] {
        let message = bytes(length as u64, length);
        assert_eq!(hard.of(&message), soft.of(&message), "{name}, {length} bytes");
    }
}

fn a_message_ends_right_when_requests_fail(simulated: &Simulated) {
    for name in DIGESTS {
        let world = world(&[("THRESHOLDS", "ALL:1")]);
        simulated.fault("all error 5 every=2");
        // Those above 64 KiB are software's.
        (0..2).for_each(|_| messages_are_right(&world, name));
        simulated.fault("clear");
        let done = world.counts();
        assert!(done.failures == 3 && done.mismatches == 0, "{name}: three, and it rests: {done:?}");
    }
}

fn a_wrong_digest_is_never_shown(simulated: &Simulated) {
    for name in DIGESTS {
        in_own_process(|| {
            let world = world(&[("THRESHOLDS", "ALL:1")]);
            simulated.fault("all garbage after=2");
            messages_are_right(&world, name);
            simulated.fault("clear");
            let done = world.counts();
            assert_eq!((done.hw_requests, done.mismatches, done.failures), (2, 1, 0), "{name}: {done:?}");
        });
    }
}

fn a_driver_that_does_not_answer_costs_its_time_and_nothing_else(simulated: &Simulated) {
    let timeout = "/sys/module/outboard/parameters/timeout";
    let before = fs::read_to_string(timeout).expect("the module's");
    fs::write(timeout, "1").expect("as root");
    {
        let world = world(&[("THRESHOLDS", "ALL:1")]);
        let timeouts = count("drivers/sim-sha256/timeouts");
        simulated.fault("sim-sha256 never count=1");
        messages_are_right(&world, "SHA2-256");
        simulated.fault("clear");
        let done = world.counts();
        // On a machine that stopped for a second, other requests were late too.
        let late = count("drivers/sim-sha256/timeouts") - timeouts;
        assert!(late >= 1 && (done.failures, done.mismatches) == (late, 0), "{late} late: {done:?}");
        // Held requests complete, so that their memory is released.
        fs::write("/sys/kernel/debug/outboard_sim/held", "0").expect("the simulation's");
    }
    fs::write(timeout, before).expect("as root");
}

fn a_device_that_is_unplugged_in_the_middle_of_a_message_is_not_missed(simulated: &Simulated) {
    let world = world(&[("THRESHOLDS", "ALL:1")]);
    let (hard, soft) = (world.hard_digest("SHA1").expect("offered"), world.soft_digest("SHA1"));
    // Two of it are one request.
    let message = bytes(1, 30_000);
    assert_eq!(hard.of(&message), soft.of(&message));
    let mut context = DigestContext::begun(&hard);
    context.update(&message).expect("update");
    simulated.each_device("unbind");
    context.update(&message).expect("update");
    assert_eq!(context.finish().1, soft.of(&[&message[..], &message].concat()));
    messages_are_right(&world, "SHA1");
    simulated.each_device("bind");
    // An absent driver is no failure; it is looked for again after a few messages.
    let before = world.counts();
    wait_until("used again", || {
        assert_eq!(hard.of(&message), soft.of(&message));
        world.counts().hw_requests > before.hw_requests
    });
    (0..20).for_each(|_| assert_eq!(hard.of(&message), soft.of(&message)));
    let done = world.counts() - before;
    assert!(done.hw_requests >= 20 && done.failures == 0, "{done:?}");
}

fn openssl_hashes_a_file_by_the_driver(openssl: &Path) {
    let world = world(&[]);
    let file = world.folder().join("file");
    for (length, by_hardware) in [(50_000, true), (500_000, false), (3000, false)] {
        let content = bytes(5, length);
        fs::write(&file, &content).expect("a file");
        let before = (world.counts(), count("drivers/sim-sha256/bytes"));
        let path = file.to_str().expect("a plain name");
        let output = run(openssl, &world.config(), &["dgst", "-sha256", "-r", path]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", status_and_output(&output));
        let text = String::from_utf8(output.stdout).expect("digits");
        assert_eq!(hex(text.split(' ').next().expect("digits")), world.soft_digest("SHA256").of(&content));
        let done = world.counts() - before.0;
        let expected = if by_hardware { length as u64 } else { 0 };
        assert_eq!((done.hw_bytes, done.hw_bytes + done.sw_bytes), (expected, length as u64), "{done:?}");
        assert_eq!(count("drivers/sim-sha256/bytes") - before.1, expected);
    }
}

/// Sequences at which implementations differ need no driver.
#[test]
fn chosen_sequences_of_digests_need_no_driver_to_be_right() {
    let test = "chosen_sequences_of_digests_need_no_driver_to_be_right";
    if let Err(missing) = module() {
        return skip(test, missing);
    }
    // Without drivers, applications that prefer the provider get OpenSSL's own.
    let world =
        World::new(DriverChoice::Nothing, &[("DIGESTS", "ALL")], Order::DefaultFirst).expect("it loads");
    assert!(offered(&world).is_empty());
    let digest = Digest::fetch(&world.context, "SHA1", "?provider=outboard").expect("OpenSSL's own");
    let steps =
        [Step::Update(100), Step::Copy, Step::Update(5), Step::Fork, Step::Ssl3, Step::Finish, Step::Again];
    let script = Script { seed: 1, digest: 0, steps: steps.into_iter().map(|step| (0, step)).collect() };
    play(&script, [&digest, &world.soft_digest("SHA1")]).expect("alike");
}
