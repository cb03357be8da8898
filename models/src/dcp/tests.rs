//! The engine as a driver uses it: work packets, with results computed by RustCrypto.

use super::*;
use crate::bench::{Bench, RAM};
use crate::vfio::Device;

const PAYLOAD: u32 = RAM + 0x100;
const DATA: u32 = RAM + 0x1000;
const RESULT: u32 = RAM + 0x2000;
const KEY: [u8; 16] = *b"a key of a block";
const IV: [u8; 16] = *b"an IV of a block";
const USUAL: u32 = INTERRUPT | DECR_SEMAPHORE | ENABLE_CIPHER | PAYLOAD_KEY;

/// An engine after the driver's start: reset, clock, channels.
fn bench(options: &[&str]) -> Bench {
    let mut bench = Bench::new(Dcp::new(), 0, options);
    bench.put(PAYLOAD, &[KEY, IV].concat());
    bench.set(CTRL + 8, RESET);
    bench.set(CTRL + 8, CLOCK_STOPPED);
    bench.set(CTRL, 0xf);
    bench.set(CHANNELCTRL, 0xf);
    bench
}

impl Bench {
    fn run_packet(&mut self, channel: usize, control: u32, mode: u32, data: &[u8]) {
        self.put(DATA, data);
        self.put_words(RAM, &[0, control, mode, DATA, RESULT, data.len() as u32, PAYLOAD, 0]);
        self.set(CMDPTR + STEP * channel, RAM);
        self.set(SEMA + STEP * channel, 1);
    }

    fn stat(&mut self, channel: usize) -> u32 {
        self.register(CHANNEL_STAT + STEP * channel)
    }
}

#[test]
fn both_modes_are_those_of_rustcrypto_and_a_message_may_go_on_in_a_packet_without_iv() {
    let plain: Vec<u8> = (0..960_u32).map(|i| i as u8).collect();
    for (mode, init) in [(0, 0), (CBC, CIPHER_INIT)] {
        let mut secret = plain.clone();
        let mut iv = IV;
        let chain = (mode == CBC).then_some(&mut iv[..]);
        assert!(crypt(Cipher::Aes, &KEY, Direction::Encrypt, chain, &mut secret));
        for (direction, from, to) in [(ENCRYPT, &plain, &secret), (0, &secret, &plain)] {
            let mut bench = bench(&[]);
            for (part, init) in [(0..320, init), (320..960, 0)] {
                bench.run_packet(2, USUAL | direction | init, mode, &from[part.clone()]);
                assert_eq!(bench.get(RESULT, part.len()), to[part], "{mode} {direction}");
                assert_eq!((bench.register(STAT), bench.stat(2)), (4, 0));
                assert_eq!(bench.model.signal().edges, [1]);
                bench.set(STAT + 8, 4);
                assert_eq!((bench.register(STAT), bench.register(SEMA + 2 * STEP)), (0, 0));
            }
            let counts = &bench.model.faults.counts;
            assert_eq!(
                (counts.requests, counts.bytes, counts.unsupported, counts.dma_errors),
                (2, 960, 0, 0)
            );
        }
    }
}

#[test]
fn a_chain_is_one_request_and_ends_with_the_semaphore() {
    let mut bench = bench(&[]);
    let control = USUAL & !INTERRUPT | ENCRYPT;
    bench.put_words(RAM, &[RAM + 32, control | CHAIN, 0, DATA, RESULT, 16, PAYLOAD, 0]);
    bench.put_words(RAM + 32, &[RAM, control | CHAIN | INTERRUPT, 0, DATA, RESULT + 16, 16, PAYLOAD, 0]);
    bench.set(CMDPTR, RAM);
    bench.set(SEMA, 2);
    assert_eq!((bench.register(SEMA), bench.register(STAT)), (0, 1));
    assert_eq!(bench.model.signal().edges, [0], "channel 0 has a line of its own");
    let result = bench.get(RESULT, 32);
    assert_eq!(result[..16], result[16..]);
    assert_eq!((bench.model.faults.counts.requests, bench.model.faults.counts.operations), (1, 2));
}

