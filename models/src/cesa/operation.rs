//! The security accelerator: one operation, by a descriptor in the SRAM (struct cesa_sa_hdesc).

use super::key::decryption_key;
use super::{Cesa, DESCRIPTOR, SRAM, word};
use crate::block::{Cipher, Direction, crypt};
use crate::faults::Faults;

/// Where Linux's driver lets the data begin (CESA_SA_DATA_SRAM_OFFSET): what is damaged in a request
/// without TDMA.
pub(super) const LINUX_DATA: usize = 0x80;

/// Fields of the descriptor's first word: the operation (CESA_CSHD_ENC is 1), the cipher
/// (CESA_CSHD_DES, _3DES, _AES), decryption, CBC, the order of triple DES, the length of an AES key.
const OPERATION: u32 = 3;
const CIPHER_ONLY: u32 = 1;
const DECRYPT: u32 = 1 << 12;
const CBC: u32 = 1 << 16;
const EDE: u32 = 1 << 20;

impl Cesa {
    /// Executes the descriptor. Returns the number of bytes of a cipher.
    pub(super) fn operate(&mut self, faults: &mut Faults) -> u32 {
        faults.counts.operations += 1;
        let at = self.sa(DESCRIPTOR) as usize % SRAM;
        let fields: [u32; 5] = std::array::from_fn(|i| word(&self.sram, at + 4 * i));
        faults.trace(|| format!("SA: {fields:08x?}"));
        if fields[0] & OPERATION != CIPHER_ONLY {
            faults.counts.unsupported += 1;
            return 0;
        }
        match self.cipher(fields) {
            Some(bytes) => bytes,
            None => {
                faults.counts.dma_errors += 1;
                0
            }
        }
    }

    /// None if a pointer leaves the SRAM, or the configuration names no cipher.
    fn cipher(&mut self, [config, data, len, key, iv]: [u32; 5]) -> Option<u32> {
        let (from, to) = halves(data);
        let (iv_at, iv_after) = halves(iv);
        let direction = if config & DECRYPT != 0 { Direction::Decrypt } else { Direction::Encrypt };
        let (cipher, block, key_len) = match config >> 8 & 3 {
            1 => (Cipher::Des, 8, 8),
            2 if config & EDE != 0 => (Cipher::Des, 8, 24),
            3 => (Cipher::Aes, 16, 16 + 8 * (config >> 24 & 3) as usize),
            _ => return None,
        };
        let key = self.slice(key as usize, key_len)?.to_vec();
        let key = match (cipher, direction) {
            (Cipher::Aes, Direction::Decrypt) => decryption_key(&key),
            _ => key,
        };
        let mut data = self.slice(from, len as usize)?.to_vec();
        let mut chain = if config & CBC != 0 { Some(self.slice(iv_at, block)?.to_vec()) } else { None };
        if !crypt(cipher, &key, direction, chain.as_deref_mut(), &mut data) {
            return None;
        }
        self.slice(to, data.len())?.copy_from_slice(&data);
        if let Some(chain) = chain {
            self.slice(iv_after, block)?.copy_from_slice(&chain);
        }
        Some(len)
    }

    fn slice(&mut self, at: usize, len: usize) -> Option<&mut [u8]> {
        self.sram.get_mut(at..at.checked_add(len)?)
    }
}

/// Two pointers in one word: the lower half first.
fn halves(word: u32) -> (usize, usize) {
    ((word & 0xffff) as usize, (word >> 16) as usize)
}
