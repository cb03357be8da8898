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
}
