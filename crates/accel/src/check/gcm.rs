//! Galois/counter mode as SP 800-38D writes it, with nonces of 12 bytes and full tags.

use super::aes::Aes;
use super::modes::add;

/// 7.1 and 7.2: returns the result and the tag of the ciphertext.
pub(super) fn gcm(aes: &Aes, encrypt: bool, nonce: &[u8], aad: &[u8], text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut result = text.to_vec();
    for (number, block) in result.chunks_mut(16).enumerate() {
        add(block, &aes.encrypt(counter(nonce, number as u32 + 2)));
    }
    let hash_key = u128::from_be_bytes(aes.encrypt([0; 16]));
    let lengths = ((aad.len() as u128 * 8) << 64) | (text.len() as u128 * 8);
    let hashed = ghash(hash_key, [aad, if encrypt { &result } else { text }], lengths);
    let mut tag = hashed.to_be_bytes();
    add(&mut tag, &aes.encrypt(counter(nonce, 1)));
    (result, tag.to_vec())
}

fn counter(nonce: &[u8], number: u32) -> [u8; 16] {
    let mut block = [0; 16];
    block[..12].copy_from_slice(nonce);
    block[12..].copy_from_slice(&number.to_be_bytes());
    block
}

/// 6.4, of parts that are each padded with zeros, and of their lengths.
fn ghash(key: u128, parts: [&[u8]; 2], lengths: u128) -> u128 {
    let blocks = parts.into_iter().flat_map(|part| part.chunks(16)).map(|chunk| {
        let mut block = [0; 16];
        block[..chunk.len()].copy_from_slice(chunk);
        u128::from_be_bytes(block)
    });
    blocks.chain([lengths]).fold(0, |sum, block| multiply(sum ^ block, key))
}

/// 6.3. The first bit of a block is its most significant bit.
fn multiply(left: u128, right: u128) -> u128 {
    let (mut product, mut power) = (0, right);
    for bit in (0..128).rev() {
        if left >> bit & 1 == 1 {
            product ^= power;
        }
        power = (power >> 1) ^ ((power & 1) * (0xe1 << 120));
    }
    product
}
