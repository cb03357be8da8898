//! The engine as two drivers use it: Linux's, with a shared descriptor and sequences, and OP-TEE's, with
//! pointers. Results are compared with RustCrypto.

use super::*;
use crate::bench::{Bench, RAM};
use crate::block::tests::{GCM_AAD, GCM_IV, GCM_KEY, GCM_PLAIN, GCM_SECRET, GCM_TAG, gcm_counter, hex};
use crate::block::{Cipher, Direction, add_key_stream, crypt, encrypted, hash_on};
use crate::vfio::Device;

/// Places in the test's memory: the rings, the descriptors, the tables, the IV, the key, the data.
const INPUT_RING: u32 = RAM;
const OUTPUT_RING: u32 = RAM + 0x100;
const JOB: u32 = RAM + 0x200;
const SHARED: u32 = RAM + 0x400;
const TABLE: u32 = RAM + 0x600;
const IV_AT: u32 = RAM + 0x700;
const KEY_AT: u32 = RAM + 0x780;
const DATA: u32 = RAM + 0x1000;
const ENTRIES: u32 = 4;
const KEY: [u8; 32] = *b"a key of 32 bytes for the engine";
const IV: [u8; 16] = *b"an IV of a block";

const AES_CBC: u32 = 0x82_10_01_00;
const AES_ECB: u32 = 0x82_10_02_00;
const AES_CTR: u32 = 0x82_10_00_00;
const AES_GCM: u32 = 0x82_10_09_0c;
const DES_CBC: u32 = 0x82_20_01_00;
const TRIPLE_DES_CBC: u32 = 0x82_21_01_00;
const TRIPLE_DES_ECB: u32 = 0x82_21_02_00;
/// OP_ALG_AS_INIT, and encryption.
const INIT: u32 = 1 << 2;
const ENCRYPT: u32 = 1;

fn bench(options: &[&str]) -> Bench {
    let mut bench = Bench::new(Caam::new(), 1, options);
    for (at, value) in [(IRBAR, INPUT_RING), (IRSR, ENTRIES), (ORBAR, OUTPUT_RING), (ORSR, ENTRIES)] {
        bench.set(at, value);
    }
    bench
}

impl Bench {
    /// Adds the job, and returns the status in the output ring.
    fn start(&mut self) -> u32 {
        let (input, output) = (self.register(IRRIR), self.register(ORWIR));
        self.put_words(INPUT_RING + input, &[JOB]);
        self.put_words(OUTPUT_RING + output, &[0, 0xffff_ffff]);
        self.set(IRJAR, 1);
        let entry = self.get(OUTPUT_RING + output, 8);
        assert_eq!(word(&entry, 0), if word(&entry, 4) == 0xffff_ffff { 0 } else { JOB });
        word(&entry, 4)
    }

    /// The driver's removal of a job.
    fn remove(&mut self) {
        self.set(JRINTR, JRI);
        self.set(ORJRR, 1);
    }

