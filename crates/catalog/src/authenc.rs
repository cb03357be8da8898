//! The combined algorithms: AES in CBC mode and HMAC in one request, encrypt-then-MAC. OpenSSL has no
//! cipher for them.

use outboard_uapi as uapi;

use crate::hash_rows::Hash;

/// AES in CBC mode, then HMAC of the additional data and the ciphertext. It has two keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Authenc {
    /// With HMAC-SHA1.
    HmacSha1CbcAes,
    /// With HMAC-SHA256.
    HmacSha256CbcAes,
}

impl Authenc {
    /// Every algorithm.
    pub const ALL: [Authenc; 2] = [Authenc::HmacSha1CbcAes, Authenc::HmacSha256CbcAes];

    /// Length of the IV and of a block of AES in bytes. A text is at least one block.
    pub const BLOCK_LEN: usize = 16;

    /// Lengths of the key of AES in bytes.
    pub const CIPHER_KEY_LENS: [usize; 3] = [16, 24, 32];

    /// The algorithm of this name in the kernel.
    pub fn by_kernel_name(name: &str) -> Option<Authenc> {
        Self::ALL.into_iter().find(|algorithm| algorithm.kernel_name() == name)
    }

    /// Its name in the kernel (`/proc/crypto`, field `name`).
    pub const fn kernel_name(self) -> &'static str {
        match self {
            Authenc::HmacSha1CbcAes => "authenc(hmac(sha1),cbc(aes))",
            Authenc::HmacSha256CbcAes => "authenc(hmac(sha256),cbc(aes))",
        }
    }

    /// Its number for /dev/outboard.
    pub const fn uapi_number(self) -> u16 {
        match self {
            Authenc::HmacSha1CbcAes => uapi::AUTHENC_HMAC_SHA1_CBC_AES,
            Authenc::HmacSha256CbcAes => uapi::AUTHENC_HMAC_SHA256_CBC_AES,
        }
    }

    /// The hash function of the MAC. A full tag, and the usual key of the MAC, are as long as its
    /// digest.
    pub const fn hash(self) -> Hash {
        match self {
            Authenc::HmacSha1CbcAes => Hash::Sha1,
            Authenc::HmacSha256CbcAes => Hash::Sha256,
        }
    }

    /// Length of the tag in ESP, in bytes (RFC 2404, RFC 4868).
    pub const fn esp_tag(self) -> usize {
        match self {
            Authenc::HmacSha1CbcAes => 12,
            Authenc::HmacSha256CbcAes => 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, HashAlgorithm};

    #[test]
    fn the_kernel_s_name_consists_of_those_of_its_parts() {
        for algorithm in Authenc::ALL {
            let hmac = HashAlgorithm { hash: algorithm.hash(), hmac: true }.kernel_name();
            let cipher = Algorithm::CbcAes.kernel_name();
            assert_eq!(algorithm.kernel_name(), format!("authenc({hmac},{cipher})"));
            assert_eq!(Authenc::by_kernel_name(algorithm.kernel_name()), Some(algorithm));
        }
        assert_eq!(Authenc::by_kernel_name("authenc(hmac(md5),cbc(aes))"), None);
    }

    #[test]
    fn a_tag_is_no_longer_than_the_digest_and_the_interface_allows() {
        for algorithm in Authenc::ALL {
            let full = algorithm.hash().digest_len();
            assert!(algorithm.esp_tag() <= full && full <= uapi::MAX_TAG, "{algorithm:?}");
        }
    }

    #[test]
    fn no_number_is_that_of_another_algorithm() {
        let [one, other] = Authenc::ALL.map(Authenc::uapi_number);
        assert_ne!(one, other);
        let numbers = Algorithm::ALL.map(Algorithm::uapi_number);
        let hashes = HashAlgorithm::all().map(HashAlgorithm::uapi_number);
        assert!(numbers.into_iter().chain(hashes).all(|number| number != one && number != other));
    }
}
