//! The engine as a driver uses it: both DMAs, with results computed by RustCrypto.

use super::*;
use crate::bench::{Bench, RAM};
use crate::vfio::Device;

const DATA: u32 = RAM + 0x1000;
const PLACE: u32 = RAM + 0x2000;
const KEY_BYTES: [u8; 32] = *b"a key of 32 bytes for the engine";
/// The last 32 bits overflow.
const IV_BYTES: [u8; 16] = *b"an IV, a num\xff\xff\xff\xff";
const IN_ORDER: u32 = SWAP_KEY | SWAP_COUNTER | SWAP_IV | SWAP_OUT | SWAP_IN;
/// AES in ECB mode with a key of 16 bytes.
const PLAIN: u32 = BY_FIFO | IN_ORDER;

fn bench(options: &[&str]) -> Bench {
    let mut bench = Bench::new(S5p::new(), 0, options);
    bench.set(INTENSET, BRDMA | BTDMA);
    bench
}

impl Bench {
    fn set_bytes(&mut self, at: usize, bytes: &[u8]) {
        for (n, bytes) in bytes.chunks(4).enumerate() {
            self.set(at + 4 * n, word(bytes, 0));
        }
    }

    /// Starts the DMAs of a request.
    fn request(&mut self, control: u32, key: &[u8], data: &[u8]) {
        self.put(DATA, data);
        self.set(CONTROL, control);
        self.set_bytes(KEY_END - key.len(), key);
        self.set_bytes(IV, &IV_BYTES);
        self.set_bytes(COUNTER, &IV_BYTES);
        self.move_data((DATA, data.len()), (PLACE, data.len()));
    }

    fn move_data(&mut self, from: (u32, usize), to: (u32, usize)) {
        for (address, length, (at, len)) in [(BRDMAS, BRDMAL, from), (BTDMAS, BTDMAL, to)] {
            self.set(address, at);
            self.set(length, len as u32);
        }
    }

    fn acknowledge(&mut self) {
        let ends = self.register(INTSTAT);
        self.set(INTPEND, ends);
        assert!(!self.model.signal().level);
    }
}

fn encrypted(mode: u32, key: &[u8], data: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let (mut iv, mut data) = (IV_BYTES, data.to_vec());
    let is_done = match mode {
        CTR => add_key_stream(key, &mut iv, &mut data, |value| value.wrapping_add(1)).is_some(),
        _ => crypt(Cipher::Aes, key, Direction::Encrypt, (mode == CBC).then_some(&mut iv[..]), &mut data),
    };
    assert!(is_done);
    (data, iv)
}

#[test]
fn aes_is_that_of_rustcrypto_and_the_registers_are_those_of_the_next_block() {
    let plain: Vec<u8> = (0..960_u32).map(|i| i as u8).collect();
    for (mode, key_len) in [ECB, CBC, CTR].into_iter().flat_map(|mode| [16, 24, 32].map(|len| (mode, len))) {
        let key = &KEY_BYTES[..key_len];
        let (secret, next) = encrypted(mode, key, &plain);
        let mut bench = bench(&[]);
        let control = PLAIN | mode << 1 | ((key_len as u32 - 16) / 8) << 4;
        for (direction, from, to) in [(0, &plain, &secret), (DECRYPTION, &secret, &plain)] {
            bench.request(control | direction, key, from);
            assert!(&bench.get(PLACE, 960) == to, "{mode} {key_len} {direction}");
            assert_eq!(bench.register(INTSTAT), BRDMA | BTDMA);
            assert!(bench.model.signal().level);
            bench.acknowledge();
            let register = [(CBC, IV), (CTR, COUNTER)].into_iter().find(|(one, _)| *one == mode);
            if let Some((_, at)) = register {
                let shown: Vec<u8> = (0..4).flat_map(|n| bench.register(at + 4 * n).to_le_bytes()).collect();
                assert_eq!(shown, next, "{mode} {direction}");
            }
        }
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.requests, counts.bytes, counts.unsupported, counts.dma_errors), (2, 1920, 0, 0));
    }
}

#[test]
fn words_are_turned_around_without_the_bits_for_their_order() {
    let turned = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        order(&mut bytes, false);
        bytes
    };
    let plain: Vec<u8> = (0..64).collect();
    let (secret, _) = encrypted(CBC, &KEY_BYTES[..16], &plain);
    let mut bench = bench(&[]);
    bench.set(CONTROL, BY_FIFO | CBC << 1);
    bench.put(DATA, &turned(&plain));
    bench.set_bytes(KEY_END - 16, &turned(&KEY_BYTES[..16]));
    bench.set_bytes(IV, &turned(&IV_BYTES));
    bench.move_data((DATA, 64), (PLACE, 64));
    assert_eq!(bench.get(PLACE, 64), turned(&secret));
    // The DMA does the same for data.
    bench.put(DATA, &plain);
    bench.set_bytes(IV, &turned(&IV_BYTES));
    bench.set(BRDMAC, DMA_SWAP);
    bench.set(BTDMAC, DMA_SWAP);
    bench.move_data((DATA, 64), (PLACE, 64));
    assert_eq!(bench.get(PLACE, 64), secret);
}

