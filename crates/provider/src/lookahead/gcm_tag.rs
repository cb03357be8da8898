//! The tag of a GCM message whose text was not processed by OpenSSL.
//!
//! GHASH is the default provider's own. Its GCM context authenticates additional data only: the
//! message's additional data A and ciphertext C, each padded with zeros to whole blocks. Under the
//! same nonce this yields E_K(J0) xor GHASH(pad(A) || pad(C) || L'), where L' contains the length of
//! both paddings together. The tag of the message (SP 800-38D, 7.1) has L, with the lengths of A and
//! C, in place of L'. GHASH is linear in its last block, so the two differ by (L xor L') times H.
//!
//! H = E_K(0) is secret. L xor L' is public: its bits select multiples of H that were computed in
//! constant time.

use outboard_abi::name;

use super::counters::BLOCK;
use super::length_block::HashMultiples;
use crate::block_cipher::BlockEncryption;
use crate::software::SoftContext;
use outboard_accel::wipe;

/// Length of a tag in bytes.
pub(crate) const TAG: usize = 16;

/// Computes tags under one key.
pub(crate) struct GcmTag {
    /// A GCM context for encryption with the key.
    context: SoftContext,
    multiples: HashMultiples,
}

impl GcmTag {
    /// `context` is a GCM context for encryption with a key, `cipher` its block cipher. `None` if
    /// the default provider fails, or without memory.
    pub(crate) fn new(context: SoftContext, cipher: &dyn BlockEncryption) -> Option<GcmTag> {
        let mut hash_key = [0; BLOCK];
        if !cipher.encrypt(&mut hash_key) {
            return None;
        }
        let multiples = HashMultiples::new(&hash_key);
        wipe(&mut hash_key);
        Some(GcmTag { context, multiples: multiples? })
    }

    /// The tag of a message. `None` if the default provider fails.
    pub(crate) fn compute(&self, nonce: &[u8], aad: &[u8], ciphertext: &[u8]) -> Option<[u8; TAG]> {
        let mut tag = [0; TAG];
        let context = &self.context;
        let done = context.set_iv(true, nonce)
            && self.authenticate(aad)
            && self.authenticate(ciphertext)
            && context.end()
            && context.get_octets(name::AEAD_TAG, &mut tag);
        done.then(|| {
            let padded = aad.len().next_multiple_of(BLOCK) + ciphertext.len().next_multiple_of(BLOCK);
            let lengths = bits(aad.len()) << 64 | bits(ciphertext.len());
            self.multiples.add_product(&mut tag, lengths ^ bits(padded) << 64);
            tag
        })
    }

    /// Passes bytes as additional data, padded with zeros to whole blocks.
    fn authenticate(&self, bytes: &[u8]) -> bool {
        let padding = bytes.len().wrapping_neg() % BLOCK;
        self.context.add_associated(bytes) && self.context.add_associated(&[0; BLOCK][..padding])
    }
}

impl SoftContext {
    /// Ends a message without a text.
    fn end(&self) -> bool {
        let mut nothing = [0; TAG];
        let mut written = 0;
        // SAFETY: a context of this cipher; final writes at most a block.
        let done =
            unsafe { (self.functions.finish)(self.at, nothing.as_mut_ptr(), &mut written, nothing.len()) };
        done == 1
    }
}

fn bits(bytes: usize) -> u128 {
    bytes as u128 * 8
}
