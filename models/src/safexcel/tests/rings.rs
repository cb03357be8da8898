//! The rings, interrupts, faults, and packets that cannot be.

use super::*;
use crate::block::{Cipher, Direction, crypt};
use crate::vfio::Device;

#[test]
fn the_rings_go_round_and_the_line_is_up_until_it_is_acknowledged() {
    let mut bench = bench(&[]);
    let mut places = [0; 2];
    for round in 0..9_u8 {
        bench.start_packet(&mut places, &ecb(32), &[round; 32], 32);
        let mut right = [round; 32];
        assert!(crypt(Cipher::Aes, &KEY, Direction::Encrypt, None, &mut right));
        assert_eq!(bench.packet_result(places, 32), (right.to_vec(), 0));
        assert!(bench.model.signal().level, "{round}");
        assert_eq!(bench.register(AIC_ENABLED_STAT), RDR_IRQ);
        assert_eq!(bench.register(RESULTS + PROC_COUNT), (1 << PACKETS_AT) | (2 * RESULT_BYTES));
        bench.acknowledge_packets();
        assert!(!bench.model.signal().level);
        assert_eq!(bench.register(RESULTS + PROC_COUNT), 0);
    }
    assert_eq!(bench.register(COMMANDS + PROC_COUNT), 9 * 2 * COMMAND_BYTES);
    bench.set(COMMANDS + PROC_COUNT, CLR_COUNT);
    assert_eq!(bench.register(COMMANDS + PROC_COUNT), 0);
}

#[test]
fn the_threshold_counts_packets_and_raises_one_interrupt() {
    let mut bench = bench(&[]);
    bench.set(RESULTS + THR, PKT_MODE | 2);
    let mut places = [0; 2];
    bench.start_packet(&mut places, &ecb(16), &[0; 16], 16);
    assert!(!bench.model.signal().level, "one of two");
    bench.start_packet(&mut places, &ecb(16), &[0; 16], 16);
    assert!(bench.model.signal().level);
    bench.set(RESULTS + STAT, STAT_THRESH);
    bench.start_packet(&mut places, &ecb(16), &[0; 16], 16);
    assert!(!bench.model.signal().level, "it was not written again");
    bench.set(RESULTS + THR, PKT_MODE | 1);
    assert!(bench.model.signal().level, "three are there already");
    bench.set(AIC_ENABLE_CLR, RDR_IRQ);
    assert!(!bench.model.signal().level);
    bench.set(AIC_RAW_STAT, RDR_IRQ);
    assert!(bench.model.signal().level);
}

#[test]
fn a_driver_finds_the_engine_with_what_the_model_has() {
    let mut bench = bench(&[]);
    assert_eq!(bench.register(0x1_fffc) & 0xffff, 0x9e61);
    assert_eq!(bench.register(0xfff8) & 0xf, 1, "one ring");
    assert_eq!(bench.register(0xe01c - 0x1000), 0, "and no second interrupt controller");
    assert_eq!(bench.register(EIP96_OPTIONS) & (1 << 20 | 1 << 8), 0, "neither XTS nor ChaCha20");
    bench.set(EIP96_OPTIONS, 0);
    bench.set(0x1_fffc, 0);
    assert_eq!(bench.register(EIP96_OPTIONS), EIP96_OPTIONS_VALUE);
    assert_eq!(bench.register(0x1_fffc) & 0xffff, 0x9e61);
}

#[test]
fn each_fault_is_seen_in_the_registers() {
    let started = |options: &[&str]| {
        let mut bench = bench(options);
        let mut places = [0; 2];
        bench.start_packet(&mut places, &ecb(16), &[0; 16], 16);
        (bench, places)
    };
    let right = run(&ecb(16), &[0; 16], 16).0;
    let (mut bench, places) = started(&["damage=1"]);
    let (output, error) = bench.packet_result(places, 16);
    let wrong: u32 = output.iter().zip(&right).map(|(one, other)| (one ^ other).count_ones()).sum();
    assert_eq!((wrong, error, bench.model.signal().level), (1, 0, true));
    let (bench, places) = started(&["error=1"]);
    assert_eq!(bench.packet_result(places, 16).1, token::TIMEOUT);
    let (mut bench, mut places) = started(&["lose=1"]);
    assert_eq!(bench.packet_result(places, 16), (right, 0));
    assert!(!bench.model.signal().level);
    bench.start_packet(&mut places, &ecb(16), &[0; 16], 16);
    assert!(bench.model.signal().level, "the next one serves both");
    assert_eq!(bench.register(RESULTS + PROC_COUNT) >> PACKETS_AT, 2);
    let (bench, _) = started(&["late=1", "late-ms=60000"]);
    assert_eq!(bench.get(OUTPUT, 16), [0; 16]);
    assert!(bench.model.deadline().is_some());
    let (mut bench, _) = started(&["stop=1"]);
    assert!(bench.model.deadline().is_none());
    bench.set(DFE_THR_CTRL, RESET_PE);
    assert_eq!(bench.register(RESULTS + PROC_COUNT), 0);
}

