//! Keys with few bytes open no session with a driver, and keys with many do.

use std::fs;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::evp::{Context, Direction};
use outboard_tests::simulated::{DRIVERS, Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World};

/// Ciphers with drivers of the simulation, and their counts.
const CIPHERS: [&str; 4] = ["AES-128-CBC", "AES-128-CTR", "AES-256-GCM", "AES-128-XTS"];

/// The world of these settings, without a policy file.
fn world(simulated: &Simulated, settings: &[(&str, &str)]) -> World {
    simulated.allow(&DRIVERS);
    let settings = [&[("POLICY", "NONE")], settings].concat();
    World::new(DriverChoice::Simulated(DRIVERS.join(",")), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The sessions of all processes with the module.
fn sessions() -> usize {
    let text = fs::read_to_string(format!("{}/sessions", outboard_uapi::SYSFS)).expect("sysfs is mounted");
    text.trim().parse().expect("a number")
}

fn keyed(world: &World, algorithm: &str, key: u64) -> Context {
    let cipher = world.hard(algorithm);
    Context::keyed(&cipher, &bytes(key, cipher.key_length()), &array(key), Direction::Encrypt)
}

/// Encrypts with requests of these sizes under a new key, and returns the sessions that it opened
/// and the requests that went to a driver.
fn opened(world: &World, algorithm: &str, sizes: &[usize]) -> (usize, u64) {
    let (before, done) = (sessions(), world.counts_of(algorithm).hw_requests);
    let mut context = keyed(world, algorithm, done + 1);
    for &size in sizes {
        context.update(&bytes(1, size), &mut vec![0; size + 16]).expect("update");
    }
    (sessions() - before, world.counts_of(algorithm).hw_requests - done)
}

#[test]
fn a_key_opens_a_session_when_it_has_enough_bytes_and_not_before() {
    let test = "a_key_opens_a_session_when_it_has_enough_bytes_and_not_before";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let by_default = world(&simulated, &[]);
    for algorithm in CIPHERS {
        for size in [4096, 16384, 65536] {
            assert_eq!(opened(&by_default, algorithm, &[size]), (0, 0), "{algorithm}, {size} bytes");
        }
    }
    for algorithm in ["AES-128-CBC", "AES-128-CTR", "AES-128-XTS"] {
        // Requests below the threshold do not count.
        assert_eq!(opened(&by_default, algorithm, &[1024; 100]), (0, 0), "{algorithm}");
        assert_eq!(opened(&by_default, algorithm, &[16384; 5]), (1, 1), "{algorithm}");
        // After a key with many bytes the next one does not wait, and after one with few it does.
        assert_eq!(opened(&by_default, algorithm, &[65536, 4096, 4096]), (1, 3), "{algorithm}");
        assert_eq!(opened(&by_default, algorithm, &[4096]), (1, 1), "{algorithm}");
        assert_eq!(opened(&by_default, algorithm, &[65536, 4096, 4096]), (1, 2), "{algorithm}");
        assert_eq!(opened(&by_default, algorithm, &[4096]), (1, 1), "{algorithm}");
        assert_eq!(opened(&by_default, algorithm, &[4096]), (0, 0), "{algorithm}");
    }
    assert_eq!(opened(&by_default, "AES-128-CTR", &[1 << 20]).0, 1, "enough by itself");
    let from_the_first = world(&simulated, &[("THRESHOLDS", "ALL:4096")]);
    assert_eq!(opened(&from_the_first, "AES-128-CBC", &[4096]), (1, 1));
    let both = world(&simulated, &[("THRESHOLDS", "ALL:4096"), ("KEY_BYTES", "8192")]);
    assert_eq!(opened(&both, "AES-128-CBC", &[4096]), (0, 0));
    assert_eq!(opened(&both, "AES-128-CBC", &[4096, 4096]), (1, 1));
}

#[test]
fn a_copy_continues_with_the_bytes_of_its_original() {
    let test = "a_copy_continues_with_the_bytes_of_its_original";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let world = world(&simulated, &[]);
    for algorithm in ["AES-128-CBC", "AES-128-CTR"] {
        let before = sessions();
        let mut original = keyed(&world, algorithm, 7);
        original.update(&bytes(1, 65536), &mut vec![0; 65552]).expect("update");
        let (mut copy, outcome) = original.copy();
        outcome.expect("copy");
        assert_eq!(sessions(), before, "{algorithm}");
        copy.update(&bytes(1, 4096), &mut vec![0; 4112]).expect("update");
        assert_eq!(sessions(), before + 1, "{algorithm}");
    }
}
