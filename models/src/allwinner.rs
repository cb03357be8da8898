//! What Allwinner's engines have in common: the numbers of methods and modes, and the lengths of keys
//! and blocks. Each model names its sources.

use crate::block::Cipher;
#[cfg(test)]
use crate::block::{Direction, crypt};

pub const AES: u32 = 0;
pub const DES: u32 = 1;
pub const TRIPLE_DES: u32 = 2;
pub const ECB: u32 = 0;
pub const CBC: u32 = 1;

/// Returns the cipher of a method, and the lengths of its key and of a block in bytes. `key_size` is the
/// field for AES: 0 to 2 for 128, 192 and 256 bits.
pub fn method(number: u32, key_size: u32) -> Option<(Cipher, usize, usize)> {
    match number {
        AES => Some((Cipher::Aes, 16 + 8 * key_size as usize, 16)),
        DES => Some((Cipher::Des, 8, 8)),
        TRIPLE_DES => Some((Cipher::Des, 24, 8)),
        _ => None,
    }
}

/// A method with a key of each length, in each mode, and its result.
#[cfg(test)]
pub struct Case {
    pub method: u32,
    pub key_size: u32,
    pub key_len: usize,
    pub block: usize,
    pub mode: u32,
    pub secret: Vec<u8>,
}

/// All of them, for these bytes.
#[cfg(test)]
pub fn cases(key: &[u8; 32], iv: &[u8; 16], plain: &[u8]) -> Vec<Case> {
    let all = [
        (Cipher::Aes, 16, AES, 0, 16),
        (Cipher::Aes, 24, AES, 1, 16),
        (Cipher::Aes, 32, AES, 2, 16),
        (Cipher::Des, 8, DES, 0, 8),
        (Cipher::Des, 24, TRIPLE_DES, 0, 8),
    ];
    let modes = all.into_iter().flat_map(|one| [(one, ECB), (one, CBC)]);
    modes
        .map(|((cipher, key_len, method, key_size, block), mode)| {
            let (mut chain, mut secret) = (iv[..block].to_vec(), plain.to_vec());
            let chain = (mode == CBC).then_some(&mut chain[..]);
            assert!(crypt(cipher, &key[..key_len], Direction::Encrypt, chain, &mut secret));
            Case { method, key_size, key_len, block, mode, secret }
        })
        .collect()
}
