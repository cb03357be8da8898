//! Plaintext does not stay in the memory that the process shares with the kernel module, whether the
//! requests succeed or fail.

use std::fs;

use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::evp::Direction;
use outboard_tests::messages::unpadded;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World};
use outboard_uapi::DEVICE;

const CIPHER: &str = "AES-128-CBC";
const DRIVER: &str = "sim-cbc-aes";
const LENGTH: usize = 60_000;

/// A block of the plaintext, which no ciphertext and no memory of another purpose contains.
const BLOCK: [u8; 16] = *b"this is a secret";

/// How many times the block is found in the arenas of this process.
fn found_in_arenas() -> usize {
    let maps = fs::read_to_string("/proc/self/maps").expect("proc is mounted");
    let mut arenas = 0;
    let mut found = 0;
    for line in maps.lines().filter(|line| line.ends_with(DEVICE)) {
        let (from, to) = line.split(' ').next().and_then(|range| range.split_once('-')).expect("a range");
        let [from, to] = [from, to].map(|at| usize::from_str_radix(at, 16).expect("an address"));
        // SAFETY: it is mapped, and no request of this process is in flight.
        let memory = unsafe { std::slice::from_raw_parts(from as *const u8, to - from) };
        found += memory.chunks_exact(BLOCK.len()).filter(|block| **block == BLOCK).count();
        arenas += 1;
    }
    assert!(arenas > 0, "no arena is mapped: {maps}");
    found
}

#[test]
fn no_plaintext_stays_in_an_arena() {
    let test = "no_plaintext_stays_in_an_arena";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&[DRIVER]);
    let settings = [("THRESHOLDS", "ALL:0"), ("LOG_LEVEL", "off")];
    let world = World::new(DriverChoice::Simulated(DRIVER.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"));
    let (hard, soft) = (world.hard(CIPHER), world.soft(CIPHER));
    let plain = BLOCK.repeat(LENGTH / BLOCK.len());
    let (key, iv) = (bytes(1, 16), [7; 16]);
    let secret = unpadded(&soft, &key, &iv, Direction::Encrypt, &plain);
    for fails in [false, true] {
        if fails {
            simulated.fault(&format!("{DRIVER} error 5"));
        }
        let before = world.counts();
        assert_same(&unpadded(&hard, &key, &iv, Direction::Encrypt, &plain), &secret, "encrypted");
        assert_eq!(found_in_arenas(), 0, "blocks of plaintext after an encryption; it fails: {fails}");
        assert_same(&unpadded(&hard, &key, &iv, Direction::Decrypt, &secret), &plain, "decrypted");
        assert_eq!(found_in_arenas(), 0, "blocks of plaintext after a decryption; it fails: {fails}");
        simulated.fault("clear");
        let after = world.counts();
        assert_eq!(after.failures > before.failures, fails, "{before:?} {after:?}");
        assert_eq!(after.hw_requests > before.hw_requests, !fails, "{before:?} {after:?}");
    }
}
