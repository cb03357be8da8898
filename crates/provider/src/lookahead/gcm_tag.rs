//! The tag of a GCM message whose text was not processed by OpenSSL.
//!
//! GHASH is `outboard_ghash`'s where it is better than OpenSSL's, and the default provider's own
//! elsewhere. Its GCM context authenticates additional data only: the
//! message's additional data A and ciphertext C, each padded with zeros to whole blocks. Under the
//! same nonce this yields E_K(J0) xor GHASH(pad(A) || pad(C) || L'), where L' contains the length of
//! both paddings together. The tag of the message (SP 800-38D, 7.1) has L, with the lengths of A and
//! C, in place of L'. GHASH is linear in its last block, so the two differ by (L xor L') times H.
//!
//! H = E_K(0) is secret. L xor L' is public: its bits select multiples of H that were computed in
//! constant time.

use outboard_abi::name;
use outboard_accel::wipe;
use outboard_ghash::Powers;

use super::counters::BLOCK;
use super::length_block::HashMultiples;
use crate::block_cipher::BlockEncryption;
use crate::software::SoftContext;

pub(crate) const TAG: usize = 16;

pub(crate) enum GcmTag {
    Powers(Powers),
    Default { context: SoftContext, multiples: HashMultiples },
}

impl GcmTag {
    /// `context` makes a GCM context for encryption with a key, `cipher` is its block cipher.
    pub(crate) fn new(
        context: impl FnOnce() -> Option<SoftContext>,
        cipher: &dyn BlockEncryption,
    ) -> Option<GcmTag> {
        let mut hash_key = [0; BLOCK];
        if !cipher.encrypt(&mut hash_key) {
            return None;
        }
        let tag = GcmTag::with(&hash_key, context);
        wipe(&mut hash_key);
        tag
    }

    fn with(hash_key: &[u8; BLOCK], context: impl FnOnce() -> Option<SoftContext>) -> Option<GcmTag> {
        if let Some(powers) = Powers::new(hash_key) {
            return Some(GcmTag::Powers(powers));
        }
        Some(GcmTag::Default { multiples: HashMultiples::new(hash_key)?, context: context()? })
    }

    /// `cipher` is the block cipher with the key. `None` if the default provider fails.
    pub(crate) fn compute(
        &self,
        cipher: &dyn BlockEncryption,
        nonce: &[u8],
        aad: &[u8],
        ciphertext: &[u8],
    ) -> Option<[u8; TAG]> {
        match self {
            GcmTag::Powers(powers) => {
                let mut tag = [0; TAG];
                tag[..nonce.len()].copy_from_slice(nonce);
                tag[TAG - 1] = 1;
                let hash = cipher.encrypt(&mut tag).then(|| powers.of_message(aad, ciphertext))?;
                tag.iter_mut().zip(hash).for_each(|(byte, hash)| *byte ^= hash);
                Some(tag)
            }
            GcmTag::Default { context, multiples } => {
                let mut tag = [0; TAG];
                let done = context.set_iv(true, nonce)
                    && context.authenticate(aad)
                    && context.authenticate(ciphertext)
                    && context.end()
                    && context.get_octets(name::AEAD_TAG, &mut tag);
                done.then(|| {
                    let whole = |bytes: &[u8]| bytes.len().next_multiple_of(BLOCK);
                    let padded = whole(aad) + whole(ciphertext);
                    let lengths = bits(aad.len()) << 64 | bits(ciphertext.len());
                    multiples.add_product(&mut tag, lengths ^ bits(padded) << 64);
                    tag
                })
            }
        }
    }
}

impl SoftContext {
    /// Passes bytes as additional data, padded with zeros to whole blocks.
    fn authenticate(&self, bytes: &[u8]) -> bool {
        let padding = bytes.len().wrapping_neg() % BLOCK;
        self.add_associated(bytes) && self.add_associated(&[0; BLOCK][..padding])
    }
}

fn bits(bytes: usize) -> u128 {
    bytes as u128 * 8
}
