//! AES as FIPS 197 writes it: slow, and independent of the code that drivers use. Its keys are not
//! secret.

pub(crate) static SBOX: [u8; 256] = substitution();
const INVERSE: [u8; 256] = inverse();

/// 5.1.1: iterates over all powers of the generator 3, together with their inverses.
const fn substitution() -> [u8; 256] {
    let mut table = [0; 256];
    let (mut power, mut inverse) = (1_u8, 1_u8);
    loop {
        power ^= double(power);
        // Division by 3.
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        if inverse & 0x80 != 0 {
            inverse ^= 0x09;
        }
        let i = inverse;
        table[power as usize] =
            i ^ i.rotate_left(1) ^ i.rotate_left(2) ^ i.rotate_left(3) ^ i.rotate_left(4) ^ 0x63;
        if power == 1 {
            break;
        }
    }
    table[0] = 0x63;
    table
}

const fn inverse() -> [u8; 256] {
    let mut table = [0; 256];
    let mut value = 0;
    while value < 256 {
        table[SBOX[value] as usize] = value as u8;
        value += 1;
    }
    table
}

/// 4.2.1: multiplication by x.
pub(crate) const fn double(value: u8) -> u8 {
    (value << 1) ^ (0x1b * (value >> 7))
}

/// 4.2: the product of a four-bit factor and a byte, as polynomials.
pub(crate) const fn product(factor: u8, mut value: u8) -> u8 {
    let (mut sum, mut bit) = (0, 0);
    while bit < 4 {
        if factor >> bit & 1 == 1 {
            sum ^= value;
        }
        value = double(value);
        bit += 1;
    }
    sum
}

/// The contribution of each byte in row 0 to its column when the column is multiplied by a
/// polynomial with these coefficients (5.1.3, 5.3.3), which rotate from row to row.
const fn column(factors: [u8; 4]) -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let [a, b, c, d] = factors;
        let value = at as u8;
        let rows = [product(a, value), product(d, value), product(c, value), product(b, value)];
        table[at] = u32::from_le_bytes(rows);
        at += 1;
    }
    table
}

static MIX: [u32; 256] = column([2, 3, 1, 1]);
static UNMIX: [u32; 256] = column([14, 11, 13, 9]);

type Block = [u8; 16];

pub(super) struct Aes(Vec<Block>);

impl Aes {
    /// 5.2; `key` has 16, 24 or 32 bytes.
    pub(super) fn new(key: &[u8]) -> Aes {
        let words = key.len() / 4;
        let mut all: Vec<[u8; 4]> =
            key.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]).collect();
        let mut constant = 1;
        for i in words..4 * (words + 7) {
            let mut word = all[i - 1];
            if i % words == 0 {
                word.rotate_left(1);
                word = word.map(|byte| SBOX[byte as usize]);
                word[0] ^= constant;
                constant = double(constant);
            } else if words > 6 && i % words == 4 {
                word = word.map(|byte| SBOX[byte as usize]);
            }
            all.push(std::array::from_fn(|byte| word[byte] ^ all[i - words][byte]));
        }
        Aes(all.chunks_exact(4).map(|round| std::array::from_fn(|byte| round[byte / 4][byte % 4])).collect())
    }

    /// 5.1
    pub(super) fn encrypt(&self, block: Block) -> Block {
        let last = self.0.len() - 1;
        let mut state = xor(block, self.0[0]);
        for (round, key) in self.0.iter().enumerate().skip(1) {
            // SubBytes and ShiftRows: byte `at` of the state is row at % 4, column at / 4.
            state = std::array::from_fn(|at| SBOX[state[(at + 4 * (at % 4)) % 16] as usize]);
            if round < last {
                state = columns(state, &MIX);
            }
            state = xor(state, *key);
        }
        state
    }

    /// 5.3
    pub(super) fn decrypt(&self, block: Block) -> Block {
        let last = self.0.len() - 1;
        let mut state = xor(block, self.0[last]);
        for (round, key) in self.0.iter().enumerate().take(last).rev() {
            state = std::array::from_fn(|at| INVERSE[state[(16 + at - 4 * (at % 4)) % 16] as usize]);
            state = xor(state, *key);
            if round > 0 {
                state = columns(state, &UNMIX);
            }
        }
        state
    }
}

/// A byte in row n contributes what it contributes in row 0, rotated down by n rows.
fn columns(state: Block, table: &[u32; 256]) -> Block {
    let mut mixed = state;
    for column in mixed.chunks_exact_mut(4) {
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|row| table[usize::from(column[row])].rotate_left(8 * row as u32));
        column.copy_from_slice(&(a ^ b ^ c ^ d).to_le_bytes());
    }
    mixed
}

fn xor(left: Block, right: Block) -> Block {
    std::array::from_fn(|at| left[at] ^ right[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, appendix C.
    #[test]
    fn the_examples_of_the_standard() {
        let plain: Block = std::array::from_fn(|at| (at * 0x11) as u8);
        for (bytes, cipher) in [
            (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128),
            (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
            (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
        ] {
            let aes = Aes::new(&(0..bytes).collect::<Vec<u8>>());
            assert_eq!(aes.encrypt(plain), cipher.to_be_bytes());
            assert_eq!(aes.decrypt(cipher.to_be_bytes()), plain);
        }
    }
}
