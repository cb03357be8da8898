//! The hash functions, one row each. A new one needs a variant of [`Hash`], a position in the order
//! of use, and a row at its variant's position.

use std::ffi::CStr;

use outboard_uapi as uapi;

/// A hash function of FIPS 180-4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hash {
    /// SHA-1, 20 bytes.
    Sha1,
    /// SHA-224, 28 bytes.
    Sha224,
    /// SHA-256, 32 bytes.
    Sha256,
    /// SHA-384, 48 bytes.
    Sha384,
    /// SHA-512, 64 bytes.
    Sha512,
}

impl Hash {
    /// Every hash function, those that most applications use first.
    pub const MOST_USED_FIRST: [Hash; HASH_ROWS.len()] =
        [Hash::Sha256, Hash::Sha1, Hash::Sha512, Hash::Sha384, Hash::Sha224];
}

/// Fixed properties of a hash function and its HMAC. Sizes are in bytes. In a pair, the first value
/// is for the digest, the second for the HMAC.
pub(crate) struct HashRow {
    pub(crate) hash: Hash,
    /// As in `/proc/crypto`, field `name`.
    pub(crate) kernel_names: [&'static str; 2],
    /// For /dev/outboard (linux/outboard.h).
    pub(crate) uapi_numbers: [u16; 2],
    /// For /dev/crypto (crypto/cryptodev.h of cryptodev-linux).
    pub(crate) cryptodev_numbers: [u32; 2],
    pub(crate) digest_len: usize,
    pub(crate) block_len: usize,
    /// All of OpenSSL's names for the digest, as the default provider lists them.
    pub(crate) openssl_names: &'static CStr,
    /// outboard's name for the HMAC, which has no name of its own in OpenSSL.
    pub(crate) hmac_name: &'static str,
}

/// In the order of [`Hash`]'s variants.
pub(crate) static HASH_ROWS: [HashRow; 5] = [
    HashRow {
        hash: Hash::Sha1,
        kernel_names: ["sha1", "hmac(sha1)"],
        uapi_numbers: [uapi::SHA1, uapi::HMAC_SHA1],
        cryptodev_numbers: [14, 7],
        digest_len: 20,
        block_len: 64,
        openssl_names: c"SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26",
        hmac_name: "HMAC-SHA1",
    },
    HashRow {
        hash: Hash::Sha224,
        kernel_names: ["sha224", "hmac(sha224)"],
        uapi_numbers: [uapi::SHA224, uapi::HMAC_SHA224],
        cryptodev_numbers: [103, 107],
        digest_len: 28,
        block_len: 64,
        openssl_names: c"SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4",
        hmac_name: "HMAC-SHA2-224",
    },
    HashRow {
        hash: Hash::Sha256,
        kernel_names: ["sha256", "hmac(sha256)"],
        uapi_numbers: [uapi::SHA256, uapi::HMAC_SHA256],
        cryptodev_numbers: [104, 18],
        digest_len: 32,
        block_len: 64,
        openssl_names: c"SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1",
        hmac_name: "HMAC-SHA2-256",
    },
    HashRow {
        hash: Hash::Sha384,
        kernel_names: ["sha384", "hmac(sha384)"],
        uapi_numbers: [uapi::SHA384, uapi::HMAC_SHA384],
        cryptodev_numbers: [105, 19],
        digest_len: 48,
        block_len: 128,
        openssl_names: c"SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2",
        hmac_name: "HMAC-SHA2-384",
    },
    HashRow {
        hash: Hash::Sha512,
        kernel_names: ["sha512", "hmac(sha512)"],
        uapi_numbers: [uapi::SHA512, uapi::HMAC_SHA512],
        cryptodev_numbers: [106, 20],
        digest_len: 64,
        block_len: 128,
        openssl_names: c"SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3",
        hmac_name: "HMAC-SHA2-512",
    },
];