    /// As Linux does: the IV, the data in two chunks, and the IV again, in tables.
    fn linux(&mut self, operation: u32, key: &[u8], iv: &[u8], data: &[u8]) -> u32 {
        self.put(DATA, data);
        self.put(IV_AT, iv);
        let (iv_len, len) = (iv.len() as u32, data.len() as u32);
        let half = len / 2;
        let entries = [(IV_AT, iv_len), (DATA, half), (DATA + half, len - half), (IV_AT, iv_len | 1 << 30)];
        for (entry, at) in entries.iter().zip((TABLE..).step_by(16)) {
            self.put_words(at, &[entry.0, 0, entry.1, 0]);
        }
        let offset = if operation & 0xff_1ff0 == AES_CTR & 0xff_1ff0 { 16 } else { 0 };
        let key_words = key.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("whole words")));
        let mut shared = vec![0, 0xa100_4000 + key.len() as u32 / 4 + 2, 0x0280_0000 | key.len() as u32];
        shared.extend(key_words);
        let context = 0x20 << 16 | offset << 8 | iv_len;
        if iv_len > 0 {
            shared.push(0x1a00_0000 | context);
        }
        if operation & ENCRYPT == 0 && operation >> 16 & 0xff == 0x10 {
            // For decryption: the operation with a decrypted key if the descriptor was shared already.
            shared.extend([0xa100_4003, operation, 0xa000_0002, operation | 1 << 12]);
        } else {
            shared.push(operation);
        }
        shared.extend([0xa808_0b04, 0xa808_0a04, 0x2b12_0000, 0x6930_0000]);
        if iv_len > 0 {
            shared.push(0x5a00_0000 | context);
        }
        let count = shared.len() as u32;
        shared[0] = 0xb880_1200 | count;
        self.put_words(SHARED, &shared);
        let total = len + iv_len;
        let job = [
            0xb080_1c00 | count << 16 | 8,
            SHARED,
            0xf140_0000,
            TABLE,
            total,
            0xf940_0000,
            TABLE + 16,
            total,
        ];
        self.put_words(JOB, &job);
        self.start()
    }

    /// A message of GCM as Linux does: authenticated data and text in place, with the tag after them.
    fn gcm(&mut self, is_encryption: bool, key: &[u8], iv: &[u8], aad: &[u8], text: &[u8]) -> u32 {
        self.put(DATA, &[aad, text].concat());
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("whole words"))).collect()
        };
        let mut shared = vec![0, 0xa100_4000 + key.len() as u32 / 4 + 2, 0x0280_0000 | key.len() as u32];
        shared.extend(words(key));
        shared.extend::<&[u32]>(if is_encryption {
            &[
                AES_GCM | ENCRYPT,
                0xa828_0b04,
                0xa000_040d,
                0xa80c_3a04,
                0xa000_0406,
                0xa80c_3b04,
                0x693f_0000,
                0xa828_3b04,
                0xa000_0406,
                0x2b31_0000,
                0xa828_0a04,
                0x6930_0000,
                0x2b12_0000,
                0xa000_0002,
                0x2b32_0000,
                0x5a20_0010,
            ]
        } else {
            &[
                AES_GCM | 2,
                0xa80c_3a04,
                0xa000_0404,
                0xa80c_3b04,
                0x693f_0000,
                0x2b31_0000,
                0xa829_0a04,
                0xa000_0404,
                0xa829_0b04,
                0x6930_0000,
                0x2b11_0000,
                0x2a3a_0010,
            ]
        });
        let count = shared.len() as u32;
        shared[0] = 0xb880_1200 | count;
        self.put_words(SHARED, &shared);
        let len = (aad.len() + text.len()) as u32;
        let out = if is_encryption { len + 16 } else { len - 16 };
        let mut job = vec![0, SHARED, 0xf040_0000, DATA, len, 0xf840_0000, DATA, out];
        job.extend([0xa80c_4304, aad.len() as u32, 0x22a1_000c]);
        job.extend(words(iv));
        job[0] = 0xb080_1c00 | count << 16 | job.len() as u32;
        self.put_words(JOB, &job);
        self.start()
    }

    /// As OP-TEE does.
    fn optee(&mut self, operation: u32, key: &[u8], iv: &[u8], data: &[u8]) -> u32 {
        self.put(DATA, data);
        self.put(IV_AT, iv);
        self.put(KEY_AT, key);
        let len = data.len() as u32;
        let offset = if operation & 0xff_1ff0 == AES_CTR & 0xff_1ff0 { 16 } else { 0 };
        let context = 0x20 << 16 | offset << 8 | iv.len() as u32;
        let mut job = vec![0, 0x0200_0000 | key.len() as u32, KEY_AT];
        if !iv.is_empty() {
            job.extend([0x1200_0000 | context, IV_AT]);
        }
        job.extend([operation, 0x2252_0000, DATA, len, 0x6030_0000 | len, DATA]);
        if !iv.is_empty() {
            job.extend([0x5200_0000 | context, IV_AT]);
        }
        job[0] = 0xb080_0000 | job.len() as u32;
        self.put_words(JOB, &job);
        self.start()
    }
}

/// The result, and the IV of the next request.
fn expected(operation: u32, key: &[u8], iv: &[u8], data: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut data, mut iv) = (data.to_vec(), iv.to_vec());
    if operation & 0xff_1ff0 == AES_CTR & 0xff_1ff0 {
        add_key_stream(key, &mut iv, &mut data, |counter| counter.wrapping_add(1)).expect("a key");
        return (data, iv);
    }
    let cipher = if operation >> 16 & 0xff == 0x10 { Cipher::Aes } else { Cipher::Des };
    let direction = if operation & ENCRYPT != 0 { Direction::Encrypt } else { Direction::Decrypt };
    let chain = (!iv.is_empty()).then_some(&mut iv[..]);
    assert!(crypt(cipher, key, direction, chain, &mut data));
    (data, iv)
}

