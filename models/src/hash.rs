//! Hashes block by block, from any state on, as engines compute them: MD5 (RFC 1321), SHA-1 and SHA-2
//! (FIPS 180-4), by RustCrypto's compression functions.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashFunction {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// The beginning of SHA-1, of which MD5 has the first four words in the other order of bytes.
const SHA1: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
/// That of SHA-384; the lower halves are that of SHA-224.
const SHA384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8,
    0x629a_292a_367c_d507,
    0x9159_015a_3070_dd17,
    0x152f_ecd8_f70e_5939,
    0x6733_2667_ffc0_0b31,
    0x8eb4_4a87_6858_1511,
    0xdb0c_2e0d_64f9_8fa7,
    0x47b5_481d_befa_4fa4,
];
/// That of SHA-512; the upper halves are that of SHA-256.
const SHA512: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

impl HashFunction {
    pub fn block_bytes(self) -> usize {
        match self {
            HashFunction::Sha384 | HashFunction::Sha512 => 128,
            _ => 64,
        }
    }

    pub fn state_bytes(self) -> usize {
        match self {
            HashFunction::Md5 => 16,
            HashFunction::Sha1 => 20,
            HashFunction::Sha224 | HashFunction::Sha256 => 32,
            HashFunction::Sha384 | HashFunction::Sha512 => 64,
        }
    }

    pub fn digest_bytes(self) -> usize {
        match self {
            HashFunction::Sha224 => 28,
            HashFunction::Sha384 => 48,
            _ => self.state_bytes(),
        }
    }

    fn initial(self) -> Vec<u8> {
        match self {
            HashFunction::Md5 => SHA1[..4].iter().flat_map(|word| word.to_le_bytes()).collect(),
            HashFunction::Sha1 => SHA1.iter().flat_map(|word| word.to_be_bytes()).collect(),
            HashFunction::Sha224 => SHA384.iter().flat_map(|word| (*word as u32).to_be_bytes()).collect(),
            HashFunction::Sha256 => {
                SHA512.iter().flat_map(|word| ((word >> 32) as u32).to_be_bytes()).collect()
            }
            HashFunction::Sha384 => SHA384.iter().flat_map(|word| word.to_be_bytes()).collect(),
            HashFunction::Sha512 => SHA512.iter().flat_map(|word| word.to_be_bytes()).collect(),
        }
    }
}

/// The bytes that a key of HMAC is added to before the inner and the outer hash (RFC 2104).
pub const INNER_PAD: u8 = 0x36;
pub const OUTER_PAD: u8 = 0x5c;

/// A hash on the way. Its state has the order of bytes that a digest has.
pub struct Hash {
    function: HashFunction,
    state: Vec<u8>,
}

impl Hash {
    pub fn new(function: HashFunction) -> Hash {
        Hash { function, state: function.initial() }
    }

    /// One that goes on from the state at the beginning of `bytes`.
    pub fn from(function: HashFunction, bytes: &[u8]) -> Hash {
        let mut state = bytes.to_vec();
        state.resize(function.state_bytes(), 0);
        Hash { function, state }
    }

    /// One that has the block of a key of HMAC, which is at most a block long.
    pub fn keyed(function: HashFunction, key: &[u8], pad: u8) -> Hash {
        let mut block = key.to_vec();
        block.resize(function.block_bytes(), 0);
        block.iter_mut().for_each(|byte| *byte ^= pad);
        let mut hash = Hash::new(function);
        hash.add(&block);
        hash
    }

    pub fn state(&self) -> &[u8] {
        &self.state
    }

