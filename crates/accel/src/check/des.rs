//! Triple DES as FIPS 46-3 writes it, independent of the code that drivers use. As in the standard,
//! bits are numbered from 1, the most significant. Its keys are not secret.

/// The initial permutation: the source of each bit.
const IP: [u8; 64] = [
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48,
    40, 32, 24, 16, 8, 57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21,
    13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
];

/// Permuted choice 1: the bits of a key without its parity.
const PC1: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44,
    36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20,
    12, 4,
];

/// Permuted choice 2: the bits of a round's key.
const PC2: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52, 31, 37,
    47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

/// Rotation of the halves of a key before each round, in bits.
const TURNS: [u32; 16] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];

/// The permutation after the substitutions.
const P: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6,
    22, 11, 4, 25,
];

/// The substitutions, four rows of sixteen each: a row is a number whose hexadecimal digits are its
/// entries.
const S: [[u64; 4]; 8] = [
    [0xe4d1_2fb8_3a6c_5907, 0x0f74_e2d1_a6cb_9538, 0x41e8_d62b_fc97_3a50, 0xfc82_4917_5b3e_a06d],
    [0xf18e_6b34_972d_c05a, 0x3d47_f28e_c01a_69b5, 0x0e7b_a4d1_58c6_932f, 0xd8a1_3f42_b67c_05e9],
    [0xa09e_63f5_1dc7_b428, 0xd709_346a_285e_cbf1, 0xd649_8f30_b12c_5ae7, 0x1ad0_6987_4fe3_b52c],
    [0x7de3_069a_1285_bc4f, 0xd8b5_6f03_472c_1ae9, 0xa690_cb7d_f13e_5284, 0x3f06_a1d8_945b_c72e],
    [0x2c41_7ab6_853f_d0e9, 0xeb2c_47d1_50fa_3986, 0x421b_ad78_f9c5_630e, 0xb8c7_1e2d_6f09_a453],
    [0xc1af_9268_0d34_e75b, 0xaf42_7c95_61de_0b38, 0x9ef5_28c3_704a_1db6, 0x432c_95fa_be17_608d],
    [0x4b2e_f08d_3c97_5a61, 0xd0b7_491a_e35c_2f86, 0x14bd_c37e_af68_0592, 0x6bd8_14a7_950f_e23c],
    [0xd284_6fb1_a93e_50c7, 0x1fd8_a374_c56b_0e92, 0x7b41_9ce2_06ad_f358, 0x21e7_4a8d_fc90_356b],
];

/// Substitution and permutation of six bits in one lookup.
const SP: [[u32; 64]; 8] = substituted_and_permuted();

