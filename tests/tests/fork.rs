//! fork(2): a context that exists at the fork remains usable in both processes, independently.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use outboard_tests::child::{Exit, fork};
use outboard_tests::stream::{Journey, Stream};
use outboard_tests::threads::join;
use outboard_tests::world::worlds;

const ROUNDS: u64 = 16;

#[test]
fn a_stream_continues_correctly_in_parent_and_child_concurrently() {
    let test = "a_stream_continues_correctly_in_parent_and_child_concurrently";
    for world in worlds(test, &[("THRESHOLDS", "ALL:512")]) {
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        for round in 0..ROUNDS {
            // Chunks that are no multiple of a block: bytes are buffered at the fork.
            let stream = Stream::new(&soft, round, 8, 2011);
            let mut journey = stream.start(&hard);
            for _ in 0..=round % 4 {
                journey.go();
            }
            let exit = if round % 2 == 0 { Exit::Quick } else { Exit::Clean };
            // The same context in both, not a copy: only in the child does the closure consume it.
            let mut same = Some(journey);
            let child =
                fork(exit, || same.take().is_some_and(Journey::ends_right) && stream.runs_right(&hard));
            assert!(
                same.take().is_some_and(Journey::ends_right),
                "{:?}, round {round}: the parent's bytes are wrong",
                world.driver_choice
            );
            child.wait().unwrap_or_else(|problem| {
                panic!("{:?}, round {round}, {exit:?}: {problem}", world.driver_choice)
            });
        }
        world.assert_driver_used();
    }
}

#[test]
fn a_child_and_a_grandchild_continue_with_the_same_context() {
    let test = "a_child_and_a_grandchild_continue_with_the_same_context";
    for world in worlds(test, &[("THRESHOLDS", "ALL:512")]) {
        let (hard, soft) = (world.hard("AES-256-CBC"), world.soft("AES-256-CBC"));
        let stream = Stream::new(&soft, 99, 8, 4096);
        let mut journey = stream.start(&hard);
        journey.go();
        let mut same = Some(journey);
        let child = fork(Exit::Clean, || {
            same.as_mut().map(Journey::go);
            let grandchild = fork(Exit::Clean, || same.take().is_some_and(Journey::ends_right));
            same.take().is_some_and(Journey::ends_right) && grandchild.wait().is_ok()
        });
        assert!(
            same.take().is_some_and(Journey::ends_right),
            "{:?}: the parent's bytes are wrong",
            world.driver_choice
        );
        child.wait().unwrap_or_else(|problem| panic!("{:?}: {problem}", world.driver_choice));
    }
}

#[test]
fn a_fork_while_other_threads_are_in_a_request_leaves_a_child_that_works() {
    let test = "a_fork_while_other_threads_are_in_a_request_leaves_a_child_that_works";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let (hard, soft) = (&world.hard("AES-128-CBC"), &world.soft("AES-128-CBC"));
        let (stop, done) = (&AtomicBool::new(false), &AtomicU32::new(0));
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for number in 0..3 {
                threads.push(scope.spawn(move || {
                    let stream = Stream::new(soft, number, 4, 8192);
                    while !stop.load(Ordering::Relaxed) {
                        assert!(stream.runs_right(hard), "the thread's bytes are wrong");
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }));
            }
            let stream = Stream::new(soft, 50, 3, 8192);
            let outcomes: Vec<_> = (0..ROUNDS)
                .map(|round| {
                    let exit = if round % 2 == 0 { Exit::Quick } else { Exit::Clean };
                    fork(exit, || stream.runs_right(hard))
                        .wait()
                        .map_err(|problem| format!("{exit:?}: {problem}"))
                })
                .collect();
            stop.store(true, Ordering::Relaxed);
            for (round, outcome) in outcomes.into_iter().enumerate() {
                outcome
                    .unwrap_or_else(|problem| panic!("{:?}, round {round}: {problem}", world.driver_choice));
            }
            join(threads);
        });
        assert!(done.load(Ordering::Relaxed) > 0, "the threads did something");
    }
}