    /// Adds whole blocks.
    pub fn add(&mut self, data: &[u8]) {
        let state = &self.state;
        self.state = match self.function {
            HashFunction::Md5 => {
                let mut words = words(state, u32::from_le_bytes);
                blocks(data).for_each(|block| md5::block_api::compress(&mut words, &[block]));
                words.iter().flat_map(|word| word.to_le_bytes()).collect()
            }
            HashFunction::Sha1 => {
                let mut words = words(state, u32::from_be_bytes);
                blocks(data).for_each(|block| sha1::block_api::compress(&mut words, &[block]));
                words.iter().flat_map(|word| word.to_be_bytes()).collect()
            }
            HashFunction::Sha224 | HashFunction::Sha256 => {
                let mut words = words(state, u32::from_be_bytes);
                blocks(data).for_each(|block| sha2::block_api::compress256(&mut words, &[block]));
                words.iter().flat_map(|word| word.to_be_bytes()).collect()
            }
            HashFunction::Sha384 | HashFunction::Sha512 => {
                let mut words = words(state, u64::from_be_bytes);
                blocks(data).for_each(|block| sha2::block_api::compress512(&mut words, &[block]));
                words.iter().flat_map(|word| word.to_be_bytes()).collect()
            }
        };
    }

    /// Ends a message of which `count` bytes were added, with `data`. The state begins with the digest.
    pub fn finish(&mut self, count: u64, data: &[u8]) {
        let block = self.function.block_bytes();
        let mut padded = data.to_vec();
        padded.push(0x80);
        padded.resize((padded.len() + block / 8).next_multiple_of(block) - 8, 0);
        let bits = 8 * (count + data.len() as u64);
        padded.extend(match self.function {
            HashFunction::Md5 => bits.to_le_bytes(),
            _ => bits.to_be_bytes(),
        });
        self.add(&padded);
    }

    /// As `finish`; the digest.
    pub fn digest(mut self, count: u64, data: &[u8]) -> Vec<u8> {
        self.finish(count, data);
        self.state.truncate(self.function.digest_bytes());
        self.state
    }
}

fn words<W: Copy + Default, const BYTES: usize, const COUNT: usize>(
    state: &[u8],
    word: impl Fn([u8; BYTES]) -> W,
) -> [W; COUNT] {
    let mut chunks = state.chunks_exact(BYTES).filter_map(|bytes| bytes.try_into().ok());
    std::array::from_fn(|_| chunks.next().map_or(W::default(), &word))
}

fn blocks<const BYTES: usize>(data: &[u8]) -> impl Iterator<Item = [u8; BYTES]> {
    data.chunks_exact(BYTES).filter_map(|block| block.try_into().ok())
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use sha2::Digest;

    /// HMAC of "Hi There" with a key of bytes 0x0b: the hash, the length of the key, and the result. Test
    /// case 1 of RFC 2202 and RFC 4231.
    pub const HMACS: [(HashFunction, usize, &str); 4] = [
        (HashFunction::Md5, 16, "9294727a3638bb1c13f48ef8158bfc9d"),
        (HashFunction::Sha1, 20, "b617318655057264e28bc0b6fb378c8ef146be00"),
        (HashFunction::Sha224, 20, "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
        (HashFunction::Sha256, 20, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    ];

    /// The digests of RustCrypto.
    pub fn digests(data: &[u8]) -> [(HashFunction, Vec<u8>); 6] {
        [
            (HashFunction::Md5, md5::Md5::digest(data).to_vec()),
            (HashFunction::Sha1, sha1::Sha1::digest(data).to_vec()),
            (HashFunction::Sha224, sha2::Sha224::digest(data).to_vec()),
            (HashFunction::Sha256, sha2::Sha256::digest(data).to_vec()),
            (HashFunction::Sha384, sha2::Sha384::digest(data).to_vec()),
            (HashFunction::Sha512, sha2::Sha512::digest(data).to_vec()),
        ]
    }

    /// In one go, and from a state on, around the lengths where the padding needs another block.
    #[test]
    fn digests_are_those_of_rustcrypto_from_any_whole_block_on() {
        let message: Vec<u8> = (0..400_u32).map(|n| (n * 7 + n / 5) as u8).collect();
        for len in [0, 1, 55, 56, 63, 64, 111, 112, 119, 127, 128, 129, 256, 400] {
            let data = &message[..len];
            for (function, right) in digests(data) {
                assert_eq!(Hash::new(function).digest(0, data), right, "{function:?} {len}");
                let whole = len - len % 128;
                let mut first = Hash::new(function);
                first.add(&data[..whole]);
                let rest = Hash::from(function, first.state());
                assert_eq!(rest.digest(whole as u64, &data[whole..]), right, "{function:?} {len}");
            }
        }
    }
}
