//! The units as Linux's drivers use them, with results computed by RustCrypto.

use super::*;
use crate::bench::{Bench, RAM};
use crate::block::tests::{GCM_AAD, GCM_KEY, GCM_PLAIN, GCM_SECRET, GCM_TAG, gcm_counter, hex};
use crate::block::{Cipher, Direction, add_key_stream, count_32_bits, crypt};
use crate::hash::tests::{HMACS, digests};
use crate::vfio::Device;

const DATA: u32 = RAM + 0x1000;
const PLACE: u32 = RAM + 0x2000;
const KEY_BYTES: [u8; 32] = *b"a key of 32 bytes for the engine";
/// The last 32 bits overflow.
const IV_BYTES: [u8; 16] = *b"an IV, a num\xff\xff\xff\xff";

/// The address of a set.
fn set(number: usize) -> usize {
    edma::SETS + edma::SET_BYTES * number
}

fn bench(options: &[&str]) -> Bench {
    let mut bench = Bench::new(Omap::new(), 0, options);
    for (place, channel) in [FROM_AES, TO_AES, TO_SHAM].into_iter().enumerate() {
        bench.set(edma::MAP + 4 * channel, 32 * (10 * place as u32 + 1));
        bench.for_channel(edma::SET_ENABLED, channel);
    }
    bench
}

impl Bench {
    fn of_unit(&mut self, bar: usize, at: usize, value: u32) {
        self.model.write(bar, at, &value.to_le_bytes(), &self.memory);
    }

    fn bytes_of(&mut self, bar: usize, at: usize, len: usize) -> Vec<u8> {
        let mut data = vec![0; len];
        self.model.read(bar, at, &mut data);
        data
    }

    fn for_channel(&mut self, at: usize, channel: usize) {
        self.set(at + 4 * (channel / 32), 1 << (channel % 32));
    }

    /// The channel's first sets, for parts of memory, in bursts of `burst` words.
    fn moves(&mut self, channel: usize, is_source: bool, burst: u32, parts: &[(u32, usize)]) {
        let first = [FROM_AES, TO_AES, TO_SHAM].iter().position(|one| *one == channel).expect("one of them");
        for (n, (address, len)) in parts.iter().enumerate() {
            let is_last = n + 1 == parts.len();
            let options =
                edma::BOTH_DIMENSIONS | (channel as u32) << 12 | if is_last { edma::INTERRUPTS } else { 0 };
            let (step, link) = (4 * burst, set(10 * first + 2 + n) as u32);
            let (source, destination) = if is_source { (*address, 0) } else { (0, *address) };
            let shift = if is_source { 0 } else { 16 };
            let words = [
                options,
                source,
                burst << 16 | 4,
                destination,
                4 << shift,
                0xffff << 16 | if is_last { edma::NO_LINK } else { link },
                step << shift,
                *len as u32 / step,
            ];
            let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
            // As memcpy_toio(), which may write more than a word at once.
            for (at, part) in bytes.chunks(8).enumerate() {
                self.model.write(0, set(10 * first + 1 + n) + 8 * at, part, &self.memory);
            }
        }
        self.for_channel(edma::SET_EVENTS, channel);
    }

    fn prepare(&mut self, control: u32, key: &[u8], iv: &[u8]) {
        for (n, word) in key.chunks(4).enumerate() {
            self.of_unit(1, 0x3c - 4 * (n ^ 1), word_at(word, 0));
        }
        for (n, word) in iv.chunks(4).enumerate() {
            self.of_unit(1, aes::IV + 4 * n, word_at(word, 0));
        }
        self.of_unit(1, aes::CONTROL, control | (key.len() as u32 / 8 - 1) << 3);
    }

    fn trigger(&mut self, len: usize) {
        self.of_unit(1, aes::LENGTH, len as u32);
        self.of_unit(1, aes::SYSTEM, 3 << 5);
    }

    /// A request with data in one part.
    fn processed(&mut self, control: u32, key: &[u8], data: &[u8]) -> Vec<u8> {
        let padded = data.len().next_multiple_of(BLOCK);
        self.put(DATA, data);
        self.prepare(control, key, &IV_BYTES);
        self.moves(TO_AES, true, 4, &[(DATA, padded)]);
        self.moves(FROM_AES, false, 4, &[(PLACE, padded)]);
        self.trigger(data.len());
        self.get(PLACE, data.len())
    }

