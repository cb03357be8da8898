//! The algorithm of a session: a cipher, an AEAD, or AES-CBC with HMAC.

use outboard_catalog::Split;

use crate::mode::{driver_iv, max_data_len};
use crate::{Algorithm, Authenc, Direction};

/// What a session's requests must look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SessionAlgorithm {
    Cipher(Algorithm),
    Authenc(Authenc),
}

impl From<Algorithm> for SessionAlgorithm {
    fn from(algorithm: Algorithm) -> SessionAlgorithm {
        SessionAlgorithm::Cipher(algorithm)
    }
}

impl SessionAlgorithm {
    pub(crate) const fn kernel_name(self) -> &'static str {
        match self {
            SessionAlgorithm::Cipher(algorithm) => algorithm.kernel_name(),
            SessionAlgorithm::Authenc(algorithm) => algorithm.kernel_name(),
        }
    }

    pub(crate) const fn block_len(self) -> usize {
        match self {
            SessionAlgorithm::Cipher(algorithm) => algorithm.block_len(),
            SessionAlgorithm::Authenc(_) => Authenc::BLOCK_LEN,
        }
    }

    pub(crate) const fn has_tags(self) -> bool {
        match self {
            SessionAlgorithm::Cipher(algorithm) => algorithm.has_tags(),
            SessionAlgorithm::Authenc(_) => true,
        }
    }

    pub(crate) const fn takes_iv(self, len: usize) -> bool {
        match self {
            SessionAlgorithm::Cipher(algorithm) => algorithm.takes_iv(len),
            SessionAlgorithm::Authenc(_) => len == Authenc::BLOCK_LEN,
        }
    }

    /// Whether the length of a text under an IV of `iv_len` bytes is within the algorithm's limits.
    pub(crate) fn takes_text(self, len: usize, iv_len: usize) -> bool {
        let longest = match self {
            SessionAlgorithm::Cipher(algorithm) => max_data_len(algorithm, iv_len),
            SessionAlgorithm::Authenc(_) if len == 0 => return false,
            SessionAlgorithm::Authenc(_) => usize::MAX,
        };
        len <= longest && len % self.block_len() == 0
    }

    pub(crate) const fn split(self) -> Split {
        match self {
            SessionAlgorithm::Cipher(algorithm) => algorithm.split(),
            SessionAlgorithm::Authenc(_) => Split::Never,
        }
    }

    pub(crate) const fn can_be_cut(self, direction: Direction) -> bool {
        match self {
            SessionAlgorithm::Cipher(algorithm) => algorithm.can_be_cut(direction),
            SessionAlgorithm::Authenc(_) => false,
        }
    }

    /// The IV in the form that drivers expect, padded with zeros.
    pub(crate) fn driver_iv(self, iv: &[u8]) -> [u8; 16] {
        match self {
            SessionAlgorithm::Cipher(algorithm) => driver_iv(algorithm, iv).0,
            SessionAlgorithm::Authenc(_) => driver_iv(Algorithm::CbcAes, iv).0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_authenc_is_whole_blocks_and_at_least_one() {
        for algorithm in Authenc::ALL.map(SessionAlgorithm::Authenc) {
            let fits = [0, 1, 15, 16, 17, 48, 65_536].map(|len| algorithm.takes_text(len, 16));
            assert_eq!(fits, [false, false, false, true, false, true, true]);
            assert!(algorithm.takes_iv(16) && !algorithm.takes_iv(12));
            assert_eq!(algorithm.driver_iv(&[7; 16]), [7; 16]);
        }
    }

    #[test]
    fn the_limit_of_ccm_holds_with_its_longest_nonce_only() {
        let ccm = SessionAlgorithm::from(Algorithm::CcmAes);
        assert!(ccm.takes_text(0xffff, 13) && !ccm.takes_text(0x1_0000, 13) && ccm.takes_text(0x1_0000, 12));
    }
}
