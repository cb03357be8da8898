//! The AES engine of AMD's Geode LX security block: AES-128 in ECB and CBC mode by two channels, each
//! with one piece of memory for input and one for output. Drivers poll it.
//!
//! Registers: OpenBSD's driver (sys/arch/i386/pci/glxsb.c), which cites AMD's data book 33234. PCI's
//! class is that of Linux's table of devices (PCI_DEVICE_ID_AMD_LX_AES).

use crate::block::{Cipher, Direction, crypt};
use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

/// SB_MEM_SIZE, in whole pages.
const BYTES: usize = 4096;
const CHANNELS: usize = 2;
/// SB_CTL_A; that of channel B follows.
const CONTROL: usize = 0x0;
const START: u32 = 1 << 0;
const ENCRYPT: u32 = 1 << 1;
/// SB_CTL_WK: the key is that of the registers, and not the one of the EEPROM.
const WRITABLE_KEY: u32 = 1 << 2;
const CBC: u32 = 1 << 5;
/// SB_AES_INT: three bits that mask completions, and three that are set by one, until 1 is written.
const INTERRUPTS: usize = 0x8;
const MASKS: u32 = 7;
const COMPLETE_AT: u32 = 16;
const COMPLETIONS: u32 = MASKS << COMPLETE_AT;
/// SB_SOURCE_A, SB_DEST_A and SB_LENGTH_A; those of channel B 16 bytes later.
const SOURCE: usize = 0x10;
const DESTINATION: usize = 0x14;
const LENGTH: usize = 0x18;
const OF_CHANNEL: usize = 0x10;
/// SB_WKEY, which can only be written.
const KEY: usize = 0x30;
/// SB_CBC_IV. After a request it is the IV of the next one.
const IV: usize = 0x40;
const BLOCK: usize = 16;

/// The engine.
pub struct Geode {
    registers: Vec<u8>,
    key: [u8; BLOCK],
}

impl Geode {
    pub fn new() -> Geode {
        Geode { registers: vec![0; BYTES], key: [0; BLOCK] }
    }