#[test]
fn each_cipher_is_that_of_rustcrypto_in_both_directions_and_by_both_drivers_descriptors() {
    let data: Vec<u8> = (0..1008_u32).map(|i| i as u8).collect();
    let ciphers = [
        (AES_CBC, 16, 16, 1008),
        (AES_CBC, 24, 16, 1008),
        (AES_CBC, 32, 16, 1008),
        (AES_ECB, 16, 0, 1008),
        (AES_CTR, 32, 16, 1001),
        (DES_CBC, 8, 8, 1008),
        (TRIPLE_DES_CBC, 24, 8, 1008),
        (TRIPLE_DES_ECB, 24, 0, 1008),
    ];
    for (cipher, key_len, iv_len, len) in ciphers {
        let (key, iv, data) = (&KEY[..key_len], &IV[..iv_len], &data[..len]);
        for operation in [cipher | INIT | ENCRYPT, cipher | INIT] {
            let (result, next) = expected(operation, key, iv, data);
            for request in [Bench::linux, Bench::optee] {
                let mut bench = bench(&[]);
                assert_eq!(request(&mut bench, operation, key, iv, data), 0, "{operation:#x}");
                assert!(bench.get(DATA, len) == result, "{operation:#x}");
                assert_eq!(bench.get(IV_AT, iv_len), next, "{operation:#x}");
                let counts = &bench.model.faults.counts;
                assert_eq!((counts.requests, counts.operations, counts.bytes as usize), (1, 1, len));
                assert_eq!((counts.unsupported, counts.dma_errors), (0, 0));
            }
        }
    }
}

/// Test cases 1, 2 and 4 of "The Galois/Counter Mode of Operation" (McGrew, Viega), and 4 without its text,
/// whose tag is that of GHASH by itself.
#[test]
fn gcm_is_that_of_its_authors_and_a_wrong_tag_is_an_error() {
    let (key, iv, aad) = (GCM_KEY, GCM_IV, GCM_AAD);
    let zeros = "00000000000000000000000000000000";
    let mut tag = [0; 16];
    let padded = aad.to_owned() + &zeros[..24] + "00000000000000a00000000000000000";
    hash_on(&hex(key), &mut tag, &hex(&padded)).expect("a key");
    let mask = encrypted(&hex(key), &gcm_counter(1)).expect("a key");
    let only_aad: String = tag.iter().zip(mask).map(|(hash, mask)| format!("{:02x}", hash ^ mask)).collect();
    let cases = [
        (zeros, &zeros[..24], "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"),
        (
            zeros,
            &zeros[..24],
            "",
            zeros,
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
        ),
        (key, iv, aad, GCM_PLAIN, GCM_SECRET, GCM_TAG),
        (key, iv, aad, "", "", &only_aad),
    ];
    for case in cases {
        let (key, iv, aad, plain, secret, tag) = case;
        let [key, iv, aad, plain, secret, tag] = [key, iv, aad, plain, secret, tag].map(hex);
        let sealed = [&secret[..], &tag].concat();
        let mut bench = bench(&[]);
        assert_eq!(bench.gcm(true, &key, &iv, &aad, &plain), 0, "{case:?}");
        assert_eq!(bench.get(DATA + aad.len() as u32, sealed.len()), sealed, "{case:?}");
        bench.remove();
        assert_eq!(bench.gcm(false, &key, &iv, &aad, &sealed), 0, "{case:?}");
        assert_eq!(bench.get(DATA + aad.len() as u32, plain.len()), plain, "{case:?}");
        bench.remove();
        let mut wrong = sealed.clone();
        wrong[secret.len()] ^= 1;
        assert_eq!(bench.gcm(false, &key, &iv, &aad, &wrong), TAG_FAILED, "{case:?}");
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.unsupported, counts.dma_errors), (0, 0), "{case:?}");
    }
}

