//! Every interface is verified with the AES-128-CBC example of NIST SP 800-38A, F.2.1: the speed of
//! wrong results is invalid.

use anyhow::{Result, ensure};

/// The key.
pub const KEY: [u8; 16] =
    [0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c];

/// The IV.
pub const IV: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

const PLAIN: [u8; 16] =
    [0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a];

const CIPHER: [u8; 16] =
    [0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d];

/// Returns a plaintext of `bytes` bytes, whole blocks, whose first ciphertext block is known.
pub fn text(bytes: usize) -> Vec<u8> {
    PLAIN.into_iter().cycle().take(bytes).collect()
}

/// Fails unless `result` starts with the known ciphertext block.
pub fn check(result: &[u8]) -> Result<()> {
    ensure!(result.starts_with(&CIPHER), "the result is wrong: {:02x?}", &result[..16.min(result.len())]);
    Ok(())
}
