//! GF(2^128) as in SP 800-38D (6.3): an element is a number whose highest bit is the coefficient of
//! x^0.

/// Sums of the products of 8 by 8 bits whose factors are 0, 1, 2, 3 and 4 bytes apart, each in a 16-bit
/// lane: lane i has byte i of the first factor, or of the second one, as the lower one.
pub(crate) type Sums = [u128; 5];

/// The polynomial: 1 + x + x^2 + x^7, and x^128.
const POLYNOMIAL: u128 = 0xe1 << 120;

/// Divides by x.
pub(crate) fn by_x_inverse(value: u128) -> u128 {
    let lowest = value >> 127;
    (value ^ (POLYNOMIAL & lowest.wrapping_neg())) << 1 | lowest
}

/// Multiplies bit by bit, in constant time.
pub(crate) fn multiply(left: u128, mut right: u128) -> u128 {
    let mut product = 0;
    for bit in (0..128).rev() {
        product ^= right & (left >> bit & 1).wrapping_neg();
        right = right >> 1 ^ POLYNOMIAL & (right & 1).wrapping_neg();
    }
    product
}

/// Puts the products into their places: a product of 64 by 64 bits.
fn placed([same, one, two, three, four]: &Sums) -> u128 {
    // The lanes at the top wrap around: byte 7 and byte 0 are seven bytes apart, and so on.
    let one = (one << 16 >> 8) ^ (one >> 112 << 56);
    let two = (two << 32 >> 16) ^ (two >> 96 << 48);
    let three = (three << 48 >> 24) ^ (three >> 80 << 40);
    let four = (four << 64 >> 32) ^ (four >> 64 << 32);
    same ^ one ^ two ^ three ^ four
}

/// The sum of the products of blocks and powers, of which each was divided by x.
pub(crate) fn reduced([high, low, both]: &[Sums; 3]) -> u128 {
    let (high, low) = (placed(high), placed(low));
    let middle = placed(both) ^ high ^ low;
    // Bit p of the 256 bits is the coefficient of x^(255-p): the lower half is to be multiplied by
    // x^128, which is 1 + x + x^2 + x^7.
    let (high, low) = (high ^ middle >> 64, low ^ middle << 64);
    let low = low ^ low << 127 ^ low << 126 ^ low << 121;
    high ^ low ^ low >> 1 ^ low >> 2 ^ low >> 7
}