/// The counters of what cannot be, and of what the model lacks, after one packet whose descriptor,
/// of which these words are replaced, is the first; and the error of the packet.
fn of_command(words: &[(usize, u32)]) -> ([u32; 2], u32) {
    let mut bench = bench(&[]);
    bench.put(INPUT, &[0; 32]);
    let mut command = bench.packet_command(&ecb(16), 16);
    (command[0], command[2]) = (command[0] | LAST_SEG | 16, INPUT);
    words.iter().for_each(|(at, value)| command[*at] = *value);
    bench.put_words(RAM, &command);
    bench.put_words(RING_OF_RESULTS, &[FIRST_SEG | LAST_SEG | 8 << MORE_WORDS_AT | 16, 0, OUTPUT, 0, !0]);
    bench.set(RESULTS + PREP_COUNT, RESULT_BYTES);
    bench.set(COMMANDS + PREP_COUNT, COMMAND_BYTES);
    let counts = &bench.model.faults.counts;
    let counts = [counts.dma_errors, counts.unsupported];
    let has_failed = bench.register(RESULTS + STAT) & STAT_ERR != 0;
    (counts, if has_failed { !0 } else { word(&bench.get(RING_OF_RESULTS, 20), 16) >> 17 })
}

#[test]
fn a_command_that_cannot_be_is_an_error() {
    let ring_failed = ([1, 0], !0);
    let more = (0, FIRST_SEG | LAST_SEG | 1 << MORE_WORDS_AT | 16);
    // Data, a record and the rest of a token without memory; no beginning, and no end.
    assert_eq!(of_command(&[(3, 1)]), ring_failed);
    assert_eq!(of_command(&[(8, 0x1000)]), ring_failed);
    assert_eq!(of_command(&[(9, 1)]), ring_failed);
    assert_eq!(of_command(&[more, (5, 1)]), ring_failed);
    assert_eq!(of_command(&[more]), ([0, 0], 0), "an instruction without data");
    assert_eq!(of_command(&[(0, FIRST_SEG | LAST_SEG | 0x1_ffff)]), ring_failed);
    assert_eq!(of_command(&[(0, LAST_SEG | 16)]), ring_failed);
    assert_eq!(of_command(&[(0, FIRST_SEG | 16)]), ring_failed);
    // A packet of another length, and an empty one.
    assert_eq!(of_command(&[(6, FIXED_OPTIONS | IV_OF_2_WORDS | 17)]), ([1, 0], token::LENGTH_ERROR));
    assert_eq!(of_command(&[(0, FIRST_SEG | LAST_SEG)]), ([1, 0], token::LENGTH_ERROR));
    // Options and a type of the firmware's, which an EIP97 does not have.
    assert_eq!(of_command(&[(6, 16)]), ([0, 1], token::INVALID_COMMAND));
    assert_eq!(of_command(&[(6, FIXED_OPTIONS | 3 << 30 | 16)]), ([0, 1], token::INVALID_COMMAND));
    // ChaCha20, XTS, a bit of control word 1, a record that is too short.
    assert_eq!(of_command(&[(10, WITH_KEY | 8 << 17 | 8 << 8 | 4)]), ([0, 1], token::PROHIBITED_ALGORITHM));
    assert_eq!(of_command(&[(11, 7)]), ([1, 0], token::TOKEN_ERROR), "an IV of two words");
    assert_eq!(of_command(&[(11, 1 << 30)]), ([0, 1], token::INVALID_COMMAND));
    assert_eq!(of_command(&[(10, aes(&KEY) | 7 << 8 | 4)]), ([0, 1], token::INVALID_COMMAND));
}