    /// The lines that rose. The driver acknowledges all that is pending, and stops the AES unit.
    fn acknowledged(&mut self) -> Vec<u32> {
        let edges = self.model.signal().edges;
        for bank in 0..2 {
            let pending = self.register(edma::PENDING + 4 * bank);
            self.set(edma::CLEAR_PENDING + 4 * bank, pending);
        }
        self.set(edma::EVALUATE, 1);
        self.of_unit(1, aes::SYSTEM, 0);
        edges
    }
}

#[test]
fn aes_is_that_of_rustcrypto_and_the_registers_are_those_of_the_next_block() {
    let plain: Vec<u8> = (0..968_u32).map(|i| i as u8).collect();
    let ctr = aes::CTR | aes::COUNTS_128_BITS;
    for (mode, key_len) in [0, aes::CBC, ctr].into_iter().flat_map(|mode| [16, 24, 32].map(|len| (mode, len)))
    {
        let (key, mut iv) = (&KEY_BYTES[..key_len], IV_BYTES);
        let plain = if mode == ctr { &plain[..] } else { &plain[..960] };
        let mut secret = plain.to_vec();
        let is_done = match mode {
            mode if mode == ctr => {
                add_key_stream(key, &mut iv, &mut secret, |value| value.wrapping_add(1)).is_some()
            }
            mode => {
                let chain = (mode == aes::CBC).then_some(&mut iv[..]);
                crypt(Cipher::Aes, key, Direction::Encrypt, chain, &mut secret)
            }
        };
        assert!(is_done);
        let mut bench = bench(&[]);
        for (direction, from, to) in [(aes::ENCRYPTS, plain, &secret[..]), (0, &secret[..], plain)] {
            assert!(bench.processed(mode | direction, key, from) == to, "{mode:#x} {key_len} {direction}");
            assert_eq!(bench.register(edma::PENDING), 1 << TO_AES | 1 << FROM_AES);
            assert_eq!(bench.bytes_of(1, aes::IV, 16), iv, "{mode:#x} {direction}");
            assert_eq!(bench.acknowledged(), [0]);
            assert_eq!((bench.register(edma::PENDING), bench.acknowledged()), (0, vec![]));
        }
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.requests, counts.unsupported, counts.dma_errors), (2, 0, 0));
    }
}

/// The driver adds the encrypted first counter to the tag.
#[test]
fn gcm_is_that_of_its_authors() {
    let [key, plain, secret, tag] = [GCM_KEY, GCM_PLAIN, GCM_SECRET, GCM_TAG].map(hex);
    let first = gcm_counter(1);
    let mut added = vec![0; 16];
    add_key_stream(&key, &mut first.clone(), &mut added, count_32_bits).expect("a key");
    let mode = aes::GCM | aes::CTR | aes::COUNTS_128_BITS;
    let mut bench = bench(&[]);
    for (direction, from, to) in [(aes::ENCRYPTS, &plain, &secret), (0, &secret, &plain)] {
        bench.put(DATA, &[0; 256]);
        bench.put(DATA, &hex(GCM_AAD));
        bench.put(DATA + 0x100, from);
        bench.prepare(mode | direction, &key, &first);
        bench.moves(TO_AES, true, 4, &[(DATA, 32), (DATA + 0x100, 64)]);
        bench.moves(FROM_AES, false, 4, &[(PLACE, 64)]);
        bench.of_unit(1, aes::AUTHENTICATED, 20);
        bench.trigger(60);
        assert_eq!(&bench.get(PLACE, 60), to, "{direction}");
        let mut shown = bench.bytes_of(1, aes::TAG, 16);
        crate::block::xor(&mut shown, &added);
        assert_eq!(shown, tag, "{direction}");
        assert_eq!(bench.acknowledged(), [0]);
    }
    // Of a message without data, whose tag the driver reads at once.
    bench.prepare(mode, &key, &first);
    assert_eq!(bench.bytes_of(1, aes::TAG, 16), [0; 16]);
}

