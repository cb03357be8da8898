//! Counts the wrong results that reach an application: processes messages with an algorithm of the
//! simulated accelerator and compares each result with OpenSSL's own.
//! Usage: count-wrong-results ALGORITHM COUNT SEED. Prints "wrong N caught M by hardware K", or
//! "not offered".

use std::process::ExitCode;

use outboard_tests::exposure::wrong_results;
use outboard_tests::simulated::DRIVERS;
use outboard_tests::world::{DriverChoice, Order, World};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers = || Some((arguments.get(1)?.parse().ok()?, arguments.get(2)?.parse().ok()?));
    let (Some(name), Some((count, seed))) = (arguments.first(), numbers()) else {
        eprintln!("usage: count-wrong-results ALGORITHM COUNT SEED");
        return ExitCode::from(2);
    };
    let settings = [("THRESHOLDS", "ALL:0"), ("DIGESTS", "ALL"), ("LOG_LEVEL", "off")];
    let world = World::new(DriverChoice::Simulated(DRIVERS.join(",")), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"));
    let Some(wrong) = wrong_results(&world, name, seed, count) else {
        println!("not offered");
        return ExitCode::SUCCESS;
    };
    let counts = world.counts_of(name);
    // The driver is disabled by a wrong result that was confirmed, or by the third one that was not.
    let caught = counts.mismatches + counts.failures / 3;
    println!("wrong {wrong} caught {caught} by hardware {}", counts.hw_requests);
    ExitCode::SUCCESS
}
