//! EVP's pipelines with the simulated accelerator over /dev/outboard: several streams of one
//! context, in one batch.

use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::child::in_own_process;
use outboard_tests::device::count;
use outboard_tests::evp::{Cipher, Context, Direction, Job, can_pipeline, lacks_pipelines};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::TIME_LIMIT;
use outboard_tests::world::{AEADS, DriverChoice, Order, World};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const DRIVERS: [&str; 5] = ["sim-cbc-aes", "sim-ctr-aes", "sim-ecb-aes", "sim-cbc-des3-ede", "sim-xts-aes"];

/// The ciphers that have pipelines, and their drivers.
const CIPHERS: [(&str, &str); 5] = [
    ("AES-128-CBC", "sim-cbc-aes"),
    ("AES-256-CBC", "sim-cbc-aes"),
    ("AES-192-CTR", "sim-ctr-aes"),
    ("AES-128-ECB", "sim-ecb-aes"),
    ("DES-EDE3-CBC", "sim-cbc-des3-ede"),
];

const BOTH: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

/// As many pipes as EVP allows.
const MOST: usize = 32;

fn world(settings: &[(&str, &str)]) -> World {
    let choice = DriverChoice::Simulated(DRIVERS.join(","));
    World::new(choice, settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
}

/// One test of many parts, because loading the simulation takes long.
#[test]
fn pipes_are_streams_of_their_own_and_go_down_together() {
    let test = "pipes_are_streams_of_their_own_and_go_down_together";
    if let Some(missing) = lacks_pipelines() {
        return skip(test, missing);
    }
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };

    before_linux_7_2_they_go_one_after_another();
    simulated.allow(&DRIVERS);
    ciphers_without_pipes_say_so(&simulated);
    large_updates_are_one_batch();
    requests_that_do_not_fit_an_arena_are_several_batches();
    any_lengths_in_any_pieces_are_right();
    a_new_start_keeps_what_it_is_not_given();
    a_copy_goes_on_by_itself();
    pipes_that_are_used_as_one_stream_are_an_error();
    a_job_is_paused_for_the_whole_batch(&simulated);
    failures_end_in_right_bytes(&simulated);
    a_wrong_answer_is_never_shown(&simulated);
    in_own_process(|| a_driver_that_becomes_wrong_is_noticed(&simulated));
}

/// Streams of one key and direction, each with its bytes.
struct Streams<'w> {
    cipher: &'w Cipher,
    key: Vec<u8>,
    direction: Direction,
    padding: bool,
    ivs: Vec<Option<[u8; 16]>>,
    inputs: Vec<Vec<u8>>,
}

impl<'w> Streams<'w> {
    /// Streams of this length. Ciphertext is the result of encryption, so that its padding is
    /// correct.
    fn new(soft: &'w Cipher, direction: Direction, padding: bool, lengths: &[usize]) -> Streams<'w> {
        let key = bytes(1, soft.key_length());
        let ivs: Vec<_> = (0..lengths.len()).map(|pipe| Some(array(100 + pipe as u64))).collect();
        let plain = lengths.iter().zip(0..).map(|(&length, pipe)| bytes(pipe, length)).collect();
        let mut streams =
            Streams { cipher: soft, key, direction: Direction::Encrypt, padding, ivs, inputs: plain };
        if direction == Direction::Decrypt {
            let whole = streams.one_by_one(&[usize::MAX]);
            streams.inputs = whole.into_iter().map(|(_, secret)| secret).collect();
            streams.direction = direction;
        }
        streams
    }

    /// The next part of each stream: this number of bytes, and the rest in the last part.
    fn parts(&self, lengths: &[usize]) -> Vec<Vec<&[u8]>> {
        let mut rest: Vec<&[u8]> = self.inputs.iter().map(Vec::as_slice).collect();
        let last = lengths.len() - 1;
        let mut updates = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            let parts = rest.iter_mut().zip(0..).map(|(rest, pipe)| {
                // Not the same for each pipe, unless it is a multiple of 7.
                let length = length.saturating_add(pipe * (length % 7));
                let (part, after) =
                    rest.split_at(if number == last { rest.len() } else { length.min(rest.len()) });
                *rest = after;
                part
            });
            updates.push(parts.collect());
        }
        updates
    }