#[test]
fn a_list_that_ends_early_goes_on_when_the_channel_is_enabled_again() {
    let mut bench = bench(&[]);
    let data = [7; 64];
    let mut right = data.to_vec();
    assert!(crypt(Cipher::Aes, &KEY_BYTES[..16], Direction::Encrypt, None, &mut right));
    bench.put(DATA, &data);
    bench.prepare(aes::ENCRYPTS, &KEY_BYTES[..16], &[]);
    bench.moves(TO_AES, true, 4, &[(DATA, 64)]);
    bench.moves(FROM_AES, false, 4, &[(PLACE, 16), (PLACE + 16, 16)]);
    bench.trigger(64);
    assert_eq!(bench.model.signal().edges, [0]);
    assert_eq!((bench.register(edma::PENDING), bench.get(PLACE + 32, 16)), (1 << FROM_AES, vec![0; 16]));
    bench.for_channel(edma::CLEAR_PENDING, FROM_AES);
    bench.moves(FROM_AES, false, 4, &[(PLACE + 32, 32)]);
    assert_eq!((bench.get(PLACE, 64), bench.model.signal().edges), (right, vec![0]));
    assert_eq!(bench.register(edma::PENDING), 1 << TO_AES | 1 << FROM_AES);
}

/// MODE and the registers of a hash.
const KINDS: [(u32, usize); 4] = [(0, 16), (2, 20), (4, 28), (6, 32)];

impl Bench {
    /// A chunk, by DMA or by the CPU.
    fn chunk(&mut self, mode: u32, data: &[u8], has_dma: bool) {
        self.of_unit(2, sham::MODE, mode);
        self.of_unit(2, sham::ENABLED, sham::OUTPUT_READY);
        self.of_unit(2, sham::SYSTEM, sham::HAS_INTERRUPTS | if has_dma { sham::HAS_DMA } else { 0 });
        if has_dma {
            self.put(DATA, data);
            self.moves(TO_SHAM, true, 16, &[(DATA, data.len().next_multiple_of(sham::BLOCK))]);
        }
        self.of_unit(2, sham::LENGTH, data.len() as u32);
        if !has_dma {
            for (n, bytes) in data.chunks(4).enumerate() {
                assert_eq!(self.bytes_of(2, sham::STATUS, 1)[0], sham::INPUT_READY as u8);
                let mut word = bytes.to_vec();
                word.resize(4, 0);
                self.of_unit(2, sham::DATA + 4 * (n % 16), word_at(&word, 0));
            }
        }
        assert_eq!(self.bytes_of(2, sham::STATUS, 1)[0], sham::OUTPUT_READY as u8);
        let lines = if has_dma { vec![0, SHAM_LINE] } else { vec![SHAM_LINE] };
        assert_eq!(self.acknowledged(), lines);
    }
}

#[test]
fn digests_are_those_of_rustcrypto_in_any_chunks() {
    let message: Vec<u8> = (0..1000_u32).map(|i| i as u8).collect();
    for ((kind, len), (_, right)) in KINDS.into_iter().zip(digests(&message)) {
        for has_dma in [true, false] {
            let mut bench = bench(&[]);
            bench.chunk(kind | sham::BEGINS, &message[..448], has_dma);
            let state = bench.bytes_of(2, sham::INNER, 32);
            // Another message in between.
            bench.chunk(kind | sham::BEGINS | sham::ENDS, b"abc", has_dma);
            for (n, word) in state.chunks(4).enumerate() {
                bench.of_unit(2, sham::INNER + 4 * n, word_at(word, 0));
            }
            bench.of_unit(2, sham::COUNT, 448);
            bench.chunk(kind, &message[448..896], has_dma);
            bench.chunk(kind | sham::ENDS, &message[896..], has_dma);
            assert_eq!(bench.bytes_of(2, sham::INNER, len), right, "{kind} {has_dma}");
            assert_eq!(bench.model.faults.counts.unsupported, 0);
        }
    }
}

