//! Streams of a driver that answers late, out of order or never.

mod engine;
mod slow_driver;

use std::ops::Range;

use super::counters::{BLOCK, Counters};
use super::{CounterStream, KeyStream, NoncePattern, Position, RecordStream, Stopped};
use crate::clock::now_ms;
use engine::{Engine, SEGMENT, WINDOW};

fn at(bytes: usize) -> Position {
    Position { counter: 0, used: 0 }.after(bytes)
}

fn started(engine: &Engine) -> CounterStream {
    let mut stream = CounterStream::new(engine.supply(), None);
    let before = engine.driver.count();
    stream.refill(at(0)).expect("the driver accepts it");
    let firsts = [0, 1, 2, 3].map(|number| engine.driver.first_of(before + number) as usize * BLOCK);
    assert_eq!(firsts, [0, SEGMENT, 2 * SEGMENT, 3 * SEGMENT]);
    stream
}

fn from_start((done, stopped): (usize, Stopped)) -> (Range<usize>, Stopped) {
    (0..done, stopped)
}

/// Processes 1024 bytes of a stream as a context does.
fn try_step(engine: &Engine, stream: &mut CounterStream, from: usize) -> (usize, Stopped) {
    try_update(engine, stream, from, 1024, |_, _| {})
}

/// Processes an update of a stream as a context does. Returns the number of bytes by key stream. After
/// each step `advance` gets the bytes by software and those by key stream.
fn try_update(
    engine: &Engine,
    stream: &mut CounterStream,
    from: usize,
    len: usize,
    mut advance: impl FnMut(usize, usize),
) -> (usize, Stopped) {
    let (mut done, mut ahead) = (0, 0);
    loop {
        let position = at(from + done);
        let (mixed, stopped) = engine.mix(position.counter, len - done, |job, verifier| {
            from_start(stream.mix(position, job, verifier))
        });
        (done, ahead) = (done + mixed, ahead + mixed);
        let rest = len - done;
        let software = match stopped {
            Stopped::NotReady => {
                stream.refill(at(from + done)).expect("the driver accepts it");
                rest.min(stream.step(at(from + done)))
            }
            Stopped::Complete => {
                stream.refill(at(from + len)).expect("the driver accepts it");
                rest
            }
            _ => rest,
        };
        advance(software, mixed);
        done += software;
        if done == len {
            return (ahead, stopped);
        }
    }
}

/// As [`try_step`], in a stream that goes on. Returns the number of bytes by key stream.
fn step(engine: &Engine, stream: &mut CounterStream, from: usize) -> usize {
    let (done, stopped) = try_step(engine, stream, from);
    assert!(matches!(stopped, Stopped::NotReady | Stopped::Complete), "{stopped:?} at {from}");
    done
}

#[test]
fn software_processes_a_stream_until_the_driver_answers_and_the_rest_uses_key_stream() {
    let engine = Engine::new();
    let mut stream = started(&engine);
    assert_eq!(step(&engine, &mut stream, 0), 1024);
    // The driver has completed all of the first segments, and no further one.
    engine.driver.hold(true);
    let by_key_stream: usize =
        (1024..WINDOW + 2048).step_by(1024).map(|from| step(&engine, &mut stream, from)).sum();
    assert_eq!(by_key_stream, WINDOW - 1024);
    let before = engine.driver.count();
    assert_eq!(step(&engine, &mut stream, WINDOW + 2048), 0);
    assert_eq!(engine.driver.count(), before, "a late driver gets no further request");
    engine.driver.hold(false);
    let range = WINDOW + 3072..4 * WINDOW;
    let by_key_stream: usize = range.clone().step_by(1024).map(|from| step(&engine, &mut stream, from)).sum();
    // Some is left to software after each of the next segments, and less each time.
    assert!(by_key_stream >= range.len() - SEGMENT, "{by_key_stream}");
    for from in (4 * WINDOW..8 * WINDOW).step_by(1024) {
        assert_eq!(step(&engine, &mut stream, from), 1024, "{from}");
    }
}