    /// The streams with ordinary contexts of OpenSSL: whether each succeeded, and its output.
    fn one_by_one(&self, lengths: &[usize]) -> Vec<(bool, Vec<u8>)> {
        let updates = self.parts(lengths);
        let each = self.ivs.iter().enumerate().map(|(pipe, iv)| {
            let iv = iv.expect("the first start has all IVs");
            let mut context = Context::keyed(self.cipher, &self.key, &iv, self.direction);
            context.set_padding(self.padding).expect("padding");
            let mut all = Vec::new();
            for parts in &updates {
                let mut output = vec![0; parts[pipe].len() + 16];
                let written = context.update(parts[pipe], &mut output).expect("update");
                all.extend_from_slice(&output[..written]);
            }
            let mut last = [0; 16];
            let outcome = context.finish(&mut last);
            let ended = outcome.returned == 1;
            if ended {
                all.extend_from_slice(&last[..outcome.expect("final")]);
            }
            (ended, all)
        });
        each.collect()
    }

    /// A context with a pipe for each stream.
    #[track_caller]
    fn start(&self, hard: &Cipher) -> Context {
        let mut context = Context::new();
        context.init_pipes(Some(hard), Some(&self.key), &self.ivs, self.direction).expect("init");
        context.set_padding(self.padding).expect("padding");
        context
    }

    /// The streams with pipes, which must have the same results.
    #[track_caller]
    fn are_right(&self, hard: &Cipher, lengths: &[usize], in_place: bool) {
        self.end_right(self.start(hard), lengths, in_place);
    }

    #[track_caller]
    fn end_right(&self, mut context: Context, lengths: &[usize], in_place: bool) {
        let mut all = vec![Vec::new(); self.inputs.len()];
        let mut add = |outputs: Vec<Vec<u8>>| {
            all.iter_mut().zip(outputs).for_each(|(all, output)| all.extend(output));
        };
        for parts in self.parts(lengths) {
            let (outcome, outputs) = context.update_pipes(&parts, in_place);
            outcome.expect("update of pipes");
            add(outputs);
        }
        let (outcome, outputs) = context.finish_pipes(self.inputs.len());
        add(outputs);
        let expected = self.one_by_one(lengths);
        assert_eq!(outcome.returned == 1, expected.iter().all(|(ended, _)| *ended), "{outcome:?}");
        for (pipe, ((_, expected), found)) in expected.iter().zip(&all).enumerate() {
            assert_same(found, expected, &format!("pipe {pipe}"));
        }
    }
}

/// Over AF_ALG, which has no batches; the drivers are not yet allowed.
fn before_linux_7_2_they_go_one_after_another() {
    let world = world(&[("THRESHOLDS", "ALL:512")]);
    for (algorithm, _) in CIPHERS {
        let Some(hard) = world.hard_if_offered(algorithm) else { continue };
        let soft = world.soft(algorithm);
        for direction in BOTH {
            let before = world.counts();
            Streams::new(&soft, direction, true, &[4096; 4]).are_right(&hard, &[2048, 2048], false);
            let done = world.counts() - before;
            assert_eq!((done.hw_requests, done.failures), (8, 0), "{algorithm}: {done:?}");
        }
    }
}

fn ciphers_without_pipes_say_so(simulated: &Simulated) {
    let world = simulated.world_of_everything(1024);
    for direction in BOTH {
        for (algorithm, _) in CIPHERS {
            assert!(can_pipeline(&world.hard(algorithm), direction), "{algorithm}");
            assert!(!can_pipeline(&world.soft(algorithm), direction), "OpenSSL's own {algorithm}");
        }
        for algorithm in AEADS.iter().chain(&["AES-128-XTS", "AES-256-XTS"]) {
            assert!(!can_pipeline(&world.hard(algorithm), direction), "{algorithm}");
        }
    }
    let mut context = Context::new();
    let xts = world.hard("AES-128-XTS");
    let refused = context.init_pipes(Some(&xts), Some(&bytes(1, 32)), &[Some([1; 16])], Direction::Encrypt);
    assert_eq!(refused.returned, 0, "{refused:?}");
}

