//! Look-ahead under valgrind: no error during the lifetime of contexts, and what messages cost that
//! it does not serve.

use outboard_tests::command::{MEMCHECK, helper, on_path, run, status_and_output};
use outboard_tests::cost::costs;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::world::{DriverChoice, Order, World};

const TEST: &str = "look_ahead_has_no_error_and_costs_little_where_it_is_not_used";

const ECB: &str = "sim-ecb-aes";

/// Instructions per message that passing through may add.
const ALLOWED: f64 = 100.0;

/// As in `pass_through_cost`.
const MESSAGES: u32 = 200;

/// One test, because loading the simulation takes long.
#[test]
fn look_ahead_has_no_error_and_costs_little_where_it_is_not_used() {
    let Some(Reachable { simulated, .. }) = Simulated::reachable(TEST) else { return };
    simulated.allow(&[ECB]);
    valgrind_finds_no_error_and_no_leak();
    messages_that_are_too_short_or_not_predicted_cost_little();
}

fn world() -> World {
    let settings = [("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0"), ("LOG_LEVEL", "warn")];
    World::new(DriverChoice::Simulated(ECB.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn valgrind_finds_no_error_and_no_leak() {
    let Some(valgrind) = on_path("valgrind") else { return skip(TEST, "valgrind") };
    let helper = match helper("life-of-a-context") {
        Ok(helper) => helper,
        Err(missing) => return skip(TEST, missing),
    };
    let world = world();
    let config = world.config();
    let arguments = [
        helper.to_str().expect("a plain name"),
        config.to_str().expect("a plain name"),
        "AES-128-CTR",
        "AES-256-CTR",
        "AES-128-GCM",
        "AES-256-GCM",
    ];
    let output = run(&valgrind, &config, &[MEMCHECK, &arguments].concat());
    assert!(output.status.success(), "{}", status_and_output(&output));
    let done = world.counts();
    assert!(done.ahead_requests > 100 && (done.failures, done.mismatches) == (0, 0), "{done:?}");
}

/// Short messages, and long ones whose nonces cannot be predicted.
fn messages_that_are_too_short_or_not_predicted_cost_little() {
    let world = world();
    let messages = ["AES-128-GCM/16", "AES-128-GCM/256", "AES-256-GCM/1400"];
    for cost in costs(TEST, &world, MESSAGES, &messages).into_iter().flatten() {
        assert!(cost.ours - cost.openssls <= ALLOWED, "{}", cost.what);
    }
    assert_eq!(world.counts().ahead_requests, 0);
}
