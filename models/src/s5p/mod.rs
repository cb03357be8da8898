//! Samsung's Security SubSystem as in the Exynos 4 and 5: AES in ECB, CBC and CTR mode, by the DMA of
//! its feed control. Triple DES, hashes, and data that the CPU writes are counted as not supported.
//!
//! Registers and their bits are those of Samsung's own driver and its header (drivers/crypto/ace.c and
//! ace_sfr.h of its Linux for these chips): the status is raw in INTPEND, and writing 1 there clears it.
//! That the registers of IV and counter show those of the next block is an assumption, which Linux's
//! driver (drivers/crypto/s5p-sss.c) makes; Samsung's computes them.

#[cfg(test)]
mod tests;

use crate::block::{Cipher, Direction, add_key_stream, crypt};
use crate::engine::Engine;
use crate::faults::{Failure, Faults, RequestFaults};
use crate::registers::{self, set_word, word};
use crate::vfio::{Identity, Memory, Signal, Wiring};

const PAGE: usize = 4096;

/// Interrupts: those that are enabled and pending; enabling; disabling; pending.
const INTSTAT: usize = 0x0;
const INTENSET: usize = 0x4;
const INTENCLR: usize = 0x8;
const INTPEND: usize = 0xc;
/// All data of the block receiver, and of the block transmitter, have been moved.
const BRDMA: u32 = 1 << 3;
const BTDMA: u32 = 1 << 2;
/// The FIFOs, all of which are empty, and the cipher that uses them.
const FIFOSTAT: usize = 0x10;
const EMPTY: u32 = 0x55;
const FIFOCTRL: usize = 0x14;
const SELECT_DES: u32 = 1 << 2;
/// The DMA to the cipher and from it: address, length in bytes, of which a write starts, and control.
const BRDMAS: usize = 0x20;
const BRDMAL: usize = 0x24;
const BRDMAC: usize = 0x28;
const BTDMAS: usize = 0x30;
const BTDMAL: usize = 0x34;
const BTDMAC: usize = 0x38;
/// The DMA of hashes, and of the unit for public keys.
const HRDMAL: usize = 0x44;
const PKDMAL: usize = 0x54;
const FLUSH: u32 = 1 << 0;
const DMA_SWAP: u32 = 1 << 1;
/// More bytes than any request has.
const MOST_BYTES: u32 = 1 << 24;

/// AES.
const CONTROL: usize = 0x200;
const STATUS: usize = 0x204;
const IV: usize = 0x230;
const COUNTER: usize = 0x240;
/// The end of the key registers: a shorter key is in the last of them.
const KEY_END: usize = 0x2a0;
const DECRYPTION: u32 = 1 << 0;
const BY_FIFO: u32 = 1 << 3;
/// Which words are in the order of memory. Without it, the first byte is the highest.
const SWAP_KEY: u32 = 1 << 7;
const SWAP_COUNTER: u32 = 1 << 8;
const SWAP_IV: u32 = 1 << 9;
const SWAP_OUT: u32 = 1 << 10;
const SWAP_IN: u32 = 1 << 11;
/// A counter of less than 128 bits.
const SHORT_COUNTER: u32 = 3 << 12;
/// The mode (bits 1 and 2). The size of a key is in bits 4 and 5.
const ECB: u32 = 0;
const CBC: u32 = 1;
const CTR: u32 = 2;
const BUSY: u32 = 1 << 2;

/// Where the DMA is.
#[derive(Clone, Copy, Default)]
struct Position {
    address: u32,
    left: u32,
}

impl Position {
    fn advance(&mut self, len: u32) {
        self.address = self.address.wrapping_add(len);
        self.left -= len;
    }
}

/// The engine. A request is what both DMAs move before one of them has no more.
pub struct S5p {
    registers: [u8; PAGE],
    enabled: u32,
    from: Position,
    to: Position,
    is_started: bool,
}

impl S5p {
    pub fn new() -> S5p {
        let (from, to) = Default::default();
        S5p { registers: [0; PAGE], enabled: 0, from, to, is_started: false }
    }

    fn word(&self, at: usize) -> u32 {
        word(&self.registers, at)
    }

    fn set(&mut self, at: usize, value: u32) {
        set_word(&mut self.registers, at, value);
    }

    fn pending(&mut self, bits: u32) {
        self.set(INTPEND, self.word(INTPEND) | bits);
    }

    /// Starts if both DMAs have data, and returns the channel.
    fn start(&mut self) -> Option<usize> {
        let starts = !self.is_started && self.from.left > 0 && self.to.left > 0;
        self.is_started |= starts;
        starts.then_some(0)
    }

    /// The bytes in registers, in the order in which the cipher takes them.
    fn bytes(&self, at: usize, len: usize, swap: u32) -> Vec<u8> {
        let mut bytes = self.registers[at..at + len].to_vec();
        order(&mut bytes, self.word(CONTROL) & swap != 0);
        bytes
    }

