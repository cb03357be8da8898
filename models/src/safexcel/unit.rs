//! The cipher and the hash of the packet engine (EIP-96), as the two control words and the context record
//! of a packet set them. FreeBSD's safexcel_var.h has their bits; DES, MD5, CRC32 and the counter of
//! a hash that goes on are Linux's (safexcel.h).

use super::token::{
    CIPHER_BLOCK_ERROR, HASH_BLOCK_ERROR, INVALID_COMMAND, PROHIBITED_ALGORITHM, TOKEN_ERROR,
};
use crate::block::{Cipher, Direction, add_key_stream, count_32_bits, crypt, encrypted, hash_on_by, xor};
use crate::hash::{Hash, HashFunction};

/// Control word 0: what is done (bits 0 to 3), a hash that begins, one that does not end, the words of the
/// context record, whether these begin with a key.
const ENCRYPTS: [u32; 3] = [4, 6, 0xe];
const DECRYPTS: [u32; 3] = [5, 7, 0xf];
/// HASH_ENCRYPT_OUT and HASH_DECRYPT_IN: the hash has the data before the cipher.
const HASH_FIRST: [u32; 2] = [0xe, 0xf];
const RESTART_HASH: u32 = 1 << 4;
const NO_FINISH_HASH: u32 = 1 << 5;
const KEY_EN: u32 = 1 << 16;
/// Control word 1: the mode, that the record has a counter of 64 bytes for the hash, and that the result of
/// the hash is encrypted.
const MODE: u32 = 0xf;
const DIGEST_CNT: u32 = 1 << 9;
const ENCRYPT_HASH_RES: u32 = 1 << 17;
const COUNTED: u64 = 64;

/// The words of the context record.
pub fn words_of_record(control0: u32) -> usize {
    (control0 >> 8 & 0xff) as usize
}

/// The cipher.
pub struct CipherUnit {
    cipher: Cipher,
    key: Vec<u8>,
    direction: Direction,
    mode: u32,
    iv: Vec<u8>,
}

impl CipherUnit {
    /// None without one. The rest of the record is the hash's.
    pub fn new<'a>(
        control: [u32; 2],
        iv: &[u8],
        record: &'a [u8],
    ) -> Result<(Option<CipherUnit>, &'a [u8]), u32> {
        if control[0] & KEY_EN == 0 {
            return Ok((None, record));
        }
        let (cipher, key_len, block) = match control[0] >> 17 & 15 {
            0 => (Cipher::Des, 8, 8),
            2 => (Cipher::Des, 24, 8),
            size @ 5..=7 => (Cipher::Aes, 8 * (size as usize - 3), 16),
            _ => return Err(PROHIBITED_ALGORITHM),
        };
        let kind = control[0] & 15;
        let direction = match kind {
            _ if ENCRYPTS.contains(&kind) => Direction::Encrypt,
            _ if DECRYPTS.contains(&kind) => Direction::Decrypt,
            _ => return Err(INVALID_COMMAND),
        };
        let (key, rest) = record.split_at_checked(key_len).ok_or(INVALID_COMMAND)?;
        let mode = control[1] & MODE;
        let iv = if mode == 0 { &[] } else { iv.get(..block).ok_or(TOKEN_ERROR)? };
        Ok((Some(CipherUnit { cipher, key: key.to_vec(), direction, mode, iv: iv.to_vec() }), rest))
    }

    pub fn crypt(&mut self, data: &mut [u8]) -> Result<(), u32> {
        let CipherUnit { cipher, key, direction, mode, iv } = self;
        let is_done = match mode {
            0 => crypt(*cipher, key, *direction, None, data),
            1 => crypt(*cipher, key, *direction, Some(iv), data),
            6 if *cipher == Cipher::Aes => add_key_stream(key, iv, data, count_32_bits).is_some(),
            _ => return Err(PROHIBITED_ALGORITHM),
        };
        if is_done { Ok(()) } else { Err(CIPHER_BLOCK_ERROR) }
    }
}

/// What the hash computes.
enum Method {
    None,
    /// From a state that `count` bytes have made; with the state of HMAC's outer hash.
    Hash {
        function: HashFunction,
        state: Hash,
        count: u64,
        outer: Option<Hash>,
    },
    Ghash([u8; 16]),
    /// CBC-MAC, with what is added to the last block if it is whole, and if it is not.
    Mac {
        key: Vec<u8>,
        whole: Vec<u8>,
        partial: Vec<u8>,
    },
    Crc32(u32),
}

/// The hash, with the data that it has got.
pub struct HashUnit {
    method: Method,
    finishes: bool,
    /// Whether the cipher gets the data after the hash.
    pub is_first: bool,
    pub encrypts_result: bool,
    data: Vec<u8>,
    /// For GHASH: the bytes that were only hashed, and those that the cipher had too.
    lengths: [u64; 2],
}

impl HashUnit {
    pub fn new(control: [u32; 2], record: &[u8]) -> Result<HashUnit, u32> {
        let method = method(control, record)?;
        if control[1] & !(MODE | DIGEST_CNT | ENCRYPT_HASH_RES) != 0 {
            return Err(INVALID_COMMAND);
        }
        Ok(HashUnit {
            method,
            finishes: control[0] & NO_FINISH_HASH == 0,
            is_first: HASH_FIRST.contains(&(control[0] & 15)),
            encrypts_result: control[1] & ENCRYPT_HASH_RES != 0,
            data: Vec::new(),
            lengths: [0; 2],
        })
    }

