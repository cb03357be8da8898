//! The engine as a driver uses it: tasks, with results computed by RustCrypto.

use super::*;
use crate::allwinner::{AES, Case, cases};
use crate::bench::{Bench, RAM};
use crate::block::Cipher;
use crate::vfio::Device;

const KEY_AT: u32 = RAM + 0x100;
const IV_AT: u32 = RAM + 0x140;
const DATA: u32 = RAM + 0x1000;
const RESULT: u32 = RAM + 0x2000;
const KEY_BYTES: [u8; 32] = *b"a key of 32 bytes for the engine";
const IV_BYTES: [u8; 16] = *b"an IV of a block";

fn bench(options: &[&str]) -> Bench {
    Bench::new(Sun8i::new(), 0, options)
}

impl Bench {
    /// Loads a task whose data and results are in chunks of 12 words and the rest.
    fn task(&mut self, channel: u32, control: u32, symmetric: u32, data: &[u8]) {
        let words = data.len() as u32 / 4;
        let first = words.min(12);
        let mut task = [0; 44];
        task[..8].copy_from_slice(&[channel, control | INTERRUPT, symmetric, 0, KEY_AT, IV_AT, 0, words]);
        let places = |at: u32| [at, first, at + 4 * first, words - first];
        task[8..12].copy_from_slice(&places(DATA));
        task[24..28].copy_from_slice(&places(RESULT));
        self.put(DATA, data);
        self.put(KEY_AT, &KEY_BYTES);
        self.put(IV_AT, &IV_BYTES);
        self.load(&task);
    }

    fn load(&mut self, task: &[u32; 44]) {
        self.put_words(RAM, task);
        self.set(ICR, 0xf);
        self.set(TDQ, RAM);
        self.set(TLR, LOAD);
    }
}

#[test]
fn aes_des_and_triple_des_are_those_of_rustcrypto_in_both_directions() {
    let plain: Vec<u8> = (0..960_u32).map(|i| i as u8).collect();
    for Case { method, key_size, key_len, mode, secret, .. } in cases(&KEY_BYTES, &IV_BYTES, &plain) {
        let mut bench = bench(&[]);
        for (channel, (direction, from, to)) in
            [(0, &plain, &secret), (DECRYPTION, &secret, &plain)].into_iter().enumerate()
        {
            bench.task(channel as u32, method | direction, key_size | mode << 8, from);
            assert!(&bench.get(RESULT, 960) == to, "{method} {key_len} {mode} {direction}");
            assert_eq!(bench.register(ISR), 1 << channel);
            assert_eq!(bench.model.signal().edges, [0]);
            assert_eq!(bench.model.signal().edges, [0; 0]);
            bench.set(ISR, 1 << channel);
            assert_eq!((bench.register(ISR), bench.register(ESR)), (0, 0));
        }
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.requests, counts.bytes, counts.unsupported, counts.dma_errors), (2, 1920, 0, 0));
    }
}

#[test]
fn each_task_that_ends_is_an_edge_though_another_channel_was_not_acknowledged() {
    let mut bench = bench(&[]);
    for channel in 0..CHANNELS {
        bench.task(channel, AES, 0, &[3; 32]);
        assert_eq!(bench.model.signal().edges, [0]);
    }
    assert_eq!(bench.register(ISR), 0xf);
    bench.set(ICR, 0);
    assert_eq!(bench.model.signal().edges, [0; 0]);
}

#[test]
fn a_damaged_failed_or_lost_request_is_seen() {
    let mut bench = bench(&["damage=1", "error=2", "lose=3"]);
    let mut right = vec![3; 320];
    assert!(crypt(Cipher::Aes, &KEY_BYTES[..16], Direction::Encrypt, None, &mut right));
    bench.task(0, AES, 0, &[3; 320]);
    let wrong_bits =
        bench.get(RESULT, 320).iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    assert_eq!(wrong_bits, 1);
    bench.task(1, AES, 0, &[3; 320]);
    assert_eq!((bench.register(ESR), bench.register(ISR)), (LENGTH << 4, 3));
    bench.task(2, AES, 0, &[3; 320]);
    assert_eq!((bench.register(ISR), bench.model.faults.counts.requests), (3, 3));
    bench.task(1, AES, 0, &[3; 320]);
    assert_eq!(bench.register(ESR), 0, "the next task of the channel");
}

#[test]
fn operations_that_the_model_lacks_are_reported_as_not_supported() {
    // A hash, RSA, a random number; CTR mode.
    for (method, symmetric) in [(19, 0), (32, 0), (48, 0), (AES, 2 << 8)] {
        let mut bench = bench(&[]);
        bench.task(3, method, symmetric, &[3; 32]);
        assert_eq!((bench.register(ESR), bench.register(ISR)), (ALGORITHM << 12, 8));
        assert_eq!(bench.model.faults.counts.unsupported, 1);
    }
}

#[test]
fn tasks_that_cannot_be_true_are_errors() {
    let task = |changes: &[(usize, u32)]| {
        let mut task = [0; 44];
        (task[1], task[4], task[7]) = (INTERRUPT, KEY_AT, 8);
        (task[8], task[9], task[24], task[25]) = (DATA, 8, RESULT, 8);
        changes.iter().for_each(|(at, value)| task[*at] = *value);
        task
    };
    let wrong: [&[(usize, u32)]; 8] = [
        &[(4, 0)],
        &[(7, u32::MAX)],
        &[(7, 9)],
        &[(7, 7), (9, 7), (25, 7)],
        &[(8, 0)],
        &[(24, 0)],
        &[(2, CBC << 8), (5, 0)],
        &[(9, u32::MAX), (7, 1 << 23)],
    ];
    for (number, changes) in wrong.iter().enumerate() {
        let mut bench = bench(&[]);
        bench.load(&task(changes));
        assert_eq!((bench.register(ESR), bench.register(ISR)), (LENGTH, 1), "task {number}");
        assert_eq!(bench.model.faults.counts.dma_errors, 1, "task {number}");
    }
    let mut right = bench(&[]);
    right.load(&task(&[]));
    assert_eq!((right.register(ESR), right.model.faults.counts.dma_errors), (0, 0));
    let mut nowhere = bench(&[]);
    nowhere.load(&task(&[(0, CHANNELS)]));
    nowhere.set(TDQ, 0);
    nowhere.set(TLR, LOAD);
    assert_eq!((nowhere.register(ISR), nowhere.model.faults.counts.dma_errors), (0, 2));
}
