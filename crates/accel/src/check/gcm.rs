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
    let multiples = multiples(key);
    blocks.chain([lengths]).fold(0, |sum, block| product(sum ^ block, &multiples))
}

/// 6.3: multiplication by x. The first bit of a block is its most significant bit.
const fn times_x(block: u128) -> u128 {
    (block >> 1) ^ ((block & 1) * (0xe1 << 120))
}

/// What the last four bits of a block become when it is multiplied by x^4.
static CARRIES: [u128; 16] = {
    let mut table = [0; 16];
    let mut bits = 0;
    while bits < 16 {
        table[bits] = times_x(times_x(times_x(times_x(bits as u128))));
        bits += 1;
    }
    table
};

/// The products of the key and each polynomial of four bits.
fn multiples(key: u128) -> [u128; 16] {
    let mut products = [0; 16];
    let mut power = key;
    for bit in [8, 4, 2, 1] {
        for factor in (0..16).filter(|factor| factor & bit != 0) {
            products[factor] ^= power;
        }
        power = times_x(power);
    }
    products
}

/// 6.3, four bits at a time, from the last.
fn product(block: u128, multiples: &[u128; 16]) -> u128 {
    (0..32).fold(0, |sum, digit| {
        (sum >> 4) ^ CARRIES[(sum & 15) as usize] ^ multiples[(block >> (4 * digit) & 15) as usize]
    })
}