fn large_updates_are_one_batch() {
    let world = world(&[("THRESHOLDS", "ALL:1024")]);
    for (algorithm, driver) in CIPHERS {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        for (direction, padding) in [(BOTH[0], true), (BOTH[1], true), (BOTH[1], false)] {
            for pipes in [1, 8, MOST] {
                let streams = Streams::new(&soft, direction, padding, &vec![3 * 4096; pipes]);
                let module = |counter| count(&format!("drivers/{driver}/{counter}"));
                let (before, asked, rung) = (world.counts(), module("requests"), module("batches"));
                streams.are_right(&hard, &[4096, 4096, 4096], false);
                let what = format!("{algorithm}, {direction:?}, padding {padding}, {pipes} pipes");
                let done = world.counts() - before;
                assert_eq!((done.hw_requests, done.failures), (3 * pipes as u64, 0), "{what}: {done:?}");
                assert_eq!(
                    (module("requests") - asked, module("batches") - rung),
                    (done.hw_requests, 3),
                    "{what}"
                );
            }
        }
    }
}

/// An arena has room for 512 KiB.
fn requests_that_do_not_fit_an_arena_are_several_batches() {
    let world = world(&[("THRESHOLDS", "ALL:1024")]);
    for (algorithm, driver) in CIPHERS {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        let streams = Streams::new(&soft, Direction::Encrypt, false, &[65_536; MOST]);
        let batches = || count(&format!("drivers/{driver}/batches"));
        let (before, rung) = (world.counts(), batches());
        streams.are_right(&hard, &[65_536], true);
        let done = world.counts() - before;
        assert_eq!(
            (done.hw_requests, done.sw_requests, batches() - rung),
            (MOST as u64, 0, 4),
            "{algorithm}"
        );
        // Longer than a request can be, in the first pipe alone.
        let lengths = [vec![600_000], vec![5000; MOST - 1]].concat();
        for direction in BOTH {
            Streams::new(&soft, direction, true, &lengths).are_right(&hard, &[usize::MAX], false);
        }
    }
    world.assert_driver_used();
}

/// Around blocks and the threshold, rarely long.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        5 => prop::sample::select(vec![0, 1, 8, 15, 16, 17, 511, 512, 513, 1024, 4095, 4096, 4097]),
        4 => 0..3000_usize,
        1 => 0..40_000_usize,
    ]
}

fn any_lengths_in_any_pieces_are_right() {
    let world = world(&[("THRESHOLDS", "ALL:512")]);
    let ciphers = CIPHERS.map(|(algorithm, _)| (world.hard(algorithm), world.soft(algorithm)));
    let chosen = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config { cases: chosen.unwrap_or(60), failure_persistence: None, ..Config::default() };
    let case = (
        0..ciphers.len(),
        prop::sample::select(BOTH.to_vec()),
        any::<bool>(),
        vec(length(), 1..=MOST),
        vec(length(), 1..5),
    );
    let right = |(cipher, direction, padding, lengths, pieces): (usize, _, _, Vec<usize>, Vec<usize>)| {
        let (hard, soft) = &ciphers[cipher];
        let lengths: Vec<usize> = lengths.into_iter().map(|length| length * pieces.len()).collect();
        // Where no byte is buffered before the last update.
        let in_place = pieces.len() == 1;
        Streams::new(soft, direction, padding, &whole(soft, direction, padding, lengths))
            .are_right(hard, &pieces, in_place);
        Ok(())
    };
    TestRunner::new(config).run(&case, right).unwrap_or_else(|failure| panic!("{failure}"));
    world.assert_driver_used();
}

/// Data that is encrypted without padding must end with a whole block.
fn whole(soft: &Cipher, direction: Direction, padding: bool, lengths: Vec<usize>) -> Vec<usize> {
    let block = soft.block_size();
    let cut = direction == Direction::Decrypt && !padding;
    lengths.into_iter().map(|length| if cut { length / block * block } else { length }).collect()
}

