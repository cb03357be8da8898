//! Which ciphers there are, and what differs between them.

use std::ffi::CStr;

use outboard_abi as abi;
use outboard_abi::Dispatch;
use outboard_accel::{Algorithm, advance};
use outboard_catalog::{CIPHERS, OpenSslCipher};

use super::functions;
use crate::aead;

/// Room for an IV or a block of any cipher. Its kind has the length in use.
pub(crate) type Block = [u8; 16];

/// What is fixed about a cipher that we can offer.
pub(crate) struct Kind {
    /// OpenSSL's first name for it.
    pub(crate) name: &'static str,
    /// All of OpenSSL's names for it, as the default provider lists them.
    pub(crate) names: &'static CStr,
    /// What a driver must do for it.
    pub(crate) algorithm: Algorithm,
    /// How blocks follow each other.
    pub(crate) mode: Mode,
    /// Bytes of the key.
    pub(crate) key_len: usize,
    /// Our functions for it.
    pub(crate) functions: &'static [Dispatch],
}

/// How blocks follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Cbc,
    Ctr,
    Ecb,
    Xts,
    Gcm,
    Ccm,
}

impl Kind {
    /// Bytes of the IV.
    pub(crate) const fn iv_len(&self) -> usize {
        self.algorithm.iv_len()
    }

    /// Bytes of the cipher's block, a power of two.
    pub(crate) const fn block(&self) -> usize {
        self.algorithm.block_len()
    }

    /// OpenSSL's name for the block cipher in ECB mode, with keys of this cipher's length, or of half of it for XTS.
    pub(crate) const fn block_cipher(&self) -> &'static str {
        match (self.algorithm, self.mode, self.key_len) {
            (Algorithm::CbcDes3Ede, ..) => "DES-EDE3-ECB",
            (_, Mode::Xts, 32) | (_, _, 16) => "AES-128-ECB",
            (_, _, 24) => "AES-192-ECB",
            _ => "AES-256-ECB",
        }
    }

    /// Bytes of what EVP calls a block: 1 where any length can be done.
    pub(crate) const fn evp_block(&self) -> usize {
        if self.mode.holds_data() { self.block() } else { 1 }
    }

    /// Masks the position within a block out of a byte count.
    pub(crate) const fn mask(&self) -> usize {
        if matches!(self.mode, Mode::Xts) { 0 } else { self.block() - 1 }
    }
}

impl Mode {
    const fn of(algorithm: Algorithm) -> Mode {
        match algorithm {
            Algorithm::CbcAes | Algorithm::CbcDes3Ede => Mode::Cbc,
            Algorithm::CtrAes => Mode::Ctr,
            Algorithm::EcbAes => Mode::Ecb,
            Algorithm::XtsAes => Mode::Xts,
            Algorithm::GcmAes => Mode::Gcm,
            Algorithm::CcmAes => Mode::Ccm,
        }
    }

    /// OpenSSL's number for it.
    pub(crate) const fn number(self) -> u32 {
        match self {
            Mode::Cbc => abi::EVP_CIPH_CBC_MODE,
            Mode::Ctr => abi::EVP_CIPH_CTR_MODE,
            Mode::Ecb => abi::EVP_CIPH_ECB_MODE,
            Mode::Xts => abi::EVP_CIPH_XTS_MODE,
            Mode::Gcm => abi::EVP_CIPH_GCM_MODE,
            Mode::Ccm => abi::EVP_CIPH_CCM_MODE,
        }
    }

    /// Whether data waits until its block is full, and the last one is padded.
    pub(crate) const fn holds_data(self) -> bool {
        matches!(self, Mode::Cbc | Mode::Ecb)
    }

    /// Whether it authenticates what it encrypts: then its contexts are those of [`crate::aead`].
    pub(crate) const fn is_aead(self) -> bool {
        matches!(self, Mode::Gcm | Mode::Ccm)
    }

    /// Whether each update stands by itself: its bytes are not to be cut, and leave nothing to go on from.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, Mode::Xts)
    }

    /// The IV to go on from after `blocks` blocks, the last of which was encrypted to `secret`.
    pub(crate) fn advance(self, iv: Block, blocks: usize, secret: &Block) -> Block {
        match self {
            Mode::Cbc => *secret,
            Mode::Ctr => advance(iv, blocks),
            Mode::Ecb | Mode::Xts | Mode::Gcm | Mode::Ccm => iv,
        }
    }
}

/// The functions of a kind by its place in [`KINDS`].
struct Functions<const KIND: usize>;

impl<const KIND: usize> Functions<KIND> {
    const TABLE: [Dispatch; 19] = functions::<KIND, true>();
    const WHOLE: [Dispatch; 19] = functions::<KIND, false>();
    const AEAD: [Dispatch; 15] = aead::functions::<KIND>();
}

/// The cipher at this place of the catalog, with its functions.
const fn kind<const KIND: usize>() -> Kind {
    let OpenSslCipher { name, names, algorithm, key_len } = CIPHERS[KIND];
    let mode = Mode::of(algorithm);
    let functions: &[Dispatch] = if mode.is_aead() {
        &Functions::<KIND>::AEAD
    } else if mode.is_whole() {
        &Functions::<KIND>::WHOLE
    } else {
        &Functions::<KIND>::TABLE
    };
    Kind { name, names, algorithm, mode, key_len, functions }
}

/// Every cipher of the catalog, at the same place.
#[rustfmt::skip]
pub(crate) static KINDS: [Kind; CIPHERS.len()] = [
    kind::<0>(), kind::<1>(), kind::<2>(), kind::<3>(), kind::<4>(), kind::<5>(), kind::<6>(), kind::<7>(), kind::<8>(),
    kind::<9>(), kind::<10>(), kind::<11>(), kind::<12>(), kind::<13>(), kind::<14>(), kind::<15>(), kind::<16>(),
    kind::<17>(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_at_its_place_of_the_catalog() {
        assert!(KINDS.iter().map(|kind| kind.name).eq(outboard_catalog::CIPHER_NAMES));
    }

    #[test]
    fn the_tables_are_in_their_places() {
        for (place, kind) in KINDS.iter().enumerate() {
            let mut key_len = 0;
            let mut params = [abi::Param::give_size(abi::name::KEYLEN, &mut key_len), abi::end()];
            // SAFETY: the table's function of that number has this type; the array ends as it must.
            unsafe {
                let found =
                    abi::find(kind.functions.as_ptr(), abi::CIPHER_GET_PARAMS).expect("in every table");
                let get_params = std::mem::transmute::<abi::Function, abi::CipherGetParams>(found);
                assert_eq!(get_params(params.as_mut_ptr()), 1);
            }
            assert_eq!(key_len, kind.key_len, "{place}: {}", kind.name);
        }
    }
}
