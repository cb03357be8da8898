//! Which ciphers there are, and what differs between them.

use std::ffi::CStr;

use outboard_abi as abi;
use outboard_abi::Dispatch;
use outboard_accel::{Algorithm, advance};

use super::functions;
use crate::aead;

/// Room for an IV or a block of any cipher. How much of it counts, its kind says.
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

    /// Bytes that belong to the same block as what came before: what remains of their number.
    pub(crate) const fn mask(&self) -> usize {
        if matches!(self.mode, Mode::Xts) { 0 } else { self.block() - 1 }
    }
}

impl Mode {
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

const fn kind<const KIND: usize>(
    name: &'static str,
    names: &'static CStr,
    algorithm: Algorithm,
    mode: Mode,
    key_len: usize,
) -> Kind {
    let functions: &[Dispatch] = if mode.is_aead() {
        &Functions::<KIND>::AEAD
    } else if mode.is_whole() {
        &Functions::<KIND>::WHOLE
    } else {
        &Functions::<KIND>::TABLE
    };
    Kind { name, names, algorithm, mode, key_len, functions }
}

/// Every cipher.
#[rustfmt::skip]
pub(crate) static KINDS: [Kind; 18] = [
    kind::<0>("AES-128-CBC", c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", Algorithm::CbcAes, Mode::Cbc, 16),
    kind::<1>("AES-192-CBC", c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22", Algorithm::CbcAes, Mode::Cbc, 24),
    kind::<2>("AES-256-CBC", c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", Algorithm::CbcAes, Mode::Cbc, 32),
    kind::<3>("AES-128-CTR", c"AES-128-CTR", Algorithm::CtrAes, Mode::Ctr, 16),
    kind::<4>("AES-192-CTR", c"AES-192-CTR", Algorithm::CtrAes, Mode::Ctr, 24),
    kind::<5>("AES-256-CTR", c"AES-256-CTR", Algorithm::CtrAes, Mode::Ctr, 32),
    kind::<6>("AES-128-ECB", c"AES-128-ECB:2.16.840.1.101.3.4.1.1", Algorithm::EcbAes, Mode::Ecb, 16),
    kind::<7>("AES-192-ECB", c"AES-192-ECB:2.16.840.1.101.3.4.1.21", Algorithm::EcbAes, Mode::Ecb, 24),
    kind::<8>("AES-256-ECB", c"AES-256-ECB:2.16.840.1.101.3.4.1.41", Algorithm::EcbAes, Mode::Ecb, 32),
    kind::<9>("AES-128-XTS", c"AES-128-XTS:1.3.111.2.1619.0.1.1", Algorithm::XtsAes, Mode::Xts, 32),
    kind::<10>("AES-256-XTS", c"AES-256-XTS:1.3.111.2.1619.0.1.2", Algorithm::XtsAes, Mode::Xts, 64),
    kind::<11>("DES-EDE3-CBC", c"DES-EDE3-CBC:DES3:1.2.840.113549.3.7", Algorithm::CbcDes3Ede, Mode::Cbc, 24),
    kind::<12>("AES-128-GCM", c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", Algorithm::GcmAes, Mode::Gcm, 16),
    kind::<13>("AES-192-GCM", c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", Algorithm::GcmAes, Mode::Gcm, 24),
    kind::<14>("AES-256-GCM", c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", Algorithm::GcmAes, Mode::Gcm, 32),
    kind::<15>("AES-128-CCM", c"AES-128-CCM:id-aes128-CCM:2.16.840.1.101.3.4.1.7", Algorithm::CcmAes, Mode::Ccm, 16),
    kind::<16>("AES-192-CCM", c"AES-192-CCM:id-aes192-CCM:2.16.840.1.101.3.4.1.27", Algorithm::CcmAes, Mode::Ccm, 24),
    kind::<17>("AES-256-CCM", c"AES-256-CCM:id-aes256-CCM:2.16.840.1.101.3.4.1.47", Algorithm::CcmAes, Mode::Ccm, 32),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_can_be_named_in_the_configuration_and_each_name_is_a_kind() {
        assert!(KINDS.iter().map(|kind| kind.name).eq(outboard_policy::CIPHERS));
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
            assert!(kind.names.to_str().is_ok_and(|names| names.split(':').next() == Some(kind.name)));
        }
    }
}
