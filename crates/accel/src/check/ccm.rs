//! CCM as SP 800-38C writes it, with the formatting of its appendix A.

use super::aes::Aes;
use super::modes::add;

/// 6.1 and 6.2: returns the result and a tag of `tag_len` bytes. The length field has 15 bytes less
/// those of the nonce; `aad` must be shorter than 0xff00 bytes.
pub(super) fn ccm(
    aes: &Aes,
    encrypt: bool,
    tag_len: usize,
    nonce: &[u8],
    aad: &[u8],
    text: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let mut result = text.to_vec();
    for (number, block) in result.chunks_mut(16).enumerate() {
        add(block, &aes.encrypt(formatted(0, nonce, number + 1)));
    }
    let plain = if encrypt { text } else { &result };
    // A.2.1
    let flags = 64 * u8::from(!aad.is_empty()) + 8 * ((tag_len as u8 - 2) / 2);
    let mut sum = aes.encrypt(formatted(flags, nonce, plain.len()));
    // A.2.2
    let mut first = Vec::new();
    if !aad.is_empty() {
        first.extend_from_slice(&(aad.len() as u16).to_be_bytes());
        first.extend_from_slice(aad);
    }
    for chunk in first.chunks(16).chain(plain.chunks(16)) {
        add(&mut sum, chunk);
        sum = aes.encrypt(sum);
    }
    add(&mut sum, &aes.encrypt(formatted(0, nonce, 0)));
    (result, sum[..tag_len].to_vec())
}

/// A block of flags, nonce and number; A.2.1 and A.3.
fn formatted(flags: u8, nonce: &[u8], number: usize) -> [u8; 16] {
    let mut block = (number as u128).to_be_bytes();
    block[0] = flags | (14 - nonce.len()) as u8;
    block[1..=nonce.len()].copy_from_slice(nonce);
    block
}
