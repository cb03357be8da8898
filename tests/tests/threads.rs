//! Many threads: each with its own contexts, and with copies of a context of another thread.

use std::thread;

use outboard_tests::stream::Stream;
use outboard_tests::threads::join;
use outboard_tests::world::worlds;

const THREADS: u64 = 32;
const ROUNDS: u64 = 4;

#[test]
fn threads_with_contexts_of_their_own_do_not_disturb_each_other() {
    let test = "threads_with_contexts_of_their_own_do_not_disturb_each_other";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1024")]) {
        let ciphers = ["AES-128-CBC", "AES-256-CBC"].map(|name| (world.hard(name), world.soft(name)));
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for number in 0..THREADS {
                let (hard, soft) = &ciphers[(number % 2) as usize];
                threads.push(scope.spawn(move || {
                    for round in 0..ROUNDS {
                        // From far below the threshold to far above it.
                        let stream = Stream::new(soft, number * 100 + round, 5, 100 + 1500 * round as usize);
                        assert!(stream.runs_right(hard), "thread {number}, round {round}: wrong bytes");
                    }
                }));
            }
            join(threads);
        });
        world.assert_driver_used();
    }
}

#[test]
fn copies_of_one_context_go_on_in_threads_of_their_own() {
    let test = "copies_of_one_context_go_on_in_threads_of_their_own";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let (hard, soft) = (world.hard("AES-192-CBC"), world.soft("AES-192-CBC"));
        let stream = Stream::new(&soft, 4711, 12, 3001);
        let mut journey = stream.start(&hard);
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for number in 0..THREADS {
                let copy = journey.copy();
                threads.push(scope.spawn(move || assert!(copy.ends_right(), "copy {number}: wrong bytes")));
                journey.go();
            }
            join(threads);
        });
        assert!(journey.ends_right(), "the original: wrong bytes");
        world.assert_driver_used();
    }
}

#[test]
fn a_context_moves_from_thread_to_thread_with_every_piece() {
    let test = "a_context_moves_from_thread_to_thread_with_every_piece";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let stream = Stream::new(&world.soft("AES-128-CBC"), 12, 10, 5000);
        let start = stream.start(&world.hard("AES-128-CBC"));
        let journey = thread::scope(|scope| {
            (0..10).fold(start, |mut journey, _| {
                let thread = scope.spawn(move || {
                    journey.go();
                    journey
                });
                thread.join().expect("the thread")
            })
        });
        assert!(journey.ends_right(), "wrong bytes");
        world.assert_driver_used();
    }
}
