//! Look-ahead: key stream that the simulated accelerator computes before it is requested, over
//! /dev/outboard.

mod late;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use outboard_counters::Counts;
use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::child::{Exit, fork, in_own_process};
use outboard_tests::command::status_and_output;
use outboard_tests::evp::{Context, Direction};
use outboard_tests::lane::is_full_lane;
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::stream::Stream;
use outboard_tests::world::{AEADS, DriverChoice, Order, World};
use outboard_tests::{aead, modes};
use outboard_uapi::DEVICE;
use serde_json::Value;

const ECB: &str = "sim-ecb-aes";
const CTR: [&str; 3] = ["AES-128-CTR", "AES-192-CTR", "AES-256-CTR"];
const GCM: [&str; 3] = ["AES-128-GCM", "AES-192-GCM", "AES-256-GCM"];

/// Look-ahead from the first byte on, with only the driver of ECB mode.
fn world(settings: &[(&str, &str)]) -> World {
    let mut all = vec![("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0"), ("LOG_LEVEL", "off")];
    all.extend(settings);
    World::new(DriverChoice::Simulated(ECB.to_owned()), &all, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Everything that the simulation offers, with look-ahead where it applies.
fn world_of_all(drivers: &str, settings: &[(&str, &str)]) -> World {
    let mut all = vec![("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0"), ("LOG_LEVEL", "off")];
    all.extend(settings);
    World::new(DriverChoice::Simulated(drivers.to_owned()), &all, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn key_stream_computed_in_advance_gives_the_results_of_software() {
    let test = "key_stream_computed_in_advance_gives_the_results_of_software";
    let Some(Reachable { simulated, outboard, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&[ECB, "sim-ctr-aes", "sim-xts-aes", "sim-cbc-des3-ede", "sim-gcm-aes", "sim-ccm-aes"]);

    an_engine_with_ecb_alone_serves_ctr_and_gcm();
    streams_of_any_chunks_are_right_with_any_window();
    any_sequence_of_calls_gives_equal_results();
    nonces_of_protocols_are_predicted();
    nonces_that_no_message_uses_do_not_end_look_ahead();
    lost_reordered_and_repeated_messages_are_right();
    nonces_that_cannot_be_predicted_end_look_ahead();
    forged_messages_are_refused();
    tags_that_follow_their_text_are_verified();
    copies_and_new_keys_are_right();
    a_child_process_computes_its_own_key_stream();
    many_connections_share_the_memory();
    blocks_that_were_not_written_are_never_used(&simulated);
    wrong_key_stream_is_found(&simulated);
    failures_and_delays_are_not_noticed(&simulated);
    late::software_serves_while_requests_are_outstanding(&simulated);
    late::a_driver_that_answers_late_serves_texts_of_any_length(&simulated);
    late::a_driver_that_is_slower_than_software_serves_messages(&simulated);
    short_messages_between_long_ones_waste_no_key_stream();
    if is_full_lane() {
        late::a_driver_without_an_answer_for_ten_seconds_has_failed(&simulated);
        bench_says_when_requests_find_no_key_stream(&outboard, &simulated);
    }
    a_device_that_is_unplugged_is_used_again_when_it_returns(&simulated);
}

fn an_engine_with_ecb_alone_serves_ctr_and_gcm() {
    let world = world(&[]);
    for algorithm in CTR.into_iter().chain(GCM) {
        assert!(world.hard_if_offered(algorithm).is_some(), "{algorithm}");
    }
    let off = world_of_all(ECB, &[("LOOKAHEAD", "OFF")]);
    assert!(CTR.into_iter().chain(GCM).all(|algorithm| off.hard_if_offered(algorithm).is_none()));
}

/// Most of a long stream is done with key stream. On a slow host software overtakes some of it.
#[track_caller]
fn assert_mostly_ahead(what: &str, done: Counts) {
    assert!(done.ahead_bytes * 10 >= done.bytes() * 8, "{what}: {done:?}");
    assert_eq!((done.failures, done.mismatches), (0, 0), "{what}: {done:?}");
    assert!(done.key_stream_generated >= done.ahead_bytes, "{what}: {done:?}");
}

fn streams_of_any_chunks_are_right_with_any_window() {
    for window in ["16", "1024", "65536", "1048576"] {
        let world = world(&[("LOOKAHEAD_WINDOW", window)]);
        for (number, algorithm) in CTR.into_iter().enumerate() {
            let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
            for chunk in [1, 15, 16, 17, 100, 1400, 4096, 16384, 70_001] {
                let chunks = (200_000 / chunk).clamp(4, 400);
                let stream = Stream::new(&soft, (number + chunk) as u64, chunks, chunk);
                let what = format!("{algorithm}, window {window}, chunks of {chunk}");
                assert_same(&stream.start(&hard).finish(), &stream.expected, &what);
            }
        }
        let done = world.counts();
        assert!(
            done.ahead_requests > 100 && (done.failures, done.mismatches) == (0, 0),
            "{window}: {done:?}"
        );
    }
    let world = world(&[]);
    let stream = Stream::new(&world.soft(CTR[0]), 5, 2000, 1000);
    assert!(stream.runs_right(&world.hard(CTR[0])));
    assert_mostly_ahead("2 MB", world.counts());
}

fn any_sequence_of_calls_gives_equal_results() {
    let modes_of = "sim-ctr-aes,sim-ecb-aes,sim-xts-aes,sim-cbc-des3-ede";
    let all = [("ALL:17", "4096"), ("ALL:1", "64"), ("ALL:100000", "524288")];
    for (threshold, window) in all.into_iter().take(if is_full_lane() { 3 } else { 1 }) {
        let world = world_of_all(modes_of, &[("THRESHOLDS", threshold), ("LOOKAHEAD_WINDOW", window)]);
        modes::any_sequence_of_calls_is_answered_alike(&world, 27);
        modes::chosen_sequences_are_answered_alike(&world);
        modes::counters_carry_and_wrap(&world);
        let world = world_of_all(
            "sim-ecb-aes,sim-gcm-aes,sim-ccm-aes",
            &[("THRESHOLDS", threshold), ("LOOKAHEAD_WINDOW", window)],
        );
        aead::any_sequence_of_calls_is_answered_alike(&world, 60);
        aead::chosen_sequences_are_answered_alike(&world);
        aead::records_are_sealed_and_opened_alike(&world, &AEADS);
        assert_eq!(world.counts().mismatches, 0, "{threshold}, {window}");
    }
}

/// A nonce from a constant and a counter at bytes `from` to `to`, XORed or in place of the constant.
fn nonce(constant: &[u8; NONCE], from: usize, to: usize, counter: u64) -> [u8; NONCE] {
    let mut nonce = *constant;
    let counter = counter.to_be_bytes();
    for (byte, counter) in nonce[from..to].iter_mut().zip(&counter[8 - (to - from)..]) {
        *byte ^= counter;
    }
    nonce
}

/// Encrypts and decrypts messages with these nonces and lengths, and compares with software.
#[track_caller]
fn exchange(
    world: &World,
    algorithm: &str,
    what: &str,
    messages: impl Iterator<Item = ([u8; NONCE], usize)>,
) {
    let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
    let key = bytes(7, hard.key_length());
    let mut sides = [
        MessageStream::new(&hard, &key, Direction::Encrypt),
        MessageStream::new(&soft, &key, Direction::Encrypt),
        MessageStream::new(&hard, &key, Direction::Decrypt),
    ];
    for (number, (nonce, length)) in messages.enumerate() {
        let message = StreamMessage::new(number as u64, nonce, length);
        let in_place = number % 2 == 0;
        let sealed = sides[0].process(&message, in_place).expect("sealed");
        let expected = sides[1].process(&message, in_place).expect("sealed in software");
        assert_eq!(sealed, expected, "{what}, message {number} of {length} bytes");
        let opened = sides[2].process(&sealed, in_place).expect("opened");
        assert_eq!(opened.text, message.text, "{what}, message {number}");
    }
}

fn nonces_of_protocols_are_predicted() {
    let constant: [u8; NONCE] = bytes(3, NONCE).try_into().expect("as long");
    let patterns: [(&str, usize, usize, u64); 6] = [
        ("TLS 1.3", 4, 12, 0),
        ("QUIC after a key update", 4, 12, 77_777),
        ("TLS 1.2 and DTLS", 4, 12, 1 << 48),
        ("SSH", 4, 12, 0x0123_4567_89ab_cdef),
        ("OpenVPN", 0, 4, 1),
        ("a counter of 4 bytes at the end", 8, 12, 0),
    ];
    for (number, algorithm) in GCM.into_iter().enumerate() {
        for (pattern, (what, from, to, start)) in patterns.iter().enumerate() {
            // The pattern does not depend on the length of the key.
            if !is_full_lane() && pattern % GCM.len() != number {
                continue;
            }
            let world = world(&[]);
            let lengths = [1400, 16384, 600, 512][(number + from + to) % 4];
            let count = if lengths < 1400 { 2000 } else { 300 };
            let messages = (0..count).map(|at| (nonce(&constant, *from, *to, start + at), lengths));
            exchange(&world, algorithm, what, messages);
            let done = world.counts();
            assert!(done.ahead_requests >= 2 * count * 8 / 10, "{what}, {lengths} bytes: {done:?}");
            assert_eq!((done.failures, done.mismatches), (0, 0), "{what}: {done:?}");
        }
    }
    // Lengths vary: longer messages get the rest of their key stream from software.
    let world = world(&[]);
    let lengths = [1400, 100, 1400, 3000, 5, 1400, 1400, 17, 16, 15, 9000, 700];
    let messages = (0..1200).map(|at| (nonce(&constant, 4, 12, at), lengths[at as usize % lengths.len()]));
    exchange(&world, GCM[0], "lengths that vary", messages);
    // 7 of 12 are long enough.
    assert!(world.counts().ahead_requests > 1300, "{:?}", world.counts());
}

/// A nonce is set together with the key, or twice.
fn nonces_that_no_message_uses_do_not_end_look_ahead() {
    const COUNT: u64 = 300;
    // Before the first message, and before each one.
    for until in [1, COUNT] {
        let world = world(&[]);
        let key = bytes(7, 16);
        let [hard, soft] = [world.hard(GCM[0]), world.soft(GCM[0])];
        let mut sides = [
            MessageStream::new(&hard, &key, Direction::Encrypt),
            MessageStream::new(&soft, &key, Direction::Encrypt),
            MessageStream::new(&hard, &key, Direction::Decrypt),
        ];
        for at in 0..COUNT {
            if at < until {
                for unused in 0..3 {
                    sides.iter_mut().for_each(|side| side.set_unused_nonce(array(3 * at + unused)));
                }
            }
            let message = StreamMessage::new(at, nonce(&[3; NONCE], 4, 12, at), 1400);
            let [sealed, expected] =
                [0, 1].map(|side: usize| sides[side].process(&message, true).expect("sealed"));
            assert_eq!(sealed, expected, "message {at}");
            assert_eq!(sides[2].process(&sealed, true).expect("opened").text, message.text, "message {at}");
        }
        drop(sides);
        let done = world.counts();
        assert!(done.ahead_requests >= 2 * COUNT * 8 / 10, "until {until}: {done:?}");
        assert_eq!((done.failures, done.mismatches), (0, 0), "{done:?}");
    }
}

fn lost_reordered_and_repeated_messages_are_right() {
    let world = world(&[]);
    let start: Vec<u64> = (0..40).collect();
    let disorder = [41, 40, 43, 42, 50, 45, 44, 45, 45, 60, 59, 41, 300, 301, 302, 299, 5000, 5001, 5002, 3];
    let order = start.iter().chain(&disorder).copied().chain(5003..5100);
    exchange(&world, GCM[0], "disorder", order.map(|at| (nonce(&[9; NONCE], 4, 12, at), 1000)));
    let done = world.counts();
    assert!(done.ahead_requests > 150 && done.ahead_misses > 0 && done.mismatches == 0, "{done:?}");
}

fn nonces_that_cannot_be_predicted_end_look_ahead() {
    let world = world(&[]);
    let random = |at: u64| bytes(at, NONCE).try_into().expect("as long");
    exchange(&world, GCM[0], "random nonces", (0..100).map(|at| (random(at), 4000)));
    let done = world.counts();
    assert_eq!((done.ahead_requests, done.key_stream_generated), (0, 0), "{done:?}");
    // The pattern ends.
    let messages = (0..200).map(|at| if at < 100 { nonce(&[1; NONCE], 4, 12, at) } else { random(at) });
    exchange(&world, GCM[0], "random nonces after a counter", messages.map(|nonce| (nonce, 4000)));
    let done = world.counts();
    assert!((100..=200).contains(&done.ahead_requests), "{done:?}");
    // Messages of CTR mode, each with an IV of its own.
    let (hard, soft) = (world.hard(CTR[0]), world.soft(CTR[0]));
    let before = world.counts();
    let [mut left, mut right] =
        [&hard, &soft].map(|cipher| Context::keyed(cipher, &bytes(1, 16), &[0; 16], Direction::Encrypt));
    for number in 0..100 {
        let text = bytes(number, 1000);
        let outputs = [&mut left, &mut right].map(|context| {
            context.init(None, None, Some(&array(number)), None).expect("IV");
            let mut output = vec![0; 1016];
            context.update(&text, &mut output).expect("update");
            output
        });
        assert_eq!(outputs[0], outputs[1], "message {number}");
    }
    let done = world.counts() - before;
    assert!(done.key_stream_generated < 200_000, "{done:?}");
}

fn forged_messages_are_refused() {
    let world = world(&[]);
    let (hard, soft) = (world.hard(GCM[0]), world.soft(GCM[0]));
    let key = bytes(7, 16);
    let mut seals = MessageStream::new(&soft, &key, Direction::Encrypt);
    let mut opens = MessageStream::new(&hard, &key, Direction::Decrypt);
    for number in 0..200_u64 {
        let plain = StreamMessage::new(number, nonce(&[4; NONCE], 4, 12, number), 1400);
        let sealed = seals.process(&plain, false).expect("sealed");
        for part in 0..3 {
            let mut forged = sealed.clone();
            let bytes = [&mut forged.text, &mut forged.aad, &mut forged.tag];
            let [text, aad, tag] = bytes;
            let bytes = [text, aad, tag].into_iter().nth(part).expect("three");
            let at = number as usize % bytes.len();
            bytes[at] ^= 1 << (number % 8);
            if number % 10 == 0 {
                assert!(opens.process(&forged, true).is_err(), "message {number}, part {part}");
            }
        }
        assert_eq!(opens.process(&sealed, number % 3 == 0).expect("opened").text, plain.text, "{number}");
    }
    // A context adds its counts at its end.
    drop(opens);
    assert!(world.counts().ahead_requests > 150, "{:?}", world.counts());
}

/// As OpenVPN decrypts: the text, then the tag, then the end.
fn tags_that_follow_their_text_are_verified() {
    const COUNT: u64 = 300;
    let world = world(&[]);
    let (hard, soft) = (world.hard(GCM[0]), world.soft(GCM[0]));
    let key = bytes(7, 16);
    let mut seals = MessageStream::new(&soft, &key, Direction::Encrypt);
    let opens = |cipher| MessageStream::new(cipher, &key, Direction::Decrypt).with_tag_last();
    let [mut hard, mut soft] = [opens(&hard), opens(&soft)];
    for number in 0..COUNT {
        let plain = StreamMessage::new(number, nonce(&[4; NONCE], 0, 4, number + 1), 1400);
        let mut sealed = seals.process(&plain, false).expect("sealed");
        if number % 10 == 9 {
            // A short tag, a wrong one, none (that of the message before does not count), and one
            // that is too long.
            let right = std::mem::take(&mut sealed.tag);
            match number / 10 % 4 {
                0 => sealed.tag = right[..12].to_vec(),
                1 => sealed.tag = right.iter().map(|byte| byte ^ 1).collect(),
                2 => {}
                _ => sealed.tag = vec![0; 17],
            }
        }
        let [found, expected] = [&mut hard, &mut soft].map(|side| side.process(&sealed, number % 3 == 0));
        assert_eq!(found.is_ok(), expected.is_ok(), "message {number}: {found:?}, {expected:?}");
        if let (Ok(found), Ok(expected)) = (found, expected) {
            assert_eq!(found.text, expected.text, "message {number}");
        }
    }
    drop(hard);
    let done = world.counts();
    assert!(done.ahead_requests >= COUNT * 8 / 10, "{done:?}");
    assert_eq!((done.failures, done.mismatches), (0, 0), "{done:?}");
}

fn copies_and_new_keys_are_right() {
    let world = world(&[]);
    let (hard, soft) = (world.hard(CTR[0]), world.soft(CTR[0]));
    let stream = Stream::new(&soft, 11, 300, 1111);
    let mut journey = stream.start(&hard);
    for step in 0..200 {
        journey.go();
        if step % 40 == 39 {
            assert!(journey.copy().ends_right(), "a copy after {step}");
        }
    }
    assert!(journey.ends_right());
    let (hard, soft) = (world.hard(GCM[2]), world.soft(GCM[2]));
    let mut sides =
        [&hard, &soft].map(|cipher| MessageStream::new(cipher, &bytes(0, 32), Direction::Encrypt));
    for key in 0..6 {
        sides.iter_mut().for_each(|side| side.set_key(&bytes(key, 32)));
        for number in 0..60 {
            let message = StreamMessage::new(number, nonce(&[6; NONCE], 4, 12, number), 900);
            let [sealed, expected] =
                [0, 1].map(|side: usize| sides[side].process(&message, true).expect("sealed"));
            assert_eq!(sealed, expected, "key {key}, message {number}");
            if number == 30 {
                let mut copy = sides[0].copy();
                let next = StreamMessage::new(1, nonce(&[6; NONCE], 4, 12, 31), 900);
                let expected = sides[1].copy().process(&next, false).expect("sealed");
                assert_eq!(copy.process(&next, false).expect("sealed"), expected);
            }
        }
    }
    drop(sides);
    let done = world.counts();
    assert!(done.ahead_requests > 500 && (done.failures, done.mismatches) == (0, 0), "{done:?}");
}

/// The child of a fork has the contexts of its parent and not their key stream.
fn a_child_process_computes_its_own_key_stream() {
    let world = world(&[]);
    let (hard, soft) = (world.hard(CTR[0]), world.soft(CTR[0]));
    let stream = Stream::new(&soft, 12, 200, 1000);
    let mut journey = stream.start(&hard);
    (0..100).for_each(|_| assert!(journey.go()));
    let mut journey = Some(journey);
    let child = fork(Exit::Clean, || {
        let journey = journey.take().expect("the child's");
        journey.copy().ends_right() && journey.ends_right()
    });
    child.wait().unwrap_or_else(|problem| panic!("{problem}"));
    assert!(journey.expect("the parent's").ends_right(), "in the parent");
    let done = world.counts();
    assert_eq!((done.failures, done.mismatches), (0, 0), "{done:?}");
}

fn many_connections_share_the_memory() {
    let world = world(&[("LOOKAHEAD_MEMORY", "262144")]);
    let (hard, soft) = (world.hard(CTR[1]), world.soft(CTR[1]));
    let stream = Stream::new(&soft, 13, 12, 3000);
    let mut journeys: Vec<_> = (0..1000).map(|_| stream.start(&hard)).collect();
    for _ in 0..12 {
        journeys.iter_mut().for_each(|journey| assert!(journey.go()));
    }
    assert!(journeys.into_iter().all(|journey| journey.ends_right()));
    let done = world.counts();
    assert!(done.ahead_requests > 0 && (done.failures, done.mismatches) == (0, 0), "{done:?}");
    // What the connections had is free again.
    let stream = Stream::new(&soft, 14, 400, 4096);
    let before = world.counts();
    assert!(stream.runs_right(&hard));
    assert_mostly_ahead("after a thousand connections", world.counts() - before);
}

/// Records of HTTP/2: a frame, and a short one after it.
fn short_messages_between_long_ones_waste_no_key_stream() {
    let world = world(&[]);
    let messages = (0..400).map(|at| (nonce(&[9; NONCE], 4, 12, at), if at % 2 == 0 { 16384 } else { 9 }));
    exchange(&world, GCM[0], "lengths that alternate", messages);
    let done = world.counts();
    assert!(done.ahead_requests >= 2 * 200 * 7 / 10, "{done:?}");
    // The start, and what is left at the end of both directions. With key stream for each message it
    // would be half.
    assert!(done.key_stream_discarded * 3 < done.key_stream_generated, "{done:?}");
}

/// A cache line that the engine did not write still has its counter blocks.
fn blocks_that_were_not_written_are_never_used(simulated: &Simulated) {
    for after in [0, 3, 10, 20] {
        for (number, algorithm) in [CTR[0], GCM[0]].into_iter().enumerate() {
            in_own_process(|| {
                // Without comparisons at random, so that the words of the counter blocks show it.
                let world = world(&[("SHADOW_CHECKS", "0")]);
                simulated.fault(&format!("{ECB} unwritten after={after} count=1"));
                if number == 0 {
                    let stream = Stream::new(&world.soft(algorithm), after, 3000, 1000);
                    assert!(stream.runs_right(&world.hard(algorithm)), "{algorithm}, {after}");
                } else {
                    let messages = (0..1500).map(|at| (nonce(&[2; NONCE], 4, 12, at), 1400));
                    exchange(&world, algorithm, "unwritten", messages);
                }
                simulated.fault("clear");
                // One wrong block is proof: nothing is repeated.
                let done = world.counts();
                assert_eq!((done.failures, done.mismatches), (0, 1), "{algorithm}, after {after}: {done:?}");
            });
        }
    }
}

fn wrong_key_stream_is_found(simulated: &Simulated) {
    for after in [0, 5] {
        in_own_process(|| {
            let world = world(&[]);
            simulated.fault(&format!("{ECB} garbage after={after}"));
            let stream = Stream::new(&world.soft(CTR[2]), after, 1000, 1000);
            assert!(stream.runs_right(&world.hard(CTR[2])), "after {after}");
            simulated.fault("clear");
            assert_eq!(world.counts().mismatches, 1, "{:?}", world.counts());
            assert!(world.counts().ahead_bytes < 1_000_000);
        });
    }
}

fn failures_and_delays_are_not_noticed(simulated: &Simulated) {
    for fault in ["error 5 every=7", "full every=3", "slow 50 every=5"] {
        let world = world(&[]);
        simulated.fault(&format!("{ECB} {fault}"));
        let stream = Stream::new(&world.soft(CTR[0]), 21, 1000, 1500);
        assert!(stream.runs_right(&world.hard(CTR[0])), "{fault}");
        exchange(&world, GCM[1], fault, (0..200).map(|at| (nonce(&[3; NONCE], 4, 12, at), 1400)));
        simulated.fault("clear");
        assert_eq!(world.counts().mismatches, 0, "{fault}: {:?}", world.counts());
    }
    // A request that is lost. Whether the module passes later ones to the driver meanwhile depends on
    // what it has measured.
    let world = self::world(&[]);
    simulated.fault(&format!("{ECB} never count=1"));
    let stream = Stream::new(&world.soft(CTR[0]), 22, 200, 4096);
    assert!(stream.runs_right(&world.hard(CTR[0])), "a driver that loses a request");
    let done = world.counts();
    assert!(done.ahead_misses > 0 && simulated.outstanding() > 0, "{done:?}");
    simulated.let_go();
    // Key stream that is late when a stream ends is wiped when it comes.
    let world = self::world(&[]);
    simulated.takes(Duration::from_millis(5));
    for seed in 0..50 {
        let stream = Stream::new(&world.soft(CTR[0]), seed, 4, 1000);
        assert!(stream.runs_right(&world.hard(CTR[0])));
    }
    simulated.takes(Duration::ZERO);
    let stream = Stream::new(&world.soft(CTR[0]), 99, 500, 4096);
    let before = world.counts();
    assert!(stream.runs_right(&world.hard(CTR[0])));
    assert_mostly_ahead("after streams that ended early", world.counts() - before);
}

/// Whether or not the driver's device raised interrupts.
fn bench_says_when_requests_find_no_key_stream(outboard: &Path, simulated: &Simulated) {
    simulated.fault(&format!("{ECB} refuse every=1"));
    let mut command = Command::new(outboard);
    command.args(["bench", "--json", "--for", "0", "--interface", DEVICE, "--size", "16K"]);
    let output = command.args(["--direction", "encrypt", CTR[0]]).output().expect("the command runs");
    simulated.fault("clear");
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", status_and_output(&output)));
    let rows = answer["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["contestant"] == format!("look-ahead by {ECB}").as_str());
    let fault = row.and_then(|row| row["fault"].as_str());
    assert_eq!(fault, Some("only 0 % of the bytes found key stream"), "{answer}");
}

/// An absent device is no failure. Contexts that exist then compute key stream again later.
fn a_device_that_is_unplugged_is_used_again_when_it_returns(simulated: &Simulated) {
    let world = world(&[]);
    let (hard, soft) = (world.hard(CTR[0]), world.soft(CTR[0]));
    let stream = Stream::new(&soft, 31, 900, 1000);
    let mut journey = stream.start(&hard);
    let key = bytes(7, 16);
    let mut sides =
        [world.hard(GCM[0]), world.soft(GCM[0])].map(|c| MessageStream::new(&c, &key, Direction::Encrypt));
    let mut counter = 0;
    let mut go = |steps: u64| {
        for _ in 0..steps {
            assert!(journey.go());
            let message = StreamMessage::new(counter, nonce(&[5; NONCE], 4, 12, counter), 1400);
            let [sealed, expected] =
                [0, 1].map(|side: usize| sides[side].process(&message, true).expect("sealed"));
            assert_eq!(sealed, expected, "message {counter}");
            counter += 1;
        }
        world.counts()
    };
    assert!(go(200).key_stream_generated > 0);
    simulated.each_device("unbind");
    let without = go(200);
    simulated.each_device("bind");
    let after = go(400);
    let generated = after.key_stream_generated - without.key_stream_generated;
    assert!(generated > 400_000, "{without:?}, {after:?}");
    assert_eq!((after.failures, after.mismatches), (0, 0), "{after:?}");
    assert!(journey.ends_right());
}
