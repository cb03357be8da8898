//! Digests. The units of the C7 pad a message and end it themselves, so a message must be hashed as
//! a whole.

use std::ptr::null;

use super::instructions::{Aligned, HASH, Operands, SHA1, SHA256, execute};
use crate::hash::fits;
use crate::memory::boxed;
use crate::{Digest, DriverName, Error, Hash, HashSession};

/// In bytes. The provider gathers no longer messages.
const LONGEST: usize = 1 << 20;

/// The initial values of FIPS 180-4, 5.3.1 and 5.3.3, as numbers of the CPU.
const SHA1_START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
const SHA256_START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

pub(super) struct PadlockHash {
    name: DriverName,
    hash: Hash,
}

impl PadlockHash {
    pub(super) fn new(name: DriverName, hash: Hash) -> PadlockHash {
        PadlockHash { name, hash }
    }
}

impl HashSession for PadlockHash {
    fn max_request(&self) -> usize {
        LONGEST
    }

    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error> {
        fits(message, self.hash.openssl_name(), LONGEST)?;
        // The unit may use 128 bytes from the start of the state.
        let mut state = Aligned([0_u32; 32]);
        let start: &[u32] = if self.hash == Hash::Sha1 { &SHA1_START } else { &SHA256_START };
        state.0[..start.len()].copy_from_slice(start);
        let operands = Operands {
            iv: std::ptr::null_mut(),
            key: null(),
            count: message.len(),
            control: null(),
            source: message.as_ptr(),
            destination: state.0.as_mut_ptr().cast(),
        };
        // SAFETY: a session exists only if the CPU has the unit. The message is readable for its
        // length, and the state is aligned and writable.
        unsafe {
            match self.hash {
                Hash::Sha1 => execute::<HASH, SHA1>(&operands),
                _ => execute::<HASH, SHA256>(&operands),
            }
        }
        let mut digest = [0; 64];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(&state.0[..start.len()]) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        Ok(Digest::new(digest, self.hash.digest_len()))
    }

    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(PadlockHash::new(DriverName::clone(&self.name), self.hash))?)
    }
}