#[test]
fn chunks_of_different_lengths_are_one_message() {
    let plain: Vec<u8> = (0..96).collect();
    let (secret, _) = encrypted(CBC, &KEY_BYTES[..16], &plain);
    let mut bench = bench(&[]);
    bench.request(PLAIN | CBC << 1, &KEY_BYTES[..16], &[]);
    bench.put(DATA, &plain);
    bench.move_data((DATA, 32), (PLACE, 64));
    assert_eq!((bench.register(INTPEND), bench.register(STATUS)), (BRDMA, 0));
    bench.acknowledge();
    bench.set(BRDMAS, DATA + 32);
    bench.set(BRDMAL, 64);
    assert_eq!(bench.register(INTPEND), BTDMA);
    bench.acknowledge();
    bench.set(BTDMAS, PLACE + 64);
    bench.set(BTDMAL, 32);
    assert_eq!(bench.register(INTPEND), BRDMA | BTDMA);
    assert_eq!(bench.get(PLACE, 96), secret);
    assert_eq!(bench.model.faults.counts.requests, 3);
}

#[test]
fn only_enabled_interrupts_raise_the_line_and_show_in_their_status() {
    let mut bench = bench(&[]);
    bench.set(INTENCLR, BRDMA | BTDMA);
    bench.request(PLAIN, &KEY_BYTES[..16], &[3; 32]);
    assert_eq!((bench.register(INTSTAT), bench.register(INTPEND)), (0, BRDMA | BTDMA));
    assert!(!bench.model.signal().level);
    bench.set(INTENSET, BTDMA);
    assert_eq!(bench.register(INTSTAT), BTDMA);
    assert!(bench.model.signal().level);
}

#[test]
fn a_flushed_dma_moves_nothing_more() {
    let mut bench = bench(&["late=1", "late-ms=20"]);
    bench.request(PLAIN, &KEY_BYTES[..16], &[3; 32]);
    assert_eq!((bench.register(STATUS), bench.register(FIFOSTAT)), (BUSY, EMPTY));
    bench.set(BRDMAC, FLUSH);
    std::thread::sleep(std::time::Duration::from_millis(30));
    bench.model.tick(&bench.memory);
    assert_eq!((bench.register(INTPEND), bench.register(STATUS)), (0, 0));
    assert_eq!(bench.get(PLACE, 32), [0; 32]);
}

#[test]
fn a_damaged_failed_or_lost_request_is_seen() {
    let (right, _) = encrypted(ECB, &KEY_BYTES[..16], &[3; 320]);
    let mut bench = bench(&["damage=1", "error=2", "lose=3"]);
    for (wrong, ends) in [(1, BRDMA | BTDMA), (1, BRDMA | BTDMA), (0, 0)] {
        bench.request(PLAIN, &KEY_BYTES[..16], &[3; 320]);
        let bits = bench.get(PLACE, 320).iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        assert_eq!((bits, bench.register(INTPEND)), (wrong, ends));
        bench.acknowledge();
    }
}

#[test]
fn operations_that_the_model_lacks_and_addresses_without_memory_have_no_result_and_are_counted() {
    // Data by the CPU; a short counter; modes and keys that there are not.
    for control in [IN_ORDER, PLAIN | CTR << 1 | 1 << 12, PLAIN | 3 << 1, PLAIN | 3 << 4] {
        let mut bench = bench(&[]);
        bench.request(control, &KEY_BYTES[..16], &[3; 32]);
        assert_eq!((bench.model.faults.counts.unsupported, bench.get(PLACE, 32)), (1, vec![0; 32]));
        assert_eq!(bench.register(INTPEND), BRDMA | BTDMA);
    }
    let mut other = bench(&[]);
    other.set(FIFOCTRL, SELECT_DES);
    other.request(PLAIN, &KEY_BYTES[..16], &[3; 32]);
    other.set(FIFOCTRL, 0);
    for mode in [ECB, CBC, CTR] {
        other.request(PLAIN | mode << 1, &KEY_BYTES[..16], &[3; 20]);
    }
    other.set(HRDMAL, 64);
    other.set(PKDMAL, 64);
    assert_eq!((other.model.faults.counts.unsupported, other.get(PLACE, 32)), (6, vec![0; 32]));
    for (from, to) in [((0, 32), (PLACE, 32)), ((DATA, 32), (0, 32)), ((DATA, 1 << 31), (PLACE, 1 << 31))] {
        let mut bench = bench(&[]);
        bench.set(CONTROL, PLAIN);
        bench.move_data(from, to);
        assert_eq!((bench.model.faults.counts.dma_errors, bench.register(INTPEND)), (1, BRDMA | BTDMA));
    }
}
