//! HASH as its drivers use it, with results of RustCrypto and of the standards.

use super::hash_processor::*;
use super::*;
use crate::bench::Bench;
use crate::block::tests::hex;
use crate::hash::HashFunction;
use crate::hash::tests::{HMACS, digests};
use crate::vfio::Device;

/// The first write of a message, and the bytes of its digest.
const ALGORITHMS: [(HashFunction, u32, usize); 4] = [
    (HashFunction::Md5, 1 << 7, 16),
    (HashFunction::Sha1, 0, 20),
    (HashFunction::Sha224, 1 << 18, 28),
    (HashFunction::Sha256, 1 << 18 | 1 << 7, 32),
];
const SHA1: u32 = BYTES | INIT;

fn bench(options: &[&str]) -> Bench {
    Bench::new(Stm32::new(), 2, options)
}

/// Bytes without a period of the length of a block.
fn message(len: usize) -> Vec<u8> {
    (0..len as u32).map(|n| (n * 7 + n / 5) as u8).collect()
}

impl Bench {
    /// As both drivers write data; the last word may be a part of one.
    fn words(&mut self, data: &[u8]) {
        for chunk in data.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.set(DIN, u32::from_le_bytes(word));
        }
    }

    /// Writes data and ends the message, or the part of HMAC.
    fn ended(&mut self, data: &[u8]) {
        self.words(data);
        self.set(STR, 8 * (data.len() as u32 % 4));
        let bits = self.register(STR);
        self.set(STR, bits | ENDS);
        assert_eq!(self.register(STR), bits);
    }

    /// The digest that an interrupt announces, as Linux's handler acknowledges it.
    fn digest(&mut self, len: usize) -> Vec<u8> {
        assert_eq!(self.model.signal(), Signal { level: false, edges: vec![HASH as u32] });
        assert_eq!(self.register(SR), INPUT_READY | DIGEST_READY);
        self.set(IMR, 0);
        let digest: Vec<u8> = (0..8).flat_map(|n| self.register(HR + 4 * n).to_be_bytes()).collect();
        self.set(SR, INPUT_READY);
        assert_eq!((self.register(SR), self.model.signal().edges), (INPUT_READY, vec![]));
        assert!(digest[len..].iter().all(|byte| *byte == 0));
        digest[..len].to_vec()
    }

    fn begun(&mut self, control: u32) {
        self.set(IMR, DIGEST_READY);
        self.set(CR, control | BYTES | INIT);
    }

    fn hmac(&mut self, control: u32, key: &[u8], data: &[u8], len: usize) -> Vec<u8> {
        self.begun(control | HMAC | if key.len() > 64 { LONG_KEY } else { 0 });
        [key, data, key].iter().for_each(|part| self.ended(part));
        self.digest(len)
    }

    /// The registers that hold a message, of those of CSR the named ones.
    fn saved(&mut self, which: &[usize]) -> Vec<(usize, u32)> {
        assert_eq!(self.register(SR) & (BUSY | INPUT_READY), INPUT_READY, "the FIFO is empty");
        let registers = [IMR, STR, CR].into_iter().chain(which.iter().map(|n| CSR + 4 * n));
        registers.map(|at| (at, self.register(at))).collect()
    }

    fn restored(&mut self, saved: &[(usize, u32)]) {
        for (at, value) in saved {
            self.set(*at, if *at == CR { value | INIT } else { *value });
        }
    }
}

#[test]
fn digests_are_those_of_rustcrypto_and_have_one_interrupt() {
    for (function, control, len) in ALGORITHMS {
        let mut bench = bench(&[]);
        for size in [0, 1, 3, 4, 55, 56, 63, 64, 65, 67, 68, 119, 120, 128, 400] {
            let (data, before) = (message(size), bench.model.faults.counts.bytes);
            bench.begun(control);
            bench.ended(&data);
            let right = digests(&data).into_iter().find(|(of, _)| *of == function).expect("it has it").1;
            assert_eq!(bench.digest(len), right, "{function:?} {size}");
            assert_eq!(bench.model.faults.counts.bytes - before, size as u32);
        }
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.requests, counts.unsupported, counts.dma_errors), (15, 0, 0));
    }
}

/// RFC 1321, and FIPS 180-4's examples of one block.
#[test]
fn digests_are_those_of_the_standards() {
    for ((_, control, len), right) in ALGORITHMS.into_iter().zip([
        "900150983cd24fb0d6963f7d28e17f72",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ]) {
        let mut bench = bench(&[]);
        bench.begun(control);
        bench.ended(b"abc");
        assert_eq!(bench.digest(len), hex(right));
    }
}

