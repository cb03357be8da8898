//! The engine as a driver uses it, with results computed by RustCrypto and by the standards' examples.

use super::*;
use crate::block::{Cipher, Direction, crypt};
use crate::engine::Model;
use crate::vfio::Device;

const SRAM_ADDRESS: u32 = 0x3e11_0000;
const RAM: u32 = 0x4000_0000;
/// Places in the test's memory: descriptors of the TDMA, of the SA, and the data.
const CHAIN: u32 = RAM;
const OPERATION: u32 = RAM + 0x1000;
const DATA: u32 = RAM + 0x2000;
const KEY: [u8; 32] = *b"a key of 32 bytes for the engine";
const IV: [u8; 16] = *b"an IV of a block";

struct Bench {
    model: Model,
    memory: Memory,
}

fn bench(options: &[&str]) -> Bench {
    let mut words: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    words.push(format!("sram={SRAM_ADDRESS:x}"));
    let mut options = Options::parse(&words).expect("pairs");
    let faults = Faults::new(&mut options).expect("options");
    let engine = Box::new(Cesa::new(&mut options).expect("an engine"));
    Bench { model: Model::new(engine, faults), memory: Memory::of(RAM.into(), &vec![0; 0x4000]) }
}

impl Bench {
    fn register(&mut self, bar: usize, at: usize) -> u32 {
        let mut data = [0; 4];
        self.model.read(bar, at, &mut data);
        u32::from_le_bytes(data)
    }

    fn set(&mut self, bar: usize, at: usize, value: u32) {
        self.model.write(bar, at, &value.to_le_bytes(), &self.memory);
    }

    fn put(&mut self, address: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(self.memory.write(address.into(), &bytes));
    }

    fn data(&self, len: usize) -> Vec<u8> {
        let mut data = vec![0; len];
        assert!(self.memory.read(DATA.into(), &mut data));
        data
    }

    /// A request as a driver builds it: the descriptor with key and IV, the data, the operation, and
    /// the result in the place of the data.
    fn request(&mut self, config: u32, key: &[u8], data: &[u8]) {
        let len = data.len() as u32;
        let operation = [config, 0x80 | 0x80 << 16, len, 0x20, 0x40 | 0x40 << 16, 0, 0, 0];
        self.put(OPERATION, &operation);
        assert!(self.memory.write(u64::from(OPERATION) + 0x20, key));
        assert!(self.memory.write(u64::from(OPERATION) + 0x40, &IV));
        assert!(self.memory.write(DATA.into(), data));
        let owned = |len: u32| 1 << 31 | len;
        self.put(CHAIN, &[owned(0x50), OPERATION, SRAM_ADDRESS, CHAIN + 16]);
        self.put(CHAIN + 16, &[owned(len), DATA, SRAM_ADDRESS + 0x80, CHAIN + 32]);
        self.put(CHAIN + 32, &[0, 0, 0, CHAIN + 48]);
        self.put(CHAIN + 48, &[owned(len), SRAM_ADDRESS + 0x80, DATA, 0]);
        self.set(1, MASK, TDMA_DONE);
        self.set(1, CONFIG, BY_TDMA);
        self.set(0, NEXT, CHAIN);
        self.set(1, COMMAND, ACTIVATE);
    }

    fn has_interrupt(&mut self) -> bool {
        self.model.signal().level
    }
}

const AES: u32 = 1 | 3 << 8;
const CBC: u32 = 1 << 16;
const DECRYPT: u32 = 1 << 12;

