//! How much of a text uses the key stream of a driver that is slow, by a model of both.

use super::*;

/// A driver that answers in order, in a time that counts the bytes that software processes.
struct Slow {
    /// How long a request takes besides its bytes, and how long [`GAIN`] of these take.
    latency: usize,
    per_byte: usize,
    now: usize,
    is_free_at: usize,
    /// When each request is complete.
    due: Vec<usize>,
}

/// Number of bytes that use key stream in the time in which software processes one.
const GAIN: usize = 4;

impl Slow {
    /// Advances the clock by the time of these bytes, and the driver with it.
    fn advance(&mut self, engine: &Engine, software: usize, ahead: usize) {
        self.now += software + ahead / GAIN;
        let mut state = engine.driver.state();
        for request in &state.requests[self.due.len()..] {
            self.is_free_at = self.is_free_at.max(self.now) + request.len * self.per_byte / GAIN;
            self.due.push(self.is_free_at + self.latency);
        }
        for (request, due) in state.requests.iter_mut().zip(&self.due) {
            request.is_complete = *due <= self.now;
        }
    }
}

/// The percentages of the bytes of a long stream and of long messages that use key stream, and of the
/// key stream that is computed for them.
fn percentages(latency: usize, per_byte: usize) -> [[usize; 2]; 2] {
    const COUNT: usize = 1000;
    let run = |process: &mut dyn FnMut(&Engine, &mut Slow, usize) -> usize| {
        let engine = Engine::new();
        engine.driver.hold(true);
        let mut driver = Slow { latency, per_byte, now: 0, is_free_at: 0, due: Vec::new() };
        let done: usize = (0..COUNT).map(|at| process(&engine, &mut driver, at)).sum();
        let computed: usize = engine.driver.state().requests.iter().map(|request| request.len).sum();
        [done / (COUNT * 1024 / 100), done / (computed / 100)]
    };
    let (mut stream, mut messages) = (None, None);
    [
        run(&mut |engine, driver, at| {
            let stream = stream.get_or_insert_with(|| started(engine));
            let advance = |software, ahead| driver.advance(engine, software, ahead);
            try_update(engine, stream, at * 1024, 1024, advance).0
        }),
        run(&mut |engine, driver, at| {
            let done = message(engine, messages.get_or_insert_with(|| begun(engine)), at as u64);
            driver.advance(engine, 1024 - done, done);
            done
        }),
    ]
}

/// Bytes in time are those that software processes.
#[test]
fn a_fast_driver_processes_all_and_a_slow_one_its_part_and_little_of_that_comes_too_late() {
    for (latency, per_byte, of_text, of_key_stream) in [
        (WINDOW / 8, 1, 95, 95),
        (WINDOW / 4, 0, 85, 88),
        (WINDOW / 2, 1, 62, 87),
        (WINDOW / 2, 0, 67, 87),
        (WINDOW / 2, 2, 57, 87),
        (WINDOW, 0, 48, 85),
        (4 * WINDOW, 1, 8, 40),
        (0, 2, 75, 87),
        (0, 3, 59, 84),
        (WINDOW / 2, 4, 49, 85),
        (0, 4, 49, 83),
        // It is slower than software.
        (0, 8, 28, 77),
        (0, 16, 11, 52),
    ] {
        let figures = percentages(latency, per_byte);
        let are_enough = |[text, key_stream]: [usize; 2]| text >= of_text && key_stream >= of_key_stream;
        assert!(figures.map(are_enough) == [true; 2], "latency {latency}, {per_byte} per byte: {figures:?}");
    }
}

/// The percentages of texts of 16 KiB that use key stream: of a stream, and of messages.
fn percentages_of_long_texts(latency: usize, per_byte: usize) -> [usize; 2] {
    const TEXT: usize = 16 * 1024;
    const COUNT: usize = 200;
    let held = || {
        let engine = Engine::with_window(4 * TEXT);
        engine.driver.hold(true);
        (engine, Slow { latency, per_byte, now: 0, is_free_at: 0, due: Vec::new() })
    };
    let (engine, mut driver) = held();
    let mut stream = CounterStream::new(engine.supply(), None);
    stream.refill(at(0)).expect("the driver accepts it");
    let mut of_stream = 0;
    for start in (0..COUNT * TEXT).step_by(TEXT) {
        let advance = |software, ahead| driver.advance(&engine, software, ahead);
        of_stream += try_update(&engine, &mut stream, start, TEXT, advance).0;
    }

    let (engine, mut driver) = held();
    let mut stream = RecordStream::new(engine.supply(), (PATTERN, 0), TEXT, None);
    stream.refill(u64::MAX).expect("the driver accepts it");
    let mut of_messages = 0;
    for sequence in 0..COUNT as u64 {
        let first = u128::from(sequence) << 32 | 2;
        let (done, software) = engine.mix(first, TEXT, |job, verifier| {
            let Ok(found) = stream.find(sequence, TEXT) else { return (0..0, TEXT) };
            let mut in_software = 0;
            let (served, _) = stream.serve(&found, job, verifier, |from, to| {
                driver.advance(&engine, to - from, 0);
                in_software += to - from;
                true
            });
            let ahead = served.map_or(0, |served| served.ahead);
            assert!(ahead == 0 || ahead + in_software == TEXT);
            (TEXT - ahead..TEXT, if ahead + in_software == 0 { TEXT } else { 0 })
        });
        driver.advance(&engine, software, done);
        of_messages += done;
        stream.refill(sequence).expect("the driver accepts it");
    }
    [of_stream, of_messages].map(|done| done / (COUNT * TEXT / 100))
}

/// Software processes them in steps. In one go it would process all of a text whose key stream comes a
/// little late.
#[test]
fn a_long_text_uses_the_key_stream_that_comes_while_software_processes_its_beginning() {
    for (latency, per_byte, of_stream, of_messages) in
        [(8192, 1, 97, 85), (0, 4, 49, 45), (0, 8, 28, 25), (0, 16, 11, 11)]
    {
        let found = percentages_of_long_texts(latency, per_byte);
        let is_enough = found[0] >= of_stream && found[1] >= of_messages;
        assert!(is_enough, "latency {latency}, {per_byte} per byte: {found:?}");
    }
}
