//! The first crypto engine of Rockchip (RK3288, RK3328): AES and triple DES in ECB and CBC mode, by a DMA
//! engine for one contiguous range. A hash is counted as unsupported and not computed.
//!
//! The places of the registers and the mask of CTRL are those of Rockchip's boot loader for the
//! RK3288 (SecureBoot/crypto.c, struct tagCRYPTO_STRUCT). The bits of the interrupts, CONF, AES_CTRL
//! and TDES_CTRL are those of Linux's driver (drivers/crypto/rockchip/rk3288_crypto.h), so that for
//! these the model repeats its opinion of the chip.
//!
//! Region 0 has the registers, region 1 is the page of a reset controller.

use crate::block::{Cipher, Direction, crypt};
use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// Interrupts: the cause, which writing 1 clears, and what is enabled. A block operation or a hash is
/// done, or its DMA found no memory.
const INTSTS: usize = 0x0;
const INTENA: usize = 0x4;
const BLOCK_DONE: u32 = 1 << 0;
const BLOCK_ERROR: u32 = 1 << 1;
const HASH_DONE: u32 = 1 << 2;
const HASH_ERROR: u32 = 1 << 3;
/// Control: start of a block operation and of a hash, which stay until its end. The upper half is the
/// mask of the bits that are written.
const CTRL: usize = 0x8;
const BLOCK_START: u32 = 1 << 2;
const HASH_START: u32 = 1 << 3;
/// Configuration: triple DES, not AES.
const CONF: usize = 0xc;
const TRIPLE_DES: u32 = 1 << 2;
/// The addresses of the data and of the result, and the number of words.
const BRDMAS: usize = 0x10;
const BTDMAS: usize = 0x14;
const BRDMAL: usize = 0x18;
/// AES: decryption, the length of the key, CBC; the IV and the key.
const AES_CTRL: usize = 0x80;
const AES_IV: usize = 0xa8;
const AES_KEY: usize = 0xb8;
/// DES: decryption, triple DES, CBC; the IV and the keys.
const TDES_CTRL: usize = 0x100;
const TDES_IV: usize = 0x118;
const TDES_KEY: usize = 0x120;
const DECRYPTION: u32 = 1 << 0;

const BLOCK: usize = 0;
const HASH: usize = 1;

/// The engine. Its channels are block operations and hashes.
pub struct Rockchip {
    registers: [u8; PAGE],
    resets: [u8; PAGE],
    /// A hash, or an address without memory.
    has_failed: bool,
    was_raised: bool,
}

impl Rockchip {
    pub fn new() -> Rockchip {
        Rockchip { registers: [0; PAGE], resets: [0; PAGE], has_failed: false, was_raised: false }
    }

