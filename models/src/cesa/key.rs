//! The engine decrypts AES with the last words of the expanded key (FreeBSD: cesa_prep_aes_key): the
//! four words of the last round, then the end of the round before. From these follows the key.

/// The key whose expansion (FIPS 197, section 5.2) ends with the words of `given`. A length that is
/// no AES key's is returned as it is.
pub(super) fn decryption_key(given: &[u8]) -> Vec<u8> {
    let words = given.len() / 4;
    if !matches!(words, 4 | 6 | 8) {
        return given.to_vec();
    }
    let total = 4 * (words + 7);
    let given: Vec<u32> =
        given.chunks_exact(4).map(|word| word.iter().fold(0, |w, byte| w << 8 | u32::from(*byte))).collect();
    let mut expanded = vec![0; total];
    expanded[total - 4..].copy_from_slice(&given[..4]);
    expanded[total - words..total - 4].copy_from_slice(&given[4..]);
    for i in (words..total).rev() {
        let mut before = expanded[i - 1];
        if i % words == 0 {
            before = substituted(before.rotate_left(8)) ^ round_constant(i / words);
        } else if words > 6 && i % words == 4 {
            before = substituted(before);
        }
        expanded[i - words] = expanded[i] ^ before;
    }
    expanded[..words].iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// x to the power of n - 1, in the upper byte.
fn round_constant(n: usize) -> u32 {
    let power = (1..n).fold(1_u32, |power, _| (power << 1) ^ if power & 0x80 != 0 { 0x11b } else { 0 });
    power << 24
}

fn substituted(word: u32) -> u32 {
    u32::from_be_bytes(word.to_be_bytes().map(|byte| SBOX[byte as usize]))
}

/// The S-box by its definition (FIPS 197, section 5.1.1): the inverse, then the affine map. `power`
/// goes through the powers of 3, and `inverse` through those of its inverse.
const SBOX: [u8; 256] = {
    let mut table = [0x63; 256];
    let (mut power, mut inverse) = (1_u8, 1_u8);
    loop {
        power ^= (power << 1) ^ (0x1b * (power >> 7));
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        if inverse & 0x80 != 0 {
            inverse ^= 9;
        }
        let i = inverse;
        table[power as usize] =
            i ^ i.rotate_left(1) ^ i.rotate_left(2) ^ i.rotate_left(3) ^ i.rotate_left(4) ^ 0x63;
        if power == 1 {
            break table;
        }
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, appendix A: the last words of the expanded keys.
    #[test]
    fn the_key_follows_from_the_end_of_its_expansion() {
        let cases: [(&[u32], &[u32]); 3] = [
            (
                &[0x2b7e1516, 0x28aed2a6, 0xabf71588, 0x09cf4f3c],
                &[0xd014f9a8, 0xc9ee2589, 0xe13f0cc8, 0xb6630ca6],
            ),
            (
                &[0x8e73b0f7, 0xda0e6452, 0xc810f32b, 0x809079e5, 0x62f8ead2, 0x522c6b7b],
                &[0xe98ba06f, 0x448c773c, 0x8ecc7204, 0x01002202, 0x282d166a, 0xbc3ce7b5],
            ),
            (
                &[
                    0x603deb10, 0x15ca71be, 0x2b73aef0, 0x857d7781, 0x1f352c07, 0x3b6108d7, 0x2d9810a3,
                    0x0914dff4,
                ],
                &[
                    0xfe4890d1, 0xe6188d0b, 0x046df344, 0x706c631e, 0xcafaaae3, 0xe4d59b34, 0x9adf6ace,
                    0xbd10190d,
                ],
            ),
        ];
        for (key, last) in cases {
            let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
            assert_eq!(decryption_key(&bytes(last)), bytes(key));
        }
    }

    #[test]
    fn the_substitution_is_that_of_the_standard() {
        assert_eq!(substituted(0x0001_53ff), 0x637c_ed16);
    }
}
