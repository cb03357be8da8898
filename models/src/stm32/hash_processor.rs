//! HASH, the hash processor, by its registers.

use super::cryp::{bytes_of, words_of};
use crate::faults::Failure::{self, Unsupported, Wrong};
use crate::faults::{Faults, RequestFaults};
use crate::hash::{Hash, HashFunction, INNER_PAD, OUTER_PAD};

pub const CR: usize = 0x00;
pub const DIN: usize = 0x04;
pub const STR: usize = 0x08;
pub const IMR: usize = 0x20;
pub const SR: usize = 0x24;
/// The registers by which software saves and restores what the unit has of a message.
pub const CSR: usize = 0xf8;
pub const CSR_NUMBER: usize = 54;
/// The digest, in eight words.
pub const HR: usize = 0x310;

/// The bits of CR, which has the hash in bits 7 and 18. What the input has can only be read: the words in
/// the FIFO, and whether DIN has one.
pub const INIT: u32 = 1 << 2;
pub const DMA: u32 = 1 << 3;
pub const BYTES: u32 = 2 << 4;
const ORDER: u32 = 3 << 4;
pub const HMAC: u32 = 1 << 6;
pub const LONG_KEY: u32 = 1 << 16;
const WORDS: u32 = 0xf << 8;
pub const HAS_WORD: u32 = 1 << 12;

/// The bits of STR: those of the last word that belong to the message, and that it ends.
const LAST_BITS: u32 = 0x1f;
pub const ENDS: u32 = 1 << 8;

/// The bits of SR, of which IMR enables the first two as interrupts.
pub const INPUT_READY: u32 = 1 << 0;
pub const DIGEST_READY: u32 = 1 << 1;
pub const BUSY: u32 = 1 << 3;
const INTERRUPTS: u32 = INPUT_READY | DIGEST_READY;

const HASHES: [HashFunction; 4] =
    [HashFunction::Sha1, HashFunction::Md5, HashFunction::Sha224, HashFunction::Sha256];
const BLOCK: usize = 64;
const FIFO_WORDS: usize = 16;

/// Where CSR has a state, the blocks that it is of, the part of HMAC that is next, the words of the input,
/// the last one of them, the others, and the digest of HMAC's inner hash.
const STATE: usize = 0;
const STATE_WORDS: usize = 8;
const BLOCKS: usize = 8;
const PART: usize = 9;
pub const INPUT: usize = 10;
const LAST: usize = 11;
pub const FIFO: usize = 22;
pub const INNER: usize = 38;

/// The parts of HMAC.
const KEY: u32 = 0;
const MESSAGE: u32 = 1;
const OUTER_KEY: u32 = 2;

pub struct HashProcessor {
    control: u32,
    last_bits: u32,
    enabled: u32,
    status: u32,
    context: [u32; CSR_NUMBER],
    digest: [u32; STATE_WORDS],
    is_busy: bool,
    has_digest: bool,
    /// The level of the line at the last look.
    was_raised: bool,
}

impl HashProcessor {
    pub fn new() -> HashProcessor {
        HashProcessor {
            control: 0,
            last_bits: 0,
            enabled: 0,
            status: INPUT_READY,
            context: [0; CSR_NUMBER],
            digest: [0; STATE_WORDS],
            is_busy: false,
            has_digest: false,
            was_raised: false,
        }
    }

    pub fn read(&self, at: usize) -> u32 {
        let word = |of: &[u32], from: usize| at.checked_sub(from).and_then(|at| of.get(at / 4)).copied();
        match at & !3 {
            CR => {
                let words = self.context[INPUT];
                let has_word = if words > 0 { HAS_WORD } else { 0 };
                self.control | words.saturating_sub(1) << 8 & WORDS | has_word
            }
            STR => self.last_bits,
            IMR => self.enabled,
            SR => self.status | if self.is_busy { BUSY } else { 0 },
            _ => word(&self.digest, HR).or_else(|| word(&self.context, CSR)).unwrap_or(0),
        }
    }

    /// Returns whether the calculation of a digest starts.
    pub fn write(&mut self, at: usize, value: u32, faults: &mut Faults) -> bool {
        match at {
            CR => {
                self.control = value & !(INIT | DMA | WORDS | HAS_WORD);
                faults.counts.unsupported += u32::from(value & DMA != 0);
                if value & INIT != 0 {
                    (self.context, self.status) = ([0; CSR_NUMBER], INPUT_READY);
                    (self.is_busy, self.has_digest) = (false, false);
                    if let Ok(function) = self.function() {
                        self.begin(&Hash::new(function), 0, KEY);
                    }
                }
            }
            // The message has ended.
            DIN | STR if self.is_busy => faults.counts.dma_errors += 1,
            DIN => self.push(value).unwrap_or_else(|failure| faults.counts.failed(failure)),
            STR if value & ENDS == 0 => self.last_bits = value & LAST_BITS,
            STR if self.control & HMAC == 0 || self.context[PART] == OUTER_KEY => {
                self.is_busy = true;
                return true;
            }
            STR => self.calculate(faults).map_or_else(|failure| faults.counts.failed(failure), drop),
            IMR => self.enabled = value & INTERRUPTS,
            SR => self.status &= value,
            _ => {
                if let Some(word) = at.checked_sub(CSR).and_then(|at| self.context.get_mut(at / 4)) {
                    *word = value;
                }
            }
        }
        false
    }