#[test]
fn a_segment_is_overtaken_if_it_came_too_late_and_was_not_used() {
    let engine = Engine::new();
    let mut supply = engine.supply();
    let submitted = supply.submit(Counters::Run { first: 0 }, SEGMENT / BLOCK);
    let mut segment = submitted.expect("the driver accepts it").expect("memory");
    assert!(!supply.is_overtaken(&mut segment), "it was there in time");
    supply.wait();
    assert!(supply.is_overtaken(&mut segment));
    let (done, ()) = engine.mix(0, 1024, |job, verifier| (0..segment.mix(0, job, verifier).0, ()));
    assert!(done == 1024 && !supply.is_overtaken(&mut segment), "a text used it");
    assert!(supply.was_late());
    supply.renew(&mut segment, Counters::Run { first: 512 }).expect("the driver accepts it").expect("memory");
    assert!(!supply.was_late(), "since the last submission");
}

#[test]
fn late_key_stream_widens_the_gap_and_key_stream_in_time_narrows_it() {
    let engine = Engine::new();
    let mut supply = engine.supply();
    supply.widen_gap(4000);
    supply.widen_gap(400);
    assert_eq!(supply.gap(), 1100);
    supply.narrow_gap(None);
    assert_eq!(supply.gap(), 1100 - SEGMENT / 32);
    let submitted = supply.submit(Counters::Run { first: 0 }, SEGMENT / BLOCK);
    let mut last = submitted.expect("the driver accepts it").expect("memory");
    supply.narrow_gap(Some(&mut last));
    assert_eq!(supply.gap(), 972 - (SEGMENT + 972) / 32, "the driver is idle");
    supply.widen_gap(100 * WINDOW);
    assert_eq!(supply.gap(), 2 * WINDOW);
    (0..2 * WINDOW / (SEGMENT / 32)).for_each(|_| supply.narrow_gap(None));
    assert_eq!(supply.gap(), 0);
    supply.narrow_gap(None);
    assert_eq!(supply.gap(), 0);
}

#[test]
fn a_submission_forgets_that_the_driver_was_late_and_four_windows_are_enough_to_judge_it() {
    let engine = Engine::new();
    let mut supply = engine.supply();
    supply.wait();
    assert!(supply.was_late());
    let submitted = supply.submit(Counters::Run { first: 0 }, SEGMENT / BLOCK);
    assert!(submitted.is_ok_and(|segment| segment.is_some()) && !supply.was_late());
    let judged = [0, 4 * WINDOW, 4 * WINDOW + 1].map(|bytes| supply.is_judged(bytes as u64));
    assert_eq!(judged, [false, false, true]);
}

#[test]
fn a_driver_gets_no_more_until_it_has_completed_what_was_left() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let mut supply = engine.supply();
    assert!(supply.may_submit(std::iter::empty()));
    let submitted = supply.submit(Counters::Run { first: 0 }, SEGMENT / BLOCK);
    supply.leave(submitted.expect("the driver accepts it").expect("memory"));
    assert!(supply.was_late(), "software has overtaken it");
    assert!(!supply.may_submit(std::iter::empty()));
    engine.driver.hold(false);
    assert!(supply.may_submit(std::iter::empty()));
}

#[test]
fn a_driver_that_was_overtaken_gets_requests_after_its_answers_and_for_what_follows_later() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let mut stream = started(&engine);
    for from in (0..WINDOW + 8192).step_by(1024) {
        assert_eq!(step(&engine, &mut stream, from), 0);
        assert!(!stream.is_empty(), "it goes on");
    }
    assert_eq!(engine.driver.count(), 4);
    engine.driver.hold(false);
    let mut from = WINDOW + 8192;
    assert_eq!(step(&engine, &mut stream, from), 0);
    // Software gets as many bytes as it processed while the driver worked.
    let first = engine.driver.first_of(4) as usize * BLOCK;
    assert_eq!(first, 2 * (from + 1024));
    while from + 1024 < first {
        from += 1024;
        assert_eq!(step(&engine, &mut stream, from), 0, "{from}");
        assert!(engine.may_start_in(1000), "the driver is not late");
    }
    // Each segment that was overtaken has widened the gap by a quarter of a segment.
    let is_in_segment = |from: usize| (from - first) / SEGMENT % 2 == 0;
    for from in (first..first + 7 * SEGMENT).step_by(1024) {
        let expected = if is_in_segment(from) { 1024 } else { 0 };
        assert_eq!(step(&engine, &mut stream, from), expected, "{from}");
    }
    let last = (first + 50 * SEGMENT..first + 60 * SEGMENT).step_by(1024);
    (first + 7 * SEGMENT..first + 50 * SEGMENT).step_by(1024).for_each(|from| {
        step(&engine, &mut stream, from);
    });
    last.for_each(|from| assert_eq!(step(&engine, &mut stream, from), 1024, "{from}"));
}

