//! An accelerator has room for so many keys: virtio-crypto's backend refuses the 129th. Whoever comes later gets right
//! bytes all the same.

use outboard_tests::stream::{Journey, Stream};
use outboard_tests::world::{Way, worlds};

const CONTEXTS: u64 = 300;

#[test]
fn three_hundred_contexts_that_are_open_at_once_all_give_right_bytes() {
    let test = "three_hundred_contexts_that_are_open_at_once_all_give_right_bytes";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        let streams: Vec<_> = (0..CONTEXTS).map(|seed| Stream::new(&soft, seed, 3, 1600)).collect();
        let mut journeys: Vec<Journey<'_>> = streams.iter().map(|stream| stream.start(&hard)).collect();
        for _ in 0..3 {
            for journey in &mut journeys {
                assert!(journey.go());
            }
        }
        for (number, journey) in journeys.into_iter().enumerate() {
            assert!(journey.ends_right(), "{:?}: context {number} gave wrong bytes", world.way);
        }
        assert_eq!(world.counts().mismatches, 0);

        if world.way == Way::Nothing {
            continue;
        }
        let during = world.counts();
        assert!(during.hw_requests > 0, "{:?}: nothing went to the driver: {during:?}", world.way);
        // Now that all is free again, so is the driver.
        assert!(streams[0].runs_right(&hard), "{:?}: a context made afterwards gave wrong bytes", world.way);
        let after = world.counts() - during;
        assert!(
            after.hw_requests > 0,
            "{:?}: a driver that was full once is never used again: {after:?}",
            world.way
        );
    }
}