fn a_new_start_keeps_what_it_is_not_given() {
    let world = world(&[("THRESHOLDS", "ALL:1024")]);
    for (algorithm, _) in CIPHERS {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        let mut streams = Streams::new(&soft, Direction::Encrypt, true, &[5000; 3]);
        let mut context = streams.start(&hard);
        let parts: Vec<&[u8]> = streams.inputs.iter().map(Vec::as_slice).collect();
        context.update_pipes(&parts, false).0.expect("update of pipes");
        // Other IVs with the same key; fewer pipes, more pipes; another key.
        for (pipes, key) in [(3, false), (2, false), (MOST, false), (5, true)] {
            let key = key.then(|| bytes(9, hard.key_length()));
            streams.inputs = (0..pipes).map(|pipe| bytes(pipe as u64, 5003)).collect();
            streams.ivs = (0..pipes).map(|pipe| Some(array(200 + pipe as u64))).collect();
            let outcome = context.init_pipes(None, key.as_deref(), &streams.ivs, Direction::Encrypt);
            outcome.expect("a new start");
            streams.key = key.unwrap_or(streams.key);
            let before = world.counts();
            let (copy, outcome) = context.copy();
            outcome.expect("copy");
            streams.end_right(copy, &[5003], false);
            assert_eq!((world.counts() - before).hw_requests, pipes as u64, "{algorithm}");
        }
        // Neither key nor IVs: each pipe as an ordinary context does.
        let parts: Vec<&[u8]> = streams.inputs.iter().map(Vec::as_slice).collect();
        context.update_pipes(&parts, false).0.expect("update of pipes");
        context.init_pipes(None, None, &[None; 5], Direction::Encrypt).expect("a new start");
        let (_, found) = context.update_pipes(&parts, false);
        for (pipe, input) in parts.iter().enumerate() {
            let iv = streams.ivs[pipe].expect("it was given");
            let mut single = Context::keyed(&soft, &streams.key, &iv, Direction::Encrypt);
            let mut output = vec![0; input.len() + 16];
            single.update(input, &mut output).expect("update");
            single.init(None, None, None, Some(Direction::Encrypt)).expect("a new start");
            let written = single.update(input, &mut output).expect("update");
            assert_same(&found[pipe], &output[..written], &format!("{algorithm}, pipe {pipe}"));
        }
        // The other direction, and then one stream.
        let back = Streams::new(&soft, Direction::Decrypt, true, &[5000; 4]);
        context.init_pipes(None, Some(&back.key), &back.ivs, Direction::Decrypt).expect("a new start");
        back.end_right(context.copy().0, &[5000], false);
        context.init(None, Some(&back.key), Some(&array(7)), Some(Direction::Encrypt)).expect("one stream");
        let mut single = Context::keyed(&soft, &back.key, &array(7), Direction::Encrypt);
        let mut outputs = [vec![0; 5016], vec![0; 5016]];
        context.update(&bytes(3, 5000), &mut outputs[0]).expect("an update of one stream");
        single.update(&bytes(3, 5000), &mut outputs[1]).expect("update");
        assert_same(&outputs[0], &outputs[1], algorithm);
    }
    world.assert_driver_used();
}

fn a_copy_goes_on_by_itself() {
    let world = world(&[("THRESHOLDS", "ALL:1024")]);
    for (algorithm, _) in CIPHERS {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        for direction in BOTH {
            let streams = Streams::new(&soft, direction, true, &[12_000; 4]);
            let mut context = streams.start(&hard);
            let lengths = [4096, 4099, 0];
            let [first, second, third] = &streams.parts(&lengths)[..] else { unreachable!("three lengths") };
            let mut begun = context.update_pipes(first, false).1;
            let (mut copy, outcome) = context.copy();
            outcome.expect("copy");
            let other: Vec<&[u8]> = second.iter().map(|part| &part[..100]).collect();
            context.update_pipes(&other, false).0.expect("the original goes elsewhere");
            drop(context);
            for parts in [second, third] {
                let outputs = copy.update_pipes(parts, false).1;
                begun.iter_mut().zip(outputs).for_each(|(all, output)| all.extend(output));
            }
            let ends = copy.finish_pipes(4).1;
            begun.iter_mut().zip(ends).for_each(|(all, output)| all.extend(output));
            for (found, (_, expected)) in begun.iter().zip(streams.one_by_one(&lengths)) {
                assert_same(found, &expected, algorithm);
            }
        }
    }
}

fn pipes_that_are_used_as_one_stream_are_an_error() {
    let world = world(&[("THRESHOLDS", "ALL:1024")]);
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let streams = Streams::new(&soft, Direction::Encrypt, true, &[4096; 2]);
    let mut context = streams.start(&hard);
    let mut output = vec![0; 4096 + 16];
    let refusals = [
        context.update(&bytes(1, 16), &mut output),
        context.update(&bytes(1, 4096), &mut output),
        context.one_shot(&bytes(1, 32), 16, &mut output),
        context.finish(&mut output),
    ];
    for refusal in refusals {
        assert!(refusal.returned <= 0 && !refusal.reasons.is_empty(), "{refusal:?}");
    }
    streams.end_right(context, &[4096], false);
    let mut single = Context::keyed(&hard, &streams.key, &array(1), Direction::Encrypt);
    let (refusal, _) = single.update_pipes(&[], false);
    assert!(refusal.returned == 0 && !refusal.reasons.is_empty(), "{refusal:?}");
    let refusal = Context::new().init_pipes(Some(&hard), Some(&streams.key), &[], Direction::Encrypt);
    assert!(refusal.returned == 0 && !refusal.reasons.is_empty(), "{refusal:?}");
}

