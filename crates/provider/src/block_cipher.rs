//! The block cipher by which results of drivers are recomputed.

use std::ffi::c_void;

use crate::kinds::{Block, Mode};
use crate::software::{SoftCipher, SoftContext};

pub(crate) trait BlockEncryption {
    /// Encrypts whole blocks in place. False if that fails.
    fn encrypt(&self, blocks: &mut [u8]) -> bool;

    /// Encrypts the tweak of XTS in place, with the second half of the key. False if that fails.
    fn encrypt_tweak(&self, tweak: &mut Block) -> bool;
}

pub(crate) struct BlockCipher {
    data: SoftContext,
    /// For XTS: uses the second half of the key.
    tweak: Option<SoftContext>,
}

impl BlockCipher {
    /// `ecb` is the default provider's cipher in ECB mode for this key length; for XTS, for half of
    /// it.
    pub(crate) fn new(
        ecb: &'static SoftCipher,
        provider_context: *mut c_void,
        mode: Mode,
        key: &[u8],
    ) -> Option<BlockCipher> {
        let with_key = |key| SoftContext::with_key(ecb, provider_context, true, key, &[]);
        let (data, tweak) = if mode == Mode::Xts { key.split_at(key.len() / 2) } else { (key, &[][..]) };
        let tweak = if tweak.is_empty() { None } else { Some(with_key(tweak)?) };
        Some(BlockCipher { data: with_key(data)?, tweak })
    }
}

impl BlockEncryption for BlockCipher {
    fn encrypt(&self, blocks: &mut [u8]) -> bool {
        self.data.encrypt_blocks(blocks)
    }

    fn encrypt_tweak(&self, tweak: &mut Block) -> bool {
        self.tweak.as_ref().is_some_and(|cipher| cipher.encrypt_blocks(tweak))
    }
}

#[cfg(test)]
pub(crate) mod toy {
    use std::cell::Cell;

    use super::*;

    /// A block cipher for tests: a permutation of the blocks of 16 or 8 bytes.
    #[derive(Default)]
    pub(crate) struct Toy {
        /// Block size in bytes, if not 16.
        pub(crate) size: Option<usize>,
        /// Whether it fails.
        pub(crate) is_broken: bool,
        /// Number of blocks that were encrypted.
        pub(crate) count: Cell<usize>,
    }

    impl Toy {
        pub(crate) fn block(&self, block: &mut [u8], key: u128) {
            let mut wide = [0; 16];
            wide[..block.len()].copy_from_slice(block);
            let mask = u128::MAX >> (128 - 8 * block.len());
            let mut bits = u128::from_le_bytes(wide);
            for _ in 0..3 {
                bits = (bits ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) & mask;
                bits ^= bits >> (4 * block.len() + 1);
            }
            block.copy_from_slice(&bits.to_le_bytes()[..block.len()]);
        }
    }

    impl BlockEncryption for Toy {
        fn encrypt(&self, blocks: &mut [u8]) -> bool {
            for block in blocks.chunks_exact_mut(self.size.unwrap_or(16)) {
                self.count.set(self.count.get() + 1);
                self.block(block, 1);
            }
            !self.is_broken
        }

        fn encrypt_tweak(&self, tweak: &mut Block) -> bool {
            self.block(tweak, 2);
            !self.is_broken
        }
    }
}
