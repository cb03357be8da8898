//! The engines for AES and for AES in XTS mode.

use super::descriptor::Descriptor;
use super::{Ccp, ENTRY};
use crate::block::{Cipher, Direction, add_key_stream, count_32_bits, crypt, encrypted, hash_on, step, xor};

const BLOCK: usize = 16;

/// Modes (enum ccp_aes_mode).
const ECB: u32 = 0;
const CBC: u32 = 1;
const CTR: u32 = 4;
const CMAC: u32 = 5;
const GHASH: u32 = 6;
const GCTR: u32 = 7;

/// The fields of the function (union dword0, aes).
struct Function {
    /// The number of bits of the last block, less one: of the counter in CTR mode.
    size: usize,
    encrypts: bool,
    mode: u32,
    key_len: usize,
}

impl Function {
    fn of(command: &Descriptor) -> Option<Function> {
        let function = command.function();
        let key_len = *[16, 24, 32].get((function >> 13 & 3) as usize)?;
        Some(Function {
            size: (function & 0x7f) as usize,
            encrypts: function >> 7 & 1 != 0,
            mode: function >> 8 & 0x1f,
            key_len,
        })
    }

    fn direction(&self) -> Direction {
        if self.encrypts { Direction::Encrypt } else { Direction::Decrypt }
    }
}

impl Ccp {
    /// Processes `data`. Returns whether it is a result that is stored; None for what the engine does
    /// not have. The context has the IV, or the counter, in its lower half (LSB_ENTRY_IV), and the
    /// state of GHASH in its upper half.
    pub(super) fn aes(&mut self, command: &Descriptor, data: &mut Vec<u8>) -> Option<bool> {
        let function = Function::of(command)?;
        let key = self.key(command, 0, function.key_len)?;
        let mut context = self.context(command)?;
        let (state, iv) = context.split_at_mut(BLOCK);
        let is_result = match function.mode {
            ECB => crypt(Cipher::Aes, &key, function.direction(), None, data).then_some(true)?,
            CBC => crypt(Cipher::Aes, &key, function.direction(), Some(iv), data).then_some(true)?,
            // All bits of the counter block count (size is 127).
            CTR if function.size == 127 => {
                add_key_stream(&key, iv, data, |counter| counter.wrapping_add(1))?;
                true
            }
            CMAC if function.encrypts => {
                mac(&key, state, iv, data, command.ends_message())?;
                false
            }
            // The bit for encryption is set in the last command of a message (CCP_AES_MODE_GHASH_FINAL):
            // the lengths come in, the tag goes out.
            GHASH if function.encrypts => {
                hash_on(&key, state, data)?;
                data.clear();
                data.extend(encrypted(&key, iv)?.iter().zip(&*state).map(|(mask, hash)| mask ^ hash));
                state.fill(0);
                true
            }
            GHASH => {
                hash_on(&key, state, data)?;
                false
            }
            GCTR => {
                // The last block of a message may be a part: it is written whole, but not hashed.
                let rest = (function.size + 1) / 8;
                let is_part = command.ends_message() && (1..BLOCK).contains(&rest);
                let len = if is_part { data.len().checked_sub(BLOCK - rest)? } else { data.len() };
                if !function.encrypts {
                    hash_on(&key, state, &data[..len])?;
                }
                step(iv, count_32_bits);
                add_key_stream(&key, iv, data, count_32_bits)?;
                step_back(iv);
                if function.encrypts {
                    hash_on(&key, state, &data[..len])?;
                }
                true
            }
            _ => return None,
        };
        self.set_context(command, context)?;
        Some(is_result)
    }

    /// XTS (IEEE 1619). The keys are two entries of the LSB. The tweak is the lower half of the
    /// context, in the order of the standard's bytes. A message that goes on begins with the tweak
    /// that the command before has left there, which is an assumption.
    pub(super) fn xts(&mut self, command: &Descriptor, data: &mut [u8]) -> Option<bool> {
        let function = Function::of(command)?;
        let keys = [0, 1].map(|entry| self.key(command, entry, function.key_len));
        let [Some(key), Some(tweak_key)] = keys else { return None };
        let mut context = self.context(command)?;
        context.reverse();
        let mut tweak: [u8; BLOCK] = context[..BLOCK].try_into().ok()?;
        if command.starts_message() {
            tweak = encrypted(&tweak_key, &tweak)?;
        }
        if data.len() % BLOCK != 0 {
            return None;
        }
        for block in data.chunks_exact_mut(BLOCK) {
            xor(block, &tweak);
            crypt(Cipher::Aes, &key, function.direction(), None, block).then_some(())?;
            xor(block, &tweak);
            let value = u128::from_le_bytes(tweak);
            tweak = ((value << 1) ^ ((value >> 127) * 0x87)).to_le_bytes();
        }
        context[..BLOCK].copy_from_slice(&tweak);
        context.reverse();
        self.set_context(command, context)?;
        Some(true)
    }
}

/// The last counter that was used: GCTR adds one before each block.
fn step_back(iv: &mut [u8]) {
    step(iv, |counter| counter & !0xffff_ffff | u128::from((counter as u32).wrapping_sub(1)));
}

/// NIST SP 800-38B. The chain is in the IV's place. At the end of a message the subkey for the last
/// block is in the upper half of the context (Linux: ccp_run_aes_cmac_cmd).
fn mac(key: &[u8], subkey: &[u8], chain: &mut [u8], data: &mut [u8], is_end: bool) -> Option<()> {
    if data.len() % BLOCK != 0 {
        return None;
    }
    if let (true, Some(last)) = (is_end, data.chunks_exact_mut(BLOCK).last()) {
        xor(last, subkey);
    }
    for block in data.chunks_exact(BLOCK) {
        xor(chain, block);
        chain.copy_from_slice(&encrypted(key, chain)?);
    }
    Some(())
}

const _: () = assert!(ENTRY == 2 * BLOCK);
