//! The engine as a driver uses it: words by the FIFOs, with results of RustCrypto and of the standards.

use super::cryp::*;
use super::*;
use crate::bench::Bench;
use crate::block::tests::{GCM_AAD, GCM_KEY, GCM_PLAIN, GCM_SECRET, GCM_TAG, gcm_counter, hex};
use crate::block::{Cipher, Direction, add_key_stream, count_32_bits, crypt};
use crate::vfio::Device;

const KEY_BYTES: [u8; 32] = *b"a key of 32 bytes for the engine";
const IV_BYTES: [u8; 16] = *b"an IV of a block";
const BOTH: u32 = 3;

fn bench(options: &[&str]) -> Bench {
    Bench::new(Stm32::new(), 0, options)
}

fn control(mode: u32, key_len: usize) -> u32 {
    let size = if mode < AES_ECB { 0 } else { (key_len as u32 - 16) / 8 };
    (mode & 7) << 3 | (mode & 8) << 16 | size << 8 | BYTES | FLUSH
}

const fn in_phase(phase: u32) -> u32 {
    phase << 16
}

impl Bench {
    /// Writes numbers whose bytes are these.
    fn big(&mut self, at: usize, bytes: &[u8]) {
        for (i, word) in bytes.chunks_exact(4).enumerate() {
            self.set(at + 4 * i, u32::from_be_bytes(word.try_into().expect("four bytes")));
        }
    }

    fn key(&mut self, key: &[u8]) {
        let end = if key.len() == 8 { IV - 16 } else { IV };
        self.big(end - key.len(), key);
    }

    /// Writes the key and the IV, and prepares the key if the mode needs it.
    fn prepared(&mut self, control: u32, key: &[u8], iv: &[u8]) {
        let mode = control >> 3 & 7 | control >> 16 & 8;
        if control & DECRYPTS != 0 && matches!(mode, AES_ECB | AES_CBC) {
            self.set(CR, control | AES_KEY << 3);
            self.key(key);
            self.set(CR, control | AES_KEY << 3 | ENABLED);
            assert_eq!(self.register(CR) & ENABLED, 0, "ends by itself");
            self.set(CR, control);
        } else {
            self.set(CR, control);
            self.key(key);
        }
        self.big(IV, iv);
    }

    /// Writes a block and reads its result, if there is one.
    fn through(&mut self, block: &[u8]) -> Vec<u8> {
        for word in block.chunks_exact(4) {
            self.set(DIN, u32::from_le_bytes(word.try_into().expect("four bytes")));
        }
        let mut result = Vec::new();
        while self.register(SR) & OUTPUT_READY != 0 {
            result.extend(self.register(DOUT).to_le_bytes());
        }
        result
    }

    fn message(&mut self, control: u32, key: &[u8], iv: &[u8], data: &[u8], size: usize) -> Vec<u8> {
        self.prepared(control, key, iv);
        let control = self.register(CR);
        self.set(CR, control | ENABLED);
        self.set(IMSCR, BOTH);
        let result = data.chunks(size).flat_map(|block| self.through(block)).collect();
        self.set(IMSCR, 0);
        result
    }

    /// A message of GCM or CCM as the driver processes it: `header` is in whole blocks. With the tag.
    fn sealed(&mut self, control: u32, first: &[u8], header: &[u8], text: &[u8], last: &[u8]) -> Vec<u8> {
        self.set(CR, control | ENABLED);
        self.big_in(first);
        assert_eq!(self.register(CR) & ENABLED, 0, "the phase ends by itself");
        self.set(CR, control & !FLUSH | in_phase(HEADER) | ENABLED);
        header.chunks(16).for_each(|block| assert!(self.through(block).is_empty()));
        let mut result = Vec::new();
        for block in text.chunks(16) {
            let padding = (16 - block.len()) as u32;
            self.set(CR, control & !FLUSH | in_phase(PAYLOAD) | padding << 20 | ENABLED);
            let mut whole = block.to_vec();
            whole.resize(16, 0);
            result.extend_from_slice(&self.through(&whole)[..block.len()]);
        }
        self.set(CR, control & !(FLUSH | DECRYPTS) | in_phase(FINAL) | ENABLED);
        self.big_in(last);
        result.extend(self.through(&[]));
        result
    }

    /// Whether an interrupt is due.
    fn rises(&mut self) -> bool {
        self.model.signal() == Signal::edge(true)
    }

    fn big_in(&mut self, block: &[u8]) {
        for word in block.chunks_exact(4) {
            self.set(DIN, u32::from_be_bytes(word.try_into().expect("four bytes")));
        }
    }
}

