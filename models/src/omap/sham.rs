//! The SHA/MD5 unit: MD5, SHA-1, SHA-224, SHA-256, and HMAC of each, from any whole block on.

use super::word_at;
use crate::faults::Failure::{self, Unsupported};
use crate::hash::{Hash, HashFunction, INNER_PAD, OUTER_PAD};
use crate::registers::{self, set_word};

pub const BYTES: usize = 4096;
pub const BLOCK: usize = 64;
/// States: that of HMAC's outer hash, and that of the hash, which is the digest at the end. A key of HMAC
/// lies in both.
pub const OUTER: usize = 0x00;
pub const INNER: usize = 0x20;
/// The number of bytes that the state is of.
pub const COUNT: usize = 0x40;
/// The mode: the hash in bits 0 to 2, the beginning of a message, its end, a key of HMAC, and the outer hash
/// at the end.
pub const MODE: usize = 0x44;
pub const BEGINS: u32 = 1 << 3;
pub const ENDS: u32 = 1 << 4;
pub const TAKES_KEY: u32 = 1 << 5;
pub const ADDS_OUTER: u32 = 1 << 7;
/// The number of bytes that follow. A write starts.
pub const LENGTH: usize = 0x48;
pub const DATA: usize = 0x80;
const REVISION: usize = 0x100;
const REVISION_VALUE: u32 = 0x403;
/// SYSCONFIG: interrupts, DMA.
pub const SYSTEM: usize = 0x110;
pub const HAS_INTERRUPTS: u32 = 1 << 2;
pub const HAS_DMA: u32 = 1 << 3;
/// IRQSTATUS and IRQENABLE: a result is ready, and data are requested.
pub const STATUS: usize = 0x118;
pub const ENABLED: usize = 0x11c;
pub const OUTPUT_READY: u32 = 1 << 0;
pub const INPUT_READY: u32 = 1 << 1;

/// The bytes of a state.
const STATE: usize = 32;

/// The hash of the mode's bits 1 and 2.
const HASHES: [HashFunction; 4] =
    [HashFunction::Md5, HashFunction::Sha1, HashFunction::Sha224, HashFunction::Sha256];

pub struct Sham {
    registers: [u8; BYTES],
    /// Data of the chunk that LENGTH has announced.
    data: Vec<u8>,
    is_busy: bool,
    has_result: bool,
}

impl Sham {
    pub fn new() -> Sham {
        let mut registers = [0; BYTES];
        set_word(&mut registers, REVISION, REVISION_VALUE);
        Sham { registers, data: Vec::new(), is_busy: false, has_result: false }
    }

    pub fn read(&self, at: usize, data: &mut [u8]) {
        registers::read(&self.registers, at, data);
    }

    pub fn write(&mut self, at: usize, value: u32) {
        match at {
            REVISION | STATUS => {}
            LENGTH => {
                set_word(&mut self.registers, at, value);
                (self.data, self.is_busy) = (Vec::new(), true);
                set_word(&mut self.registers, STATUS, INPUT_READY);
            }
            _ if (DATA..DATA + BLOCK).contains(&at) => self.push(&value.to_le_bytes()),
            _ => set_word(&mut self.registers, at, value),
        }
    }

    pub fn word(&self, at: usize) -> u32 {
        word_at(&self.registers, at)
    }

    /// Whether it requests a block by DMA.
    pub fn requests_block(&self) -> bool {
        self.is_busy && self.word(SYSTEM) & HAS_DMA != 0 && !self.has_all()
    }

    /// Whether a chunk is complete.
    pub fn has_all(&self) -> bool {
        self.is_busy && self.data.len() >= self.word(LENGTH) as usize
    }

    pub fn push(&mut self, data: &[u8]) {
        if self.is_busy && !self.has_all() {
            self.data.extend_from_slice(data);
        }
    }

    /// Hashes a complete chunk, and returns its length.
    pub fn hash(&mut self, damage: impl FnOnce(&mut [u8])) -> Result<u32, Failure> {
        self.is_busy = false;
        let (mode, length) = (self.word(MODE), self.word(LENGTH));
        let data = self.data.get(..length as usize).unwrap_or_default().to_vec();
        let is_known = mode & 1 == 0 && (mode & ENDS != 0 || data.len() % BLOCK == 0);
        let kind = HASHES.get((mode >> 1 & 3) as usize).copied().filter(|_| is_known).ok_or(Unsupported)?;
        let mut count = u64::from(self.word(COUNT));
        let mut hash = Hash::from(kind, &self.registers[INNER..INNER + STATE]);
        if mode & BEGINS != 0 {
            (hash, count) = (Hash::new(kind), 0);
        }
        if mode & TAKES_KEY != 0 {
            let key = self.registers[OUTER..OUTER + BLOCK].to_vec();
            let outer = Hash::keyed(kind, &key, OUTER_PAD);
            self.registers[OUTER..OUTER + outer.state().len()].copy_from_slice(outer.state());
            (hash, count) = (Hash::keyed(kind, &key, INNER_PAD), BLOCK as u64);
        }
        let mut result = if mode & ENDS == 0 {
            hash.add(&data);
            hash.state().to_vec()
        } else {
            let digest = hash.digest(count, &data);
            match mode & ADDS_OUTER {
                0 => digest,
                _ => Hash::from(kind, &self.registers[OUTER..OUTER + STATE]).digest(BLOCK as u64, &digest),
            }
        };
        damage(&mut result);
        self.registers[INNER..INNER + result.len()].copy_from_slice(&result);
        set_word(&mut self.registers, COUNT, (count as u32).wrapping_add(length));
        self.has_result = true;
        Ok(length)
    }

    /// Shows a result, or forgets that there is one. Returns whether that raises the interrupt.
    pub fn complete(&mut self, interrupt: bool) -> bool {
        if !std::mem::take(&mut self.has_result) || !interrupt {
            return false;
        }
        set_word(&mut self.registers, STATUS, OUTPUT_READY);
        self.word(SYSTEM) & HAS_INTERRUPTS != 0 && self.word(ENABLED) & OUTPUT_READY != 0
    }

    /// Forgets a chunk.
    pub fn abandon(&mut self) {
        self.is_busy = false;
    }
}