    /// Ends a message.
    pub fn finish(&mut self, fate: &mut RequestFaults, faults: &mut Faults) {
        match self.calculate(faults) {
            Ok(mut digest) => {
                faults.damage(fate, &mut digest);
                self.digest = [0; STATE_WORDS];
                self.digest.iter_mut().zip(words_of(&digest, false)).for_each(|(to, word)| *to = word);
                self.has_digest = true;
            }
            Err(failure) => faults.counts.failed(failure),
        }
    }

    pub fn complete(&mut self, interrupt: bool) {
        self.is_busy = false;
        if std::mem::take(&mut self.has_digest) && interrupt {
            self.status |= INTERRUPTS;
        }
    }

    pub fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Whether to send an interrupt.
    pub fn rises(&mut self) -> bool {
        let is_raised = self.status & self.enabled != 0;
        let was_raised = std::mem::replace(&mut self.was_raised, is_raised);
        is_raised && !was_raised
    }

    fn function(&self) -> Result<HashFunction, Failure> {
        if self.control & ORDER != BYTES {
            return Err(Unsupported);
        }
        Ok(HASHES[(self.control >> 17 & 2 | self.control >> 7 & 1) as usize])
    }

    fn hash(&self, function: HashFunction) -> Hash {
        Hash::from(function, &bytes_of(&self.context[STATE..STATE + STATE_WORDS], false))
    }

    /// Goes on from a hash of a number of blocks.
    fn begin(&mut self, hash: &Hash, blocks: u32, part: u32) {
        self.set_words(STATE, hash.state());
        (self.context[BLOCKS], self.context[PART]) = (blocks, part);
    }

    fn set_words(&mut self, at: usize, bytes: &[u8]) {
        self.context[at..].iter_mut().zip(words_of(bytes, false)).for_each(|(to, word)| *to = word);
    }

    /// Puts a word into DIN, and that of DIN into the FIFO, which is hashed when it is full.
    fn push(&mut self, word: u32) -> Result<(), Failure> {
        let before = self.context[INPUT] as usize;
        if before > FIFO_WORDS {
            return Err(Wrong);
        }
        self.status &= !INPUT_READY;
        if before > 0 {
            self.context[FIFO + before - 1] = self.context[LAST];
        }
        (self.context[LAST], self.context[INPUT]) = (word, before as u32 + 1);
        if before == FIFO_WORDS {
            self.context[INPUT] = 1;
            let mut hash = self.hash(self.function()?);
            hash.add(&bytes_of(&self.context[FIFO..FIFO + FIFO_WORDS], true));
            self.begin(&hash, self.context[BLOCKS].wrapping_add(1), self.context[PART]);
            self.status |= INPUT_READY;
        }
        Ok(())
    }

    /// The bytes of the input.
    fn rest(&self) -> Result<Vec<u8>, Failure> {
        let (words, bits) = (self.context[INPUT] as usize, self.last_bits as usize);
        let Some(before) = words.checked_sub(1) else { return Ok(Vec::new()) };
        if before >= FIFO_WORDS {
            return Err(Wrong);
        }
        if bits % 8 != 0 {
            return Err(Unsupported);
        }
        let mut data = bytes_of(&self.context[FIFO..FIFO + before], true);
        data.extend_from_slice(&self.context[LAST].to_le_bytes()[..if bits == 0 { 4 } else { bits / 8 }]);
        Ok(data)
    }

    /// Ends the message, or a part of HMAC. Returns the digest, which only the last part of HMAC completes.
    fn calculate(&mut self, faults: &mut Faults) -> Result<Vec<u8>, Failure> {
        let (function, data, part) = (self.function()?, self.rest()?, self.context[PART]);
        let is_keyed = self.control & HMAC != 0;
        let count = BLOCK as u64 * u64::from(self.context[BLOCKS]);
        self.context[INPUT] = 0;
        self.status |= INPUT_READY;
        faults.counts.bytes = faults.counts.bytes.wrapping_add((count + data.len() as u64) as u32);
        let is_short_key = is_keyed && part != MESSAGE && self.control & LONG_KEY == 0;
        if is_short_key && count > 0 {
            return Err(Wrong);
        }
        let digest = if is_short_key { data } else { self.hash(function).digest(count, &data) };
        match part {
            _ if !is_keyed => {}
            KEY => self.begin(&Hash::keyed(function, &digest, INNER_PAD), 1, MESSAGE),
            MESSAGE => {
                self.set_words(INNER, &digest);
                self.begin(&Hash::new(function), 0, OUTER_KEY);
            }
            _ => {
                let inner = bytes_of(&self.context[INNER..INNER + STATE_WORDS], false);
                let outer = Hash::keyed(function, &digest, OUTER_PAD);
                return Ok(outer.digest(BLOCK as u64, &inner[..function.digest_bytes()]));
            }
        }
        Ok(digest)
    }
}
