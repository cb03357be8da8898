//! A small update that stays in software costs a comparison and a call more than without the provider.

use std::path::Path;

use outboard_tests::command::{helper, on_path, run, said};
use outboard_tests::skip::skip;
use outboard_tests::world::{World, worlds_with_drivers};

/// Instructions per 16-byte update that passing through may add.
const ALLOWED: f64 = 60.0;
const FEW: u32 = 1_000;
const MANY: u32 = 5_000;

#[test]
fn an_update_below_the_threshold_costs_at_most_sixty_instructions_more() {
    let test = "an_update_below_the_threshold_costs_at_most_sixty_instructions_more";
    let Some(valgrind) = on_path("valgrind") else {
        return skip(test, "valgrind");
    };
    let helper = match helper("pass-through-cost") {
        Ok(helper) => helper,
        Err(missing) => return skip(test, missing),
    };
    // One way is enough: below the threshold the driver plays no part.
    let Some(world) = worlds_with_drivers(test, &[("THRESHOLDS", "ALL:4096")]).into_iter().next() else {
        return;
    };
    for direction in ["encrypt", "decrypt"] {
        let per_update = |provider| {
            let count = |updates| instructions(&valgrind, &helper, &world, provider, direction, updates);
            (count(MANY) - count(FEW)) / f64::from(MANY - FEW)
        };
        let (ours, openssls) = (per_update("outboard"), per_update("default"));
        println!("{direction}: {ours:.1} instructions per update, {openssls:.1} without outboard");
        assert!(
            ours - openssls <= ALLOWED,
            "{direction}: {ours:.1} instructions per update, {openssls:.1} without"
        );
    }
}

/// How many instructions the helper's whole run takes.
fn instructions(
    valgrind: &Path,
    helper: &Path,
    world: &World,
    provider: &str,
    direction: &str,
    updates: u32,
) -> f64 {
    let (config, updates) = (world.config(), updates.to_string());
    let config_name = config.to_str().expect("a plain name");
    let helper = helper.to_str().expect("a plain name");
    let arguments = [
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        helper,
        config_name,
        provider,
        direction,
        &updates,
    ];
    let output = run(valgrind, &config, &arguments);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected =
        text.lines().find_map(|line| line.split_once("Collected :")).map(|(_, number)| number.trim());
    collected.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no count: {text}"))
}
