//! Failures are those of OpenSSL's own ciphers: same return value, length and reason in the error
//! queue.

use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::evp::{Context, Direction, Outcome};
use outboard_tests::messages::unpadded;
use outboard_tests::world::{CIPHERS, World, worlds};

/// Makes the same calls with contexts of both providers, asserts that each call has the same
/// result, and returns the last one.
#[track_caller]
fn alike(
    world: &World,
    algorithm: &str,
    direction: Direction,
    calls: impl Fn(&mut Context) -> Vec<Outcome>,
) -> Outcome {
    let [mut hard, soft] = [world.hard(algorithm), world.soft(algorithm)].map(|cipher| {
        let mut context = Context::keyed(&cipher, &bytes(1, cipher.key_length()), &array(2), direction);
        calls(&mut context)
    });
    assert_eq!(hard, soft, "{:?}, {algorithm}, {direction:?}", world.driver_choice);
    hard.pop().expect("at least one call")
}

/// A ciphertext whose plaintext ends in these bytes.
fn ciphertext_ending_in(world: &World, ending: &[u8]) -> Vec<u8> {
    let plain = [bytes(3, 4096 - ending.len()).as_slice(), ending].concat();
    unpadded(&world.soft("AES-128-CBC"), &bytes(1, 16), &array(2), Direction::Encrypt, &plain)
}

#[test]
fn a_final_with_part_of_a_block_and_no_padding_is_refused_alike() {
    let test = "a_final_with_part_of_a_block_and_no_padding_is_refused_alike";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        for algorithm in CIPHERS {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let last = alike(&world, algorithm, direction, |context| {
                    let mut output = [0; 256];
                    context.set_padding(false);
                    vec![context.update(&[7; 100], &mut output), context.finish(&mut output)]
                });
                assert_eq!(last.returned, 0);
                assert_eq!(last.reasons, [Some("wrong final block length".to_owned())]);
            }
        }
    }
}

#[test]
fn bad_padding_is_refused_alike() {
    for world in worlds("bad_padding_is_refused_alike", &[("THRESHOLDS", "ALL:1")]) {
        let endings: [&[u8]; 6] = [
            &[0],
            &[17],
            &[255],
            &[3, 2],
            &[4, 5, 5, 5, 5],
            &[0, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16],
        ];
        for ending in endings {
            let secret = ciphertext_ending_in(&world, ending);
            let last = alike(&world, "AES-128-CBC", Direction::Decrypt, |context| {
                let mut output = vec![0; secret.len() + 16];
                vec![context.update(&secret, &mut output), context.finish(&mut output)]
            });
            assert_eq!(last.returned, 0, "{ending:?}");
            assert_eq!(last.reasons, [Some("bad decrypt".to_owned())], "{ending:?}");
        }
    }
}

#[test]
fn every_length_of_good_padding_is_taken_off() {
    for world in worlds("every_length_of_good_padding_is_taken_off", &[("THRESHOLDS", "ALL:1")]) {
        for length in 1..=16_u8 {
            let secret = ciphertext_ending_in(&world, &vec![length; length.into()]);
            let last = alike(&world, "AES-128-CBC", Direction::Decrypt, |context| {
                let mut output = vec![0; secret.len() + 16];
                vec![context.update(&secret, &mut output), context.finish(&mut output)]
            });
            assert_eq!((last.returned, last.written), (1, 16 - i32::from(length)));
        }
    }
}

#[test]
fn a_ciphertext_of_odd_length_or_of_none_is_refused_alike() {
    let test = "a_ciphertext_of_odd_length_or_of_none_is_refused_alike";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        for length in [0, 1, 15, 17, 4095, 4097] {
            let last = alike(&world, "AES-256-CBC", Direction::Decrypt, |context| {
                let mut output = vec![0; length + 16];
                vec![context.update(&bytes(4, length), &mut output), context.finish(&mut output)]
            });
            assert_eq!(last.returned, 0, "{length} bytes");
        }
    }
}

#[test]
fn an_update_of_nothing_writes_nothing() {
    for world in worlds("an_update_of_nothing_writes_nothing", &[("THRESHOLDS", "ALL:0")]) {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            for held in [0, 1, 16, 4096, 4097] {
                let last = alike(&world, "AES-128-CBC", direction, |context| {
                    let mut output = vec![0; held + 16];
                    vec![context.update(&bytes(5, held), &mut output), context.update(&[], &mut output)]
                });
                assert_eq!((last.returned, last.written), (1, 0), "{direction:?} after {held} bytes");
            }
        }
    }
}

#[test]
fn a_context_without_a_key_refuses_all_alike() {
    for world in worlds("a_context_without_a_key_refuses_all_alike", &[("THRESHOLDS", "ALL:1")]) {
        let [hard, soft] = [world.hard("AES-128-CBC"), world.soft("AES-128-CBC")].map(|cipher| {
            let mut context = Context::new();
            let mut output = vec![0; 8192];
            vec![
                context.init(Some(&cipher), None, Some(&array(1)), Some(Direction::Encrypt)),
                context.update(&bytes(2, 4096), &mut output),
                context.update(&[], &mut output),
                context.finish(&mut output),
                context.one_shot(&bytes(2, 4112), 4096, &mut output),
                context.init(None, Some(&bytes(3, 16)), None, None),
                context.update(&bytes(2, 4096), &mut output),
            ]
        });
        assert_eq!(hard, soft, "{:?}", world.driver_choice);
        assert_eq!(soft[1].reasons, [Some("no key set".to_owned())]);
        assert_eq!(soft[6].returned, 1);
    }
}

/// OpenSSL's own ciphers do not define the output for a partial overlap, so bytes are not compared.
#[test]
fn buffers_that_overlap_in_part_are_answered_alike() {
    for world in worlds("buffers_that_overlap_in_part_are_answered_alike", &[("THRESHOLDS", "ALL:1")]) {
        for (from, to) in [(0, 1), (0, 16), (0, 4000), (1, 0), (16, 0), (4000, 0)] {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                alike(&world, "AES-128-CBC", direction, |context| {
                    let mut buffer = bytes(6, 3 * 4096);
                    vec![context.update_within(&mut buffer, from, to, 4096)]
                });
            }
        }
    }
}

/// OpenSSL keeps the key schedule of the old direction and computes bytes that no driver computes.
#[test]
fn a_change_of_direction_without_a_key_is_answered_alike_and_no_driver_is_blamed() {
    let test = "a_change_of_direction_without_a_key_is_answered_alike_and_no_driver_is_blamed";
    for world in worlds(test, &[("THRESHOLDS", "ALL:1")]) {
        for (first, second) in
            [(Direction::Encrypt, Direction::Decrypt), (Direction::Decrypt, Direction::Encrypt)]
        {
            for before in [0, 4096] {
                let outputs = [world.hard("AES-256-CBC"), world.soft("AES-256-CBC")].map(|cipher| {
                    let mut context = Context::keyed(&cipher, &bytes(1, 32), &array(2), first);
                    let mut output = vec![0; 3 * 4096];
                    context.update(&bytes(3, before), &mut output).expect("update");
                    context.init(None, None, Some(&array(4)), Some(second)).expect("init");
                    context.set_padding(false).expect("padding off");
                    context.update(&bytes(5, 4096), &mut output).expect("update");
                    output
                });
                let what =
                    format!("{:?}, {first:?} then {second:?}, {before} bytes before", world.driver_choice);
                assert_same(&outputs[0], &outputs[1], &what);
                assert_eq!(world.counts().mismatches, 0, "{what}: the driver was blamed");
            }
        }
    }
}
