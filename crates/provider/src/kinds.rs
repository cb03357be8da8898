//! The supported ciphers and the differences between them.

use std::ffi::CStr;

use outboard_abi as abi;
use outboard_accel::{Algorithm, advance};
use outboard_catalog::{CIPHERS, OpenSslCipher};

/// Buffer for an IV or a block of any cipher. `Kind` contains the length in use.
pub(crate) type Block = [u8; 16];

pub(crate) struct Kind {
    /// OpenSSL's primary name.
    pub(crate) name: &'static str,
    /// All names in OpenSSL, as the default provider lists them.
    pub(crate) names: &'static CStr,
    pub(crate) algorithm: Algorithm,
    pub(crate) mode: Mode,
    pub(crate) key_len: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Mode {
    Cbc,
    Ctr,
    Ecb,
    Xts,
    Gcm,
    Ccm,
}

impl Kind {
    pub(crate) const fn iv_len(&self) -> usize {
        self.algorithm.iv_len()
    }

    pub(crate) const fn block(&self) -> usize {
        self.algorithm.block_len()
    }

    /// OpenSSL's name in ECB mode with this key length; for XTS, with half of it.
    pub(crate) const fn block_cipher(&self) -> &'static str {
        match (self.algorithm, self.mode, self.key_len) {
            (Algorithm::CbcDes3Ede, ..) => "DES-EDE3-ECB",
            (_, Mode::Xts, 32) | (_, _, 16) => "AES-128-ECB",
            (_, _, 24) => "AES-192-ECB",
            _ => "AES-256-ECB",
        }
    }

    /// Block size as defined by EVP, in bytes: 1 for modes that accept any length.
    pub(crate) const fn evp_block(&self) -> usize {
        if self.mode.holds_data() { self.block() } else { 1 }
    }

    pub(crate) const fn mask(&self) -> usize {
        if matches!(self.mode, Mode::Xts) { 0 } else { self.block() - 1 }
    }
}

impl Mode {
    pub(crate) const fn of(algorithm: Algorithm) -> Mode {
        match algorithm {
            Algorithm::CbcAes | Algorithm::CbcDes3Ede => Mode::Cbc,
            Algorithm::CtrAes => Mode::Ctr,
            Algorithm::EcbAes => Mode::Ecb,
            Algorithm::XtsAes => Mode::Xts,
            Algorithm::GcmAes => Mode::Gcm,
            Algorithm::CcmAes => Mode::Ccm,
        }
    }

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

    /// Data is buffered until its block is complete, and the last block is padded.
    pub(crate) const fn holds_data(self) -> bool {
        matches!(self, Mode::Cbc | Mode::Ecb)
    }

    pub(crate) const fn is_aead(self) -> bool {
        matches!(self, Mode::Gcm | Mode::Ccm)
    }

    /// Each update is independent: it must not be split.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, Mode::Xts)
    }

    /// After `blocks` blocks, the last of which has the ciphertext `secret`.
    pub(crate) fn advance(self, iv: Block, blocks: usize, secret: &Block) -> Block {
        match self {
            Mode::Cbc => *secret,
            Mode::Ctr => advance(iv, blocks),
            Mode::Ecb | Mode::Xts | Mode::Gcm | Mode::Ccm => iv,
        }
    }
}

const fn kind<const KIND: usize>() -> Kind {
    let OpenSslCipher { name, names, algorithm, key_len } = CIPHERS[KIND];
    Kind { name, names, algorithm, mode: Mode::of(algorithm), key_len }
}

/// Every cipher of the catalog, at the same index.
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
}
