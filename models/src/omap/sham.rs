//! The SHA/MD5 unit: MD5, SHA-1, SHA-224, SHA-256, and HMAC of each, from any whole block on.

use super::word_at;
use crate::faults::Failure::{self, Unsupported};
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

/// Initial values of MD5 (RFC 1321) and SHA-1, SHA-224, SHA-256 (FIPS 180-4), and the length of the digest.
const HASHES: [([u32; 8], usize); 4] = [
    ([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0, 0, 0, 0], 16),
    ([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0], 20),
    (
        [
            0xc105_9ed8,
            0x367c_d507,
            0x3070_dd17,
            0xf70e_5939,
            0xffc0_0b31,
            0x6858_1511,
            0x64f9_8fa7,
            0xbefa_4fa4,
        ],
        28,
    ),
    (
        [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ],
        32,
    ),
];

/// A hash that is computed block by block. Its words are big-endian in memory, but those of MD5.
struct Hash {
    /// The place in [`HASHES`].
    kind: usize,
    words: [u32; 8],
}

impl Hash {
    fn new(kind: usize) -> Hash {
        Hash { kind, words: HASHES[kind].0 }
    }

    /// One that goes on.
    fn from(kind: usize, state: &[u8]) -> Hash {
        let word = |n: usize| word_at(state, 4 * n);
        let words = [0, 1, 2, 3, 4, 5, 6, 7].map(|n| if kind == 0 { word(n) } else { word(n).swap_bytes() });
        Hash { kind, words }
    }

    fn state(&self) -> Vec<u8> {
        let bytes = |word: &u32| if self.kind == 0 { word.to_le_bytes() } else { word.to_be_bytes() };
        self.words.iter().flat_map(bytes).collect()
    }

    /// Whole blocks.
    fn add(&mut self, data: &[u8]) {
        for block in data.chunks_exact(BLOCK).filter_map(|block| block.try_into().ok()) {
            let words = &mut self.words;
            match self.kind {
                0 => words
                    .first_chunk_mut()
                    .into_iter()
                    .for_each(|words| md5::block_api::compress(words, &[block])),
                1 => words
                    .first_chunk_mut()
                    .into_iter()
                    .for_each(|words| sha1::block_api::compress(words, &[block])),
                _ => sha2::block_api::compress256(words, &[block]),
            }
        }
    }

    /// The digest of a message of which `count` bytes were added, and then `data`.
    fn digest(mut self, count: u64, data: &[u8]) -> Vec<u8> {
        let mut padded = data.to_vec();
        padded.push(0x80);
        padded.resize((padded.len() + 8).next_multiple_of(BLOCK) - 8, 0);
        let bits = 8 * (count + data.len() as u64);
        padded.extend(if self.kind == 0 { bits.to_le_bytes() } else { bits.to_be_bytes() });
        self.add(&padded);
        let mut digest = self.state();
        digest.truncate(HASHES[self.kind].1);
        digest
    }
}

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
        let kind = Some((mode >> 1 & 3) as usize).filter(|_| is_known).ok_or(Unsupported)?;
        let mut count = u64::from(self.word(COUNT));
        let mut hash = Hash::from(kind, &self.registers[INNER..INNER + STATE]);
        if mode & BEGINS != 0 {
            (hash, count) = (Hash::new(kind), 0);
        }
        if mode & TAKES_KEY != 0 {
            let key = self.registers[OUTER..OUTER + BLOCK].to_vec();
            let keyed = |pad: u8| {
                let mut hash = Hash::new(kind);
                hash.add(&key.iter().map(|byte| byte ^ pad).collect::<Vec<_>>());
                hash
            };
            // RFC 2104.
            self.registers[OUTER..OUTER + STATE].copy_from_slice(&keyed(0x5c).state());
            (hash, count) = (keyed(0x36), BLOCK as u64);
        }
        let mut result = if mode & ENDS == 0 {
            hash.add(&data);
            hash.state()
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