#[test]
fn after_a_late_answer_as_many_bytes_are_requested_as_software_processed_meanwhile() {
    let engine = Engine::with_window(16 * WINDOW);
    engine.driver.hold(true);
    let mut stream = started(&engine);
    (0..4 * WINDOW).step_by(1024).for_each(|from| assert_eq!(step(&engine, &mut stream, from), 0));
    assert!(engine.has_in_use(WINDOW));
    engine.driver.hold(false);
    assert_eq!(step(&engine, &mut stream, 4 * WINDOW - 1024), 0);
    assert!(engine.has_in_use(4 * WINDOW));
}

#[test]
fn a_driver_that_is_always_overtaken_is_given_up() {
    let engine = Engine::new();
    let mut stream = started(&engine);
    let mut from = 0;
    for _ in 0..100 {
        engine.driver.hold(true);
        while stream.refill(at(from)).is_ok() && !stream.supply.is_waiting() {
            if matches!(try_step(&engine, &mut stream, from).1, Stopped::Elsewhere) {
                assert!(!stream.was_useful());
                return;
            }
            from += 1024;
        }
        // It answers when software is far beyond.
        from += 100 * WINDOW;
        engine.driver.hold(false);
    }
    panic!("{} requests in vain", engine.driver.count());
}

#[test]
fn an_application_that_continues_elsewhere_ends_the_stream() {
    for from in [2 * WINDOW, usize::MAX >> 8] {
        let engine = Engine::new();
        let mut stream = started(&engine);
        step(&engine, &mut stream, 4096);
        assert!(matches!(try_step(&engine, &mut stream, from), (0, Stopped::Elsewhere)), "{from}");
    }
    for is_late in [false, true] {
        let engine = Engine::new();
        let mut stream = started(&engine);
        step(&engine, &mut stream, 4096);
        engine.driver.hold(is_late);
        for from in [0, 4096] {
            assert!(matches!(try_step(&engine, &mut stream, from), (0, Stopped::Elsewhere)), "it goes back");
        }
    }
}

#[test]
fn a_request_that_is_lost_costs_its_segment_and_keeps_its_memory() {
    let engine = Engine::new();
    engine.driver.state().lost = Some(5);
    let mut stream = started(&engine);
    let mut run = |range: Range<usize>| {
        let steps = range.step_by(1024).map(|from| step(&engine, &mut stream, from));
        steps.sum::<usize>()
    };
    assert_eq!([run(0..5 * SEGMENT), run(5 * SEGMENT..6 * SEGMENT)], [5 * SEGMENT, 0]);
    assert_eq!(run(6 * SEGMENT..9 * SEGMENT), 3 * SEGMENT, "they were submitted before");
    assert!(run(9 * SEGMENT..20 * SEGMENT) > 10 * SEGMENT);
    assert_eq!(run(20 * SEGMENT..30 * SEGMENT), 10 * SEGMENT);
    let id = engine.streams().reserve(false).expect("a slot").fill(KeyStream::Counter(stream));
    engine.streams().close(id);
    assert!(engine.may_start_in(100) && engine.has_in_use(SEGMENT));
    engine.driver.state().lost = None;
    engine.driver.hold(false);
    assert!(engine.may_start_in(0) && engine.has_in_use(0));
}

#[test]
fn no_stream_starts_while_needed_key_stream_is_late_and_an_answer_permits_it() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let mut stream = started(&engine);
    assert_eq!(step(&engine, &mut stream, 0), 0);
    let id = engine.streams().reserve(false).expect("a slot").fill(KeyStream::Counter(stream));
    for is_owned in [true, false] {
        if !is_owned {
            engine.streams().close(id);
        }
        assert!(engine.may_start_in(0), "a busy driver");
        assert!(!engine.may_start_in(100) && !engine.may_start_in(9000));
        assert!(engine.has_in_use(WINDOW));
    }
    // One answer shows that the driver works.
    engine.driver.state().requests[2].is_complete = true;
    assert!(engine.may_start_in(100) && engine.has_in_use(WINDOW - SEGMENT));
    engine.driver.hold(false);
    assert!(engine.may_start_in(100) && engine.has_in_use(0));
}

#[test]
fn a_stream_that_waits_prevents_no_other_one_after_the_answer_although_its_context_does_nothing() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let mut stream = started(&engine);
    assert_eq!(step(&engine, &mut stream, 0), 0);
    engine.streams().reserve(false).expect("a slot").fill(KeyStream::Counter(stream));
    assert!(!engine.may_start_in(100));
    engine.driver.hold(false);
    assert!(engine.may_start_in(100));
}