#[test]
fn a_chain_encrypts_in_each_cipher_and_mode() {
    let ciphers: [(u32, Cipher, usize); 5] = [
        (3 << 8, Cipher::Aes, 16),
        (3 << 8 | 1 << 24, Cipher::Aes, 24),
        (3 << 8 | 2 << 24, Cipher::Aes, 32),
        (1 << 8, Cipher::Des, 8),
        (2 << 8 | 1 << 20, Cipher::Des, 24),
    ];
    let plain: Vec<u8> = (0..1024).map(|i| (i * 7) as u8).collect();
    for (config, cipher, key_len) in ciphers {
        for cbc in [false, true] {
            let block = if cipher == Cipher::Aes { 16 } else { 8 };
            let mut iv = IV[..block].to_vec();
            let mut expected = plain.clone();
            let chain = cbc.then_some(&mut iv[..]);
            assert!(crypt(cipher, &KEY[..key_len], Direction::Encrypt, chain, &mut expected));
            let mut bench = bench(&[]);
            bench.request(1 | config | if cbc { CBC } else { 0 }, &KEY[..key_len], &plain);
            assert_eq!(bench.data(plain.len()), expected, "{cipher:?} {key_len} {cbc}");
            let mut next_iv = vec![0; block];
            bench.model.read(2, 0x40, &mut next_iv);
            assert_eq!(next_iv, iv, "the IV of the data that follow");
            assert!(bench.has_interrupt());
            assert_eq!(bench.register(0, CURRENT), CHAIN + 48);
            assert_eq!(bench.register(1, COMMAND), 0);
            bench.set(1, CAUSE, !TDMA_DONE);
            assert!(!bench.has_interrupt());
            assert_eq!(bench.register(1, CAUSE), SA_DONE, "a written 1 changes nothing");
            assert_eq!(bench.model.faults.counts.bytes, 1024);
            assert_eq!(bench.model.faults.counts.dma_errors, 0);
        }
    }
}

/// NIST SP 800-38A, F.2.2, with the last words of the expanded key of FIPS 197, A.1, as drivers give
/// it to the engine.
#[test]
fn decryption_takes_the_key_of_the_last_round() {
    let last: Vec<u8> = [0xd014f9a8_u32, 0xc9ee2589, 0xe13f0cc8, 0xb6630ca6]
        .iter()
        .flat_map(|word| word.to_be_bytes())
        .collect();
    let cipher = 0x7649abac8119b246cee98e9b12e9197d_u128.to_be_bytes();
    let plain = 0x6bc1bee22e409f96e93d7e117393172a_u128 ^ 0x000102030405060708090a0b0c0d0e0f;
    let mut bench = bench(&[]);
    bench.request(AES | DECRYPT, &last, &cipher);
    assert_eq!(bench.data(16), plain.to_be_bytes());
}

#[test]
fn an_operation_without_the_tdma_works_in_the_sram() {
    let mut bench = bench(&[]);
    let plain = [0x5a; 32];
    for (i, value) in [AES, 0x80 | 0x80 << 16, 32, 0x20, 0].into_iter().enumerate() {
        bench.set(2, 4 * i, value);
    }
    bench.model.write(2, 0x20, &KEY[..16], &Memory::default());
    bench.model.write(2, 0x80, &plain, &Memory::default());
    bench.set(1, MASK, SA_DONE);
    bench.set(1, COMMAND, ACTIVATE);
    assert!(bench.has_interrupt());
    let mut result = [0; 32];
    bench.model.read(2, 0x80, &mut result);
    let mut expected = plain;
    assert!(crypt(Cipher::Aes, &KEY[..16], Direction::Encrypt, None, &mut expected));
    assert_eq!(result, expected);
}

#[test]
fn a_mac_is_counted_and_not_computed() {
    let mut bench = bench(&[]);
    bench.request(4 << 4, &[], &[1; 64]);
    assert_eq!(bench.data(64), [1; 64]);
    assert_eq!(bench.model.faults.counts.unsupported, 1);
    assert!(bench.has_interrupt());
}

