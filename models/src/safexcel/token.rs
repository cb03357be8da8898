//! The token of a packet: instructions of the packet engine (EIP-96) that move its data through the cipher
//! and the hash. FreeBSD's safexcel_var.h has their bits, and those of the errors; origins of inserted data
//! that it does not have are Linux's (safexcel.h).

use super::unit::{CipherUnit, HashUnit};

/// Errors of a packet.
pub const LENGTH_ERROR: u32 = 1 << 0;
pub const TOKEN_ERROR: u32 = 1 << 1;
pub const CIPHER_BLOCK_ERROR: u32 = 1 << 3;
pub const HASH_BLOCK_ERROR: u32 = 1 << 4;
pub const INVALID_COMMAND: u32 = 1 << 5;
pub const PROHIBITED_ALGORITHM: u32 = 1 << 6;
pub const AUTHENTICATION_FAILED: u32 = 1 << 9;
pub const TIMEOUT: u32 = 1 << 14;

/// An instruction: the length, the status, where data come from and go to, the operation.
const LENGTH: u32 = 0x1_ffff;
const LAST_HASH: u32 = 1 << 17;
const ORIGIN_AT: u32 = 19;
const TO_OUTPUT: u32 = 1 << 24;
const TO_HASH: u32 = 1 << 25;
const TO_CIPHER: u32 = 1 << 26;
const ENDS_PART: u32 = 1 << 27;
const OPERATION_AT: u32 = 28;
const DIRECTION: u32 = 0;
const INSERT: u32 = 2;
const RETRIEVE: u32 = 4;
const REMOVE_RESULT: u32 = 0xa;
const VERIFY: u32 = 0xd;
/// The origins of what is inserted: zeros, the words that follow, the result of the hash.
const ZEROS: u32 = 0;
const IMMEDIATE: u32 = 0x1b;
const DIGEST: u32 = 0x1c;
/// VERIFY: the result of the hash.
const VERIFY_HASH: u32 = 1 << 16;

/// A packet on its way.
pub struct Passage<'a> {
    pub cipher: Option<CipherUnit>,
    pub hash: HashUnit,
    pub input: &'a [u8],
    pub output: Vec<u8>,
    has_last_hash: bool,
    /// What is taken out of the output in the end.
    removed: Option<(usize, usize)>,
    retrieved: Option<Vec<u8>>,
}

impl<'a> Passage<'a> {
    pub fn new(cipher: Option<CipherUnit>, hash: HashUnit, input: &'a [u8]) -> Passage<'a> {
        Passage {
            cipher,
            hash,
            input,
            output: Vec::new(),
            has_last_hash: false,
            removed: None,
            retrieved: None,
        }
    }

    /// Executes a token; an error ends it.
    pub fn run(&mut self, token: &[u32]) -> Result<(), u32> {
        let mut words = token.iter().copied();
        while let Some(word) = words.next() {
            let length = (word & LENGTH) as usize;
            let origin = word >> ORIGIN_AT & 0x1f;
            match (word >> OPERATION_AT, origin) {
                (DIRECTION, ZEROS) => {
                    let data = self.take(length)?.to_vec();
                    self.pass(word, data)?;
                }
                (INSERT, ZEROS) => self.pass(word, vec![0; length])?,
                (INSERT, IMMEDIATE) => {
                    let mut data: Vec<u8> =
                        words.by_ref().take(length.div_ceil(4)).flat_map(u32::to_le_bytes).collect();
                    if data.len() < length {
                        return Err(TOKEN_ERROR);
                    }
                    data.truncate(length);
                    self.pass(word, data)?;
                }
                (INSERT, DIGEST) => {
                    let digest = self.digest(length)?;
                    // To the output, and to no unit: it is none's input.
                    if word & (TO_OUTPUT | TO_HASH | TO_CIPHER) != TO_OUTPUT {
                        return Err(TOKEN_ERROR);
                    }
                    self.output.extend(digest);
                }
                (RETRIEVE, DIGEST) => self.retrieved = Some(self.take(length)?.to_vec()),
                // From a place in the output, as many bytes as the field of origin and ways is.
                (REMOVE_RESULT, _) => {
                    self.removed = Some((length, (word >> ORIGIN_AT & 0x1ff) as usize));
                }
                (VERIFY, ZEROS) if word & VERIFY_HASH != 0 => {
                    let retrieved = self.retrieved.take().ok_or(TOKEN_ERROR)?;
                    let length = length & !(VERIFY_HASH as usize);
                    if self.digest(length)? != retrieved {
                        return Err(AUTHENTICATION_FAILED);
                    }
                }
                // Instructions that the engine has, for IP and for its own records.
                (DIRECTION | INSERT | RETRIEVE | VERIFY, _) => return Err(TOKEN_ERROR),
                _ => return Err(INVALID_COMMAND),
            }
        }
        Ok(())
    }

    /// The output without what is removed.
    pub fn result(mut self) -> Vec<u8> {
        if let Some((at, len)) = self.removed {
            let end = (at + len).min(self.output.len());
            self.output.drain(at.min(end)..end);
        }
        self.output
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], u32> {
        let (data, rest) = self.input.split_at_checked(length).ok_or(LENGTH_ERROR)?;
        self.input = rest;
        Ok(data)
    }

    /// Data on their way through the units, in the order of these.
    fn pass(&mut self, word: u32, mut data: Vec<u8>) -> Result<(), u32> {
        let [is_hashed, is_text] = [TO_HASH, TO_CIPHER].map(|bit| word & bit != 0);
        let ends = word & ENDS_PART != 0;
        if is_hashed && self.has_last_hash {
            return Err(TOKEN_ERROR);
        }
        if is_hashed && self.hash.is_first {
            self.hash.add(&data, is_text, ends);
        }
        if is_text {
            self.cipher.as_mut().ok_or(INVALID_COMMAND)?.crypt(&mut data)?;
        }
        if is_hashed && !self.hash.is_first {
            self.hash.add(&data, is_text, ends);
        }
        self.has_last_hash |= is_hashed && word & LAST_HASH != 0;
        if word & TO_OUTPUT != 0 {
            self.output.extend(data);
        }
        Ok(())
    }

    /// The beginning of the hash's result; encrypted by the block that is removed, for GCM and CCM.
    fn digest(&mut self, length: usize) -> Result<Vec<u8>, u32> {
        if !self.has_last_hash {
            return Err(TOKEN_ERROR);
        }
        let mut result = self.hash.result()?;
        if self.hash.encrypts_result {
            let (at, len) = self.removed.ok_or(TOKEN_ERROR)?;
            let block = self.output.get(at..at + len).filter(|block| block.len() >= result.len());
            crate::block::xor(&mut result, block.ok_or(TOKEN_ERROR)?);
        }
        let digest = result.get(..length).ok_or(TOKEN_ERROR)?;
        Ok(digest.to_vec())
    }
}