#[test]
fn key_stream_that_no_text_needed_prevents_no_stream_and_keeps_its_memory_until_it_is_complete() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let id = engine.streams().reserve(false).expect("a slot").fill(KeyStream::Counter(started(&engine)));
    assert!(engine.may_start_in(100));
    // Evicted, because another one needs memory.
    assert!(!engine.streams().evict_idle() && engine.streams().is_evicted(id));
    assert!(engine.may_start_in(100) && engine.has_in_use(WINDOW));
    engine.driver.hold(false);
    assert!(engine.may_start_in(100) && engine.has_in_use(0));
    assert!(engine.streams().find(|_| Some(())).is_none(), "its slot is free");
}

#[test]
fn a_stream_without_an_answer_for_ten_seconds_ends_and_another_one_finds_out() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let mut stream = started(&engine);
    // Software has overtaken the driver, or not.
    for from in [0, WINDOW] {
        stream.supply.waits_since = Some(now_ms());
        assert_eq!(step(&engine, &mut stream, from), 0);
        stream.supply.waits_since = Some(now_ms().wrapping_sub(9000));
        assert_eq!(step(&engine, &mut stream, from + 1024), 0);
        stream.supply.waits_since = Some(now_ms().wrapping_sub(10_000));
        assert!(matches!(try_step(&engine, &mut stream, from + 2048), (0, Stopped::NoAnswer)));
    }
    let id = engine.streams().reserve(false).expect("a slot").fill(KeyStream::Counter(stream));
    engine.streams().close(id);
    assert!(engine.may_start_in(0) && engine.has_in_use(WINDOW));
    // So does the next one.
    let mut stream = started(&engine);
    step(&engine, &mut stream, 0);
    engine.streams().reserve(false).expect("a slot").fill(KeyStream::Counter(stream));
    assert!(!engine.may_start_in(100) && engine.has_in_use(2 * WINDOW));
}

const PATTERN: NoncePattern = NoncePattern { shift: 0, constant: 0 };

fn begun(engine: &Engine) -> RecordStream {
    let mut stream = RecordStream::new(engine.supply(), (PATTERN, 0), 1024, None);
    stream.refill(u64::MAX).expect("the driver accepts it");
    stream
}

/// Processes the text of a message of 1024 bytes as a context does.
fn try_message(engine: &Engine, stream: &mut RecordStream, sequence: u64) -> (usize, Stopped) {
    let first = u128::from(sequence) << 32 | 2;
    let (done, stopped) = engine.mix(first, 1024, |job, verifier| match stream.find(sequence, 1024) {
        Ok(found) => from_start(stream.mix(&found, 0, job, verifier)),
        Err(stopped) => (0..0, stopped),
    });
    if matches!(stopped, Stopped::NotReady | Stopped::Complete) {
        stream.refill(sequence).expect("the driver accepts it");
    }
    (done, stopped)
}

/// As [`try_message`], in a stream that goes on. Returns the number of bytes by key stream.
fn message(engine: &Engine, stream: &mut RecordStream, sequence: u64) -> usize {
    let (done, stopped) = try_message(engine, stream, sequence);
    assert!(matches!(stopped, Stopped::NotReady | Stopped::Complete), "{stopped:?} at {sequence}");
    done
}

#[test]
fn software_processes_messages_until_the_driver_answers_and_later_ones_use_key_stream() {
    let engine = Engine::new();
    let mut stream = begun(&engine);
    (0..40).for_each(|next| assert_eq!(message(&engine, &mut stream, next), 1024, "{next}"));
    engine.driver.hold(true);
    let before = engine.driver.count();
    let by_key_stream = (40..60).filter(|&next| message(&engine, &mut stream, next) > 0).count();
    // What the driver had completed was used, and each used segment was followed by a request.
    assert_eq!(by_key_stream, WINDOW / 1024);
    assert!(engine.driver.count() <= before + 4);
    let before = engine.driver.count();
    (60..200).for_each(|next| assert_eq!(message(&engine, &mut stream, next), 0, "{next}"));
    assert_eq!(engine.driver.count(), before, "a late driver gets no further request");
    assert!(!stream.is_empty(), "it goes on");
    engine.driver.hold(false);
    assert_eq!(message(&engine, &mut stream, 200), 0);
    // Software gets as many bytes as it processed meanwhile, at most eight windows.
    let first = (engine.driver.first_of(before) >> 32) as u64;
    assert_eq!(first, 201 + 8 * WINDOW as u64 / 1024);
    (201..first).for_each(|next| assert_eq!(message(&engine, &mut stream, next), 0, "{next}"));
    let mut next = |count: u64, from: u64| {
        (from..from + count).map(|at| message(&engine, &mut stream, at)).sum::<usize>()
    };
    let by_key_stream = next(200, first);
    assert!(by_key_stream > 150 * 1024, "{by_key_stream}");
    assert_eq!(next(100, first + 200), 100 * 1024);
}

