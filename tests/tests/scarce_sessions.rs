//! The keys of an accelerator are limited: virtio-crypto's backend refuses the 129th. Contexts
//! beyond the limit also give correct results.

use std::thread::sleep;
use std::time::Duration;

use outboard_tests::stream::{Journey, Stream};
use outboard_tests::world::{DriverChoice, worlds};

const CONTEXTS: u64 = 1000;

#[test]
fn a_thousand_contexts_that_are_open_at_once_all_give_right_bytes() {
    let test = "a_thousand_contexts_that_are_open_at_once_all_give_right_bytes";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        let streams: Vec<_> = (0..CONTEXTS).map(|seed| Stream::new(&soft, seed, 2, 800)).collect();
        let mut journeys: Vec<Journey<'_>> = streams.iter().map(|stream| stream.start(&hard)).collect();
        for _ in 0..2 {
            for journey in &mut journeys {
                assert!(journey.go());
            }
        }
        for (number, journey) in journeys.into_iter().enumerate() {
            assert!(journey.ends_right(), "{:?}: context {number} gave wrong bytes", world.driver_choice);
        }
        assert_eq!(world.counts().mismatches, 0);

        if world.driver_choice == DriverChoice::Nothing {
            continue;
        }
        let during = world.counts();
        assert!(during.hw_requests > 0, "{:?}: nothing went to the driver: {during:?}", world.driver_choice);
        // All sessions are free again, so the driver accepts a new one.
        assert!(
            streams[0].runs_right(&hard),
            "{:?}: a context made afterwards gave wrong bytes",
            world.driver_choice
        );
        let after = world.counts() - during;
        assert!(
            after.hw_requests > 0,
            "{:?}: a driver that was full once is never used again: {after:?}",
            world.driver_choice
        );
    }
}

#[test]
fn a_context_that_is_busy_gets_the_room_of_one_that_is_idle() {
    let test = "a_context_that_is_busy_gets_the_room_of_one_that_is_idle";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        // More than virtio-crypto can hold, and more than a process caches.
        let idle: Vec<_> = (0..300).map(|seed| Stream::new(&soft, seed, 2, 1600)).collect();
        let mut journeys: Vec<Journey<'_>> = idle.iter().map(|stream| stream.start(&hard)).collect();
        assert!(journeys.iter_mut().all(Journey::go));
        let busy = Stream::new(&soft, 1000, 64, 1600);
        let before = world.counts();
        // A context is idle after a second without use.
        sleep(Duration::from_millis(1200));
        assert!(busy.runs_right(&hard), "{:?}: wrong bytes", world.driver_choice);
        let used = world.counts() - before;
        assert!(
            world.driver_choice == DriverChoice::Nothing || used.hw_requests > 40,
            "{:?}: {used:?}",
            world.driver_choice
        );
        for (number, journey) in journeys.into_iter().enumerate() {
            assert!(journey.ends_right(), "{:?}: context {number} gave wrong bytes", world.driver_choice);
        }
    }
}