/// Linux's RFC 4543 and 4106: all data are authenticated and copied; the IV between the authenticated data and
/// the text is skipped.
#[test]
fn gcm_of_ipsec_copies_what_it_authenticates_and_skips_what_it_does_not() {
    let (key, iv, data): (_, _, Vec<u8>) = (&KEY[..16], &IV[..12], (0..48).collect());
    let run = |shared: &[u32], input: u32, output: u32, aad_len: u32| {
        let mut bench = bench(&[]);
        bench.put(DATA, &data);
        bench.put(KEY_AT, key);
        let count = shared.len() as u32 + 4;
        bench.put_words(
            SHARED,
            &[&[0xb880_1200 | count, 0x0200_0010, KEY_AT, AES_GCM | ENCRYPT], shared].concat(),
        );
        let words = |at: usize| u32::from_le_bytes(iv[at..at + 4].try_into().expect("a word"));
        let job = [
            0xb080_1c00 | count << 16 | 14,
            SHARED,
            0xf040_0000,
            DATA,
            input,
            0xf840_0000,
            DATA + 0x100,
            output,
            0xa80c_4304,
            aad_len,
            0x22a1_000c,
            words(0),
            words(4),
            words(8),
        ];
        bench.put_words(JOB, &job);
        assert_eq!(bench.start(), 0);
        bench.get(DATA + 0x100, output as usize)
    };
    // The reference: Linux's own GCM.
    let sealed = |aad: &[u8], text: &[u8]| {
        let mut bench = bench(&[]);
        assert_eq!(bench.gcm(true, key, iv, aad, text), 0);
        bench.get(DATA + aad.len() as u32, text.len() + 16)
    };
    let rfc_4543 = [
        0xa828_0304,
        0x7837_0006,
        0x7973_0008,
        0xa828_0a04,
        0xa828_0b04,
        0x6930_0000,
        0x2f36_0000,
        0x1686_0000,
        0x7892_0000,
        0x5a20_0010,
    ];
    assert_eq!(run(&rfc_4543, 48, 64, 48), [&data[..], &sealed(&data, &[])].concat());
    let rfc_4106 = [
        0xa823_4a04,
        8,
        0xa80c_3b04,
        0x693f_0000,
        0xa828_3b04,
        0xa000_0408,
        0x2b31_0000,
        0x6830_0000,
        0x2800_0008,
        0xa80b_0a04,
        0x6930_0000,
        0x2b12_0000,
        0xa000_0002,
        0x2b32_0000,
        0x5a20_0010,
    ];
    let done = run(&rfc_4106, 48, 64, 20);
    assert_eq!(done[20..], sealed(&data[..12], &data[20..]));
}

#[test]
fn a_message_of_gcm_that_cannot_be_is_an_error() {
    // An IV of four bytes; authenticated data without an IV; more text than there is; a store that waits for
    // more than comes.
    let operation = [AES_GCM | ENCRYPT, 0x0280_0010, 1, 2, 3, 4];
    let jobs: [&[u32]; 4] = [
        &[0x22a1_0004, 0],
        &[0x22b1_0004, 0],
        &[0x22a1_000c, 1, 2, 3, 0xf040_0000, DATA, 16, 0x2a12_0020],
        &[0x22a1_000c, 1, 2, 3, 0xf840_0000, DATA, 64, 0x6830_0020, 0x2292_0004, 0],
    ];
    for (number, words) in jobs.iter().enumerate() {
        let mut bench = bench(&[]);
        let job =
            [&[0xb080_0000 | (1 + operation.len() + words.len()) as u32], &operation[..], words].concat();
        bench.put_words(JOB, &job);
        assert_eq!(bench.start(), WRONG_DESCRIPTOR, "job {number}");
    }
}

#[test]
fn the_rings_wrap_and_count_what_is_free_and_what_is_filled() {
    let mut bench = bench(&[]);
    for number in 1..=2 * ENTRIES {
        assert_eq!(bench.linux(AES_ECB | INIT | ENCRYPT, &KEY, &[], &[3; 32]), 0);
        assert_eq!((bench.register(ORSFR), bench.register(IRSAR)), (1, ENTRIES), "job {number}");
        assert_eq!(bench.register(IRRIR), number % ENTRIES * INPUT);
        assert_eq!(bench.register(ORWIR), number % ENTRIES * OUTPUT);
        bench.remove();
    }
    assert_eq!(bench.register(ORSFR), 0);
}

#[test]
fn an_interrupt_waits_while_it_is_masked() {
    let mut bench = bench(&[]);
    bench.set(JRCFGR_LS, IMSK);
    bench.linux(AES_ECB | INIT | ENCRYPT, &KEY, &[], &[3; 32]);
    assert_eq!((bench.model.signal().edges, bench.register(JRINTR)), (vec![], JRI));
    bench.set(JRCFGR_LS, 0);
    assert_eq!(bench.model.signal().edges, [0]);
    assert_eq!(bench.model.signal().edges, [0; 0]);
    bench.set(JRINTR, JRI);
    assert_eq!(bench.register(JRINTR), 0);
}

#[test]
fn a_reset_halts_first_and_then_clears_the_ring() {
    let mut bench = bench(&["stop=1"]);
    bench.linux(AES_ECB | INIT | ENCRYPT, &KEY, &[], &[3; 32]);
    assert_eq!(bench.register(IRSAR), ENTRIES - 1);
    bench.set(JRCR, RESET);
    assert_eq!((bench.register(JRINTR), bench.register(IRSAR)), (HALT_DONE, ENTRIES));
    bench.set(IRJAR, 1);
    assert_eq!(bench.model.faults.counts.dma_errors, 1, "a halted ring takes no job");
    bench.set(JRCR, RESET);
    assert_eq!([JRINTR, JRCR, IRBAR, IRSR].map(|at| bench.register(at)), [0; 4]);
}