#[test]
fn a_lost_request_costs_the_messages_of_its_segment() {
    let engine = Engine::new();
    engine.driver.state().lost = Some(5);
    let mut stream = begun(&engine);
    let in_software: Vec<u64> = (0..400).filter(|&next| message(&engine, &mut stream, next) == 0).collect();
    let first = (engine.driver.first_of(5) >> 32) as u64;
    assert_eq!(in_software, (first..first + (SEGMENT / 1024) as u64).collect::<Vec<_>>());
    let id = engine.streams().reserve(false).expect("a slot").fill(KeyStream::Records(stream));
    engine.streams().close(id);
    assert!(engine.may_start_in(100) && engine.has_in_use(SEGMENT));
}

#[test]
fn messages_without_an_answer_for_ten_seconds_end_the_stream() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let mut stream = begun(&engine);
    // Messages with key stream, and messages after all of them.
    for next in [0, 100] {
        stream.supply.waits_since = Some(now_ms());
        assert_eq!(message(&engine, &mut stream, next), 0);
        stream.supply.waits_since = Some(now_ms().wrapping_sub(10_000));
        assert!(matches!(try_message(&engine, &mut stream, next + 1), (0, Stopped::NoAnswer)));
    }
    let id = engine.streams().reserve(false).expect("a slot").fill(KeyStream::Records(stream));
    assert!(engine.may_start_in(0), "another one finds out");
    engine.streams().close(id);
    assert!(engine.may_start_in(0) && engine.has_in_use(WINDOW));
}

#[test]
fn the_first_message_that_finds_a_driver_late_is_processed_in_steps_until_it_answers() {
    let engine = Engine::new();
    engine.driver.hold(true);
    let mut stream = begun(&engine);
    assert!(stream.find(0, 1024).is_ok());
    (1..4).for_each(|next| assert!(matches!(stream.find(next, 1024), Err(Stopped::NotReady)), "{next}"));
    engine.driver.hold(false);
    assert!(stream.find(4, 1024).is_ok());
    stream.refill(4).expect("the driver accepts it");
    engine.driver.hold(true);
    (5..16).for_each(|next| assert!(stream.find(next, 1024).is_ok(), "{next}: it is there"));
}

#[test]
fn no_key_stream_is_used_twice_whenever_the_driver_answers() {
    let engine = Engine::new();
    let (mut stream, mut records) = (started(&engine), begun(&engine));
    let (mut from, mut next, mut random) = (0, 1 << 40, 1_u64);
    let mut by_key_stream = 0;
    // The counters of the messages are far from those of the stream.
    (0..3).for_each(|sequence| drop(try_message(&engine, &mut records, next + sequence)));
    for _ in 0..6000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let choice = random >> 59;
        match choice {
            0 => engine.driver.hold(true),
            1..=3 => engine.driver.hold(false),
            // One answer out of order.
            4 => {
                let mut state = engine.driver.state();
                let number = random as usize % state.requests.len();
                state.requests[number].is_complete = true;
            }
            // What software has processed is not requested again.
            5 => from += 2048,
            6 => next += 5,
            _ => {}
        }
        let (done, stopped) = try_step(&engine, &mut stream, from);
        by_key_stream += done + message(&engine, &mut records, next);
        (from, next) = (from + 1024, next + 1);
        if matches!(stopped, Stopped::Elsewhere) {
            stream = CounterStream::new(engine.supply(), None);
            stream.refill(at(from)).expect("the driver accepts it");
        }
    }
    assert!(by_key_stream > 3000 * 1024, "{by_key_stream} bytes");
    let state = engine.driver.state();
    let of_messages = state.requests.iter().map(|request| request.first).filter(|first| first >> 64 != 0);
    assert!(of_messages.is_sorted_by(|one, next| one < next), "key stream of a message was computed twice");
}
