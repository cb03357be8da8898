//! The AES unit, a block at a time.

use super::word_at;
use crate::block::{Cipher, Direction, add_key_stream, count_32_bits, crypt, hash_on};
use crate::faults::Failure::{self, Unsupported, Wrong};
use crate::registers::{self, set_word};

pub const BYTES: usize = 4096;
/// A key as in memory: word 0 is in the second register from the end, word 1 in the last one, and so on.
const KEY_END: usize = 0x40;
pub const IV: usize = 0x40;
/// The mode: direction, size of the key in bits 3 and 4, CBC, CTR, the width of the counter in bits 7 and
/// 8, GCM in bits 16 and 17.
pub const CONTROL: usize = 0x50;
pub const ENCRYPTS: u32 = 1 << 2;
pub const CBC: u32 = 1 << 5;
pub const CTR: u32 = 1 << 6;
pub const COUNTS_128_BITS: u32 = 3 << 7;
pub const GCM: u32 = 3 << 16;
const MODES: u32 = 0x1ff_ffe0;
/// The bytes of the message, and those that are only authenticated.
pub const LENGTH: usize = 0x54;
pub const AUTHENTICATED: usize = 0x5c;
/// Data that the CPU moves.
const DATA: usize = 0x60;
const DATA_END: usize = 0x70;
pub const TAG: usize = 0x70;
const REVISION: usize = 0x80;
const REVISION_VALUE: u32 = 0x302;
/// SYSCONFIG: the data of a message come by DMA.
pub const SYSTEM: usize = 0x84;
pub const DMA_IN: u32 = 1 << 5;
/// Interrupts, with which the CPU moves the data.
const INTERRUPTS: usize = 0x90;

pub struct Aes {
    registers: [u8; BYTES],
    /// Blocks that are still to come: authenticated ones, and those of the message.
    authenticated: u32,
    left: u32,
    hash: [u8; 16],
}

impl Aes {
    pub fn new() -> Aes {
        let mut registers = [0; BYTES];
        set_word(&mut registers, REVISION, REVISION_VALUE);
        Aes { registers, authenticated: 0, left: 0, hash: [0; 16] }
    }

    pub fn read(&self, at: usize, data: &mut [u8]) {
        registers::read(&self.registers, at, data);
    }

    /// Fails where the driver uses what the model lacks.
    pub fn write(&mut self, at: usize, value: u32) -> Result<(), Failure> {
        let is_pushed = at == SYSTEM && value & DMA_IN != 0 && !self.has_dma();
        if at != REVISION {
            set_word(&mut self.registers, at, value);
        }
        match at {
            // A message begins, and its hash with it.
            CONTROL => self.registers[TAG..TAG + 16].fill(0),
            SYSTEM if value & DMA_IN == 0 => (self.authenticated, self.left) = (0, 0),
            SYSTEM if is_pushed => {
                let [authenticated, left] = [AUTHENTICATED, LENGTH].map(|at| self.word(at).div_ceil(16));
                self.authenticated = if self.word(CONTROL) & GCM == 0 { 0 } else { authenticated };
                self.left = left;
                self.hash = [0; 16];
            }
            DATA..DATA_END => return Err(Unsupported),
            INTERRUPTS if value != 0 => return Err(Unsupported),
            _ => {}
        }
        Ok(())
    }

    fn word(&self, at: usize) -> u32 {
        word_at(&self.registers, at)
    }

    pub fn has_dma(&self) -> bool {
        self.word(SYSTEM) & DMA_IN != 0
    }

    /// Whether it requests a block.
    pub fn has_more(&self) -> bool {
        self.authenticated + self.left > 0
    }

    /// Forgets the rest of a message.
    pub fn abandon(&mut self) {
        (self.authenticated, self.left) = (0, 0);
    }

    /// Processes a block, which has no result if it is only authenticated.
    pub fn block(&mut self, mut block: Vec<u8>) -> Result<Option<Vec<u8>>, Failure> {
        let control = self.word(CONTROL);
        let len = 8 * ((control >> 3 & 3) as usize + 1);
        let key: Vec<u8> =
            (0..len / 4).flat_map(|n| self.word(KEY_END - 4 - 4 * (n ^ 1)).to_le_bytes()).collect();
        let mut iv: [u8; 16] = self.registers[IV..IV + 16].try_into().map_err(|_| Wrong)?;
        let direction = if control & ENCRYPTS != 0 { Direction::Encrypt } else { Direction::Decrypt };
        let is_gcm = control & GCM != 0;
        if is_gcm && self.authenticated > 0 {
            self.authenticated -= 1;
            hash_on(&key, &mut self.hash, &block).ok_or(Wrong)?;
            self.finish(&key)?;
            return Ok(None);
        }
        let is_done = match control & MODES {
            0 => crypt(Cipher::Aes, &key, direction, None, &mut block),
            CBC => crypt(Cipher::Aes, &key, direction, Some(&mut iv), &mut block),
            mode if mode == CTR | COUNTS_128_BITS => {
                add_key_stream(&key, &mut iv, &mut block, |value| value.wrapping_add(1)).is_some()
            }
            mode if mode == CTR | COUNTS_128_BITS | GCM => {
                self.sealed(&key, &mut iv, direction, &mut block)?
            }
            _ => return Err(Unsupported),
        };
        is_done.then_some(()).ok_or(Wrong)?;
        self.registers[IV..IV + 16].copy_from_slice(&iv);
        self.left -= 1;
        if is_gcm {
            self.finish(&key)?;
        }
        Ok(Some(block))
    }

    /// A block of a message in GCM, whose counter is that before the first block, and the hash of what of it
    /// belongs to the message.
    fn sealed(
        &mut self,
        key: &[u8],
        iv: &mut [u8; 16],
        direction: Direction,
        block: &mut [u8],
    ) -> Result<bool, Failure> {
        *iv = count_32_bits(u128::from_be_bytes(*iv)).to_be_bytes();
        let mut secret = block.to_vec();
        add_key_stream(key, &mut iv.clone(), block, count_32_bits).ok_or(Wrong)?;
        if direction == Direction::Encrypt {
            secret.copy_from_slice(block);
        }
        let rest = self.word(LENGTH) as usize % 16;
        if self.left == 1 && rest > 0 {
            secret[rest..].fill(0);
        }
        Ok(hash_on(key, &mut self.hash, &secret).is_some())
    }

    /// Ends a message: the tag is the hash, without what the driver adds.
    fn finish(&mut self, key: &[u8]) -> Result<(), Failure> {
        if !self.has_more() {
            let bits = [AUTHENTICATED, LENGTH].map(|at| u64::from(self.word(at)) * 8);
            let lengths = bits.map(u64::to_be_bytes).concat();
            hash_on(key, &mut self.hash, &lengths).ok_or(Wrong)?;
            self.registers[TAG..TAG + 16].copy_from_slice(&self.hash);
        }
        Ok(())
    }
}
