//! CRYP by its registers.

use std::collections::VecDeque;

use crate::block::{Cipher, Direction, add_key_stream, count_32_bits, crypt, encrypted, hash_on, xor};
use crate::faults::Failure::{self, Unsupported, Wrong};
use crate::faults::{Faults, RequestFaults};

pub const CR: usize = 0x00;
pub const SR: usize = 0x04;
pub const DIN: usize = 0x08;
pub const DOUT: usize = 0x0c;
/// Interrupts: the enabled ones, their state, and the state of those that are enabled.
pub const IMSCR: usize = 0x14;
pub const RISR: usize = 0x18;
pub const MISR: usize = 0x1c;
/// Eight words of a key, whose end is that of the last, and four of an IV. In the order of the bytes.
pub const KEY: usize = 0x20;
pub const IV: usize = 0x40;
const END: usize = 0x50;

/// The bits of CR, which has the mode in bits 3 to 5 and 19, the order of the bytes in 6 and 7, the size
/// of an AES key in 8 and 9, the phase in 16 and 17, and the number of bytes in the last block that do not
/// belong to the message in 20 to 23.
pub const DECRYPTS: u32 = 1 << 2;
pub const BYTES: u32 = 2 << 6;
pub const FLUSH: u32 = 1 << 14;
pub const ENABLED: u32 = 1 << 15;
const ORDER: u32 = 3 << 6;

/// Modes, with bit 19 of CR as their fourth.
pub const TRIPLE_DES_ECB: u32 = 0;
pub const TRIPLE_DES_CBC: u32 = 1;
pub const DES_ECB: u32 = 2;
pub const DES_CBC: u32 = 3;
pub const AES_ECB: u32 = 4;
pub const AES_CBC: u32 = 5;
pub const AES_CTR: u32 = 6;
/// Prepares the key for decryption in ECB and CBC mode.
pub const AES_KEY: u32 = 7;
pub const AES_GCM: u32 = 8;
pub const AES_CCM: u32 = 9;

/// Phases of GCM and CCM.
pub const INIT: u32 = 0;
pub const HEADER: u32 = 1;
pub const PAYLOAD: u32 = 2;
pub const FINAL: u32 = 3;

/// State of the FIFOs, of eight words each.
const INPUT_EMPTY: u32 = 1 << 0;
pub const INPUT_FREE: u32 = 1 << 1;
pub const OUTPUT_READY: u32 = 1 << 2;
const OUTPUT_FULL: u32 = 1 << 3;
pub const DEPTH: usize = 8;
/// With fewer words than these, the input raises its interrupt.
const BLOCK_WORDS: usize = 4;

/// The bits of an interrupt register.
const INPUT: u32 = 1 << 0;
const OUTPUT: u32 = 1 << 1;

pub struct Cryp {
    words: [u32; END / 4],
    input: VecDeque<u32>,
    output: VecDeque<u32>,
    is_prepared: bool,
    /// GHASH or CBC-MAC of a message.
    hash: [u8; 16],
    /// What happens to the request, since the unit has begun it.
    fate: Option<RequestFaults>,
    raises: bool,
    /// An interrupt is sent if the line is up: the driver has written IMSCR, or a request has begun.
    is_due: bool,
}

impl Cryp {
    pub fn new() -> Cryp {
        Cryp {
            words: [0; END / 4],
            input: VecDeque::new(),
            output: VecDeque::new(),
            is_prepared: false,
            hash: [0; 16],
            fate: None,
            raises: false,
            is_due: false,
        }
    }

    pub fn read(&mut self, at: usize, faults: &mut Faults) -> u32 {
        let flag = |bit, is_set| if is_set { bit } else { 0 };
        match at & !3 {
            SR => {
                flag(INPUT_EMPTY, self.input.is_empty())
                    | flag(INPUT_FREE, self.input.len() < DEPTH)
                    | flag(OUTPUT_READY, !self.output.is_empty())
                    | flag(OUTPUT_FULL, self.output.len() == DEPTH)
            }
            DOUT => {
                let word = self.output.pop_front().unwrap_or(0);
                self.process(faults);
                word
            }
            RISR => {
                flag(INPUT, self.is_enabled() && self.input.len() < BLOCK_WORDS)
                    | flag(OUTPUT, !self.output.is_empty())
            }
            MISR => self.read(RISR, faults) & self.words[IMSCR / 4],
            at => self.words.get(at / 4).copied().unwrap_or(0),
        }
    }

