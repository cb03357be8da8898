//! The ciphers and AEADs of the kernel's crypto API that outboard offloads, one row each. A new one
//! needs a variant of [`Algorithm`], a position in the order of use, and a row at its variant's
//! position.

use std::ffi::CStr;

use outboard_uapi as uapi;

/// A cipher or an AEAD, named as in the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// AES in CBC mode, keys of 16, 24 and 32 bytes.
    CbcAes,
    /// AES in counter mode. The IV is the first counter, 128 bits that wrap around.
    CtrAes,
    /// AES in ECB mode, without an IV.
    EcbAes,
    /// AES in XTS mode: two keys in one, of 32 or 64 bytes in total. A request is a data unit, the
    /// IV its tweak.
    XtsAes,
    /// Triple DES with three keys in CBC mode, 24 bytes of key, IV and blocks of 8 bytes.
    CbcDes3Ede,
    /// AES in Galois/counter mode, with nonces of 12 bytes.
    GcmAes,
    /// AES in CCM mode, with nonces of 7 to 13 bytes. The field for the length of the data has 15
    /// bytes less the nonce's length.
    CcmAes,
}

/// How a request can be split into chunks that the accelerator processes in parallel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// Not at all. A chunk of XTS would need a tweak in the middle of a data unit, which no driver
    /// accepts; a tag authenticates the whole data.
    Never,
    /// Chunks do not depend on each other.
    Independent,
    /// The IV of a chunk is the counter of its first block.
    Counter,
    /// The IV of a chunk is the preceding ciphertext. For decryption that is input. For encryption
    /// it is the result of the chunk before (SP 800-38A, 6.2), so the request stays whole.
    PrecedingCiphertext,
}

impl Algorithm {
    /// Every algorithm, those that most applications use first.
    pub const MOST_USED_FIRST: [Algorithm; CIPHER_ROWS.len()] = [
        Algorithm::CbcAes,
        Algorithm::GcmAes,
        Algorithm::CtrAes,
        Algorithm::XtsAes,
        Algorithm::CcmAes,
        Algorithm::CbcDes3Ede,
        Algorithm::EcbAes,
    ];
}

/// Fixed properties of a cipher or an AEAD. Sizes are in bytes.
pub(crate) struct CipherRow {
    pub(crate) algorithm: Algorithm,
    /// As in `/proc/crypto`, field `name`.
    pub(crate) kernel_name: &'static str,
    /// For /dev/outboard (linux/outboard.h).
    pub(crate) uapi_number: u16,
    /// For /dev/crypto (crypto/cryptodev.h of cryptodev-linux).
    pub(crate) cryptodev_number: u32,
    /// The usual length of the IV.
    pub(crate) iv_len: usize,
    /// The minimum and the maximum IV.
    pub(crate) iv_lens: (usize, usize),
    pub(crate) block_len: usize,
    /// The maximum tag; 0 if the algorithm is not an AEAD.
    pub(crate) tag_len: usize,
    pub(crate) split: Split,
    /// OpenSSL's ciphers for it, by ascending key length: all names, as the default provider lists
    /// them, and the key length.
    pub(crate) openssl: &'static [(&'static CStr, usize)],
}

/// In the order of [`Algorithm`]'s variants.
pub(crate) static CIPHER_ROWS: [CipherRow; 7] = [
    CipherRow {
        algorithm: Algorithm::CbcAes,
        kernel_name: "cbc(aes)",
        uapi_number: uapi::CBC_AES,
        cryptodev_number: 11,
        iv_len: 16,
        iv_lens: (16, 16),
        block_len: 16,
        tag_len: 0,
        split: Split::PrecedingCiphertext,
        openssl: &[
            (c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", 16),
            (c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22", 24),
            (c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", 32),
        ],
    },
    CipherRow {
        algorithm: Algorithm::CtrAes,
        kernel_name: "ctr(aes)",
        uapi_number: uapi::CTR_AES,
        cryptodev_number: 21,
        iv_len: 16,
        iv_lens: (16, 16),
        block_len: 16,
        tag_len: 0,
        split: Split::Counter,
        openssl: &[(c"AES-128-CTR", 16), (c"AES-192-CTR", 24), (c"AES-256-CTR", 32)],
    },
    CipherRow {
        algorithm: Algorithm::EcbAes,
        kernel_name: "ecb(aes)",
        uapi_number: uapi::ECB_AES,
        cryptodev_number: 23,
        iv_len: 0,
        iv_lens: (0, 0),
        block_len: 16,
        tag_len: 0,
        split: Split::Independent,
        openssl: &[
            (c"AES-128-ECB:2.16.840.1.101.3.4.1.1", 16),
            (c"AES-192-ECB:2.16.840.1.101.3.4.1.21", 24),
            (c"AES-256-ECB:2.16.840.1.101.3.4.1.41", 32),
        ],
    },
    CipherRow {
        algorithm: Algorithm::XtsAes,
        kernel_name: "xts(aes)",
        uapi_number: uapi::XTS_AES,
        cryptodev_number: 22,
        iv_len: 16,
        iv_lens: (16, 16),
        block_len: 16,
        tag_len: 0,
        split: Split::Never,
        openssl: &[(c"AES-128-XTS:1.3.111.2.1619.0.1.1", 32), (c"AES-256-XTS:1.3.111.2.1619.0.1.2", 64)],
    },
    CipherRow {
        algorithm: Algorithm::CbcDes3Ede,
        kernel_name: "cbc(des3_ede)",
        uapi_number: uapi::CBC_DES3,
        cryptodev_number: 2,
        iv_len: 8,
        iv_lens: (8, 8),
        block_len: 8,
        tag_len: 0,
        split: Split::PrecedingCiphertext,
        openssl: &[(c"DES-EDE3-CBC:DES3:1.2.840.113549.3.7", 24)],
    },
    CipherRow {
        algorithm: Algorithm::GcmAes,
        kernel_name: "gcm(aes)",
        uapi_number: uapi::GCM_AES,
        cryptodev_number: 50,
        iv_len: 12,
        iv_lens: (12, 12),
        block_len: 1,
        tag_len: 16,
        split: Split::Never,
        openssl: &[
            (c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", 16),
            (c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", 24),
            (c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", 32),
        ],
    },
    CipherRow {
        algorithm: Algorithm::CcmAes,
        kernel_name: "ccm(aes)",
        uapi_number: uapi::CCM_AES,
        // Since version 1.13 of cryptodev-linux.
        cryptodev_number: 51,
        iv_len: 12,
        iv_lens: (7, 13),
        block_len: 1,
        tag_len: 16,
        split: Split::Never,
        openssl: &[
            (c"AES-128-CCM:id-aes128-CCM:2.16.840.1.101.3.4.1.7", 16),
            (c"AES-192-CCM:id-aes192-CCM:2.16.840.1.101.3.4.1.27", 24),
            (c"AES-256-CCM:id-aes256-CCM:2.16.840.1.101.3.4.1.47", 32),
        ],
    },
];
