//! Products of the nibbles of blocks and powers by PSHUFB, which looks up 16 indices in 16 bytes: a
//! nibble has 16 products with a power, of which a table has one byte each. Byte m of a sum for byte i
//! of the products belongs to the coefficients from x^(8(m+i)) on.

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

use arch::{
    __m128i, _mm_add_epi8, _mm_alignr_epi8, _mm_and_si128, _mm_load_si128, _mm_loadu_si128, _mm_set_epi32,
    _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8, _mm_slli_si128,
    _mm_srli_epi16, _mm_store_si128, _mm_storeu_si128, _mm_xor_si128,
};
use std::arch::{asm, is_x86_feature_detected};
use std::ptr::{from_mut, from_ref};

use zeroize::Zeroize;

use crate::BLOCK;
use crate::group::Method;

/// Number of bytes of the products that are summed together, in registers.
const TOGETHER: usize = if cfg!(target_arch = "x86") { 4 } else { 8 };

/// For each byte of a product the tables of a block's high nibbles and low nibbles.
type Tables = [[u128; 2]; BLOCK];

/// The sums for each byte of the products.
type Sums = [u128; BLOCK];

pub(crate) struct Instructions;

/// Whether this CPU has the multiplication of 64 bits.
pub(crate) fn openssl_is_better() -> bool {
    is_x86_feature_detected!("pclmulqdq")
}

impl Method for Instructions {
    type Power = Tables;
    type Sums = Sums;

    fn is_there() -> bool {
        is_x86_feature_detected!("ssse3")
    }

    fn prepare(power: &[u8; BLOCK], prepared: &mut Tables) -> bool {
        // SAFETY: the instructions are there, as the caller has checked.
        unsafe { fill(power, prepared) };
        true
    }

    fn add(powers: &[Tables], hash: &[u8; BLOCK], blocks: &[u8], sums: &mut Sums) {
        for byte in (0..BLOCK).step_by(TOGETHER) {
            // SAFETY: as above.
            unsafe { add_products(byte, powers, hash, blocks, sums) };
        }
    }

    fn reduced(sums: &Sums) -> [u8; BLOCK] {
        // SAFETY: as above.
        let [low, high] = unsafe { placed(sums) }.map(u128::from_be_bytes);
        // The highest bit of a number is the lowest coefficient. `high`, of which the last byte is 0, is
        // to be multiplied by x^128, which is 1 + x + x^2 + x^7.
        (low ^ high ^ high >> 1 ^ high >> 2 ^ high >> 7).to_be_bytes()
    }
}

#[target_feature(enable = "ssse3")]
unsafe fn fill(power: &[u8; BLOCK], prepared: &mut Tables) {
    let mut multiple = u128::from_be_bytes(*power);
    let mut multiples = [0; 8];
    for entry in &mut multiples {
        *entry = multiple.to_be();
        multiple = multiple >> 1 ^ 0xe1 << 120 & (multiple & 1).wrapping_neg();
    }
    // SAFETY: guaranteed by the caller; the pointers are of arrays of 16 bytes.
    unsafe {
        // The indices with bit 3, 2, 1 and 0, of which bit 3 is the lowest coefficient of a nibble.
        let with_bit = [
            _mm_set_epi32(-1, -1, 0, 0),
            _mm_set_epi32(-1, 0, -1, 0),
            _mm_set1_epi32(-0x1_0000),
            _mm_set1_epi16(-0x100),
        ];
        let mut place = _mm_setzero_si128();
        for tables in prepared {
            for (multiples, table) in multiples.chunks_exact(4).zip(tables) {
                let mut sum = _mm_setzero_si128();
                for (multiple, with_bit) in multiples.iter().zip(with_bit) {
                    let spread = _mm_shuffle_epi8(_mm_load_si128(from_ref(multiple).cast()), place);
                    sum = _mm_xor_si128(sum, _mm_and_si128(spread, with_bit));
                }
                _mm_store_si128(from_mut(table).cast(), sum);
            }
            place = _mm_add_epi8(place, _mm_set1_epi8(1));
        }
    }
    multiples.zeroize();
}

/// The look-ups are assembler code, because the compiler moves the sums from register to register.
#[target_feature(enable = "ssse3")]
unsafe fn add_products(first: usize, powers: &[Tables], hash: &[u8; BLOCK], blocks: &[u8], sums: &mut Sums) {
    // SAFETY: guaranteed by the caller; the pointers are of arrays of 16 bytes, or of `Sums`.
    unsafe {
        let nibble = _mm_set1_epi8(15);
        let at: *mut __m128i = sums[first..].as_mut_ptr().cast();
        let mut hash = _mm_loadu_si128(hash.as_ptr().cast());
        macro_rules! for_each_byte {
            ($($byte:literal)*) => {
                let mut found = [$(_mm_load_si128(at.add($byte))),*];
                for (block, tables) in blocks.chunks_exact(BLOCK).zip(powers) {
                    let block = _mm_xor_si128(_mm_loadu_si128(block.as_ptr().cast()), hash);
                    hash = _mm_setzero_si128();
                    let high = _mm_and_si128(_mm_srli_epi16::<4>(block), nibble);
                    let low = _mm_and_si128(block, nibble);
                    $(asm!(
                        "movdqa {of_high}, [{tables} + 32 * {byte}]",
                        "movdqa {of_low}, [{tables} + 32 * {byte} + 16]",
                        "pshufb {of_high}, {high}",
                        "pshufb {of_low}, {low}",
                        "pxor {sum}, {of_high}",
                        "pxor {sum}, {of_low}",
                        of_high = out(xmm_reg) _,
                        of_low = out(xmm_reg) _,
                        sum = inout(xmm_reg) found[$byte],
                        high = in(xmm_reg) high,
                        low = in(xmm_reg) low,
                        tables = in(reg) tables.as_ptr().add(first),
                        byte = const $byte,
                        options(pure, readonly, nostack, preserves_flags),
                    );)*
                }
                $(_mm_store_si128(at.add($byte), found[$byte]);)*
            };
        }
        #[cfg(target_arch = "x86")]
        for_each_byte!(0 1 2 3);
        #[cfg(target_arch = "x86_64")]
        for_each_byte!(0 1 2 3 4 5 6 7);
    }
}

/// Puts the sums into their places: the lower and the higher coefficients of the product.
#[target_feature(enable = "ssse3")]
unsafe fn placed(sums: &[u128]) -> [[u8; BLOCK]; 2] {
    let mut product = [[0; BLOCK]; 2];
    // SAFETY: guaranteed by the caller; the pointers are of arrays of 16 bytes.
    unsafe {
        let (mut low, mut high) = (_mm_setzero_si128(), _mm_setzero_si128());
        for sum in sums.iter().rev() {
            high = _mm_alignr_epi8::<15>(high, low);
            low = _mm_xor_si128(_mm_slli_si128::<1>(low), _mm_load_si128(from_ref(sum).cast()));
        }
        _mm_storeu_si128(product[0].as_mut_ptr().cast(), low);
        _mm_storeu_si128(product[1].as_mut_ptr().cast(), high);
    }
    product
}