    /// Returns whether a request starts.
    pub fn write(&mut self, at: usize, value: u32, faults: &mut Faults) -> bool {
        match at {
            CR => self.set_control(value, faults),
            DIN if self.input.len() < DEPTH => {
                self.input.push_back(value);
                self.process(faults);
            }
            // A word that is lost.
            DIN => faults.counts.dma_errors += 1,
            IMSCR => {
                let starts = self.words[IMSCR / 4] == 0 && value & (INPUT | OUTPUT) != 0;
                self.words[IMSCR / 4] = value & (INPUT | OUTPUT);
                self.raises &= self.is_used();
                self.is_due = true;
                return starts;
            }
            at => {
                self.is_prepared &= !(KEY..IV).contains(&at);
                if let Some(word) = self.words.get_mut(at / 4) {
                    *word = value;
                }
            }
        }
        false
    }

    pub fn begin(&mut self, fate: RequestFaults) {
        self.fate = Some(fate);
    }

    pub fn raise(&mut self, raises: bool) {
        self.raises = raises;
        self.is_due = true;
    }

    /// Whether to send an interrupt. The driver writes IMSCR at the end of its handler, so a line that is still
    /// up then causes the next one.
    pub fn rises(&mut self) -> bool {
        std::mem::take(&mut self.is_due) && self.is_raised()
    }

    pub fn is_used(&self) -> bool {
        self.words[IMSCR / 4] != 0
    }

    pub fn is_raised(&self) -> bool {
        let enabled = self.words[IMSCR / 4];
        let needs_input = enabled & INPUT != 0 && self.is_enabled() && self.input.len() < BLOCK_WORDS;
        self.raises && (needs_input || enabled & OUTPUT != 0 && !self.output.is_empty())
    }

    fn is_enabled(&self) -> bool {
        self.words[CR / 4] & ENABLED != 0
    }

    fn set_control(&mut self, value: u32, faults: &mut Faults) {
        if value & (FLUSH | ENABLED) == FLUSH {
            self.input.clear();
            self.output.clear();
        }
        self.words[CR / 4] = value & !FLUSH;
        match (mode(value), phase(value)) {
            _ if value & ENABLED == 0 => {}
            (AES_KEY, _) => {
                self.is_prepared = true;
                self.disable();
            }
            (AES_GCM, INIT) => {
                self.hash = [0; 16];
                self.disable();
            }
            _ => self.process(faults),
        }
    }

    fn disable(&mut self) {
        self.words[CR / 4] &= !ENABLED;
    }

    /// Processes whole blocks while the output has space for them. Of what cannot be done, there is no
    /// result.
    fn process(&mut self, faults: &mut Faults) {
        let words = if mode(self.words[CR / 4]) < AES_ECB { 2 } else { BLOCK_WORDS };
        while self.is_enabled() && self.input.len() >= words && self.output.len() + words <= DEPTH {
            let input: Vec<u32> = self.input.drain(..words).collect();
            match self.block(&input) {
                Ok(Some(mut block)) => {
                    if let Some(fate) = &mut self.fate {
                        faults.damage(fate, &mut block);
                    }
                    faults.counts.bytes = faults.counts.bytes.wrapping_add(block.len() as u32);
                    self.output.extend(words_of(&block, self.is_reversed()));
                }
                Ok(None) => {}
                Err(failure) => faults.counts.failed(failure),
            }
        }
    }

    /// The bytes of a word of data are in the order of memory (a little-endian one), or in that of a
    /// number.
    fn is_reversed(&self) -> bool {
        self.words[CR / 4] & ORDER == BYTES
    }