    /// The reverse.
    fn set_bytes(&mut self, at: usize, bytes: &mut [u8], swap: u32) {
        order(bytes, self.word(CONTROL) & swap != 0);
        self.registers[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Moves `len` bytes through the cipher.
    fn process(
        &mut self,
        len: u32,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> Result<(), Failure> {
        let control = self.word(CONTROL);
        let mode = control >> 1 & 3;
        let is_known = control & BY_FIFO != 0 && self.word(FIFOCTRL) & SELECT_DES == 0;
        let is_long = mode != CTR || control & SHORT_COUNTER == 0;
        let key_len = 16 + 8 * (control >> 4 & 3) as usize;
        if !is_known || !is_long || key_len > 32 {
            return Err(Failure::Unsupported);
        }
        let mut data = vec![0; Some(len).filter(|len| *len <= MOST_BYTES).ok_or(Failure::Wrong)? as usize];
        memory.read(self.from.address.into(), &mut data).then_some(()).ok_or(Failure::Wrong)?;
        let swaps = |dma: usize, bit: u32| (self.word(dma) & DMA_SWAP != 0) != (control & bit != 0);
        order(&mut data, swaps(BRDMAC, SWAP_IN));
        let key = self.bytes(KEY_END - key_len, key_len, SWAP_KEY);
        let direction = if control & DECRYPTION != 0 { Direction::Decrypt } else { Direction::Encrypt };
        let is_done = match mode {
            ECB => crypt(Cipher::Aes, &key, direction, None, &mut data),
            CBC => {
                let mut iv = self.bytes(IV, 16, SWAP_IV);
                let is_done = crypt(Cipher::Aes, &key, direction, Some(&mut iv), &mut data);
                self.set_bytes(IV, &mut iv, SWAP_IV);
                is_done
            }
            CTR if data.len() % 16 == 0 => {
                let mut counter = self.bytes(COUNTER, 16, SWAP_COUNTER);
                let next = |value: u128| value.wrapping_add(1);
                let is_done = add_key_stream(&key, &mut counter, &mut data, next).is_some();
                self.set_bytes(COUNTER, &mut counter, SWAP_COUNTER);
                is_done
            }
            _ => false,
        };
        if !is_done {
            return Err(Failure::Unsupported);
        }
        faults.counts.operations += 1;
        let swaps = (self.word(BTDMAC) & DMA_SWAP != 0) != (control & SWAP_OUT != 0);
        order(&mut data, swaps);
        faults.damage(fate, &mut data);
        memory.write(self.to.address.into(), &data).then_some(()).ok_or(Failure::Wrong)
    }
}

/// Turns each word around, unless its bytes are in the order of memory. Part of a word stays.
fn order(bytes: &mut [u8], is_in_order: bool) {
    if !is_in_order {
        bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    }
}

impl Engine for S5p {
    fn identity(&self) -> Identity {
        // Samsung's number; the engine is not a PCI device.
        Identity {
            id: (0x144d, 0x4210),
            class: 0xff_0000,
            bars: [PAGE as u32, 0, 0, 0, 0, 0],
            wiring: Wiring::Pin,
        }
    }

    fn read(&mut self, _: usize, at: usize, data: &mut [u8], _: &mut Faults) {
        self.set(INTSTAT, self.word(INTPEND) & self.enabled);
        self.set(FIFOSTAT, EMPTY);
        self.set(STATUS, if self.is_started { BUSY } else { 0 });
        registers::read(&self.registers, at, data);
    }

    fn write(&mut self, _: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize> {
        let value = faults.word(data)?;
        match at {
            INTENSET => self.enabled |= value,
            INTENCLR => self.enabled &= !value,
            INTPEND => self.set(INTPEND, self.word(INTPEND) & !value),
            INTSTAT | FIFOSTAT | STATUS => {}
            BRDMAL => {
                self.from = Position { address: self.word(BRDMAS), left: value };
                return self.start();
            }
            BTDMAL => {
                self.to = Position { address: self.word(BTDMAS), left: value };
                return self.start();
            }
            HRDMAL | PKDMAL => faults.counts.unsupported += 1,
            _ => {
                self.set(at, value);
                // A DMA that is flushed has nothing to do.
                if matches!(at, BRDMAC | BTDMAC) && value & FLUSH != 0 {
                    *if at == BRDMAC { &mut self.from } else { &mut self.to } = Position::default();
                    self.is_started = false;
                }
            }
        }
        None
    }

    fn compute(&mut self, _: usize, fate: &mut RequestFaults, faults: &mut Faults, memory: &Memory) -> u32 {
        let len = self.from.left.min(self.to.left);
        match self.process(len, fate, faults, memory) {
            Ok(()) => len,
            Err(failure) => {
                faults.counts.failed(failure);
                0
            }
        }
    }

    fn complete(&mut self, _: usize, _: bool, interrupt: bool) {
        let len = self.from.left.min(self.to.left);
        self.is_started = false;
        self.from.advance(len);
        self.to.advance(len);
        if interrupt {
            self.pending(if self.from.left == 0 { BRDMA } else { 0 });
            self.pending(if self.to.left == 0 { BTDMA } else { 0 });
        }
    }

    fn is_running(&self, _: usize) -> bool {
        self.is_started
    }

    fn signal(&mut self) -> Signal {
        Signal { level: self.word(INTPEND) & self.enabled != 0, edges: Vec::new() }
    }

    fn reset(&mut self) {
        *self = S5p::new();
    }
}