/// Test cases 1 and 6 of RFC 2202 and RFC 4231.
#[test]
fn hmac_is_that_of_the_standards_also_with_a_long_key() {
    let text = b"Test Using Larger Than Block-Size Key - Hash Key First";
    let long = [
        (80, "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd"),
        (80, "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        (131, "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"),
        (131, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ];
    for (((_, control, len), (_, key_len, right)), (long_len, long_right)) in
        ALGORITHMS.into_iter().zip(HMACS).zip(long)
    {
        let mut bench = bench(&[]);
        assert_eq!(bench.hmac(control, &vec![0xb; key_len], b"Hi There", len), hex(right));
        assert_eq!(bench.hmac(control, &vec![0xaa; long_len], text, len), hex(long_right));
        assert_eq!(bench.model.faults.counts.requests, 2);
    }
}

/// By Linux's driver, and by OP-TEE's, which leaves out the FIFO.
#[test]
fn a_message_goes_on_from_its_saved_registers_after_others() {
    let (data, key) = (message(300), b"a key of a length that is no word's.");
    let without_fifo: Vec<usize> = (0..FIFO).chain(INNER..CSR_NUMBER).collect();
    for (_, control, len) in ALGORITHMS {
        for which in [Vec::from_iter(0..CSR_NUMBER), without_fifo.clone()] {
            let mut bench = bench(&[]);
            for has_key in [false, true] {
                let control = control | if has_key { HMAC } else { 0 };
                bench.begun(control);
                if has_key {
                    bench.ended(key);
                }
                bench.words(&data[..68]);
                let saved = bench.saved(&which);
                bench.hmac(SHA1, b"another", b"another message", 20);
                bench.restored(&saved);
                bench.words(&data[68..196]);
                let saved = bench.saved(&which);
                bench.begun(SHA1);
                bench.ended(b"abc");
                bench.digest(20);
                bench.restored(&saved);
                bench.ended(&data[196..]);
                if has_key {
                    bench.ended(key);
                }
                let digest = bench.digest(len);
                bench.begun(control);
                let parts: &[&[u8]] = if has_key { &[key, &data, key] } else { &[&data] };
                parts.iter().for_each(|part| bench.ended(part));
                assert_eq!(bench.digest(len), digest, "{control:#x}");
            }
        }
    }
}

#[test]
fn the_registers_show_what_the_input_has() {
    let mut bench = bench(&[]);
    bench.set(CR, SHA1 | HAS_WORD);
    assert_eq!((bench.register(CR), bench.register(SR)), (BYTES, INPUT_READY));
    for (words, shown) in [(1, HAS_WORD), (1, HAS_WORD | 1 << 8), (14, HAS_WORD | 15 << 8)] {
        bench.words(&vec![0; 4 * words]);
        assert_eq!((bench.register(CR), bench.register(SR)), (BYTES | shown, 0), "{words}");
    }
    // The first word of the next block.
    bench.words(&[0; 4]);
    assert_eq!((bench.register(CR), bench.register(SR)), (BYTES | HAS_WORD, INPUT_READY));
    bench.set(IMR, 1);
    assert_eq!(bench.model.signal().edges, [HASH as u32]);
    assert_eq!((bench.register(DIN), bench.register(0x3f4), bench.register(0x1000)), (0, 0, 0));
    // Reset, but not by the line of CRYP.
    for (line, shown) in [(1 << CRYP, BYTES | HAS_WORD), (1 << HASH, 0)] {
        bench.model.write(1, 0, &u32::to_le_bytes(line), &bench.memory);
        assert_eq!(bench.register(CR), shown);
    }
}

#[test]
fn a_lost_late_or_stopped_digest_has_no_interrupt_until_the_unit_is_initialised() {
    for option in ["lose=1", "stop=1", "late=1"] {
        let mut bench = bench(&[option, "late-ms=20"]);
        bench.begun(SHA1);
        bench.ended(b"abc");
        assert!(bench.model.signal().edges.is_empty(), "{option}");
        let busy = if option == "lose=1" { 0 } else { BUSY };
        assert_eq!(bench.register(SR) & !INPUT_READY, busy, "{option}");
        std::thread::sleep(std::time::Duration::from_millis(30));
        bench.model.tick(&bench.memory);
        assert_eq!(bench.model.signal().edges.is_empty(), option != "late=1", "{option}");
        bench.set(SR, 0);
        assert!(bench.model.signal().edges.is_empty(), "acknowledged");
        bench.begun(SHA1);
        assert_eq!(bench.register(SR), INPUT_READY, "{option}");
        bench.ended(b"abc");
        assert_eq!(bench.model.signal().edges.is_empty(), option == "stop=1", "{option}: the next message");
    }
}

#[test]
fn a_damaged_digest_has_one_wrong_bit() {
    let right = &digests(b"abc")[1].1;
    let mut bench = bench(&["damage=1", "error=2"]);
    for wrong in [1, 1, 0] {
        bench.begun(SHA1);
        bench.ended(b"abc");
        let digest = bench.digest(20);
        assert_eq!(digest.iter().zip(right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), wrong);
    }
}

#[test]
fn what_the_unit_cannot_do_has_no_digest_and_is_counted() {
    // Words, halves and bits; a part of a byte; a key of more than a block that is not a long one.
    for (control, len, bits, counted) in [
        (INIT, 4, 0, (1, 0)),
        (INIT | 1 << 4, 4, 0, (1, 0)),
        (INIT | 3 << 4, 4, 0, (1, 0)),
        (SHA1, 4, 7, (1, 0)),
        (SHA1 | HMAC, 80, 0, (0, 1)),
    ] {
        let mut bench = bench(&[]);
        bench.set(IMR, DIGEST_READY);
        bench.set(CR, control);
        bench.words(&message(len));
        bench.set(STR, bits);
        bench.set(STR, ENDS);
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.unsupported, counts.dma_errors), counted, "{control:#x}");
        assert!(bench.model.signal().edges.is_empty(), "{control:#x}");
    }
    // DMA; more words than there are, as a saved register.
    let mut bench = bench(&["stop=2"]);
    bench.set(CR, SHA1 | DMA);
    bench.set(CSR + 4 * INPUT, 99);
    bench.words(b"abcd");
    bench.set(STR, ENDS);
    assert_eq!((bench.model.faults.counts.unsupported, bench.model.faults.counts.dma_errors), (1, 2));
    // Words after the end of a message that takes its time.
    bench.begun(SHA1);
    bench.ended(b"abc");
    bench.words(&[0; 8]);
    bench.set(STR, ENDS);
    let counts = &bench.model.faults.counts;
    assert_eq!((counts.requests, counts.dma_errors), (2, 5));
}