    fn register(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    fn control(&self, channel: usize) -> u32 {
        self.register(CONTROL + 4 * channel)
    }

    /// The number of bytes, or None for addresses and lengths that cannot be true.
    fn crypt(
        &mut self,
        channel: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Option<u32> {
        let of = |at| self.register(at + OF_CHANNEL * channel);
        let (source, destination, length) = (of(SOURCE), of(DESTINATION), of(LENGTH));
        let is_aligned = [source, destination, length].iter().all(|value| *value as usize % BLOCK == 0);
        let mut data = vec![0; length as usize];
        (is_aligned && memory.read(source.into(), &mut data)).then_some(())?;
        let control = self.control(channel);
        let direction = if control & ENCRYPT != 0 { Direction::Encrypt } else { Direction::Decrypt };
        let chain = (control & CBC != 0).then(|| &mut self.registers[IV..IV + BLOCK]);
        crypt(Cipher::Aes, &self.key, direction, chain, &mut data).then_some(())?;
        faults.counts.operations += 1;
        faults.damage(fate, &mut data);
        memory.write(destination.into(), &data).then_some(length)
    }
}

impl Engine for Geode {
    fn identity(&self) -> Identity {
        Identity {
            id: (0x1022, 0x2082),
            class: 0x10_1000,
            bars: [BYTES as u32, 0, 0, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, _: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        registers::read(&self.registers, at, data);
    }

    fn write(&mut self, _: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        if let Some(to) = self.key.get_mut(at.wrapping_sub(KEY)..at.wrapping_sub(KEY).saturating_add(4)) {
            to.copy_from_slice(&value.to_le_bytes());
            return None;
        }
        if at == INTERRUPTS {
            let left = self.register(INTERRUPTS) & COMPLETIONS & !value;
            self.set(INTERRUPTS, left | value & MASKS);
            return None;
        }
        let channel = Some((at - CONTROL) / 4).filter(|channel| *channel < CHANNELS);
        if channel.is_some_and(|channel| self.is_running(channel)) {
            return None;
        }
        self.set(at, value);
        let starts = channel.filter(|_| value & START != 0)?;
        // The model has no EEPROM.
        faults.counts.unsupported += u32::from(value & WRITABLE_KEY == 0);
        Some(starts)
    }

    fn compute(
        &mut self,
        channel: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        let done = self.crypt(channel, fate, faults, memory);
        faults.counts.dma_errors += u32::from(done.is_none());
        done.unwrap_or(0)
    }

    /// There is no bit for an error.
    fn complete(&mut self, channel: usize, _: bool, interrupt: bool) {
        self.set(CONTROL + 4 * channel, self.control(channel) & !START);
        if interrupt {
            self.set(INTERRUPTS, self.register(INTERRUPTS) | 1 << (COMPLETE_AT + channel as u32));
        }
    }

    fn is_running(&self, channel: usize) -> bool {
        self.control(channel) & START != 0
    }

    fn signal(&mut self) -> Signal {
        let interrupts = self.register(INTERRUPTS);
        Signal { level: interrupts >> COMPLETE_AT & !interrupts & MASKS != 0, edges: Vec::new() }
    }

    fn reset(&mut self) {
        *self = Geode::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Bench, RAM};
    use crate::block::tests::hex;
    use crate::vfio::Device;

    const PLAIN: u32 = RAM + 0x1000;
    const SECRET: u32 = RAM + 0x2000;
    /// NIST SP 800-38A, F.2.1, two blocks.
    const TEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";
    const CIPHERTEXT: &str = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2";

    fn bench(options: &[&str]) -> Bench {
        let mut bench = Bench::new(Geode::new(), 0, options);
        bench.put(PLAIN, &hex(TEXT));
        // As a driver that polls.
        bench.set(INTERRUPTS, COMPLETIONS | MASKS);
        set_block(&mut bench, KEY, &hex("2b7e151628aed2a6abf7158809cf4f3c"));
        bench
    }

    fn set_block(bench: &mut Bench, at: usize, block: &[u8]) {
        for (n, word) in block.chunks_exact(4).enumerate() {
            bench.set(at + 4 * n, u32::from_le_bytes(word.try_into().expect("four bytes")));
        }
    }

    fn start(bench: &mut Bench, channel: usize, [from, to, length]: [u32; 3], control: u32) {
        let of = OF_CHANNEL * channel;
        [SOURCE, DESTINATION, LENGTH]
            .iter()
            .zip([from, to, length])
            .for_each(|(at, value)| bench.set(at + of, value));
        bench.set(CONTROL + 4 * channel, control | START | WRITABLE_KEY);
    }

    #[test]
    fn cbc_is_as_the_standard_shows_on_both_channels_and_chains() {
        for channel in [0, 1] {
            let mut bench = bench(&[]);
            set_block(&mut bench, IV, &hex("000102030405060708090a0b0c0d0e0f"));
            start(&mut bench, channel, [PLAIN, SECRET, 16], ENCRYPT | CBC);
            assert_eq!(bench.register(INTERRUPTS), 1 << (16 + channel) | MASKS);
            assert_eq!(bench.register(CONTROL + 4 * channel) & START, 0);
            // The IV is that of the second block.
            start(&mut bench, channel, [PLAIN + 16, SECRET + 16, 16], ENCRYPT | CBC);
            assert_eq!(bench.get(SECRET, 32), hex(CIPHERTEXT));
            set_block(&mut bench, IV, &hex("000102030405060708090a0b0c0d0e0f"));
            start(&mut bench, channel, [SECRET, SECRET, 32], CBC);
            assert_eq!(bench.get(SECRET, 32), hex(TEXT));
            bench.set(INTERRUPTS, COMPLETIONS | MASKS);
            assert_eq!(bench.register(INTERRUPTS), MASKS);
        }
    }

    #[test]
    fn the_key_cannot_be_read_and_the_interrupt_follows_its_mask() {
        let mut bench = bench(&[]);
        assert!((0..4).all(|n| bench.register(KEY + 4 * n) == 0));
        start(&mut bench, 0, [PLAIN, SECRET, 32], ENCRYPT);
        assert!(!bench.model.signal().level);
        bench.set(INTERRUPTS, MASKS & !1);
        assert!(bench.model.signal().level);
        bench.set(INTERRUPTS, 1 << COMPLETE_AT);
        assert!(!bench.model.signal().level);
    }

    #[test]
    fn one_bit_is_damaged_and_a_stopped_engine_stays_busy() {
        let mut bench = bench(&["damage=2", "stop=3"]);
        start(&mut bench, 0, [PLAIN, SECRET, 32], ENCRYPT);
        let right = bench.get(SECRET, 32);
        start(&mut bench, 0, [PLAIN, SECRET, 32], ENCRYPT);
        let wrong = bench.get(SECRET, 32);
        assert_eq!(right.iter().zip(wrong).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), 1);
        bench.set(INTERRUPTS, COMPLETIONS | MASKS);
        start(&mut bench, 0, [PLAIN, SECRET, 32], ENCRYPT);
        assert_eq!((bench.register(INTERRUPTS), bench.register(CONTROL) & START), (MASKS, START));
    }

    #[test]
    fn impossible_values_are_counted() {
        let mut bench = bench(&[]);
        for request in
            [[0x1000, SECRET, 16], [PLAIN, 0x1000, 16], [PLAIN + 4, SECRET, 16], [PLAIN, SECRET, 15]]
        {
            start(&mut bench, 0, request, ENCRYPT);
        }
        assert_eq!((bench.model.faults.counts.dma_errors, bench.model.faults.counts.operations), (4, 1));
        bench.set(CONTROL, START);
        assert_eq!(bench.model.faults.counts.unsupported, 1);
    }
}
