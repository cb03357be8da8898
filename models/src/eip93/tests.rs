use super::*;
use crate::bench::{Bench, RAM};
use crate::block::tests::hex;
use crate::vfio::Device;

const RING_OF_RESULTS: u32 = RAM + 0x100;
const ASSOCIATION: u32 = RAM + 0x200;
const STATE_RECORD: u32 = RAM + 0x300;
const PLAIN: u32 = RAM + 0x1000;
const SECRET: u32 = RAM + 0x2000;
const AES: u32 = 3 << 8 | 0xf << 12 | IV_FROM_STATE << 24 | SAVE_IV;
const KEY_128: u32 = 2 << 24;
const CBC: u32 = 1 << 8;
const CTR: u32 = 2 << 8;
/// NIST SP 800-38A, F.2.1 and F.5.1, two blocks.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const TEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";
const BY_CBC: &str = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2";
const BY_CTR: &str = "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff";

fn bench(options: &[&str]) -> Bench {
    let mut bench = Bench::new(Eip93::new(), 0, options);
    bench.put(PLAIN, &hex(TEXT));
    bench.set(CONFIG, MODE | UPDATE_COMMANDS | RESET_ENGINE | RESET_RINGS);
    bench.set(CONFIG, MODE | UPDATE_COMMANDS);
    bench.set(COMMANDS, RAM);
    bench.set(RESULTS, RING_OF_RESULTS);
    // Four descriptors.
    bench.set(RING, 3);
    bench.set(ENABLE, RESULT);
    bench
}

fn associate(bench: &mut Bench, operation: u32, details: u32, iv: &str) {
    bench.put_words(ASSOCIATION, &[operation, details]);
    bench.put(ASSOCIATION + 8, &hex(KEY));
    bench.put(STATE_RECORD, &hex(iv));
}

/// Starts the descriptor with this number.
fn start(bench: &mut Bench, number: u32, from: u32, to: u32, length: u32) {
    // Linux's driver has no state for ECB.
    let has_state = word(&bench.get(ASSOCIATION, 8), 4) & (CBC | CTR) != 0;
    let words = [
        HOST_READY,
        from,
        to,
        ASSOCIATION,
        if has_state { STATE_RECORD } else { 0 },
        0,
        0xabc0_0000 | number,
        LENGTH_HOST_READY | length,
    ];
    bench.put_words(RAM + 32 * (number % 4), &words);
    bench.set(COMMAND_COUNT, 1);
}

/// The words of a result: state, user's number, length.
fn result(bench: &Bench, number: u32) -> [u32; 3] {
    let bytes = bench.get(RING_OF_RESULTS + 32 * (number % 4), 32);
    [0, 24, 28].map(|at| word(&bytes, at))
}

#[test]
fn both_modes_are_as_the_standard_shows_and_chain_by_the_state() {
    for (details, iv, expected) in [
        (KEY_128 | CBC, "000102030405060708090a0b0c0d0e0f", BY_CBC),
        (KEY_128 | CTR, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", BY_CTR),
    ] {
        let mut bench = bench(&[]);
        associate(&mut bench, AES, details, iv);
        start(&mut bench, 0, PLAIN, SECRET, 16);
        start(&mut bench, 1, PLAIN + 16, SECRET + 16, 16);
        assert_eq!(bench.get(SECRET, 32), hex(expected));
        assert_eq!(bench.register(RESULT_COUNT), 2);
        assert_eq!(result(&bench, 1), [ENGINE_READY, 0xabc0_0001, LENGTH_DONE | 16]);
        associate(&mut bench, AES | INBOUND, details, iv);
        start(&mut bench, 2, SECRET, SECRET, 32);
        assert_eq!(bench.get(SECRET, 32), hex(TEXT));
    }
}

#[test]
fn the_counter_has_32_bits() {
    let mut bench = bench(&[]);
    associate(&mut bench, AES, KEY_128 | CTR, "000102030405060708090a0bffffffff");
    start(&mut bench, 0, PLAIN, SECRET, 20);
    assert_eq!(bench.get(STATE_RECORD, 16), hex("000102030405060708090a0b00000001"));
}

#[test]
fn the_rings_go_round_and_the_line_is_up_while_there_are_results() {
    let mut bench = bench(&[]);
    associate(&mut bench, AES, KEY_128, "00");
    for number in 0..9 {
        start(&mut bench, number, PLAIN, SECRET, 32);
        assert!(bench.model.signal().level, "{number}");
        assert_eq!(result(&bench, number)[1], 0xabc0_0000 | number);
        // Clearing does not help while there is a result.
        bench.set(MASKED, RESULT);
        assert!(bench.model.signal().level, "{number}");
        bench.set(RESULT_COUNT, 1);
        bench.set(MASKED, RESULT);
        assert!(!bench.model.signal().level, "{number}");
    }
    assert_eq!(bench.register(POINTERS), 1 << 16 | 1);
    bench.set(DISABLE, RESULT);
    start(&mut bench, 9, PLAIN, SECRET, 32);
    assert!(!bench.model.signal().level && bench.register(CAUSES) == RESULT);
    assert_eq!(bench.register(MASKED), 0);
}

#[test]
fn a_lost_interrupt_is_made_good_by_the_next_one() {
    let mut bench = bench(&["lose=1", "damage=2"]);
    associate(&mut bench, AES, KEY_128, "00");
    start(&mut bench, 0, PLAIN, SECRET, 32);
    let right = bench.get(SECRET, 32);
    assert!(!bench.model.signal().level && bench.register(RESULT_COUNT) == 1);
    start(&mut bench, 1, PLAIN, SECRET, 32);
    assert!(bench.model.signal().level && bench.register(RESULT_COUNT) == 2);
    let wrong = bench.get(SECRET, 32);
    assert_eq!(right.iter().zip(wrong).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), 1);
}

#[test]
fn an_error_and_what_cannot_be_true_are_in_the_result() {
    let mut bench = bench(&["error=1"]);
    associate(&mut bench, AES, KEY_128 | CBC, "00");
    start(&mut bench, 0, PLAIN, SECRET, 32);
    assert_eq!(result(&bench, 0)[0], ENGINE_READY | EXTENDED_ERROR | PROCESSING);
    // No memory, a part of a block, a mode that the model does not have.
    start(&mut bench, 1, 0x1000, SECRET, 32);
    assert_eq!(result(&bench, 1)[0], ENGINE_READY | EXTENDED_ERROR);
    start(&mut bench, 2, PLAIN, SECRET, 31);
    associate(&mut bench, AES, KEY_128 | 3 << 8, "00");
    start(&mut bench, 3, PLAIN, SECRET, 32);
    for number in [2, 3] {
        assert_eq!(result(&bench, number)[0], ENGINE_READY | EXTENDED_ERROR | NO_CIPHER);
    }
    assert_eq!((bench.model.faults.counts.dma_errors, bench.model.faults.counts.unsupported), (1, 2));
    bench.set(COMMANDS, 0x1000);
    bench.set(COMMAND_COUNT, 1);
    assert_eq!(bench.register(CAUSES) & RING_ERROR, RING_ERROR);
}
