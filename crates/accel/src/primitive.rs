//! Ciphers, digests and HMAC alike: the algorithms that OpenSSL has under one name.

use outboard_catalog::kernel_name;

use crate::{Algorithm, HashAlgorithm};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    Cipher(Algorithm),
    Hash(HashAlgorithm),
}

impl Primitive {
    pub fn by_kernel_name(name: &str) -> Option<Primitive> {
        let hash = || HashAlgorithm::by_kernel_name(name).map(Primitive::Hash);
        Algorithm::by_kernel_name(name).map(Primitive::Cipher).or_else(hash)
    }

    pub fn kernel_name(self) -> &'static str {
        match self {
            Primitive::Cipher(algorithm) => algorithm.kernel_name(),
            Primitive::Hash(algorithm) => algorithm.kernel_name(),
        }
    }

    /// Returns the algorithm by OpenSSL's name of a cipher or a digest; an HMAC is `HMAC-SHA1`.
    pub fn by_openssl_name(name: &str) -> Option<Primitive> {
        Primitive::by_kernel_name(kernel_name(name)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openssl_s_names_lead_to_the_kernel_s() {
        let of_openssl = |name| Primitive::by_openssl_name(name).map(Primitive::kernel_name);
        assert_eq!([of_openssl("SHA1"), of_openssl("AES-128-CCM")], [Some("sha1"), Some("ccm(aes)")]);
        assert_eq!(of_openssl("MD5"), None);
    }
}