#[test]
fn a_reset_stops_the_clock_and_nothing_starts_until_both_are_cleared() {
    let mut bench = bench(&[]);
    bench.set(CTRL + 4, RESET);
    assert_eq!(bench.register(CTRL), RESET | CLOCK_STOPPED);
    bench.set(CTRL + 8, RESET);
    assert_eq!(bench.register(CTRL), CLOCK_STOPPED);
    bench.set(CHANNELCTRL, 0xf);
    bench.run_packet(2, USUAL, 0, &[3; 32]);
    assert_eq!(bench.model.faults.counts.requests, 0);
    bench.set(CTRL + 12, CLOCK_STOPPED);
    bench.run_packet(2, USUAL, 0, &[3; 32]);
    assert_eq!((bench.register(CTRL), bench.model.faults.counts.requests), (0, 1));
    assert_eq!((bench.register(STAT), bench.model.signal().edges), (4, vec![]), "not enabled");
}

#[test]
fn a_damaged_failed_or_lost_request_is_seen() {
    let mut bench = bench(&["damage=1", "error=2", "lose=3"]);
    let mut right = vec![3; 320];
    assert!(crypt(Cipher::Aes, &KEY, Direction::Encrypt, None, &mut right));
    bench.run_packet(1, USUAL | ENCRYPT, 0, &[3; 320]);
    let wrong_bits =
        bench.get(RESULT, 320).iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    assert_eq!(wrong_bits, 1);
    bench.run_packet(2, USUAL | ENCRYPT, 0, &[3; 320]);
    assert_eq!((bench.stat(2), bench.register(STAT)), (BAD_SETUP, 6));
    bench.set(CHANNEL_STAT + 2 * STEP + 8, u32::MAX);
    bench.run_packet(3, USUAL | ENCRYPT, 0, &[3; 320]);
    assert_eq!((bench.stat(2), bench.register(STAT)), (0, 6));
    assert_eq!(bench.model.faults.counts.requests, 3);
}

#[test]
fn packets_that_cannot_be_true_are_errors_and_hashes_and_other_keys_are_unsupported() {
    let right = [0, USUAL | CIPHER_INIT, CBC, DATA, RESULT, 32, PAYLOAD, 0];
    let with = |at: usize, value: u32| {
        let mut packet = right;
        packet[at] = value;
        packet
    };
    let cases = [
        (right, 0, 0, 0),
        (with(3, 0), BAD_PACKET, 1, 0),
        (with(4, 0), BAD_PACKET, 1, 0),
        (with(5, u32::MAX), BAD_PACKET, 1, 0),
        (with(5, 33), BAD_SETUP, 0, 0),
        (with(6, 0), BAD_PACKET, 1, 0),
        (with(1, USUAL | ENABLE_HASH), BAD_SETUP, 0, 1),
        (with(1, USUAL & !PAYLOAD_KEY), BAD_SETUP, 0, 1),
        (with(2, 2 << 4), BAD_SETUP, 0, 1),
    ];
    for (number, (packet, error, dma_errors, unsupported)) in cases.into_iter().enumerate() {
        let mut bench = bench(&[]);
        bench.put_words(RAM, &packet);
        bench.set(CMDPTR + 2 * STEP, RAM);
        bench.set(SEMA + 2 * STEP, 1);
        assert_eq!((bench.stat(2), bench.register(STAT)), (error, 4), "packet {number}");
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.dma_errors, counts.unsupported), (dma_errors, unsupported), "packet {number}");
    }
    let mut nowhere = bench(&[]);
    nowhere.set(SEMA, 1);
    assert_eq!((nowhere.stat(0), nowhere.model.faults.counts.dma_errors), (BAD_PACKET, 1));
}
