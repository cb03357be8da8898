//! The kernel's self-tests of CESA's ciphers, in a boot of their own: the other boots have none
//! (cryptomgr.notests), since the hashes of this driver fail theirs.

use std::fs;

use outboard_tests::model::{Engines, Word, report};

#[test]
fn the_kernel_finds_every_cipher_right() {
    let test = "the_kernel_finds_every_cipher_right";
    let Some(engines) = Engines::find(test, ("0x11ab", "0xce5a")) else { return };
    let listing = fs::read_to_string("/proc/crypto").expect("proc is mounted");
    let passed = |driver: &str| {
        let has =
            |entry: &str, line: &str| entry.lines().any(|one| one.split_whitespace().eq(line.split(' ')));
        listing
            .split("\n\n")
            .any(|entry| has(entry, &format!("driver : {driver}")) && has(entry, "selftest : passed"))
    };
    let ciphers =
        ["mv-ecb-aes", "mv-cbc-aes", "mv-ecb-des", "mv-cbc-des", "mv-ecb-des3-ede", "mv-cbc-des3-ede"];
    for driver in ciphers {
        assert!(passed(driver), "{driver}: {listing}");
    }
    assert!(engines.sum(Word::Requests) > 100);
    report("marvell-cesa", "self-tests", format!("{} ciphers passed", ciphers.len()));
}