fn a_job_is_paused_for_the_whole_batch(simulated: &Simulated) {
    let world = world(&[("THRESHOLDS", "ALL:1024")]);
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    for pipes in [1, 4] {
        let streams = Streams::new(&soft, Direction::Decrypt, true, &vec![4096; pipes]);
        let held = simulated.hold("sim-cbc-aes");
        let mut job = Job::new(|| streams.are_right(&hard, &[4096], false));
        assert!(!job.goes_to_its_end(), "it was not paused");
        assert_eq!(simulated.outstanding() as usize, pipes);
        drop(held);
        while !job.goes_to_its_end() {
            assert!(job.is_called_within(TIME_LIMIT), "it is never called");
        }
    }
    world.assert_driver_used();
}

fn failures_end_in_right_bytes(simulated: &Simulated) {
    for (algorithm, _) in CIPHERS {
        for direction in BOTH {
            for rule in ["all error 5 every=7", "all error 5 every=2"] {
                let world = world(&[("THRESHOLDS", "ALL:512"), ("LOG_LEVEL", "off")]);
                let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
                let streams = Streams::new(&soft, direction, true, &[9000; 6]);
                simulated.fault(rule);
                streams.are_right(&hard, &[3000, 3001, 2999], false);
                simulated.fault("clear");
                let done = world.counts();
                assert!(done.failures > 0 && done.mismatches == 0, "{algorithm}, {rule}: {done:?}");
            }
        }
    }
}

fn a_wrong_answer_is_never_shown(simulated: &Simulated) {
    for (algorithm, _) in CIPHERS {
        for direction in BOTH {
            in_own_process(|| {
                let world = world(&[("THRESHOLDS", "ALL:512"), ("LOG_LEVEL", "off")]);
                let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
                let streams = Streams::new(&soft, direction, true, &[9000; 6]);
                // In the middle of a batch: earlier results are correct and returned, later ones are
                // discarded.
                simulated.fault("all garbage after=2");
                streams.are_right(&hard, &[9000], true);
                simulated.fault("clear");
                let done = world.counts();
                let expected = (2, 1, 0);
                assert_eq!(
                    (done.hw_requests, done.mismatches, done.failures),
                    expected,
                    "{algorithm}, {direction:?}: {done:?}"
                );
            });
        }
    }
}

/// Each result is compared in full here; the default does so with one in 64.
fn a_driver_that_becomes_wrong_is_noticed(simulated: &Simulated) {
    /// Whole blocks, and the same for each pipe.
    const PIECE: usize = 7 * 16 * 38;
    let settings = [("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off"), ("SHADOW_CHECKS", "1")];
    let world = world(&settings);
    let (hard, soft) = (world.hard("AES-192-CTR"), world.soft("AES-192-CTR"));
    let streams = Streams::new(&soft, Direction::Encrypt, true, &[3 * PIECE; MOST]);
    streams.are_right(&hard, &[PIECE; 3], false);
    let before = world.counts();
    assert_eq!((before.hw_requests, before.mismatches), (3 * MOST as u64, 0), "{before:?}");
    let mut context = streams.start(&hard);
    let parts = streams.parts(&[PIECE; 3]);
    context.update_pipes(&parts[0], false).0.expect("update of pipes");
    simulated.fault("all garbage");
    let (outcome, found) = context.update_pipes(&parts[1], false);
    simulated.fault("clear");
    outcome.expect("update of pipes");
    for (found, (_, expected)) in found.iter().zip(streams.one_by_one(&[usize::MAX])) {
        assert_same(found, &expected[PIECE..2 * PIECE], "a wrong result was shown");
    }
    let after = world.counts() - before;
    assert_eq!((after.hw_requests, after.mismatches), (MOST as u64, 1), "it rests: {after:?}");
}
