//! What the engines compute with: RustCrypto's ciphers, a block at a time.

use aes::cipher::{BlockDecrypt, BlockEncrypt, BlockSizeUser, KeyInit};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

/// The cipher of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// Keys of 16, 24 and 32 bytes.
    Aes,
    /// Keys of 8 bytes; of 24: encrypt, decrypt, encrypt.
    Des,
}

/// The direction of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Encrypt,
    Decrypt,
}

/// Encrypts or decrypts whole blocks in place. With `iv` in CBC mode, and `iv` then is that of the
/// block that follows (NIST SP 800-38A); without it in ECB mode. False if there is no such key, or
/// a part of a block remains.
#[must_use]
pub fn crypt(
    cipher: Cipher,
    key: &[u8],
    direction: Direction,
    iv: Option<&mut [u8]>,
    data: &mut [u8],
) -> bool {
    match (cipher, key.len()) {
        (Cipher::Aes, 16) => keyed::<aes::Aes128>(key, direction, iv, data),
        (Cipher::Aes, 24) => keyed::<aes::Aes192>(key, direction, iv, data),
        (Cipher::Aes, 32) => keyed::<aes::Aes256>(key, direction, iv, data),
        (Cipher::Des, 8) => keyed::<des::Des>(key, direction, iv, data),
        (Cipher::Des, 24) => keyed::<des::TdesEde3>(key, direction, iv, data),
        _ => false,
    }
}

fn keyed<C>(key: &[u8], direction: Direction, iv: Option<&mut [u8]>, data: &mut [u8]) -> bool
where
    C: BlockEncrypt + BlockDecrypt + BlockSizeUser + KeyInit,
{
    let Ok(cipher) = C::new_from_slice(key) else { return false };
    let mut none = Vec::new();
    let (chain, is_cbc) = match iv {
        Some(iv) => (iv, true),
        None => (&mut none[..], false),
    };
    let size = C::block_size();
    if data.len() % size != 0 || is_cbc && chain.len() != size {
        return false;
    }
    for block in data.chunks_exact_mut(size) {
        match direction {
            Direction::Encrypt => {
                xor(block, chain);
                cipher.encrypt_block(block.into());
                chain.iter_mut().zip(block).for_each(|(to, from)| *to = *from);
            }
            Direction::Decrypt => {
                let input = block.to_vec();
                cipher.decrypt_block(block.into());
                xor(block, chain);
                chain.iter_mut().zip(input).for_each(|(to, from)| *to = from);
            }
        }
    }
    true
}

/// One block of AES.
pub fn encrypted(key: &[u8], block: &[u8]) -> Option<[u8; 16]> {
    let mut block: [u8; 16] = block.try_into().ok()?;
    crypt(Cipher::Aes, key, Direction::Encrypt, None, &mut block).then_some(block)
}

/// Counts on.
pub fn step(counter: &mut [u8], next: impl Fn(u128) -> u128) {
    if let Ok(value) = (&*counter).try_into().map(u128::from_be_bytes) {
        counter.copy_from_slice(&next(value).to_be_bytes());
    }
}

/// CTR mode of AES (NIST SP 800-38A); None if there is no such key. The counter then is the next one.
#[must_use]
pub fn add_key_stream(
    key: &[u8],
    counter: &mut [u8],
    data: &mut [u8],
    next: impl Fn(u128) -> u128,
) -> Option<()> {
    for block in data.chunks_mut(16) {
        xor(block, &encrypted(key, counter)?);
        step(counter, &next);
    }
    Some(())
}

/// The counter of 32 bits of GCM (NIST SP 800-38D) and of engines that have no longer one.
pub fn count_32_bits(counter: u128) -> u128 {
    counter & !0xffff_ffff | u128::from((counter as u32).wrapping_add(1))
}

/// GHASH of data (NIST SP 800-38D), whose last block is filled with zeros, from a state on. None if there
/// is no such key.
#[must_use]
pub fn hash_on(key: &[u8], state: &mut [u8], data: &[u8]) -> Option<()> {
    hash_on_by(encrypted(key, &[0; 16])?, state, data);
    Some(())
}

/// As `hash_on`, by the key of the hash, which is the encrypted block of zeros.
pub fn hash_on_by(key: [u8; 16], state: &mut [u8], data: &[u8]) {
    if data.is_empty() {
        return;
    }
    // The hash goes on from a state as if that were a part of the first block.
    let mut padded = data.to_vec();
    padded.resize(data.len().next_multiple_of(16), 0);
    xor(&mut padded, state);
    let mut hash = GHash::new(&key.into());
    hash.update_padded(&padded);
    state.copy_from_slice(&hash.finalize());
}

pub fn xor(block: &mut [u8], with: &[u8]) {
    block.iter_mut().zip(with).for_each(|(byte, with)| *byte ^= with);
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// NIST SP 800-38A, F.2.1 and F.2.2.
    #[test]
    fn cbc_chains_as_the_standard_shows() {
        let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
        let plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
        let cipher = hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2");
        let mut iv = hex("000102030405060708090a0b0c0d0e0f");
        let mut data = plain.clone();
        assert!(crypt(Cipher::Aes, &key, Direction::Encrypt, Some(&mut iv), &mut data));
        assert_eq!(data, cipher);
        assert_eq!(iv, cipher[16..], "the next block's IV");
        let mut iv = hex("000102030405060708090a0b0c0d0e0f");
        assert!(crypt(Cipher::Aes, &key, Direction::Decrypt, Some(&mut iv), &mut data));
        assert_eq!(data, plain);
    }

    #[test]
    fn a_wrong_key_length_and_a_partial_block_are_refused() {
        assert!(!crypt(Cipher::Aes, &[0; 8], Direction::Encrypt, None, &mut [0; 16]));
        assert!(!crypt(Cipher::Aes, &[0; 16], Direction::Encrypt, None, &mut [0; 15]));
        assert!(!crypt(Cipher::Des, &[0; 8], Direction::Encrypt, Some(&mut [0; 16]), &mut [0; 8]));
    }

    /// Test case 4 of "The Galois/Counter Mode of Operation" (McGrew, Viega).
    pub const GCM_KEY: &str = "feffe9928665731c6d6a8f9467308308";
    pub const GCM_IV: &str = "cafebabefacedbaddecaf888";
    pub const GCM_AAD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    pub const GCM_PLAIN: &str = concat!(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72",
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    );
    pub const GCM_SECRET: &str = concat!(
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e",
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
    );
    pub const GCM_TAG: &str = "5bc94fbc3221a5db94fae95ae7121a47";

    /// The IV with a counter after it.
    pub fn gcm_counter(counter: u32) -> Vec<u8> {
        [hex(GCM_IV), counter.to_be_bytes().to_vec()].concat()
    }

    pub fn hex(text: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
        (0..text.len()).step_by(2).map(digit).collect()
    }
}
