//! Allwinner's Security System (A10, A20): AES, DES and triple DES in ECB and CBC mode, by two FIFOs that
//! the CPU fills and empties. The driver polls them: there is neither DMA nor an interrupt. A hash is
//! counted as unsupported and not computed.
//!
//! The places of the registers and the bits of CTL and FCSR are those of a program for the A10 and A20
//! that uses the engine without Linux's driver (OLIMEX, WPC, ISSUE-5/SOLUTION-14/ss.h). The depths of the
//! FIFOs, and that the engine ends with its enable bit, are those of Linux's driver
//! (drivers/crypto/allwinner/sun4i-ss).
//!
//! A request is what follows one write of the enable bit. The time of its bytes is that of the CPU.
//! Without an interrupt nothing can be lost, and without an error bit a request that fails is only wrong.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::allwinner::{CBC, ECB, method};
use crate::block::{Direction, crypt};
use crate::engine::Engine;
use crate::faults::{Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// Control: enable (bit 0), the method (4 to 6), decryption (7), the length of an AES key (8 and 9), the
/// mode (12 and 13).
const CTL: usize = 0x0;
const ENABLED: u32 = 1 << 0;
const DECRYPTION: u32 = 1 << 7;
/// The key, up to 32 bytes, and the IV.
const KEY: usize = 0x4;
const IV: usize = 0x24;
/// State of the FIFOs: the spaces for words that the driver may write (bits 24 to 29, and 30 for any), the
/// words that it may read (16 to 21, and 22 for any).
const FCSR: usize = 0x44;
const RX_SPACES: u32 = 24;
const RX_FREE: u32 = 1 << 30;
const TX_WORDS: u32 = 16;
const TX_AVAILABLE: u32 = 1 << 22;
/// The FIFOs: what the driver writes, and what it reads. Their depths in words.
const RXFIFO: usize = 0x200;
const TXFIFO: usize = 0x204;
const RX_DEPTH: usize = 32;
const TX_DEPTH: usize = 33;

/// The engine. Its one channel runs while it is enabled.
pub struct Sun4i {
    registers: [u8; PAGE],
    input: VecDeque<u8>,
    output: VecDeque<u8>,
    /// What happens to the request, since the engine has begun it.
    fate: Option<RequestFaults>,
    /// The chain of the request.
    chain: [u8; 16],
}

impl Sun4i {
    pub fn new() -> Sun4i {
        Sun4i {
            registers: [0; PAGE],
            input: VecDeque::new(),
            output: VecDeque::new(),
            fate: None,
            chain: [0; 16],
        }
    }

    fn control(&self) -> u32 {
        word(&self.registers, CTL)
    }

    /// Returns whether a request starts.
    fn set_control(&mut self, value: u32) -> bool {
        let was_enabled = self.control() & ENABLED != 0;
        set_word(&mut self.registers, CTL, value);
        if was_enabled && value & ENABLED != 0 {
            return false;
        }
        self.input.clear();
        self.output.clear();
        self.fate = None;
        self.chain.copy_from_slice(&self.registers[IV..IV + 16]);
        value & ENABLED != 0
    }

    fn state(&self) -> u32 {
        let spaces = (RX_DEPTH - self.input.len() / 4) as u32;
        let words = (self.output.len() / 4) as u32;
        let flag = |bit, is_set| if is_set { bit } else { 0 };
        spaces << RX_SPACES | flag(RX_FREE, spaces > 0) | words << TX_WORDS | flag(TX_AVAILABLE, words > 0)
    }

    /// Processes whole blocks while the output has space for them.
    fn process(&mut self, faults: &mut Faults) {
        let Some(fate) = &mut self.fate else { return };
        let control = word(&self.registers, CTL);
        let Some((cipher, key_len, size)) = method(control >> 4 & 7, control >> 8 & 3) else {
            return self.discard(faults);
        };
        let direction = if control & DECRYPTION != 0 { Direction::Decrypt } else { Direction::Encrypt };
        while self.input.len() >= size && self.output.len() + size <= 4 * TX_DEPTH {
            let mut block: Vec<u8> = self.input.drain(..size).collect();
            let chain = match control >> 12 & 3 {
                ECB => None,
                CBC => Some(&mut self.chain[..size]),
                _ => return self.discard(faults),
            };
            if !crypt(cipher, &self.registers[KEY..KEY + key_len], direction, chain, &mut block) {
                return self.discard(faults);
            }
            faults.damage(fate, &mut block);
            faults.counts.bytes = faults.counts.bytes.wrapping_add(size as u32);
            self.output.extend(block);
        }
    }

    /// Of what the model does not implement, there is no result.
    fn discard(&mut self, faults: &mut Faults) {
        self.input.clear();
        faults.counts.unsupported += 1;
    }
}

impl Engine for Sun4i {
    fn identity(&self) -> Identity {
        // Allwinner's number; the engine is no PCI device.
        Identity {
            id: (0x1f3a, 0x1c15),
            class: 0xff_0000,
            bars: [PAGE as u32, 0, 0, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, _bar: usize, at: usize, data: &mut [u8], faults: &mut Faults) {
        match at {
            FCSR => registers::read(&self.state().to_le_bytes(), 0, data),
            TXFIFO => {
                data.iter_mut().for_each(|byte| *byte = self.output.pop_front().unwrap_or(0));
                self.process(faults);
            }
            at => registers::read(&self.registers, at, data),
        }
    }

    fn write(&mut self, _bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        match at {
            CTL => return self.set_control(value).then_some(0),
            RXFIFO if self.control() & ENABLED != 0 && self.input.len() < 4 * RX_DEPTH => {
                self.input.extend(data);
                self.process(faults);
            }
            // A word that is lost: the FIFO is full, or the engine is off.
            RXFIFO => faults.counts.dma_errors += 1,
            _ => set_word(&mut self.registers, at, value),
        }
        None
    }

    fn compute(&mut self, _channel: usize, fate: &mut RequestFaults, faults: &mut Faults, _: &Memory) -> u32 {
        faults.counts.operations += 1;
        self.fate = Some(*fate);
        self.process(faults);
        0
    }

    fn complete(&mut self, _channel: usize, _error: bool, _interrupt: bool) {}

    fn is_running(&self, _channel: usize) -> bool {
        self.control() & ENABLED != 0
    }

    fn signal(&mut self) -> Signal {
        Signal::default()
    }

    fn reset(&mut self) {
        *self = Sun4i::new();
    }
}
