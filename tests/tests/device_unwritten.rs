//! Parts of a result that the driver did not write: applications get neither their plaintext as
//! ciphertext nor zeros as random numbers.

use outboard_tests::child::in_own_process;
use outboard_tests::command::{run, status_and_output};
use outboard_tests::evp::version;
use outboard_tests::exposure::wrong_results;
use outboard_tests::simulated::{ALGORITHMS, DRIVERS, Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World};

/// Processes for each cipher, with one unwritten line each.
const PROCESSES: u64 = 5;

/// Requests of a process. The first ones are compared in full.
const REQUESTS: u64 = 80;
const WRITTEN: u64 = 40;

#[test]
fn no_line_that_a_driver_left_unwritten_reaches_the_application() {
    let test = "no_line_that_a_driver_left_unwritten_reaches_the_application";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    // Without comparisons at random, which would find some of the lines too.
    let settings =
        [("THRESHOLDS", "ALL:0"), ("LOOKAHEAD", "OFF"), ("SHADOW_CHECKS", "0"), ("LOG_LEVEL", "off")];
    let mut last_driver = "";
    for (name, driver) in ALGORITHMS {
        // One algorithm of each driver of ciphers.
        if driver == last_driver || driver.contains("sha") {
            continue;
        }
        last_driver = driver;
        for process in 0..PROCESSES {
            simulated.fault(&format!("{driver} unwritten after={} count=1", WRITTEN + 7 * process));
            in_own_process(|| {
                let choice = DriverChoice::Simulated(driver.to_owned());
                let world = World::new(choice, &settings, Order::DefaultFirst)
                    .unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(wrong_results(&world, name, process, REQUESTS), Some(0), "{name}");
                let counts = world.counts_of(name);
                // The repetition was right, so that the driver goes on.
                assert_eq!((counts.failures, counts.mismatches), (1, 0), "{name}: {counts:?}");
                assert!(counts.hw_requests > REQUESTS - 10, "{name}: {counts:?}");
            });
            simulated.fault("clear");
        }
    }
}

/// OpenSSL's generator is AES-256 in counter mode, and that of OpenSSL 3.0 to 3.4 fetches it as
/// applications do.
#[test]
fn random_numbers_are_computed_by_software() {
    let test = "random_numbers_are_computed_by_software";
    let Some(Reachable { simulated, openssl, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    for settings in
        [[("THRESHOLDS", "ALL:1"), ("LOOKAHEAD", "OFF")], [("THRESHOLDS", "ALL:1024"), ("LOOKAHEAD", "ON")]]
    {
        let choice = DriverChoice::Simulated("sim-ctr-aes,sim-ecb-aes".to_owned());
        let settings = [&settings[..], &[("CIPHERS", "AES-256-CTR"), ("LOOKAHEAD_START", "0")]].concat();
        let world =
            World::new(choice, &settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
        let random = || {
            let output = run(&openssl, &world.config(), &["rand", "200000"]);
            assert!(output.status.success() && output.stderr.is_empty(), "{}", status_and_output(&output));
            output.stdout
        };
        let (first, second) = (random(), random());
        assert!(first.len() == 200_000 && second.len() == 200_000 && first != second);
        let counts = world.counts();
        assert_eq!((counts.hw_requests, counts.ahead_requests), (0, 0), "{settings:?}: {counts:?}");
        if version().starts_with("OpenSSL 3.0") {
            assert!(counts.requests() > 0, "the generator uses another cipher: {counts:?}");
        }
    }
}