#[test]
fn hmac_is_that_of_the_standards() {
    for ((kind, len), (_, key_len, right)) in KINDS.into_iter().zip(HMACS) {
        let mut bench = bench(&[]);
        for n in 0..16 {
            let key = u32::from_le_bytes([0xb; 4]);
            bench.of_unit(2, sham::OUTER + 4 * n, if 4 * n < key_len { key } else { 0 });
        }
        let mode = kind | sham::BEGINS | sham::TAKES_KEY | sham::ENDS | sham::ADDS_OUTER;
        bench.chunk(mode, b"Hi There", false);
        assert_eq!(bench.bytes_of(2, sham::INNER, len), hex(right), "{kind}");
        assert_eq!(bench.bytes_of(2, sham::COUNT, 4), [64 + 8, 0, 0, 0]);
    }
}

#[test]
fn a_lost_late_or_stopped_request_raises_nothing_until_its_time() {
    for option in ["lose=1", "stop=1", "late=1"] {
        let mut bench = bench(&[option, "late-ms=20"]);
        bench.processed(aes::ENCRYPTS, &KEY_BYTES[..16], &[3; 64]);
        assert!(bench.model.signal().edges.is_empty(), "{option}");
        std::thread::sleep(std::time::Duration::from_millis(30));
        bench.model.tick(&bench.memory);
        let edges = if option == "late=1" { vec![0] } else { vec![] };
        assert_eq!(bench.acknowledged(), edges, "{option}");
        bench.processed(aes::ENCRYPTS, &KEY_BYTES[..16], &[3; 64]);
        assert_eq!(bench.model.signal().edges.is_empty(), option == "stop=1", "{option}: the next request");
    }
}

#[test]
fn a_damaged_request_has_one_wrong_bit() {
    let mut right = vec![3; 64];
    assert!(crypt(Cipher::Aes, &KEY_BYTES[..16], Direction::Encrypt, None, &mut right));
    let mut bench = bench(&["damage=1", "error=2"]);
    for wrong in [1, 1, 0] {
        let done = bench.processed(aes::ENCRYPTS, &KEY_BYTES[..16], &[3; 64]);
        bench.acknowledged();
        assert_eq!(done.iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), wrong);
    }
}

#[test]
fn what_the_units_cannot_do_has_no_result_and_is_counted() {
    let count = |bench: &Bench| {
        let counts = &bench.model.faults.counts;
        (counts.unsupported, counts.dma_errors)
    };
    // A counter of 32 bits, CBC with CTR; no size of a key.
    for (control, counted) in [(aes::CTR, (1, 0)), (aes::CBC | aes::CTR, (1, 0))] {
        let mut bench = bench(&[]);
        assert_eq!(bench.processed(control, &KEY_BYTES[..16], &[3; 32]), [0; 32]);
        assert_eq!((count(&bench), bench.acknowledged()), (counted, vec![]), "{control:#x}");
    }
    // No memory; a burst that is no block; a link outside the sets.
    let mut bench = bench(&[]);
    for (address, burst, counted) in [(0x1000, 4, 1), (DATA, 8, 2)] {
        bench.prepare(aes::ENCRYPTS, &KEY_BYTES[..16], &[]);
        bench.moves(TO_AES, true, burst, &[(address, 64)]);
        bench.moves(FROM_AES, false, 4, &[(PLACE, 64)]);
        bench.trigger(64);
        assert_eq!((count(&bench), bench.acknowledged()), ((0, counted), vec![]), "{address:#x}");
    }
    bench.moves(TO_AES, true, 4, &[(DATA, 16)]);
    bench.set(set(11) + 0x14, 0x20);
    bench.trigger(64);
    assert_eq!(count(&bench), (0, 3));
    // By the CPU; SHA-384; a part of a block that is not the last one.
    bench.of_unit(1, 0x60, 1);
    bench.of_unit(1, 0x90, 2);
    assert_eq!(count(&bench), (2, 3));
    for (mode, len) in [(1 | sham::BEGINS, 4), (6 | sham::BEGINS, 4)] {
        bench.of_unit(2, sham::MODE, mode);
        bench.of_unit(2, sham::LENGTH, len);
        bench.of_unit(2, sham::DATA, 1);
    }
    assert_eq!((count(&bench), bench.model.signal().edges), ((4, 3), vec![]));
    // A word of another size.
    bench.model.write(1, aes::IV, &[1, 2], &bench.memory);
    assert_eq!(count(&bench), (5, 3));
}
