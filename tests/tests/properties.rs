//! For any sequence of calls the provider returns the same as OpenSSL's own ciphers.

use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::evp::{Cipher, Context, Direction, LibraryContext};
use outboard_tests::lane::runner;
use outboard_tests::script::{Script, Step, play, script};
use outboard_tests::world::{CIPHERS, World, worlds};
use proptest::prelude::*;

/// Thresholds below, within and above the lengths of scripts.
const THRESHOLDS: [&str; 7] =
    ["ALL:0", "ALL:1", "ALL:16", "ALL:17", "ALL:256", "ALL:4096", LARGEST_THRESHOLD];

/// Few scripts have a request that reaches it.
const LARGEST_THRESHOLD: &str = "ALL:65536";

/// Both providers' ciphers, of all three key lengths.
fn ciphers(world: &World) -> Vec<(Cipher, Cipher)> {
    CIPHERS.map(|algorithm| (world.hard(algorithm), world.soft(algorithm))).into()
}

fn play_one_of(ciphers: &[(Cipher, Cipher)], script: &Script) -> Result<(), TestCaseError> {
    let (hard, soft) = &ciphers[script.cipher];
    play(script, hard, soft).map_err(TestCaseError::fail)
}

/// A script for one context that encrypts at first.
fn fixed_script(steps: &[Step]) -> Script {
    let steps = steps.iter().cloned().map(|step| (0, step)).collect();
    Script { seed: 1, cipher: 0, direction: Direction::Encrypt, keyed: true, with_iv: true, steps }
}

#[test]
fn the_default_provider_agrees_with_itself() {
    let context = LibraryContext::new();
    let fetch = |algorithm| Cipher::fetch(&context, algorithm, "").expect("the default provider");
    let ciphers: Vec<_> = CIPHERS.iter().map(|algorithm| (fetch(algorithm), fetch(algorithm))).collect();
    runner(64)
        .run(&script(CIPHERS.len()), |script| play_one_of(&ciphers, &script))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn any_sequence_of_calls_returns_what_the_default_provider_does_at_any_threshold() {
    let test = "any_sequence_of_calls_returns_what_the_default_provider_does_at_any_threshold";
    for threshold in THRESHOLDS {
        for world in worlds(test, &[("THRESHOLDS", threshold)]) {
            let ciphers = ciphers(&world);
            let play_and_blame_nobody = |script: Script| {
                let before = world.counts().mismatches;
                play_one_of(&ciphers, &script)?;
                prop_assert_eq!(
                    world.counts().mismatches,
                    before,
                    "the driver was blamed for a wrong result"
                );
                Ok(())
            };
            runner(24)
                .run(&script(CIPHERS.len()), play_and_blame_nobody)
                .unwrap_or_else(|failure| panic!("{:?}, {threshold}: {failure}", world.driver_choice));
            if threshold == LARGEST_THRESHOLD {
                // A run may have no random script with such a request.
                let script = fixed_script(&[Step::Update { length: 128 << 10, in_place: false, skew: 0 }]);
                play_one_of(&ciphers, &script)
                    .unwrap_or_else(|problem| panic!("{:?}, {threshold}: {problem}", world.driver_choice));
            }
            world.assert_driver_used();
        }
    }
}

#[test]
fn scripts_of_fixed_defects_give_equal_results() {
    let test = "scripts_of_fixed_defects_give_equal_results";
    let large = || Step::Update { length: 4096, in_place: false, skew: 0 };
    let again = |direction| Step::Again { key: false, iv: true, direction: Some(direction) };
    let small = |length| Step::Update { length, in_place: false, skew: 0 };
    let scripts = [
        // Setting num was lost when the IV was passed back to software.
        vec![Step::Num(1), large(), Step::Ask],
        vec![large(), Step::Num(7), Step::Ask, large(), Step::Ask, Step::Finish, Step::Ask],
        // A key that was set for the other direction was used by the driver as a key for this one.
        vec![again(Direction::Decrypt), large()],
        vec![large(), again(Direction::Decrypt), large(), again(Direction::Encrypt), large()],
        // A buffered block was released as with padding, although padding had been switched off.
        vec![
            Step::Restart { direction: Direction::Decrypt },
            small(16),
            Step::Padding(false),
            small(33),
            small(15),
            Step::Finish,
        ],
        // The last block of a large update is buffered, and goes to the driver or to software with
        // the next.
        [
            vec![Step::Restart { direction: Direction::Decrypt }, large(), large(), large()],
            vec![Step::Ask, small(16), large(), small(4095), large(), small(33), large(), small(0)],
            vec![Step::Num(5), Step::Ask, large(), Step::Copy, large(), Step::Finish],
        ]
        .concat(),
        vec![
            Step::Restart { direction: Direction::Decrypt },
            large(),
            Step::Padding(false),
            large(),
            Step::Finish,
        ],
        // After a rejected parameter the running IV of the driver was lost.
        vec![large(), Step::Num(-1), small(16), large(), Step::Ask],
    ];
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        let ciphers = ciphers(&world);
        for steps in &scripts {
            play_one_of(&ciphers, &fixed_script(steps))
                .unwrap_or_else(|problem| panic!("{:?}: {problem}", world.driver_choice));
        }
        // Without an IV of its own, a context went back to zero instead of the running IV.
        for direction in [None, Some(Direction::Encrypt), Some(Direction::Decrypt)] {
            let again = Step::Again { key: false, iv: false, direction };
            let steps = [large(), small(1400), again, Step::Ask, Step::Copy, small(8), large(), Step::Ask];
            let script = Script { with_iv: false, ..fixed_script(&steps) };
            play_one_of(&ciphers, &script)
                .unwrap_or_else(|problem| panic!("{:?}: {problem}", world.driver_choice));
        }
        world.assert_driver_used();
    }
}