#[test]
fn descriptors_that_cannot_be_true_are_counted_and_set_the_error_cause() {
    let wrong: [[u32; 4]; 5] = [
        [16, DATA, SRAM_ADDRESS, 0],                             // not owned
        [1 << 31 | 16, 0x1000_0000, SRAM_ADDRESS, 0],            // no memory at the source
        [1 << 31 | 16, SRAM_ADDRESS, 0xffff_fff8, 0],            // no memory at the destination
        [1 << 31 | 16, DATA, SRAM_ADDRESS + SRAM as u32 - 8, 0], // beyond the SRAM
        [1 << 31, DATA, DATA, CHAIN],                            // a loop
    ];
    for descriptor in wrong {
        let mut bench = bench(&[]);
        bench.put(CHAIN, &descriptor);
        bench.set(1, CONFIG, BY_TDMA);
        bench.set(0, NEXT, CHAIN);
        bench.set(1, COMMAND, ACTIVATE);
        assert_eq!(bench.model.faults.counts.dma_errors, 1, "{descriptor:x?}");
        assert_eq!(bench.register(0, ERROR_CAUSE), MISS);
    }
}

#[test]
fn operations_that_leave_the_sram_are_counted() {
    let long = [AES, 0x80, 2048, 0x20, 0];
    let key_outside = [AES, 0x80, 16, 0x7fff_ffff, 0];
    let part_of_a_block = [AES, 0x80, 15, 0x20, 0];
    let without_cipher = [1, 0x80, 16, 0x20, 0];
    for words in [long, key_outside, part_of_a_block, without_cipher] {
        let mut bench = bench(&[]);
        words.into_iter().enumerate().for_each(|(i, value)| bench.set(2, 4 * i, value));
        bench.set(1, COMMAND, ACTIVATE);
        assert_eq!(bench.model.faults.counts.dma_errors, 1, "{words:x?}");
    }
}

#[test]
fn each_fault_shows_in_the_registers() {
    let plain = [3; 32];
    let mut lost = bench(&["lose=1"]);
    lost.request(AES, &KEY[..16], &plain);
    assert!(!lost.has_interrupt() && lost.register(1, COMMAND) == 0 && lost.data(32) != plain);

    let mut error = bench(&["error=1"]);
    error.request(AES, &KEY[..16], &plain);
    assert_eq!(error.register(1, CAUSE), TDMA_DONE | SA_DONE | OWNER_ERROR);

    let mut stopped = bench(&["stop=1"]);
    stopped.request(AES, &KEY[..16], &plain);
    assert!(!stopped.has_interrupt() && stopped.register(1, COMMAND) == ACTIVATE);
    assert_eq!((stopped.data(32), stopped.model.deadline()), (plain.to_vec(), None));
    stopped.set(1, COMMAND, DISABLE);
    stopped.request(AES, &KEY[..16], &plain);
    assert_eq!(stopped.data(32), plain, "it has stopped for good");
    stopped.model.reset();
    stopped.request(AES, &KEY[..16], &plain);
    assert_ne!(stopped.data(32), plain, "a reset starts it again");

    let mut damaged = bench(&["damage=1"]);
    let mut right = bench(&[]);
    damaged.request(AES, &KEY[..16], &plain);
    right.request(AES, &KEY[..16], &plain);
    let differing = damaged.data(32).iter().zip(right.data(32)).filter(|(a, b)| *a != b).count();
    assert_eq!(differing, 1);
}

#[test]
fn a_request_that_takes_time_moves_nothing_before_it_is_due() {
    let plain = [3; 32];
    let mut bench = bench(&["late=1", "late-ms=20"]);
    bench.request(AES, &KEY[..16], &plain);
    assert_eq!(bench.data(32), plain);
    assert_eq!(bench.register(1, ACTIVE), 1);
    let due = bench.model.deadline().expect("a deadline");
    std::thread::sleep(due.saturating_duration_since(std::time::Instant::now()));
    bench.model.tick(&bench.memory);
    assert_ne!(bench.data(32), plain);
    assert!(bench.has_interrupt());
}

#[test]
fn a_request_that_the_driver_disables_does_not_complete() {
    let mut bench = bench(&["late=1", "late-ms=5"]);
    bench.request(AES, &KEY[..16], &[3; 32]);
    bench.set(1, COMMAND, DISABLE);
    assert_eq!(bench.model.deadline(), None);
    assert!(!bench.has_interrupt());
}
