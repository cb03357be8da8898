//! Drivers that are slow, or stop: software processes what they have not completed.

use std::thread;
use std::time::Duration;

use outboard_counters::Counts;
use outboard_tests::child::in_own_process;
use outboard_tests::lane::is_full_lane;
use outboard_tests::message_stream::NONCE;
use outboard_tests::simulated::Simulated;
use outboard_tests::stream::Stream;
use outboard_tests::time_limit::wait_until;
use outboard_tests::world::World;

use super::{CTR, ECB, GCM, exchange, nonce, world};

/// A driver that stops gets no further requests, neither for the context that waits nor for others,
/// and a second process sends it no more than the first segments of a stream.
pub(super) fn software_serves_while_requests_are_outstanding(simulated: &Simulated) {
    const CHUNK: usize = 4096;
    const FIRST: u64 = 16384;
    let longer_than_a_busy_driver = Duration::from_millis(200);
    let world = world(&[]);
    let (hard, soft) = (world.hard(CTR[0]), world.soft(CTR[0]));
    let messages = || (0..50).map(|at| (nonce(&[6; NONCE], 4, 12, at), 1400));
    let others = |world: &World| {
        let stream = Stream::new(&world.soft(CTR[0]), 42, 30, CHUNK);
        assert!(stream.runs_right(&world.hard(CTR[0])), "another context");
        thread::sleep(longer_than_a_busy_driver);
        exchange(world, GCM[0], "messages of another context", messages());
    };
    let stream = Stream::new(&soft, 41, 800, CHUNK);
    let mut journey = stream.start(&hard);
    let mut go = |chunks: usize| {
        let before = world.counts();
        (0..chunks).for_each(|_| assert!(journey.go()));
        world.counts() - before
    };
    assert!(go(200).ahead_bytes > 0);
    let held = simulated.hold(ECB);
    // As many bytes as the window has, which the driver may have completed.
    go(140);
    let outstanding = simulated.outstanding();
    assert!(outstanding > 0, "the driver has requests");
    let done = go(20);
    // Software had a part in each update.
    assert_eq!((done.ahead_misses, done.key_stream_generated), (20, 0), "{done:?}");
    assert_eq!(simulated.outstanding(), outstanding, "meanwhile");
    thread::sleep(longer_than_a_busy_driver);
    let before = world.counts();
    others(&world);
    let done = world.counts() - before;
    assert_eq!((done.ahead_bytes, done.key_stream_generated, done.failures), (0, 0, 0), "{done:?}");
    assert_eq!(simulated.outstanding(), outstanding);
    in_own_process(|| {
        let world = super::world(&[]);
        others(&world);
        let done = world.counts();
        assert_eq!((done.ahead_bytes, done.key_stream_generated), (0, FIRST), "{done:?}");
    });
    assert!((outstanding..=outstanding + 4).contains(&simulated.outstanding()));
    drop(held);
    assert!(go(300).ahead_bytes > 0, "the context that waited");
    assert!(journey.ends_right());
    let before = world.counts();
    exchange(&world, GCM[0], "messages after the answer", messages());
    assert!((world.counts() - before).ahead_bytes > 0, "another context");
}

/// Software processes requests until the driver answers the first one: no reason to end look-ahead,
/// also where a text is as long as the key stream with which a stream starts. How much of it uses key
/// stream is tested without a machine (`late_tests.rs`): a busy host delays the driver further.
pub(super) fn a_driver_that_answers_late_serves_texts_of_any_length(simulated: &Simulated) {
    let total: usize = if is_full_lane() { 8 << 20 } else { 2 << 20 };
    simulated.takes(Duration::from_millis(2));
    for length in [1024, 4096, 16384, 65536] {
        let world = world(&[]);
        let stream = Stream::new(&world.soft(CTR[0]), length as u64, total / length, length);
        assert!(stream.runs_right(&world.hard(CTR[0])), "{length} bytes");
        assert_is_served(&format!("texts of {length} bytes"), world.counts());
    }
    for length in [1400, 16384] {
        let world = world(&[]);
        let messages = (0..total / length).map(|at| (nonce(&[8; NONCE], 4, 12, at as u64), length));
        exchange(&world, GCM[0], "a slow driver", messages);
        assert_is_served(&format!("messages of {length} bytes"), world.counts());
    }
    simulated.takes(Duration::ZERO);
}

fn assert_is_served(what: &str, done: Counts) {
    assert!(done.ahead_bytes * 2 > done.bytes(), "{what}: {done:?}");
    assert_eq!((done.failures, done.mismatches), (0, 0), "{what}: {done:?}");
}

/// Software overtakes a driver that has less throughput, and does not wait for it. The driver processes
/// its part. How much of its key stream is used is tested in `late_tests.rs` too.
pub(super) fn a_driver_that_is_slower_than_software_serves_messages(simulated: &Simulated) {
    simulated.set("bandwidth", "2000000");
    for window in ["524288", "65536"] {
        let world = world(&[("LOOKAHEAD_WINDOW", window)]);
        let messages = (0..3000).map(|at| (nonce(&[9; NONCE], 4, 12, at), 1400));
        exchange(&world, GCM[0], "a driver with little throughput", messages);
        let done = world.counts();
        assert!(done.ahead_bytes > 0, "a window of {window} bytes: {done:?}");
        wait_until("complete", || simulated.outstanding() == 0);
    }
    simulated.set("bandwidth", "0");
}

/// Nothing is used of such a driver, and this counts as a failure of it.
pub(super) fn a_driver_without_an_answer_for_ten_seconds_has_failed(simulated: &Simulated) {
    const LAST: u64 = 300;
    let world = world(&[]);
    let held = simulated.hold(ECB);
    let messages = (0..=LAST).map(|at| {
        if at == LAST {
            thread::sleep(Duration::from_millis(10_100));
        }
        (nonce(&[4; NONCE], 4, 12, at), 1400)
    });
    exchange(&world, GCM[0], "a driver that never answers", messages);
    drop(held);
    let done = world.counts();
    assert!(done.failures > 0 && done.ahead_requests == 0, "{done:?}");
}