#[test]
fn a_damaged_failed_or_lost_request_is_seen() {
    let mut bench = bench(&["damage=1", "error=2", "lose=3", "late=4", "late-ms=100"]);
    let encryption = AES_ECB | INIT | ENCRYPT;
    let (right, _) = expected(encryption, &KEY, &[], &[3; 1024]);
    let wrong_bits = |data: Vec<u8>| data.iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    assert_eq!(bench.linux(encryption, &KEY, &[], &[3; 1024]), 0);
    assert_eq!(wrong_bits(bench.get(DATA, 1024)), 1);
    bench.remove();
    assert_eq!(bench.linux(encryption, &KEY, &[], &[3; 1024]), AES_FAILED);
    bench.remove();
    assert_eq!(bench.linux(encryption, &KEY, &[], &[3; 1024]), 0);
    assert_eq!((bench.register(JRINTR), bench.register(ORSFR)), (0, 1));
    bench.remove();
    assert_eq!(bench.linux(encryption, &KEY, &[], &[3; 1024]), 0xffff_ffff);
    let deadline = bench.model.deadline().expect("one that waits");
    std::thread::sleep(deadline.saturating_duration_since(std::time::Instant::now()));
    bench.model.tick(&bench.memory);
    assert_eq!((wrong_bits(bench.get(DATA, 1024)), bench.register(JRINTR)), (0, JRI));
}

#[test]
fn descriptors_and_rings_that_cannot_be_true_are_errors() {
    let mut soundless = bench(&[]);
    soundless.linux(AES_ECB | INIT | ENCRYPT, &KEY, &[], &[3; 32]);
    soundless.remove();
    let descriptors: [&[u32]; 9] = [
        &[0x0000_0001],
        &[0xb080_007f],
        &[0xb080_8001],
        &[0xb080_1c00 | 3 << 16 | 2, 0],
        &[0xb080_1c00 | 3 << 16 | 2, SHARED],
        &[0xb080_0003, 0xa000_0000, 0],
        &[0xb080_0003, 0x1a20_0010, 0],
        &[0xb080_0004, 0xf140_0000, 0, 16],
        &[0xb080_0006, 0x0280_0010, 0, 0, 0, 0],
    ];
    for (number, words) in descriptors.iter().enumerate().take(8) {
        let mut bench = bench(&[]);
        bench.put_words(JOB, words);
        assert_eq!(bench.start(), WRONG_DESCRIPTOR, "descriptor {number}");
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.dma_errors, counts.unsupported), (1, 0), "descriptor {number}");
    }
    let mut harmless = bench(&[]);
    harmless.put_words(JOB, descriptors[8]);
    assert_eq!(harmless.start(), 0, "only a key");
    for (at, value) in [(IRSR, 0), (IRSR, u32::MAX), (IRBAR, 0xffff_fff0)] {
        let mut bench = bench(&[]);
        bench.set(at, value);
        bench.set(IRJAR, 1);
        assert_eq!(bench.model.faults.counts.dma_errors, 1, "{at:#x}={value:#x}");
    }
}

#[test]
fn operations_that_the_units_lack_are_unsupported() {
    // CCM, XTS, a hash of class 2, a random number.
    for operation in [0x8210_0800, 0x8210_0500, 0x8441_0000, 0x8250_0000] {
        let mut bench = bench(&[]);
        assert_eq!(bench.optee(operation | INIT | ENCRYPT, &KEY, &[], &[3; 32]), WRONG_DESCRIPTOR);
        assert_eq!(bench.model.faults.counts.unsupported, 1, "{operation:#x}");
    }
}

#[test]
fn a_table_may_go_on_elsewhere_and_is_not_endless() {
    let memory = Memory::of(RAM.into(), &[7; 0x1000]);
    let put = |at: u32, words: [u32; 4]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(memory.write(at.into(), &bytes));
    };
    put(TABLE, [RAM, 0, 3, 0]);
    put(TABLE + 16, [TABLE + 64, 0, 1 << 31, 0]);
    put(TABLE + 64, [RAM + 3, 0, 5 | 1 << 30, 2]);
    let sequence = |len| sequence::Sequence::new(&memory, TABLE, len, true);
    assert_eq!(sequence(8).expect("a table").read(&memory, 8), Some(vec![7; 8]));
    assert!(sequence(9).is_none() && sequence(u32::MAX).is_none());
    assert!(sequence(8).expect("a table").read(&memory, 9).is_none());
    put(TABLE + 64, [TABLE, 0, 1 << 31, 0]);
    assert!(sequence(100_000).is_none(), "an endless one");
}