const fn substituted_and_permuted() -> [[u32; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut at = 0;
    while at < 8 * 64 {
        let (which, six) = (at / 64, at % 64);
        let (row, column) = ((six >> 4 & 2) | (six & 1), six >> 1 & 15);
        let four = (S[which][row] >> (60 - 4 * column) & 15) << (28 - 4 * which);
        table[which][six] = permuted(four, 32, &P) as u32;
        at += 1;
    }
    table
}

/// The bits of `value`, which is `width` bits wide, in the order of `from`.
const fn permuted(value: u64, width: u32, from: &[u8]) -> u64 {
    let (mut result, mut at) = (0, 0);
    while at < from.len() {
        result = result << 1 | value >> (width - from[at] as u32) & 1;
        at += 1;
    }
    result
}

/// The inverse of the initial permutation.
fn restored(value: u64) -> u64 {
    IP.iter().enumerate().fold(0, |sum, (at, &from)| sum | (value >> (63 - at) & 1) << (64 - u32::from(from)))
}

type Schedule = [u64; 16];

fn schedule(key: u64) -> Schedule {
    const HALF: u64 = (1 << 28) - 1;
    let both = permuted(key, 64, &PC1);
    let (mut left, mut right) = (both >> 28, both & HALF);
    TURNS.map(|turn| {
        left = (left << turn | left >> (28 - turn)) & HALF;
        right = (right << turn | right >> (28 - turn)) & HALF;
        permuted(left << 28 | right, 56, &PC2)
    })
}

/// Sixteen rounds without the initial and final permutations; the halves are exchanged at the end.
fn rounds(block: u64, keys: impl Iterator<Item = u64>) -> u64 {
    let (mut left, mut right) = ((block >> 32) as u32, block as u32);
    for key in keys {
        // Adjacent groups of six bits overlap by one bit, and the last overlaps the first.
        let turned = u64::from(right.rotate_right(1));
        let wide = turned << 32 | turned;
        let of =
            |which: usize| SP[which][((wide >> (58 - 4 * which) ^ key >> (42 - 6 * which)) & 63) as usize];
        let sum = of(0) ^ of(1) ^ of(2) ^ of(3) ^ of(4) ^ of(5) ^ of(6) ^ of(7);
        (left, right) = (right, left ^ sum);
    }
    u64::from(right) << 32 | u64::from(left)
}

pub(super) struct Des3(Box<[Schedule; 3]>);

impl Des3 {
    /// `key` has 24 bytes.
    pub(super) fn new(key: &[u8]) -> Des3 {
        Des3(Box::new(std::array::from_fn(|at| schedule(number(&key[8 * at..][..8])))))
    }

    /// Encrypts with the first key, decrypts with the second, encrypts with the third.
    pub(super) fn encrypt(&self, block: &mut [u8]) {
        let [first, second, third] = &*self.0;
        let value = rounds(permuted(number(block), 64, &IP), first.iter().copied());
        let value = rounds(value, second.iter().rev().copied());
        block.copy_from_slice(&restored(rounds(value, third.iter().copied())).to_be_bytes());
    }

    pub(super) fn decrypt(&self, block: &mut [u8]) {
        let [first, second, third] = &*self.0;
        let value = rounds(permuted(number(block), 64, &IP), third.iter().rev().copied());
        let value = rounds(value, second.iter().copied());
        block.copy_from_slice(&restored(rounds(value, first.iter().rev().copied())).to_be_bytes());
    }
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP 800-67, appendix B.1.
    #[test]
    fn the_example_of_the_standard() {
        let key = [0x0123_4567_89ab_cdef, 0x2345_6789_abcd_ef01, 0x4567_89ab_cdef_0123_u64];
        let des = Des3::new(&key.map(u64::to_be_bytes).concat());
        for (plain, cipher) in [
            (b"The qufc", 0xa826_fd8c_e53b_855f_u64),
            (b"k brown ", 0xcce2_1c81_1225_6fe6),
            (b"fox jump", 0x68d5_c05d_d9b6_b900),
        ] {
            let mut block = *plain;
            des.encrypt(&mut block);
            assert_eq!(u64::from_be_bytes(block), cipher);
            des.decrypt(&mut block);
            assert_eq!(&block, plain);
        }
    }

    /// A table that loses a bit would fail here.
    #[test]
    fn every_bit_of_key_and_block_matters() {
        let key: [u8; 24] = std::array::from_fn(|at| (at * 37) as u8);
        let block = [0x5a; 8];
        let encrypted = |key: &[u8; 24], mut block: [u8; 8]| {
            Des3::new(key).encrypt(&mut block);
            block
        };
        let usual = encrypted(&key, block);
        for bit in 0..192 {
            let mut other = key;
            other[bit / 8] ^= 0x80 >> (bit % 8);
            // The lowest bit of each byte is its parity bit, which DES ignores.
            assert_eq!(encrypted(&other, block) == usual, bit % 8 == 7, "bit {bit} of the key");
        }
        for bit in 0..64 {
            let mut other = block;
            other[bit / 8] ^= 0x80 >> (bit % 8);
            assert_ne!(encrypted(&key, other), usual, "bit {bit} of the block");
        }
    }
}
