//! Lookups by OpenSSL's names.

use crate::ciphers::CIPHERS;
use crate::hash_rows::Hash;
use crate::hashes::HashAlgorithm;

/// The kernel's name of the algorithm for a cipher or digest with OpenSSL's first name, or for an
/// HMAC with outboard's name (`HMAC-SHA1`).
pub fn kernel_name(name: &str) -> Option<&'static str> {
    let cipher = CIPHERS.iter().find(|cipher| cipher.name == name);
    cipher.map(|cipher| cipher.algorithm.kernel_name()).or_else(|| {
        let names = |hash: Hash| [hash.openssl_name(), hash.hmac_name()];
        let hash = |algorithm: &HashAlgorithm| names(algorithm.hash)[usize::from(algorithm.hmac)] == name;
        HashAlgorithm::all().find(hash).map(HashAlgorithm::kernel_name)
    })
}

/// The default threshold in bytes for a cipher or a digest with OpenSSL's first name, in upper or
/// lower case; `usize::MAX`, which no request reaches, for any other name.
pub fn default_threshold(name: &str) -> usize {
    if let Some(cipher) = CIPHERS.iter().find(|cipher| cipher.name.eq_ignore_ascii_case(name)) {
        return cipher.algorithm.row().default_threshold;
    }
    let hash = Hash::ALL.into_iter().find(|hash| hash.openssl_name().eq_ignore_ascii_case(name));
    hash.map_or(usize::MAX, Hash::default_threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphers::CIPHER_NAMES;
    use crate::hashes::{DIGEST_NAMES, HMAC_NAMES};

    #[test]
    fn every_name_of_openssl_has_a_name_in_the_kernel() {
        for name in CIPHER_NAMES.into_iter().chain(DIGEST_NAMES).chain(HMAC_NAMES) {
            assert!(kernel_name(name).is_some(), "{name}");
        }
        assert_eq!(kernel_name("AES-128-GCM"), Some("gcm(aes)"));
        assert_eq!(kernel_name("DES-EDE3-CBC"), Some("cbc(des3_ede)"));
        assert_eq!(kernel_name("SHA2-256"), Some("sha256"));
        assert_eq!(kernel_name("HMAC-SHA2-256"), Some("hmac(sha256)"));
        assert_eq!((kernel_name("MD5"), kernel_name("HMAC-MD5")), (None, None));
    }

    #[test]
    fn ciphers_and_digests_have_default_thresholds() {
        let thresholds = ["aes-128-cbc", "SHA2-512", "MD5"].map(default_threshold);
        assert_eq!(thresholds, [4096, 16 * 1024, usize::MAX]);
    }
}
