//! With the provider, a small update in software costs an additional comparison and call.

use outboard_tests::cost::costs;
use outboard_tests::world::{World, world_of_every_cipher, worlds_with_drivers};

/// Instructions per 16-byte update that passing through may add.
const ALLOWED: f64 = 60.0;

/// valgrind in an emulated machine is slow; the count is constant, so that a few updates are
/// enough.
const UPDATES: u32 = 500;

const TEST: &str = "an_update_below_the_threshold_costs_at_most_sixty_instructions_more";

#[test]
fn an_update_below_the_threshold_costs_at_most_sixty_instructions_more() {
    // One kind of driver is enough: below the threshold it is not used.
    let settings = [("THRESHOLDS", "ALL:4096")];
    if let Some(world) = world_of_every_cipher(TEST, &settings) {
        costs_little(&world, &["AES-128-CBC", "AES-128-CTR", "AES-128-XTS", "DES-EDE3-CBC"]);
    } else if let Some(world) = worlds_with_drivers(TEST, &settings).into_iter().next() {
        costs_little(&world, &["AES-128-CBC"]);
    }
}

#[track_caller]
fn costs_little(world: &World, algorithms: &[&str]) {
    for cost in costs(TEST, world, UPDATES, algorithms).into_iter().flatten() {
        assert!(cost.ours - cost.openssls <= ALLOWED, "{}", cost.what);
    }
}
