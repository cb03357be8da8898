//! Properties of the modes of operation.

use crate::Algorithm;

/// In the form that kernel drivers expect: for CCM the first counter block of RFC 3610, the size of
/// the length field minus one, the nonce, and zeros.
pub(crate) fn driver_iv(algorithm: Algorithm, iv: &[u8]) -> ([u8; 16], usize) {
    let mut bytes = [0; 16];
    if let Algorithm::CcmAes = algorithm {
        bytes[0] = (14 - iv.len()) as u8;
        bytes[1..=iv.len()].copy_from_slice(iv);
        return (bytes, bytes.len());
    }
    bytes[..iv.len()].copy_from_slice(iv);
    (bytes, iv.len())
}

/// Under an IV of this length, where a request can reach the limit (SP 800-38C, A.1).
pub(crate) const fn max_data_len(algorithm: Algorithm, iv_len: usize) -> usize {
    if matches!(algorithm, Algorithm::CcmAes) && iv_len == 13 { 0xffff } else { usize::MAX }
}

pub(crate) fn takes_text(algorithm: Algorithm, len: usize, iv_len: usize) -> bool {
    len <= max_data_len(algorithm, iv_len) && len % algorithm.block_len() == 0
}

/// For a session that is never used. Its parts differ, since drivers may refuse equal ones.
pub(crate) fn sample_key(algorithm: Algorithm) -> Vec<u8> {
    let shortest = algorithm.key_lens().next().unwrap_or_default();
    (0..shortest as u8).collect()
}

pub fn advance(counter: [u8; 16], blocks: usize) -> [u8; 16] {
    u128::from_be_bytes(counter).wrapping_add(blocks as u128).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_receive_the_nonce_of_ccm_as_a_block() {
        let (iv, len) = driver_iv(Algorithm::CcmAes, &[9; 12]);
        assert_eq!((iv, len), ([2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0], 16));
        assert_eq!(driver_iv(Algorithm::CcmAes, &[9; 7]).0[..9], [7, 9, 9, 9, 9, 9, 9, 9, 0]);
        let (iv, len) = driver_iv(Algorithm::GcmAes, &[9; 12]);
        assert_eq!((iv[0], iv[11], iv[12], len), (9, 9, 0, 12));
        assert_eq!(driver_iv(Algorithm::EcbAes, &[]), ([0; 16], 0));
    }

    #[test]
    fn a_counter_carries_through_all_of_its_bytes_and_wraps() {
        assert_eq!(advance([0; 16], 257), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(advance([0xff; 16], 1), [0; 16]);
        assert_eq!(advance([0xff; 16], 3), advance([0; 16], 2));
    }

    #[test]
    fn the_limit_of_ccm_holds_with_its_longest_nonce_only() {
        let fits = |len, iv_len| takes_text(Algorithm::CcmAes, len, iv_len);
        assert!(fits(0xffff, 13) && !fits(0x1_0000, 13) && fits(0x1_0000, 12));
    }

    #[test]
    fn a_sample_key_is_as_long_as_the_shortest_key() {
        let len = |algorithm| sample_key(algorithm).len();
        assert_eq!([Algorithm::CbcAes, Algorithm::XtsAes, Algorithm::CbcDes3Ede].map(len), [16, 32, 24]);
    }
}