    /// Data, of which the cipher has the same or not, and which end a part of the message or not.
    pub fn add(&mut self, data: &[u8], is_text: bool, ends: bool) {
        self.data.extend_from_slice(data);
        self.lengths[usize::from(is_text)] += data.len() as u64;
        if matches!(self.method, Method::Ghash(_)) && ends {
            self.data.resize(self.data.len().next_multiple_of(16), 0);
        }
    }

    /// The result, or the state.
    pub fn result(&self) -> Result<Vec<u8>, u32> {
        let data = &self.data;
        match &self.method {
            Method::None => Err(INVALID_COMMAND),
            Method::Hash { function, state, count, outer } => {
                let mut hash = Hash::from(*function, state.state());
                let block = function.block_bytes();
                if !self.finishes {
                    hash.add(data);
                    let is_whole = data.len() % block == 0;
                    return is_whole.then(|| hash.state().to_vec()).ok_or(HASH_BLOCK_ERROR);
                }
                if let Some(outer) = outer {
                    let inner = hash.digest(*count, data);
                    hash = Hash::from(*function, outer.state());
                    hash.finish(block as u64, &inner);
                } else {
                    hash.finish(*count, data);
                }
                Ok(hash.state().to_vec())
            }
            Method::Ghash(key) => {
                let mut state = [0; 16];
                hash_on_by(*key, &mut state, data);
                let [aad, text] = self.lengths.map(|bytes| u128::from(8 * bytes));
                hash_on_by(*key, &mut state, &(aad << 64 | text).to_be_bytes());
                Ok(state.to_vec())
            }
            Method::Mac { key, whole, partial } => self.mac(key, whole, partial),
            Method::Crc32(from) => {
                let step = |crc: u32, _| if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ 0xedb8_8320 };
                let crc = data.iter().fold(!from, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step));
                Ok((!crc).to_le_bytes().to_vec())
            }
        }
    }

    /// CBC-MAC, CMAC (NIST SP 800-38B) or XCBC-MAC (RFC 3566), by the constants of the record.
    fn mac(&self, key: &[u8], whole: &[u8], partial: &[u8]) -> Result<Vec<u8>, u32> {
        let mut data = self.data.clone();
        let is_whole = data.len() % 16 == 0 && !data.is_empty();
        if self.finishes {
            if !is_whole {
                data.push(0x80);
                data.resize(data.len().next_multiple_of(16), 0);
            }
            let last = data.len() - 16;
            xor(&mut data[last..], if is_whole { whole } else { partial });
        } else if !is_whole {
            return Err(HASH_BLOCK_ERROR);
        }
        let mut state = [0; 16];
        for block in data.chunks_exact(16) {
            xor(&mut state, block);
            state = encrypted(key, &state).ok_or(INVALID_COMMAND)?;
        }
        Ok(state.to_vec())
    }
}

fn method(control: [u32; 2], record: &[u8]) -> Result<Method, u32> {
    // The operations without a hash are those with a cipher only.
    if [4, 5].contains(&(control[0] & 15)) {
        return Ok(Method::None);
    }
    let algorithm = control[0] >> 23 & 15;
    let part = |at: usize, len: usize| record.get(at..at + len).ok_or(INVALID_COMMAND);
    // Keys of these are in words of the other order.
    let swapped = |at: usize, len: usize| -> Result<Vec<u8>, u32> {
        Ok(part(at, len)?.chunks_exact(4).flat_map(|word| word.iter().rev()).copied().collect())
    };
    let form = control[0] >> 21 & 3;
    if form == 2 {
        return match algorithm {
            0 => {
                let word = part(0, 4)?.try_into().map_err(|_| INVALID_COMMAND)?;
                Ok(Method::Crc32(u32::from_le_bytes(word)))
            }
            1..=3 => Ok(Method::Mac {
                key: swapped(32, 8 + 8 * algorithm as usize)?,
                whole: swapped(0, 16)?,
                partial: swapped(16, 16)?,
            }),
            4 => Ok(Method::Ghash(swapped(0, 16)?.try_into().map_err(|_| INVALID_COMMAND)?)),
            _ => Err(PROHIBITED_ALGORITHM),
        };
    }
    let function = match algorithm {
        0 => HashFunction::Md5,
        2 => HashFunction::Sha1,
        3 => HashFunction::Sha256,
        4 => HashFunction::Sha224,
        5 => HashFunction::Sha512,
        6 => HashFunction::Sha384,
        _ => return Err(PROHIBITED_ALGORITHM),
    };
    let size = function.state_bytes();
    if form != 3 && control[0] & RESTART_HASH != 0 {
        return Ok(Method::Hash { function, state: Hash::new(function), count: 0, outer: None });
    }
    let state = Hash::from(function, part(0, size)?);
    match form {
        3 => {
            let outer = Some(Hash::from(function, part(size, size)?));
            Ok(Method::Hash { function, state, count: function.block_bytes() as u64, outer })
        }
        1 if control[1] & DIGEST_CNT != 0 => {
            let word = part(size, 4)?.try_into().map_err(|_| INVALID_COMMAND)?;
            let count = u64::from(u32::from_le_bytes(word)) * COUNTED;
            Ok(Method::Hash { function, state, count, outer: None })
        }
        // Without a count there is no end.
        1 if control[0] & NO_FINISH_HASH != 0 => Ok(Method::Hash { function, state, count: 0, outer: None }),
        _ => Err(INVALID_COMMAND),
    }
}
