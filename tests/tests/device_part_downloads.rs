//! TLS downloads with key stream of which some pages are wrong: the tag of a record fits its wrong
//! ciphertext, so that the peer would accept it.

use std::fs;

use outboard_counters::Counts;
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::tls::{Session, put_certificate};
use outboard_tests::world::{DriverChoice, Order, World, write_text};

const ECB: &str = "sim-ecb-aes";

const DOWNLOADS: u64 = 20;
const SIZE: usize = 16_000_000;

#[test]
fn no_download_is_wrong_where_a_page_of_some_segments_is() {
    let test = "no_download_is_wrong_where_a_page_of_some_segments_is";
    let Some(Reachable { simulated, openssl, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&[ECB]);
    // Without full comparisons at random, which would find some of the pages too.
    let settings = [("LOOKAHEAD", "ON"), ("LOG_LEVEL", "off"), ("SHADOW_CHECKS", "0")];
    let world = World::new(DriverChoice::Simulated(ECB.to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"));
    let (folder, with, plain) = (world.folder(), world.config(), world.folder().join("plain.cnf"));
    write_text(&plain, "default = default_section\n", "", "");
    put_certificate(&openssl, &plain, folder);
    let file = bytes(1, SIZE);
    fs::write(folder.join("file"), &file).expect("a file in the folder");
    let (suite, algorithm) = ("TLS_AES_128_GCM_SHA256", "AES-128-GCM");
    for number in 0..DOWNLOADS {
        // The server encrypts with the provider, or the client decrypts.
        let is_server = number % 2 == 0;
        let [server, client] = if is_server { [&with, &plain] } else { [&plain, &with] };
        let session = Session { openssl: &openssl, folder, version: "-tls1_3", suite, server, client };
        let before = world.counts_of(algorithm);
        simulated.fault(&format!("{ECB} part 4096 after={number} every=40"));
        let received = session.download("file").unwrap_or_else(|error| panic!("download {number}: {error}"));
        simulated.fault("clear");
        assert_same(&received.bytes, &file, &format!("download {number}"));
        let done: Counts = world.counts_of(algorithm) - before;
        println!(
            "download {number}: {} of {} bytes with key stream, {} wrong pages found",
            done.ahead_bytes,
            done.bytes(),
            done.failures + done.mismatches
        );
        assert!(done.ahead_bytes > 0 && done.failures + done.mismatches > 0, "download {number}: {done:?}");
    }
}