    /// Processes one block, which may have no result.
    fn block(&mut self, input: &[u32]) -> Result<Option<Vec<u8>>, Failure> {
        let control = self.words[CR / 4];
        let (mode, phase) = (mode(control), phase(control));
        if !matches!(control & ORDER, 0 | BYTES) {
            return Err(Unsupported);
        }
        let is_message = mode < AES_GCM || matches!(phase, HEADER | PAYLOAD);
        let mut block = bytes_of(input, is_message && self.is_reversed());
        let direction = if control & DECRYPTS != 0 { Direction::Decrypt } else { Direction::Encrypt };
        if direction == Direction::Decrypt && matches!(mode, AES_ECB | AES_CBC) && !self.is_prepared {
            return Err(Wrong);
        }
        let (cipher, from, len) = match mode {
            TRIPLE_DES_ECB | TRIPLE_DES_CBC => (Cipher::Des, 2, 24),
            DES_ECB | DES_CBC => (Cipher::Des, 2, 8),
            _ => {
                let len = 16 + 8 * (control >> 8 & 3) as usize;
                (Cipher::Aes, 8_usize.checked_sub(len / 4).ok_or(Wrong)?, len)
            }
        };
        let key = bytes_of(&self.words[KEY / 4 + from..KEY / 4 + from + len / 4], false);
        let iv_words = IV / 4..IV / 4 + input.len();
        let mut iv = bytes_of(&self.words[iv_words.clone()], false);
        let is_done = match mode {
            TRIPLE_DES_ECB | DES_ECB | AES_ECB => crypt(cipher, &key, direction, None, &mut block),
            TRIPLE_DES_CBC | DES_CBC | AES_CBC => crypt(cipher, &key, direction, Some(&mut iv), &mut block),
            AES_CTR => add_key_stream(&key, &mut iv, &mut block, count_32_bits).is_some(),
            AES_GCM | AES_CCM if phase == PAYLOAD => {
                let padding = (control >> 20 & 0xf) as usize;
                let input = block.clone();
                let is_done = add_key_stream(&key, &mut iv, &mut block, count_32_bits).is_some();
                // GHASH is that of the secret text, CBC-MAC that of the plain one.
                let hashes_input = (mode == AES_GCM) == (direction == Direction::Decrypt);
                let mut hashed = if hashes_input { input } else { block.clone() };
                hashed[16 - padding..].fill(0);
                self.add(mode, &key, &hashed).is_some() && is_done
            }
            AES_GCM | AES_CCM => {
                let is_final = phase == FINAL;
                if !(mode == AES_CCM && is_final) {
                    self.add(mode, &key, &block).ok_or(Wrong)?;
                }
                match (mode, is_final) {
                    (AES_GCM, true) => {
                        iv[12..].copy_from_slice(&[0, 0, 0, 1]);
                        block = encrypted(&key, &iv).ok_or(Wrong)?.to_vec();
                    }
                    (AES_CCM, true) => block = encrypted(&key, &block).ok_or(Wrong)?.to_vec(),
                    // The first block of CCM.
                    _ if phase == INIT => {
                        self.disable();
                        return Ok(None);
                    }
                    _ => return Ok(None),
                }
                xor(&mut block, &self.hash);
                return Ok(Some(block));
            }
            _ => return Err(Unsupported),
        };
        if !is_done {
            return Err(Wrong);
        }
        self.words[iv_words].copy_from_slice(&words_of(&iv, false));
        Ok(Some(block))
    }

    /// Adds a block to GHASH or to CBC-MAC, which the first block of CCM begins.
    fn add(&mut self, mode: u32, key: &[u8], block: &[u8]) -> Option<()> {
        if mode == AES_GCM {
            return hash_on(key, &mut self.hash, block);
        }
        if phase(self.words[CR / 4]) == INIT {
            self.hash = [0; 16];
        }
        xor(&mut self.hash, block);
        self.hash = encrypted(key, &self.hash)?;
        Some(())
    }
}

fn mode(control: u32) -> u32 {
    control >> 3 & 7 | control >> 16 & 8
}

fn phase(control: u32) -> u32 {
    control >> 16 & 3
}

pub fn bytes_of(words: &[u32], is_reversed: bool) -> Vec<u8> {
    let bytes = |word: &u32| if is_reversed { word.to_le_bytes() } else { word.to_be_bytes() };
    words.iter().flat_map(bytes).collect()
}

pub fn words_of(bytes: &[u8], is_reversed: bool) -> Vec<u32> {
    let word = |bytes: &[u8]| {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        if is_reversed { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    };
    bytes.chunks_exact(4).map(word).collect()
}