#[test]
fn every_mode_is_that_of_rustcrypto_in_both_directions() {
    let plain: Vec<u8> = (0..480_u32).map(|i| i as u8).collect();
    let modes = [
        (TRIPLE_DES_ECB, Cipher::Des, 24, 8, false),
        (TRIPLE_DES_CBC, Cipher::Des, 24, 8, true),
        (DES_ECB, Cipher::Des, 8, 8, false),
        (DES_CBC, Cipher::Des, 8, 8, true),
        (AES_ECB, Cipher::Aes, 16, 16, false),
        (AES_CBC, Cipher::Aes, 16, 16, true),
        (AES_CBC, Cipher::Aes, 24, 16, true),
        (AES_CBC, Cipher::Aes, 32, 16, true),
    ];
    for (mode, cipher, len, size, has_iv) in modes {
        let (mut secret, mut chain) = (plain.clone(), IV_BYTES[..size].to_vec());
        let (key, iv) = (&KEY_BYTES[..len], has_iv.then_some(&mut chain[..]));
        assert!(crypt(cipher, key, Direction::Encrypt, iv, &mut secret));
        let mut bench = bench(&[]);
        for (direction, from, to) in [(0, &plain, &secret), (DECRYPTS, &secret, &plain)] {
            let done = bench.message(control(mode, len) | direction, key, &IV_BYTES[..size], from, size);
            assert!(&done == to, "{mode} {len} {direction}");
        }
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.requests, counts.bytes, counts.unsupported, counts.dma_errors), (2, 960, 0, 0));
    }
}

#[test]
fn a_counter_has_32_bits_and_the_next_iv_is_in_the_registers() {
    let mut iv = IV_BYTES;
    iv[12..].fill(0xff);
    let (mut right, mut next) = (vec![5; 64], iv);
    add_key_stream(&KEY_BYTES[..16], &mut next, &mut right, count_32_bits).expect("a key");
    let mut bench = bench(&[]);
    assert_eq!(bench.message(control(AES_CTR, 16), &KEY_BYTES[..16], &iv, &[5; 64], 16), right);
    assert_eq!((next[11], bench.register(IV + 12)), (IV_BYTES[11], 3));
    // With CBC it is the last block.
    let secret = bench.message(control(AES_CBC, 16), &KEY_BYTES[..16], &IV_BYTES, &[5; 64], 16);
    assert_eq!(bench.register(IV).to_be_bytes(), secret[48..52]);
}

#[test]
fn gcm_is_that_of_its_authors() {
    let [key, plain, secret, tag] = [GCM_KEY, GCM_PLAIN, GCM_SECRET, GCM_TAG].map(hex);
    let mut header = hex(GCM_AAD);
    header.resize(32, 0);
    let lengths = hex("00000000000000a000000000000001e0");
    let mut bench = bench(&[]);
    for (direction, from, to) in [(0, &plain, &secret), (DECRYPTS, &secret, &plain)] {
        bench.prepared(control(AES_GCM, 16) | direction, &key, &gcm_counter(2));
        let done = bench.sealed(control(AES_GCM, 16) | direction, &[], &header, from, &lengths);
        assert_eq!(done, [&to[..], &tag].concat(), "{direction}");
    }
    assert_eq!(bench.model.faults.counts.unsupported, 0);
}

/// NIST SP 800-38C, example 2 (16 bytes) and example 3 (24 bytes, of which the last block is a part).
#[test]
fn ccm_is_that_of_the_standard() {
    let key = hex("404142434445464748494a4b4c4d4e4f");
    let examples = [
        (
            "56101112131415161700000000000010",
            "06101112131415161700000000000001",
            "0010000102030405060708090a0b0c0d0e0f0000000000000000000000000000",
            "202122232425262728292a2b2c2d2e2f",
            "d2a1f0e051ea5f62081a7792073d593d",
            "1fc64fbfaccd",
        ),
        (
            "5a101112131415161718191a1b000018",
            "02101112131415161718191a1b000001",
            "0014000102030405060708090a0b0c0d0e0f1011121300000000000000000000",
            "202122232425262728292a2b2c2d2e2f3031323334353637",
            "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5",
            "484392fbc1b09951",
        ),
    ];
    for (first, counter, header, plain, secret, tag) in
        examples.map(|(a, b, c, d, e, f)| (hex(a), hex(b), hex(c), hex(d), hex(e), hex(f)))
    {
        let mut last = counter.clone();
        last[15] = 0;
        let mut bench = bench(&[]);
        for (direction, from, to) in [(0, &plain, &secret), (DECRYPTS, &secret, &plain)] {
            bench.prepared(control(AES_CCM, 16) | direction, &key, &counter);
            let done = bench.sealed(control(AES_CCM, 16) | direction, &first, &header, from, &last);
            assert_eq!(done[..to.len() + tag.len()], [&to[..], &tag].concat(), "{direction}");
        }
    }
}

