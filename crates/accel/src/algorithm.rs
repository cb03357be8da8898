//! What a session can do.

/// An algorithm that a session can do, under the kernel's name (`/proc/crypto`, field `name`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// AES in CBC mode, keys of 16, 24 and 32 bytes, IV and blocks of 16 bytes.
    CbcAes,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Algorithm; 1] = [Algorithm::CbcAes];

    /// The algorithm of this name in the kernel.
    pub fn by_kernel_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().find(|algorithm| algorithm.kernel_name() == name)
    }

    /// The kernel's name.
    pub const fn kernel_name(self) -> &'static str {
        match self {
            Algorithm::CbcAes => "cbc(aes)",
        }
    }

    /// Bytes of the IV.
    pub const fn iv_len(self) -> usize {
        match self {
            Algorithm::CbcAes => 16,
        }
    }

    /// A request's length is a multiple of this many bytes.
    pub const fn block_len(self) -> usize {
        match self {
            Algorithm::CbcAes => 16,
        }
    }

    /// The shortest key in bytes.
    pub(crate) const fn least_key_len(self) -> usize {
        match self {
            Algorithm::CbcAes => 16,
        }
    }
}

/// Which way a request goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}