#[test]
fn a_token_that_cannot_be_is_an_error() {
    let hash = |token: &[u32]| {
        let mut embedded = token.to_vec();
        embedded.resize(4, NOOP);
        let controls = [2 << 23 | HASH_OUT | PRECOMPUTED | RESTART, 0];
        run(&Job { controls, embedded, ..Job::default() }, &[0; 64], 20).1
    };
    let last = last_direction(TO_HASH, 64);
    assert_eq!(hash(&[last, digest(20)]), 0);
    assert_eq!(hash(&[last_direction(TO_HASH, 65), digest(20)]), token::LENGTH_ERROR);
    assert_eq!(hash(&[digest(20)]), token::TOKEN_ERROR, "before the last of the data");
    assert_eq!(hash(&[last, last_direction(TO_HASH, 0)]), token::TOKEN_ERROR, "after it");
    assert_eq!(hash(&[last, digest(21)]), token::TOKEN_ERROR, "longer than it is");
    assert_eq!(hash(&[last, digest(20) | TO_HASH << 19]), token::TOKEN_ERROR, "into itself");
    assert_eq!(hash(&[last, verify(20)[1]]), token::TOKEN_ERROR, "compared with nothing");
    assert_eq!(hash(&[direction(TO_CIPHER, 64)]), token::INVALID_COMMAND, "no cipher");
    assert_eq!(hash(&[direction(5, 64)]), token::TOKEN_ERROR, "an origin of a direction");
    assert_eq!(hash(&[instruction(2, TO_HASH | 0x1b, 0, 40)]), token::TOKEN_ERROR, "words that are missing");
    assert_eq!(hash(&[instruction(7, 0, 0, 0)]), token::INVALID_COMMAND, "of IP");
    // Parts of blocks.
    assert_eq!(run(&ecb(15), &[0; 15], 15).1, token::CIPHER_BLOCK_ERROR);
    let part = Job::hash([HASH_OUT | PRECOMPUTED | RESTART | NO_FINISH, 0], &[], 63, 16);
    assert_eq!(run(&part, &[0; 63], 16).1, token::HASH_BLOCK_ERROR);
    // A hash that ends without a count, and one of the options that the model lacks.
    let endless = Job::hash([HASH_OUT | PRECOMPUTED, 0], &[0; 16], 64, 16);
    assert_eq!(run(&endless, &[0; 64], 16).1, token::INVALID_COMMAND);
    let sm3 = Job::hash([HASH_OUT | PRECOMPUTED | RESTART | 7 << 23, 0], &[], 64, 16);
    assert_eq!(run(&sm3, &[0; 64], 16).1, token::PROHIBITED_ALGORITHM);
    // GCM without the block that encrypts its tag.
    let mut job = gcm(&KEY, &IV[..12]);
    job.controls[0] |= ENCRYPT_HASH_OUT;
    job.more = sealing(16, 0, 16, false, false);
    assert_eq!(run(&job, &[0; 16], 16).1, token::TOKEN_ERROR);
}

#[test]
fn buffers_that_are_too_small_and_rings_that_are_full_are_errors() {
    let mut bench = bench(&[]);
    let mut places = [0; 2];
    bench.start_packet(&mut places, &ecb(32), &[0; 32], 30);
    let last = RING_OF_RESULTS + RESULT_BYTES;
    assert_ne!(word(&bench.get(last, 4), 0) & BUFFER_OVERFLOW, 0);
    assert_eq!(bench.get(OUTPUT + 30, 2), [0; 2]);
    assert_eq!(bench.model.faults.counts.dma_errors, 1);
    for bytes in [0, 1, COMMAND_BYTES - 4, 5 * COMMAND_BYTES] {
        bench.set(COMMANDS + PREP_COUNT, bytes);
    }
    assert_eq!(bench.model.faults.counts.dma_errors, 5);
    bench.set(DSE_THR_CTRL, 0);
    bench.set(COMMANDS + PREP_COUNT, COMMAND_BYTES);
    assert_eq!(bench.model.faults.counts.dma_errors, 6, "the threads are off");
    bench.set(DSE_THR_CTRL, THREAD_EN);
    bench.set(COMMANDS + DESC_SIZE, 16 << DISTANCE_AT | 16);
    bench.set(COMMANDS + PREP_COUNT, COMMAND_BYTES);
    assert_eq!(bench.model.faults.counts.unsupported, 1, "addresses of 32 bits");
    bench.set(COMMANDS + DESC_SIZE, MODE_64BIT | MODE_ADCP | 16 << DISTANCE_AT | 16);
    bench.set(COMMANDS + PREP_COUNT, COMMAND_BYTES);
    assert_ne!(bench.register(RESULTS + STAT) & STAT_ERR, 0, "no result descriptor is prepared");
}

#[test]
fn a_packet_that_is_longer_than_its_length_can_be_is_an_error() {
    let mut bench = bench(&[]);
    bench.set(COMMANDS + RING_SIZE, 10 * COMMAND_BYTES);
    let first = bench.packet_command(&ecb(16), 16);
    for number in 0..9 {
        let mut command = if number == 0 { first } else { [0; COMMAND_WORDS] };
        (command[0], command[2]) = (command[0] | 0x4000, RAM);
        bench.put_words(RAM + COMMAND_BYTES * number, &command);
    }
    bench.set(COMMANDS + PREP_COUNT, 9 * COMMAND_BYTES);
    assert_eq!(bench.register(COMMANDS + PROC_COUNT), 8 * COMMAND_BYTES, "it ends before the ring");
    assert_ne!(bench.register(RESULTS + STAT) & STAT_ERR, 0);
}
