//! The secret parts of a GCM tag that OpenSSL does not compute: the product of a public number with
//! the hash key H = E_K(0), and the comparison of tags. Both take a time that depends on public
//! values only (`benches/constant_time.rs`).

use outboard_accel::memory::try_box;
use outboard_accel::wipe;
use subtle::ConstantTimeEq;

type Block = [u8; 16];

pub(crate) struct HashMultiples {
    /// H times x to the power of the index (SP 800-38D, 6.3); the first bit of a block is that of
    /// x^0.
    multiples: Box<[Block; 128]>,
}

impl HashMultiples {
    pub(crate) fn new(hash_key: &Block) -> Option<HashMultiples> {
        let mut multiples = try_box([Block::default(); 128])?;
        let mut multiple = u128::from_be_bytes(*hash_key);
        for entry in multiples.iter_mut() {
            *entry = multiple.to_be_bytes();
            multiple = times_x(multiple);
        }
        Some(HashMultiples { multiples })
    }

    /// The bits of `public`, which is not secret, select the multiples.
    pub(crate) fn add_product(&self, tag: &mut Block, mut public: u128) {
        while public != 0 {
            let power = public.leading_zeros();
            public ^= 1 << (127 - power);
            let multiple = &self.multiples[power as usize];
            tag.iter_mut().zip(multiple).for_each(|(byte, multiple)| *byte ^= multiple);
        }
    }
}

impl Drop for HashMultiples {
    fn drop(&mut self) {
        self.multiples.iter_mut().for_each(|multiple| wipe(multiple));
    }
}

pub(crate) fn is_tag(expected: &Block, tag: &[u8]) -> bool {
    expected[..].ct_eq(tag).into()
}

/// In GF(2^128) as defined in SP 800-38D (6.3), in constant time.
fn times_x(value: u128) -> u128 {
    value >> 1 ^ (value & 1).wrapping_neg() & 0xe1 << 120
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplication_by_x_is_that_of_the_standard() {
        // x^0 is the first bit.
        assert_eq!(times_x(1 << 127), 1 << 126);
        assert_eq!(times_x(1), 0xe1 << 120);
        let (a, b) = (0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e, 0x0388_dace_60b6_a392_f328_c2b9_71b2_fe78);
        assert_eq!(times_x(a ^ b), times_x(a) ^ times_x(b));
    }

    #[test]
    fn a_product_is_the_sum_of_the_multiples_of_its_bits() {
        // SP 800-38D's field: 1 is the first bit. H times 1 is H, H times (1 + x) is H + xH.
        let hash_key = 0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e_u128;
        let multiples = HashMultiples::new(&hash_key.to_be_bytes()).expect("memory");
        for (public, product) in [
            (0, 0),
            (1 << 127, hash_key),
            (1 << 126, times_x(hash_key)),
            (0b11 << 126, hash_key ^ times_x(hash_key)),
        ] {
            let mut tag = [0xa5; 16];
            multiples.add_product(&mut tag, public);
            assert_eq!(u128::from_be_bytes(tag.map(|byte| byte ^ 0xa5)), product, "{public:x}");
        }
        assert!(is_tag(&[3; 16], &[3; 16]) && !is_tag(&[3; 16], &[3; 15]));
    }
}
