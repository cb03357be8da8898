//! The engine as Linux's driver uses it. Results are compared with RustCrypto, and with the standards'
//! examples.

mod algorithms;
mod rings;

use super::packet::*;
use super::*;
use crate::bench::{Bench, RAM};
use crate::block::encrypted;

/// Places in the test's memory: the rings of four descriptors, a token, a context record, the data.
const RING_OF_RESULTS: u32 = RAM + 0x400;
const TOKEN: u32 = RAM + 0x600;
const RECORD: u32 = RAM + 0x800;
const INPUT: u32 = RAM + 0x1000;
const OUTPUT: u32 = RAM + 0x2000;
const COMMAND_BYTES: u32 = 64;
const RESULT_BYTES: u32 = 48;
const DESCRIPTORS: u32 = 4;
const KEY: [u8; 32] = *b"a key of 32 bytes for the engine";
const IV: [u8; 16] = *b"an IV of a block";

/// Control word 0: the operations, the hashes with a state of the record, with GHASH or a MAC, with HMAC.
const HASH_OUT: u32 = 2;
const CRYPTO_OUT: u32 = 4;
const CRYPTO_IN: u32 = 5;
const ENCRYPT_HASH_OUT: u32 = 6;
const DECRYPT_HASH_IN: u32 = 7;
const HASH_ENCRYPT_OUT: u32 = 0xe;
const HASH_DECRYPT_IN: u32 = 0xf;
const RESTART: u32 = 1 << 4;
const NO_FINISH: u32 = 1 << 5;
const WITH_KEY: u32 = 1 << 16;
const PRECOMPUTED: u32 = 1 << 21;
const XCM: u32 = 2 << 21;
const HMAC: u32 = 3 << 21;
const GHASH: u32 = 4 << 23;
const XCBC_128: u32 = 1 << 23;
/// Control word 1.
const CBC: u32 = 1;
const CTR: u32 = 6;
const COUNTED: u32 = 1 << 9;
const ENCRYPTED_HASH: u32 = 1 << 17;

const fn instruction(operation: u32, ways: u32, status: u32, length: u32) -> u32 {
    operation << 28 | ways << 19 | status << 17 | length
}

const TO_OUTPUT: u32 = 1 << 5;
const TO_HASH: u32 = 1 << 6;
const TO_CIPHER: u32 = 1 << 7;
const ENDS: u32 = 1 << 8;
const NOOP: u32 = instruction(2, 0, 0, 4);

const fn direction(ways: u32, length: usize) -> u32 {
    instruction(0, ways, 0, length as u32)
}
const fn last_direction(ways: u32, length: usize) -> u32 {
    instruction(0, ways, 1, length as u32)
}
const fn digest(length: usize) -> u32 {
    instruction(2, TO_OUTPUT | 0x1c, 3, length as u32)
}
const fn verify(length: usize) -> [u32; 2] {
    [instruction(4, 0x1c, 3, length as u32), instruction(0xd, TO_OUTPUT, 3, 1 << 16 | length as u32)]
}
/// The block that encrypts the result of GHASH or CBC-MAC.
const FIRST_BLOCK: [u32; 2] = [instruction(0xa, 16, 0, 0), instruction(2, TO_OUTPUT | TO_CIPHER, 0, 16)];

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("whole words"))).collect()
}
fn swapped(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(4).flat_map(|word| word.iter().rev()).copied().collect()
}
fn aes(key: &[u8]) -> u32 {
    WITH_KEY | (3 + key.len() as u32 / 8) << 17
}

/// What a packet consists of besides its data.
#[derive(Clone, Default)]
struct Job {
    controls: [u32; 2],
    record: Vec<u8>,
    /// In the command: the IV, and what of the token follows it.
    iv: Vec<u8>,
    embedded: Vec<u32>,
    more: Vec<u32>,
}

impl Job {
    /// A cipher, whose token follows the IV.
    fn cipher(controls: [u32; 2], key: &[u8], iv: &[u8], length: usize) -> Job {
        let last = instruction(0, ENDS | TO_CIPHER | TO_OUTPUT, 3, length as u32);
        let mut job = Job { controls, record: key.to_vec(), iv: iv.to_vec(), ..Job::default() };
        if iv.len() == 16 {
            job.more = vec![last];
        } else {
            // As Linux: in ECB mode two words of an IV that is none.
            job.iv.resize(8, 0xee);
            job.embedded = vec![last, NOOP];
        }
        job
    }

    fn hash(controls: [u32; 2], record: &[u8], length: usize, result: usize) -> Job {
        let embedded = vec![last_direction(TO_HASH, length), NOOP, digest(result), NOOP];
        Job { controls, record: record.to_vec(), embedded, ..Job::default() }
    }
}

fn bench(options: &[&str]) -> Bench {
    let mut bench = Bench::new(Safexcel::new(), 0, options);
    for (at, value) in [
        (COMMANDS + RING_SIZE, DESCRIPTORS * COMMAND_BYTES),
        (RESULTS + RING_SIZE, DESCRIPTORS * RESULT_BYTES),
        (DFE_THR_CTRL, THREAD_EN),
        (DSE_THR_CTRL, THREAD_EN),
        (COMMANDS + BASE_ADDR_LO, RAM),
        (COMMANDS + DESC_SIZE, MODE_64BIT | MODE_ADCP | 16 << DISTANCE_AT | 16),
        (RESULTS + BASE_ADDR_LO, RING_OF_RESULTS),
        (RESULTS + DESC_SIZE, MODE_64BIT | 12 << DISTANCE_AT | 12),
        (AIC_ENABLE_CTRL, RDR_IRQ),
        (RESULTS + THR, PKT_MODE | 1),
    ] {
        bench.set(at, value);
    }
    bench
}