#[test]
fn a_message_in_any_chunks_gives_the_ciphertext_of_one_call_and_decrypts_in_any_chunks() {
    let test = "a_message_in_any_chunks_gives_the_ciphertext_of_one_call_and_decrypts_in_any_chunks";
    let splits = || prop::collection::vec(prop_oneof![0..40_usize, 0..5000_usize], 0..12);
    let message = (any::<u64>(), 0..3_usize, 0..40_000_usize, splits(), splits());
    for world in worlds(test, &[("THRESHOLDS", "ALL:64")]) {
        let ciphers = ciphers(&world);
        runner(64)
            .run(&message, |(seed, which, length, encrypt_splits, decrypt_splits)| {
                let (hard, soft) = &ciphers[which];
                let plain = bytes(seed, length);
                let (key, iv) = (bytes(seed ^ 1, hard.key_length()), array(seed ^ 2));
                let start = |cipher, direction| Context::keyed(cipher, &key, &iv, direction);
                let whole = drive(start(soft, Direction::Encrypt), &plain, &[]);
                let split = drive(start(hard, Direction::Encrypt), &plain, &encrypt_splits);
                assert_same(&split, &whole, "ciphertext");
                assert_same(
                    &drive(start(hard, Direction::Decrypt), &whole, &decrypt_splits),
                    &plain,
                    "plaintext",
                );
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{:?}: {failure}", world.driver_choice));
        world.assert_driver_used();
    }
}

/// Updates with chunks of these lengths, then with the rest, and finishes.
fn drive(mut context: Context, input: &[u8], pieces: &[usize]) -> Vec<u8> {
    let mut output = Vec::new();
    let mut rest = input;
    for piece in pieces.iter().copied().chain([usize::MAX]) {
        let (now, later) = rest.split_at(piece.min(rest.len()));
        let mut own = vec![0; now.len() + 16];
        let written = context.update(now, &mut own).expect("update");
        output.extend_from_slice(&own[..written]);
        rest = later;
    }
    let mut last = [0; 16];
    let written = context.finish(&mut last).expect("final");
    output.extend_from_slice(&last[..written]);
    output
}
