//! What a session can do.

/// An algorithm that a session can do, under the kernel's name (`/proc/crypto`, field `name`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// AES in CBC mode, keys of 16, 24 and 32 bytes.
    CbcAes,
    /// AES in counter mode. The IV is the first counter, 128 bits that wrap around.
    CtrAes,
    /// AES block by block, without an IV.
    EcbAes,
    /// AES in XTS mode: two keys in one, of 32 or 64 bytes. A request is a data unit, the IV its tweak.
    XtsAes,
    /// Triple DES with three keys in CBC mode, 24 bytes of key, IV and blocks of 8 bytes.
    CbcDes3Ede,
    /// AES in Galois/counter mode: authenticated, with nonces of 12 bytes.
    GcmAes,
    /// AES in CCM mode: authenticated, with nonces of 7 to 13 bytes, and 15 less that for the length of the text.
    CcmAes,
}

/// What is fixed about an algorithm.
struct Facts {
    kernel_name: &'static str,
    iv_len: usize,
    block_len: usize,
    least_key_len: usize,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Algorithm; 7] = [
        Algorithm::CbcAes,
        Algorithm::CtrAes,
        Algorithm::EcbAes,
        Algorithm::XtsAes,
        Algorithm::CbcDes3Ede,
        Algorithm::GcmAes,
        Algorithm::CcmAes,
    ];

    const fn facts(self) -> Facts {
        let (kernel_name, iv_len, block_len, least_key_len) = match self {
            Algorithm::CbcAes => ("cbc(aes)", 16, 16, 16),
            Algorithm::CtrAes => ("ctr(aes)", 16, 16, 16),
            Algorithm::EcbAes => ("ecb(aes)", 0, 16, 16),
            Algorithm::XtsAes => ("xts(aes)", 16, 16, 32),
            Algorithm::CbcDes3Ede => ("cbc(des3_ede)", 8, 8, 24),
            Algorithm::GcmAes => ("gcm(aes)", 12, 1, 16),
            Algorithm::CcmAes => ("ccm(aes)", 12, 1, 16),
        };
        Facts { kernel_name, iv_len, block_len, least_key_len }
    }

    /// The algorithm of this name in the kernel.
    pub fn by_kernel_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().find(|algorithm| algorithm.kernel_name() == name)
    }

    /// The kernel's name.
    pub const fn kernel_name(self) -> &'static str {
        self.facts().kernel_name
    }

    /// Bytes of the IV; of the nonce that is usual where there are several.
    pub const fn iv_len(self) -> usize {
        self.facts().iv_len
    }

    /// Whether an IV may have so many bytes.
    pub const fn takes_iv(self, len: usize) -> bool {
        match self {
            Algorithm::CcmAes => 7 <= len && len <= 13,
            _ => len == self.facts().iv_len,
        }
    }

    /// An IV as the kernel's drivers take it, and how many bytes of that they take. RFC 3610's blocks of CCM begin with how many bytes
    /// the text's length has, less one, and end with zeros.
    pub(crate) fn driver_iv(self, iv: &[u8]) -> ([u8; 16], usize) {
        let mut bytes = [0; 16];
        if let Algorithm::CcmAes = self {
            bytes[0] = (14 - iv.len()) as u8;
            bytes[1..=iv.len()].copy_from_slice(iv);
            return (bytes, bytes.len());
        }
        bytes[..iv.len()].copy_from_slice(iv);
        (bytes, iv.len())
    }

    /// Whether it authenticates what it encrypts.
    pub const fn has_tags(self) -> bool {
        matches!(self, Algorithm::GcmAes | Algorithm::CcmAes)
    }

    /// Bytes of a full tag, 0 where there are none.
    pub const fn full_tag(self) -> usize {
        if self.has_tags() { 16 } else { 0 }
    }

    /// The longest text under an IV of so many bytes, as far as the algorithm itself has a limit that a request could reach:
    /// SP 800-38C, A.1.
    pub(crate) const fn longest_text(self, iv_len: usize) -> usize {
        if matches!(self, Algorithm::CcmAes) && iv_len == 13 { 0xffff } else { usize::MAX }
    }

    /// A request's length is a multiple of this many bytes. (Drivers may do other lengths in counter mode and XTS too; what
    /// is left over is for software, which knows what to do with the rest of a block.)
    pub const fn block_len(self) -> usize {
        self.facts().block_len
    }

    /// A key that a driver takes, for a session that is never used: drivers may refuse keys that are equal in their parts.
    pub(crate) fn sample_key(self) -> Vec<u8> {
        (0..self.facts().least_key_len as u8).collect()
    }

    /// Whether a request can be cut into pieces that need not wait for each other. To decrypt a block of CBC takes the
    /// ciphertext before it, which is there; to encrypt one takes the result before it (SP 800-38A, 6.2). A piece of XTS
    /// would need a tweak in the middle of a data unit, and no driver takes one. A tag is that of a whole text.
    pub const fn can_be_cut(self, direction: Direction) -> bool {
        match self {
            Algorithm::CbcAes | Algorithm::CbcDes3Ede => matches!(direction, Direction::Decrypt),
            Algorithm::CtrAes | Algorithm::EcbAes => true,
            Algorithm::XtsAes | Algorithm::GcmAes | Algorithm::CcmAes => false,
        }
    }
}

/// The counter after so many blocks of counter mode.
pub fn advance(counter: [u8; 16], blocks: usize) -> [u8; 16] {
    u128::from_be_bytes(counter).wrapping_add(blocks as u128).to_be_bytes()
}

/// Which way a request goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_names_are_found_again() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::by_kernel_name(algorithm.kernel_name()), Some(algorithm));
        }
        assert_eq!(Algorithm::by_kernel_name("cbc(des)"), None);
    }

    #[test]
    fn drivers_take_the_nonce_of_ccm_as_a_block() {
        let (iv, len) = Algorithm::CcmAes.driver_iv(&[9; 12]);
        assert_eq!((iv, len), ([2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0], 16));
        assert_eq!(Algorithm::CcmAes.driver_iv(&[9; 7]).0[..9], [7, 9, 9, 9, 9, 9, 9, 9, 0]);
        let (iv, len) = Algorithm::GcmAes.driver_iv(&[9; 12]);
        assert_eq!((iv[0], iv[11], iv[12], len), (9, 9, 0, 12));
        assert_eq!(Algorithm::EcbAes.driver_iv(&[]), ([0; 16], 0));
    }

    #[test]
    fn a_counter_carries_through_all_of_its_bytes_and_wraps() {
        assert_eq!(advance([0; 16], 257), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(advance([0xff; 16], 1), [0; 16]);
        assert_eq!(advance([0xff; 16], 3), advance([0; 16], 2));
    }
}
