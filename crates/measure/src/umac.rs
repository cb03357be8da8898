//! UMAC (RFC 4418), OpenSSH's first choice of a MAC. libcrypto does not have it, and OpenSSH uses code
//! of its own, so its cost is measured with this implementation. It is for measurements only: not
//! constant in time where that matters, and with a nonce that never changes.

/// Bytes that NH compresses at a time (RFC 4418, 5.2).
const CHUNK: usize = 1024;

/// 2^64 - 59 and 2^36 - 5, the largest primes below powers of two (RFC 4418, 4.2.3).
const P64: u128 = (1 << 64) - 59;
const P36: u64 = (1 << 36) - 5;

/// The length of a message, in bytes, from which POLY-128 continues POLY-64 (RFC 4418, 5.3).
const LONGEST: usize = 1 << 24;

/// Encrypts one block of 16 bytes with AES-128 under the MAC's key, or under the key of the pad.
pub type Block<'a> = &'a mut dyn FnMut([u8; 16]) -> [u8; 16];

/// A key, for tags of 4 bytes an iteration.
pub struct Umac {
    /// For NH, as words; iteration `i` begins at word `4 * i`.
    nh: Vec<u32>,
    /// For each iteration that of POLY-64, and the two of the last layer.
    iterations: Vec<Iteration>,
}

struct Iteration {
    poly: u64,
    inner: [u64; 8],
    pad: u32,
}

impl Umac {
    /// Derives the keys for tags of `bytes` bytes: 8 for umac-64, 16 for umac-128.
    pub fn new(bytes: usize, aes: Block<'_>) -> Self {
        let iterations = bytes / 4;
        // KDF (RFC 4418, 3.2.1): AES in counter mode with the index of the key.
        let mut derive = |index: u8, length: usize| -> Vec<u8> {
            let block = |number: usize| {
                let mut input = [0; 16];
                input[7] = index;
                input[8..].copy_from_slice(&(number as u64).to_be_bytes());
                input
            };
            let mut key: Vec<u8> = (1..=length.div_ceil(16)).flat_map(|number| aes(block(number))).collect();
            key.truncate(length);
            key
        };
        let word = |bytes: &[u8]| bytes.iter().fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        let nh = derive(1, CHUNK + 16 * (iterations - 1)).chunks(4).map(|four| word(four) as u32).collect();
        let poly = derive(2, 24 * iterations);
        let inner = derive(3, 64 * iterations);
        let pads = derive(4, 4 * iterations);
        let of = |number: usize| Iteration {
            poly: word(&poly[24 * number..][..8]) & 0x01ff_ffff_01ff_ffff,
            inner: std::array::from_fn(|at| word(&inner[64 * number + 8 * at..][..8]) % P36),
            pad: word(&pads[4 * number..][..4]) as u32,
        };
        Self { nh, iterations: (0..iterations).map(of).collect() }
    }

    /// The hash of a message of less than 16 MiB, to which a tag adds a pad.
    pub fn hash(&self, message: &[u8]) -> Vec<u8> {
        debug_assert!(message.len() < LONGEST);
        let layers = (0_usize..).zip(&self.iterations);
        layers.flat_map(|(number, keys)| self.iteration(number, keys, message).to_be_bytes()).collect()
    }

    fn iteration(&self, number: usize, keys: &Iteration, message: &[u8]) -> u32 {
        let key = &self.nh[4 * number..][..CHUNK / 4];
        let value = match message.len() {
            0..=CHUNK => nh(key, message),
            _ => message.chunks(CHUNK).fold(1, |hash, chunk| poly64(keys.poly, hash, nh(key, chunk))),
        };
        // The last layer (5.4): the second half of 16 bytes, of which the first is zero.
        let words = (0..4).map(|at| (value >> (48 - 16 * at)) & 0xffff);
        let inner = words.zip(&keys.inner[4..]).fold(0, |sum, (word, key)| sum + word * key % P36) % P36;
        inner as u32 ^ keys.pad
    }
}

/// NH (5.2.2) with the length of the message in bits.
fn nh(key: &[u32], message: &[u8]) -> u64 {
    let mut sum = (message.len() as u64) << 3;
    let word = |block: &[u8], at: usize| {
        u32::from_le_bytes([block[4 * at], block[4 * at + 1], block[4 * at + 2], block[4 * at + 3]])
    };
    let mut add = |block: &[u8; 32], key: &[u32]| {
        for at in 0..4 {
            let [a, b] = [at, at + 4].map(|at| u64::from(word(block, at).wrapping_add(key[at])));
            sum = sum.wrapping_add(a.wrapping_mul(b));
        }
    };
    let mut blocks = message.chunks_exact(32);
    let mut keys = key.chunks_exact(8);
    for (block, key) in blocks.by_ref().zip(keys.by_ref()) {
        add(block.try_into().unwrap_or(&[0; 32]), key);
    }
    let rest = blocks.remainder();
    if !rest.is_empty() || message.is_empty() {
        let mut last = [0; 32];
        last[..rest.len()].copy_from_slice(rest);
        add(&last, keys.next().unwrap_or(&key[..8]));
    }
    sum
}

/// A step of POLY-64 (5.3.2).
fn poly64(key: u64, hash: u64, value: u64) -> u64 {
    /// Values from here on are split in two (5.3.2, maxwordrange).
    const LARGEST: u64 = u64::MAX - 0xffff_ffff;
    const OFFSET: u64 = 59;
    let step =
        |hash: u64, value: u64| ((u128::from(hash) * u128::from(key) + u128::from(value)) % P64) as u64;
    if value < LARGEST { step(hash, value) } else { step(step(hash, (P64 - 1) as u64), value - OFFSET) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evp::{Context, Library};

    /// RFC 4418, appendix: key "abcdefghijklmnop", nonce "bcdefghi".
    #[test]
    fn the_tags_are_those_of_rfc_4418() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        let ecb = context.cipher("AES-128-ECB", "").unwrap();
        let encrypt = |key: &[u8], block: [u8; 16]| -> [u8; 16] {
            ecb.block(key, &block).unwrap().try_into().expect("a block")
        };
        let key = b"abcdefghijklmnop";
        let hash = Umac::new(8, &mut |block| encrypt(key, block));
        // PDF (3.3.1): index 0 derives the key of the pad; the nonce's low bit selects a half.
        let mut index = [0; 16];
        index[15] = 1;
        let pad_key = encrypt(key, index);
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(b"bcdefghi");
        let low = usize::from(nonce[7] & 1);
        nonce[7] &= !1;
        let pad = encrypt(&pad_key, nonce);
        let tag = |message: &[u8]| -> String {
            let hash = hash.hash(message);
            hash.iter().zip(&pad[8 * low..]).map(|(hash, pad)| format!("{:02X}", hash ^ pad)).collect()
        };
        assert_eq!(tag(b""), "6E155FAD26900BE1");
        assert_eq!(tag(b"aaa"), "44B5CB542F220104");
        assert_eq!(tag(&[b'a'; 1 << 10]), "26BF2F5D60118BD9");
        assert_eq!(tag(&[b'a'; 1 << 15]), "27F8EF643B0D118D");
        assert_eq!(tag(b"abc"), "D4D7B9F6BD4FBFCF");
        assert_eq!(tag(&b"abc".repeat(500)), "D4CF26DDEFD5C01A");
        let long = Umac::new(16, &mut |block| encrypt(key, block)).hash(&[b'a'; 1 << 15]);
        assert_eq!((long.len(), &long[..8]), (16, &hash.hash(&[b'a'; 1 << 15])[..]));
    }
}
