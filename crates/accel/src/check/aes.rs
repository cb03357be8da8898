//! AES as FIPS 197 writes it, by columns, and independent of the code that drivers use. Its keys are
//! not secret.

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

/// What a byte of row 0 contributes to its column after a substitution and the multiplication of the
/// column by a polynomial with these coefficients (5.1.3, 5.3.3), which rotate from row to row.
const fn columns(bytes: &[u8; 256], factors: [u8; 4]) -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let [a, b, c, d] = factors;
        let value = bytes[at];
        let rows = [product(a, value), product(d, value), product(c, value), product(b, value)];
        table[at] = u32::from_le_bytes(rows);
        at += 1;
    }
    table
}

static MIX: [u32; 256] = columns(&SBOX, [2, 3, 1, 1]);
static UNMIX: [u32; 256] = columns(&INVERSE, [14, 11, 13, 9]);

type Block = [u8; 16];
/// Four columns; row 0 is the least significant byte.
type State = [u32; 4];

/// The round keys in the order in which each direction adds them.
pub(super) struct Aes {
    encrypt: Vec<State>,
    decrypt: Vec<State>,
}

impl Aes {
    /// 5.2; `key` has 16, 24 or 32 bytes.
    pub(super) fn new(key: &[u8]) -> Aes {
        let length = key.len() / 4;
        let mut words: Vec<u32> = key
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let substituted =
            |word: u32| u32::from_le_bytes(word.to_le_bytes().map(|byte| SBOX[usize::from(byte)]));
        let mut constant = 1;
        for i in length..4 * (length + 7) {
            let mut word = words[i - 1];
            if i % length == 0 {
                word = substituted(word.rotate_right(8)) ^ u32::from(constant);
                constant = double(constant);
            } else if length > 6 && i % length == 4 {
                word = substituted(word);
            }
            words.push(word ^ words[i - length]);
        }
        let encrypt: Vec<State> =
            words.chunks_exact(4).map(|key| std::array::from_fn(|at| key[at])).collect();
        // 5.3.5: the equivalent inverse cipher.
        let mut decrypt: Vec<State> = encrypt.iter().rev().copied().collect();
        let last = decrypt.len() - 1;
        for word in decrypt[1..last].iter_mut().flatten() {
            *word = mixed([substituted(*word); 4], &UNMIX);
        }
        Aes { encrypt, decrypt }
    }

    /// 5.1
    pub(super) fn encrypt(&self, block: Block) -> Block {
        let shift = |[a, b, c, d]: State| [[a, b, c, d], [b, c, d, a], [c, d, a, b], [d, a, b, c]];
        rounds(block, &self.encrypt, shift, &MIX, &SBOX)
    }

    /// 5.3.5
    pub(super) fn decrypt(&self, block: Block) -> Block {
        let shift = |[a, b, c, d]: State| [[a, d, c, b], [b, a, d, c], [c, b, a, d], [d, c, b, a]];
        rounds(block, &self.decrypt, shift, &UNMIX, &INVERSE)
    }
}

/// All rounds. `shift` returns the columns from which each column has its rows.
fn rounds(
    block: Block,
    keys: &[State],
    shift: impl Fn(State) -> [State; 4],
    table: &[u32; 256],
    last: &[u8; 256],
) -> Block {
    let number = u128::from_le_bytes(block);
    let columns = [number as u32, (number >> 32) as u32, (number >> 64) as u32, (number >> 96) as u32];
    let mut state = add(columns, keys[0]);
    let end = keys.len() - 1;
    for key in &keys[1..end] {
        let [a, b, c, d] = shift(state);
        state = add([mixed(a, table), mixed(b, table), mixed(c, table), mixed(d, table)], *key);
    }
    let result =
        shift(state).map(|rows| u32::from_le_bytes(diagonal(rows).map(|byte| last[usize::from(byte)])));
    add(result, keys[end])
        .iter()
        .rev()
        .fold(0, |number, column| number << 32 | u128::from(*column))
        .to_le_bytes()
}

/// Byte n of column n.
fn diagonal([a, b, c, d]: State) -> [u8; 4] {
    [a as u8, (b >> 8) as u8, (c >> 16) as u8, (d >> 24) as u8]
}

/// A byte in row n contributes what it contributes in row 0, rotated down by n rows.
fn mixed(rows: State, table: &[u32; 256]) -> u32 {
    let [a, b, c, d] = diagonal(rows);
    let of = |byte| table[usize::from(byte)];
    of(a) ^ of(b).rotate_left(8) ^ of(c).rotate_left(16) ^ of(d).rotate_left(24)
}

fn add([a, b, c, d]: State, [e, f, g, h]: State) -> State {
    [a ^ e, b ^ f, c ^ g, d ^ h]
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