    fn word(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    /// None for an address without memory, and a length that is no number of blocks.
    fn process(&mut self, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> Option<u32> {
        let (from, to, words) = (self.word(BRDMAS), self.word(BTDMAS), self.word(BRDMAL));
        let len = usize::try_from(words).ok()?.checked_mul(4).filter(|len| *len <= 1 << 24)?;
        let mut data = vec![0; len];
        memory.read(from.into(), &mut data).then_some(())?;
        let is_des = self.word(CONF) & TRIPLE_DES != 0;
        let control = self.word(if is_des { TDES_CTRL } else { AES_CTRL });
        let (cipher, key, key_len, iv) = match is_des {
            false => {
                let len = 16 + 8 * (control >> 2 & 3) as usize;
                (Cipher::Aes, AES_KEY, len, (control >> 4 & 3 == 1).then_some(AES_IV..AES_IV + 16))
            }
            true => {
                let len = if control & 1 << 2 != 0 { 24 } else { 8 };
                (Cipher::Des, TDES_KEY, len, (control & 1 << 4 != 0).then_some(TDES_IV..TDES_IV + 8))
            }
        };
        let key = self.registers[key..key + key_len].to_vec();
        let direction = if control & DECRYPTION != 0 { Direction::Decrypt } else { Direction::Encrypt };
        let iv = iv.map(|range| &mut self.registers[range]);
        faults.counts.operations += 1;
        crypt(cipher, &key, direction, iv, &mut data).then_some(())?;
        faults.damage(fate, &mut data);
        memory.write(to.into(), &data).then_some(len as u32)
    }
}

impl Engine for Rockchip {
    fn identity(&self) -> Identity {
        // Rockchip's number; the engine is no PCI device.
        Identity {
            id: (0x1d87, 0x3288),
            class: 0xff_0000,
            bars: [PAGE as u32, PAGE as u32, 0, 0, 0, 0],
            // A pin is raised once more while the driver acknowledges it, and this driver takes that
            // for the end of the next request.
            wiring: Wiring::Doorbell(110),
        }
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        let bytes = if bar == 0 { &self.registers } else { &self.resets };
        registers::read(bytes, at, data);
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        if bar == 1 {
            let end = (at + data.len()).min(PAGE);
            self.resets[at.min(end)..end].copy_from_slice(&data[..end - at.min(end)]);
            return None;
        }
        let value = faults.word(data)?;
        match at {
            INTSTS => self.set(INTSTS, self.word(INTSTS) & !value),
            CTRL => {
                let (before, on) = (self.word(CTRL), value & value >> 16);
                // Flushes are complete at once.
                let starts = on & !before & (BLOCK_START | HASH_START);
                self.set(CTRL, before | starts);
                return match starts {
                    0 => None,
                    starts if starts & BLOCK_START != 0 => Some(BLOCK),
                    _ => Some(HASH),
                };
            }
            _ => self.set(at, value),
        }
        None
    }

    fn compute(
        &mut self,
        channel: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32 {
        self.has_failed = false;
        if channel == HASH {
            faults.counts.unsupported += 1;
            return 0;
        }
        self.process(fate, faults, memory).unwrap_or_else(|| {
            faults.counts.dma_errors += 1;
            self.has_failed = true;
            0
        })
    }

    fn complete(&mut self, channel: usize, error: bool, interrupt: bool) {
        let (start, done, failed) = match channel {
            BLOCK => (BLOCK_START, BLOCK_DONE, BLOCK_ERROR),
            _ => (HASH_START, HASH_DONE, HASH_ERROR),
        };
        self.set(CTRL, self.word(CTRL) & !start);
        if interrupt {
            let cause = if error || self.has_failed { failed } else { done };
            self.set(INTSTS, self.word(INTSTS) | cause);
        }
    }

    fn is_running(&self, channel: usize) -> bool {
        self.word(CTRL) & if channel == BLOCK { BLOCK_START } else { HASH_START } != 0
    }

    fn signal(&mut self) -> Signal {
        let is_raised = self.word(INTSTS) & self.word(INTENA) != 0;
        let rises = is_raised && !self.was_raised;
        self.was_raised = is_raised;
        Signal::edge(rises)
    }

    fn reset(&mut self) {
        *self = Rockchip::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::faults;
    use crate::engine::Model;
    use crate::vfio::Device;

    const RAM: u32 = 0x4000_0000;

    fn model(options: &[&str]) -> Model {
        Model::new(Box::new(Rockchip::new()), faults(options))
    }

    fn write(model: &mut Model, at: usize, bytes: &[u8], memory: &Memory) {
        for (word, at) in bytes.chunks(4).zip((at..).step_by(4)) {
            model.write(0, at, word, memory);
        }
    }

    fn register(model: &mut Model, at: usize) -> u32 {
        let mut bytes = [0; 4];
        model.read(0, at, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// Starts an operation on `words` words in place.
    fn start(model: &mut Model, control: (usize, u32), words: u32, memory: &Memory) {
        for (at, value) in [control, (INTENA, 3), (BRDMAS, RAM), (BTDMAS, RAM), (BRDMAL, words)] {
            model.write(0, at, &value.to_le_bytes(), memory);
        }
        model.write(0, CTRL, &(BLOCK_START << 16 | BLOCK_START).to_le_bytes(), memory);
    }

    fn data(memory: &Memory) -> [u8; 32] {
        let mut data = [0; 32];
        assert!(memory.read(RAM.into(), &mut data));
        data
    }

    #[test]
    fn aes_and_triple_des_are_those_of_rustcrypto_in_both_directions() {
        let key: [u8; 32] = std::array::from_fn(|i| i as u8 * 7);
        let iv: [u8; 16] = std::array::from_fn(|i| i as u8 + 100);
        let aes = |len: usize, control: u32| (Cipher::Aes, len, AES_CTRL, AES_KEY, AES_IV, control);
        let des = (Cipher::Des, 24, TDES_CTRL, TDES_KEY, TDES_IV, 1 << 4 | 1 << 2);
        let all = [aes(16, 1 << 4), aes(24, 1 << 4 | 1 << 2), aes(32, 1 << 4 | 2 << 2), des];
        for (cipher, key_len, control_at, key_at, iv_at, control) in all {
            let iv = &iv[..if cipher == Cipher::Aes { 16 } else { 8 }];
            let mut expected = [3; 32];
            let key = &key[..key_len];
            assert!(crypt(cipher, key, Direction::Encrypt, Some(&mut iv.to_vec()), &mut expected));
            let memory = Memory::of(RAM.into(), &[3; 4096]);
            let mut model = model(&[]);
            let conf = if cipher == Cipher::Des { TRIPLE_DES } else { 0 };
            write(&mut model, CONF, &conf.to_le_bytes(), &memory);
            for (direction, result) in [(0, expected), (DECRYPTION, [3; 32])] {
                write(&mut model, key_at, key, &memory);
                write(&mut model, iv_at, iv, &memory);
                start(&mut model, (control_at, control | direction), 8, &memory);
                assert_eq!(data(&memory), result, "{cipher:?} {key_len} {direction}");
                assert_eq!(register(&mut model, INTSTS), BLOCK_DONE);
                assert_eq!(model.signal().edges, [0]);
                model.write(0, INTSTS, &BLOCK_DONE.to_le_bytes(), &memory);
                assert_eq!(model.signal().edges, [0; 0]);
            }
        }
    }

    #[test]
    fn only_the_bits_of_the_mask_start_anything() {
        let memory = Memory::of(RAM.into(), &[3; 4096]);
        let mut model = model(&[]);
        model.write(0, CTRL, &BLOCK_START.to_le_bytes(), &memory);
        model.write(0, CTRL, &(0x60_u32 << 16 | 0x60).to_le_bytes(), &memory);
        assert_eq!((model.faults.counts.requests, register(&mut model, CTRL)), (0, 0));
    }

    #[test]
    fn a_damaged_failed_or_lost_request_is_seen() {
        let memory = Memory::of(RAM.into(), &[3; 4096]);
        let mut model = model(&["damage=1", "error=2", "lose=3"]);
        start(&mut model, (AES_CTRL, 0), 4, &memory);
        let damaged = data(&memory);
        let mut right = [3; 16];
        assert!(crypt(Cipher::Aes, &[0; 16], Direction::Encrypt, None, &mut right));
        assert_eq!(damaged.iter().zip(right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(), 1);
        model.write(0, INTSTS, &u32::MAX.to_le_bytes(), &memory);
        start(&mut model, (AES_CTRL, 0), 4, &memory);
        assert_eq!(register(&mut model, INTSTS), BLOCK_ERROR);
        model.write(0, INTSTS, &u32::MAX.to_le_bytes(), &memory);
        start(&mut model, (AES_CTRL, 0), 4, &memory);
        assert_eq!((register(&mut model, INTSTS), model.faults.counts.requests), (0, 3));
    }

    #[test]
    fn impossible_values_are_an_error_of_the_dma() {
        let memory = Memory::of(RAM.into(), &[3; 4096]);
        for words in [3, 1025, u32::MAX] {
            let mut model = model(&[]);
            start(&mut model, (AES_CTRL, 0), words, &memory);
            assert_eq!(register(&mut model, INTSTS), BLOCK_ERROR, "{words}");
            assert_eq!(model.faults.counts.dma_errors, 1);
        }
        let mut model = model(&[]);
        model.write(0, CTRL, &(HASH_START << 16 | HASH_START).to_le_bytes(), &memory);
        assert_eq!((model.faults.counts.unsupported, register(&mut model, INTSTS)), (1, HASH_DONE));
    }
}
