//! The engine as a driver uses it: fills and empties the FIFOs.

use super::*;
use crate::allwinner::{Case, cases};
use crate::bench::faults;
use crate::block::Cipher;
use crate::engine::Model;
use crate::vfio::Device;

fn model(options: &[&str]) -> Model {
    Model::new(Box::new(Sun4i::new()), faults(options))
}

fn write(model: &mut Model, at: usize, value: u32) {
    model.write(0, at, &value.to_le_bytes(), &Memory::default());
}

fn read(model: &mut Model, at: usize) -> u32 {
    let mut bytes = [0; 4];
    model.read(0, at, &mut bytes);
    u32::from_le_bytes(bytes)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
}

fn start(model: &mut Model, control: u32, key: &[u8], iv: &[u8]) {
    for (at, bytes) in [(KEY, key), (IV, iv)] {
        words(bytes).zip((at..).step_by(4)).for_each(|(word, at)| write(model, at, word));
    }
    write(model, CTL, control | ENABLED);
}

/// As a driver does: fills, asks for the state, empties.
fn run(model: &mut Model, data: &[u8]) -> Vec<u8> {
    let (mut input, mut spaces, mut output) = (words(data), RX_DEPTH as u32, Vec::new());
    while output.len() < data.len() {
        input.by_ref().take(spaces as usize).for_each(|word| write(model, RXFIFO, word));
        let state = read(model, FCSR);
        spaces = state >> RX_SPACES & 0x3f;
        let available = state >> TX_WORDS & 0x3f;
        assert!(spaces + available > 0, "{state:#x}");
        assert_eq!((state & RX_FREE != 0, state & TX_AVAILABLE != 0), (spaces > 0, available > 0));
        (0..available).for_each(|_| output.extend(read(model, TXFIFO).to_le_bytes()));
    }
    output
}

#[test]
fn aes_des_and_triple_des_are_those_of_rustcrypto_in_both_directions() {
    let key: [u8; 32] = std::array::from_fn(|i| i as u8 * 7);
    let iv: [u8; 16] = std::array::from_fn(|i| i as u8 + 100);
    let plain: Vec<u8> = (0..1600_u32).map(|i| i as u8).collect();
    for Case { method, key_size, key_len, block, mode, secret } in cases(&key, &iv, &plain) {
        let mut model = model(&[]);
        for (direction, from, to) in [(0, &plain, &secret), (DECRYPTION, &secret, &plain)] {
            let control = method << 4 | key_size << 8 | mode << 12 | direction;
            start(&mut model, control, &key[..key_len], &iv[..block]);
            assert!(&run(&mut model, from) == to, "{method} {key_len} {mode} {direction}");
            write(&mut model, CTL, 0);
        }
        assert_eq!((model.faults.counts.requests, model.faults.counts.bytes), (2, 3200));
        assert_eq!((model.faults.counts.unsupported, model.faults.counts.dma_errors), (0, 0));
    }
}

#[test]
fn a_full_fifo_and_an_engine_that_is_off_lose_words() {
    let mut model = model(&["stop=1"]);
    write(&mut model, RXFIFO, 1);
    assert_eq!(model.faults.counts.dma_errors, 1);
    start(&mut model, 0, &[0; 16], &[]);
    (0..RX_DEPTH as u32).for_each(|word| write(&mut model, RXFIFO, word));
    assert_eq!((read(&mut model, FCSR), model.faults.counts.dma_errors), (0, 1), "full, nothing to read");
    write(&mut model, RXFIFO, 1);
    assert_eq!(model.faults.counts.dma_errors, 2);
    assert_eq!(read(&mut model, TXFIFO), 0);
}

#[test]
fn a_damaged_request_has_one_wrong_bit_and_a_failed_one_too() {
    let mut right = vec![3; 1600];
    assert!(crypt(Cipher::Aes, &[0; 16], Direction::Encrypt, None, &mut right));
    let mut model = model(&["damage=2", "error=3"]);
    let wrong_bits: Vec<u32> = (0..4)
        .map(|_| {
            start(&mut model, 0, &[0; 16], &[]);
            let result = run(&mut model, &[3; 1600]);
            write(&mut model, CTL, 0);
            result.iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum()
        })
        .collect();
    assert_eq!(wrong_bits, [0, 1, 1, 0]);
}

#[test]
fn a_late_request_has_no_result_until_it_begins() {
    let mut model = model(&["late=1", "late-ms=100"]);
    start(&mut model, 0, &[0; 16], &[]);
    let deadline = model.deadline().expect("one that waits");
    assert_eq!(read(&mut model, FCSR), (RX_DEPTH as u32) << RX_SPACES | RX_FREE);
    std::thread::sleep(deadline.saturating_duration_since(std::time::Instant::now()));
    model.tick(&Memory::default());
    (0..4).for_each(|word| write(&mut model, RXFIFO, word));
    assert_eq!(read(&mut model, FCSR) >> TX_WORDS & 0x3f, 4);
}

#[test]
fn a_hash_and_an_unknown_mode_are_unsupported() {
    for control in [3 << 4, 4 << 4, 5 << 4, 2 << 12, 3 << 8] {
        let mut model = model(&[]);
        start(&mut model, control, &[0; 32], &[0; 16]);
        (0..4).for_each(|word| write(&mut model, RXFIFO, word));
        assert!(model.faults.counts.unsupported > 0, "{control:#x}");
        assert_eq!(read(&mut model, FCSR) & TX_AVAILABLE, 0, "{control:#x}");
    }
}
