//! Plays random sequences of EVP calls with two library contexts, in processes in which records to
//! /dev/outboard fail at random, and compares bytes, return codes and IVs.
//!
//! Usage: failing-submissions direct|lookahead ALGORITHM ONE_IN SEQUENCES SEED, or
//! failing-submissions stream. The simulated accelerator must be allowed. Prints one line of counts; a
//! difference is printed with its script, and the exit code is 1.

use std::ffi::{c_int, c_void};
use std::fmt::Debug;
use std::io::Write;
use std::process::ExitCode;
use std::thread;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::{Exit, fork};
use outboard_tests::evp::{Cipher, Context, Direction};
use outboard_tests::failing_write::{counts, fail_one_in, write as failing_write};
use outboard_tests::simulated::DRIVERS;
use outboard_tests::world::{DriverChoice, Order, World};
use outboard_tests::{aead_script, digests, hmacs, script};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Threads that play at the same time, each with contexts of its own.
const THREADS: usize = 2;

/// As write(2): called by the provider too.
///
/// # Safety
/// As for write(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(fd: c_int, from: *const c_void, len: usize) -> isize {
    // SAFETY: passed on unchanged.
    unsafe { failing_write(fd, from, len) }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["stream"] {
        return streams_in_which_every_submission_begins_to_fail();
    }
    let [way, algorithm, one_in, sequences, seed] = &arguments[..] else {
        eprintln!("usage: failing-submissions direct|lookahead ALGORITHM ONE_IN SEQUENCES SEED");
        return ExitCode::from(2);
    };
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let world = if way == "lookahead" { world_with_lookahead("1000") } else { world_of(&DIRECT) };
    let run = Run { one_in: number(one_in), sequences: number(sequences), seed: number(seed) };
    let name = algorithm.as_str();
    let differences = if name == "HMAC" {
        let (hard, soft) = (world.hard_hmac().expect("it is offered"), world.soft_hmac());
        run.play(hmacs::script(), |script| hmacs::play(script, [&hard, &soft]))
    } else if name.starts_with("SHA") {
        let (hard, soft) = (world.hard_digest(name).expect("it is offered"), world.soft_digest(name));
        run.play(digests::script(), |script| digests::play(script, [&hard, &soft]))
    } else if name.ends_with("GCM") || name.ends_with("CCM") {
        let (hard, soft) = (world.hard(name), world.soft(name));
        run.play(aead_script::script(1), |script| aead_script::play(script, &hard, &soft))
    } else {
        let (hard, soft) = (world.hard(name), world.soft(name));
        run.play(script::script(1), |script| script::play(script, &hard, &soft))
    };
    let ([records, failed], requests) = (counts(), world.counts());
    println!(
        "{name} {way} 1 in {one_in}, seed {seed}: {sequences} sequences, {differences} differences, \
         {records} records, {failed} failed, {} requests by hardware, {} with key stream",
        requests.hw_requests, requests.ahead_requests
    );
    ExitCode::from(u8::from(differences > 0))
}

const DIRECT: [(&str, &str); 2] = [("THRESHOLDS", "ALL:1"), ("LOOKAHEAD", "OFF")];

fn world_of(settings: &[(&str, &str)]) -> World {
    let settings = [&[("DIGESTS", "ALL"), ("LOG_LEVEL", "off")], settings].concat();
    let choice = DriverChoice::Simulated(DRIVERS.join(","));
    World::new(choice, &settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
}

fn world_with_lookahead(start: &str) -> World {
    world_of(&[("THRESHOLDS", "ALL:64"), ("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", start)])
}

/// Streams in counter mode that use key stream when all submissions begin to fail: look-ahead ends for
/// them in the middle of a block, and updates that reach the threshold follow.
fn streams_in_which_every_submission_begins_to_fail() -> ExitCode {
    const CHUNK: usize = 509;
    let world = world_with_lookahead("20000");
    let [hard, soft] = [world.hard("AES-128-CTR"), world.soft("AES-128-CTR")];
    let start =
        |cipher: &Cipher, seed| Context::keyed(cipher, &bytes(seed, 16), &array(seed), Direction::Encrypt);
    let mut streams = [1, 2, 3].map(|seed| [start(&hard, seed), start(&soft, seed)]);
    let mut update = |number: u64| {
        let text = bytes(number, CHUNK);
        streams.iter_mut().all(|sides| {
            let [hard, soft] = sides.each_mut().map(|context| {
                let mut output = vec![0; CHUNK + 16];
                context.update(&text, &mut output).expect("update");
                output
            });
            hard == soft
        })
    };
    let before = (0..150).find(|&number| !update(number));
    fail_one_in(1, 1);
    let after = (150..400).find(|&number| !update(number));
    fail_one_in(0, 0);
    drop(streams);
    let [records, failed] = counts();
    println!(
        "first different update before the failures {before:?}, after {after:?}; {records} records, {failed} \
         failed, {} updates with key stream",
        world.counts().ahead_requests
    );
    ExitCode::from(u8::from(before.is_some() || after.is_some()))
}

struct Run {
    one_in: u32,
    sequences: u32,
    seed: u32,
}

impl Run {
    /// Plays sequences, each in a child, since a driver is disabled for the process after some
    /// failures. Returns the number of those with a difference.
    fn play<S: Debug + Send + Sync>(
        &self,
        scripts: impl Strategy<Value = S>,
        play: impl Fn(&S) -> Result<(), String> + Sync,
    ) -> u32 {
        let mut differences = 0;
        for sequence in 0..self.sequences {
            let seed = self.seed.wrapping_add(sequence);
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&seed.to_le_bytes());
            let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
            let mut runner = TestRunner::new_with_rng(Config::default(), rng);
            let mut draw = || scripts.new_tree(&mut runner).expect("a script").current();
            let drawn: [Vec<S>; THREADS] = std::array::from_fn(|_| (0..3).map(|_| draw()).collect());
            fail_one_in(self.one_in, seed);
            let child = fork(Exit::Quick, || {
                let in_turn = |scripts: &Vec<S>| scripts.iter().all(|script| reported(script, seed, &play));
                if sequence % 4 > 0 {
                    return in_turn(&drawn[0]);
                }
                thread::scope(|scope| {
                    let threads = drawn.each_ref().map(|scripts| scope.spawn(move || in_turn(scripts)));
                    threads.into_iter().all(|thread| thread.join().unwrap_or(false))
                })
            });
            fail_one_in(0, 0);
            if let Err(problem) = child.wait() {
                println!("sequence with seed {seed}: {problem}");
                differences += 1;
            }
        }
        differences
    }
}

/// Plays one script, and prints it if there is a difference.
fn reported<S: Debug>(script: &S, seed: u32, play: impl Fn(&S) -> Result<(), String>) -> bool {
    let played = play(script);
    if let Err(problem) = &played {
        // To the descriptor, because a forked child does not flush what it has buffered.
        let _ = writeln!(std::io::stderr(), "seed {seed}: {problem}: {script:?}");
    }
    played.is_ok()
}