impl Bench {
    /// The words of the packet's first command descriptor.
    fn packet_command(&mut self, job: &Job, length: u32) -> [u32; COMMAND_WORDS] {
        let mut record = job.record.clone();
        record.resize(record.len().next_multiple_of(4).max(4), 0);
        self.put(RECORD + 8, &record);
        self.put_words(TOKEN, &job.more);
        let mut command = [0; COMMAND_WORDS];
        command[0] = FIRST_SEG | (job.more.len() as u32) << MORE_WORDS_AT;
        command[4] = TOKEN;
        let iv = [0, IV_OF_2_WORDS, IV_OF_4_WORDS][job.iv.len() / 8];
        command[6] = FIXED_OPTIONS | iv | length;
        command[8] = RECORD | 2;
        command[10] = job.controls[0] | (record.len() as u32 / 4) << 8;
        command[11] = job.controls[1];
        let embedded = [words_of(&job.iv), job.embedded.clone()].concat();
        command[12..12 + embedded.len()].copy_from_slice(&embedded);
        command
    }

    /// Writes the descriptors of a packet, whose input and output have two parts each, from these places
    /// in the rings on, and starts it. The places are those of the next packet then.
    fn start_packet(&mut self, places: &mut [u32; 2], job: &Job, input: &[u8], output: usize) {
        self.put(INPUT, input);
        let (length, half) = (input.len() as u32, input.len() as u32 / 2);
        let mut first = self.packet_command(job, length);
        (first[0], first[2]) = (first[0] | half, INPUT);
        let mut second = [0; COMMAND_WORDS];
        (second[0], second[2]) = (LAST_SEG | (length - half), INPUT + half);
        let out_half = output as u32 / 2;
        let assumed = DESCRIPTOR_OVERFLOW | BUFFER_OVERFLOW | 8 << MORE_WORDS_AT;
        let results = [
            (assumed | FIRST_SEG | out_half, OUTPUT),
            (assumed | (output as u32 - out_half), OUTPUT + out_half),
        ];
        for (command, result) in [first, second].iter().zip(results) {
            self.put_words(RAM + COMMAND_BYTES * (places[0] % DESCRIPTORS), command);
            let at = RING_OF_RESULTS + RESULT_BYTES * (places[1] % DESCRIPTORS);
            self.put_words(at, &[result.0, 0, result.1, 0, 0xffff_ffff]);
            places.iter_mut().for_each(|place| *place += 1);
        }
        self.set(RESULTS + PREP_COUNT, 2 * RESULT_BYTES);
        self.set(COMMANDS + PREP_COUNT, 2 * COMMAND_BYTES);
    }

    /// The output and the error of the packet before these places, in the descriptor that the engine has
    /// marked as the last.
    fn packet_result(&self, places: [u32; 2], output: usize) -> (Vec<u8>, u32) {
        let words = |back: u32| {
            let place = (places[1] + 2 * DESCRIPTORS - back) % DESCRIPTORS;
            self.get(RING_OF_RESULTS + RESULT_BYTES * place, 20)
        };
        let [first, second] = [2, 1].map(words);
        assert_ne!(word(&first, 0) & FIRST_SEG, 0);
        let words = if word(&first, 0) & LAST_SEG != 0 { first } else { second };
        assert_eq!(word(&words, 0) & (DESCRIPTOR_OVERFLOW | BUFFER_OVERFLOW | LAST_SEG), LAST_SEG);
        let length = (word(&words, 16) & PARTICLE) as usize;
        (self.get(OUTPUT, length.min(output)), word(&words, 16) >> 17)
    }

    fn acknowledge_packets(&mut self) {
        let stat = self.register(RESULTS + STAT);
        self.set(RESULTS + STAT, stat);
        let count = self.register(RESULTS + PROC_COUNT);
        self.set(RESULTS + PROC_COUNT, count);
        self.set(RESULTS + THR, PKT_MODE | 1);
    }
}

/// One packet in an engine of its own.
fn run(job: &Job, input: &[u8], output: usize) -> (Vec<u8>, u32) {
    let mut bench = bench(&[]);
    let mut places = [0; 2];
    bench.start_packet(&mut places, job, input, output);
    bench.packet_result(places, output)
}

fn ecb(length: usize) -> Job {
    Job::cipher([aes(&KEY) | CRYPTO_OUT, 0], &KEY, &[], length)
}

/// An AEAD's token for these lengths, as Linux writes it.
fn sealing(aad: usize, text: usize, tag: usize, has_first_block: bool, opens: bool) -> Vec<u32> {
    let is_last = |length: usize| if length == 0 { last_direction } else { direction };
    let mut token = vec![is_last(text)(TO_HASH | ENDS, aad)];
    if has_first_block {
        token.extend(FIRST_BLOCK);
    }
    if text > 0 {
        token.push(last_direction(ENDS | TO_CIPHER | TO_HASH | TO_OUTPUT, text));
    }
    token.extend(if opens { verify(tag).to_vec() } else { vec![digest(tag)] });
    token
}

fn gcm(key: &[u8], iv: &[u8]) -> Job {
    let hash_key = encrypted(key, &[0; 16]).expect("a key");
    let iv = [iv, &1_u32.to_be_bytes()].concat();
    let record = [key, &swapped(&hash_key)].concat();
    Job { controls: [aes(key) | XCM | GHASH, CTR | ENCRYPTED_HASH], record, iv, ..Job::default() }
}