#[test]
fn an_interrupt_asks_for_input_and_offers_output_while_it_is_enabled() {
    let mut bench = bench(&[]);
    bench.prepared(control(AES_ECB, 16), &KEY_BYTES[..16], &[]);
    bench.set(IMSCR, BOTH);
    assert!(!bench.rises(), "the unit is off");
    bench.set(CR, control(AES_ECB, 16) & !FLUSH | ENABLED);
    bench.set(IMSCR, BOTH);
    assert_eq!((bench.register(MISR), bench.rises(), bench.rises()), (1, true, false), "sent once");
    // Without the output being read, two blocks go through and two wait.
    for word in 0..16 {
        bench.set(DIN, word);
    }
    assert_eq!((bench.register(SR) & INPUT_FREE, bench.register(MISR)), (0, 2));
    bench.set(IMSCR, 1);
    assert_eq!((bench.register(RISR), bench.register(MISR), bench.rises()), (2, 0, false));
    bench.set(IMSCR, BOTH);
    assert!(bench.rises());
    bench.set(DIN, 0);
    assert_eq!(bench.model.faults.counts.dma_errors, 1, "a word is lost");
    let words = (0..16).map(|_| bench.register(DOUT)).filter(|word| *word != 0).count();
    assert_eq!((words, bench.register(SR) & OUTPUT_READY), (16, 0));
    assert_eq!(bench.register(DOUT), 0, "nothing is left");
}

#[test]
fn a_lost_late_or_stopped_request_has_no_interrupt_until_it_is_withdrawn() {
    for option in ["lose=1", "stop=1", "late=1"] {
        let mut bench = bench(&[option, "late-ms=20"]);
        bench.prepared(control(AES_ECB, 16), &KEY_BYTES[..16], &[]);
        bench.set(CR, control(AES_ECB, 16) & !FLUSH | ENABLED);
        bench.set(IMSCR, BOTH);
        assert!(!bench.rises(), "{option}");
        std::thread::sleep(std::time::Duration::from_millis(30));
        bench.model.tick(&bench.memory);
        assert_eq!(bench.rises(), option == "late=1", "{option}");
        bench.set(IMSCR, 0);
        bench.set(IMSCR, BOTH);
        assert_eq!(bench.rises(), option != "stop=1", "{option}: the next request");
    }
}

#[test]
fn a_damaged_request_has_one_wrong_bit() {
    let mut right = vec![3; 64];
    assert!(crypt(Cipher::Aes, &KEY_BYTES[..16], Direction::Encrypt, None, &mut right));
    let mut bench = bench(&["damage=1", "error=2"]);
    for wrong in [1, 1, 0] {
        let done = bench.message(control(AES_ECB, 16), &KEY_BYTES[..16], &[], &[3; 64], 16);
        let bits = done.iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        assert_eq!(bits, wrong);
    }
}

#[test]
fn what_the_unit_cannot_do_has_no_result_and_is_counted() {
    // A mode above CCM, halves of words, bits; a size of a key that is none; no prepared key.
    let ecb = control(AES_ECB, 16);
    for (control, counted) in [
        (control(AES_CTR, 16) | 1 << 19, (1, 0)),
        (ecb & !BYTES | 1 << 6, (1, 0)),
        (ecb | 3 << 6, (1, 0)),
        (ecb | 3 << 8, (0, 1)),
        (ecb | DECRYPTS, (0, 1)),
    ] {
        let mut bench = bench(&[]);
        bench.set(CR, control & !FLUSH | ENABLED);
        assert!(bench.through(&[3; 16]).is_empty(), "{control:#x}");
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.unsupported, counts.dma_errors), counted, "{control:#x}");
    }
}

#[test]
fn a_reset_ends_what_there_was() {
    let mut bench = bench(&[]);
    bench.set(CR, control(AES_ECB, 16) & !FLUSH | ENABLED);
    bench.set(DIN, 1);
    bench.model.write(1, 0, &1_u32.to_le_bytes(), &bench.memory);
    assert_eq!((bench.register(CR), bench.register(SR)), (0, 3));
}
