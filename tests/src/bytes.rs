//! Reproducible pseudo-random bytes.

/// The number of bytes that are generated; longer data repeats them. A prime, so that copies of a
/// block or record lie at different offsets, and small, because test machines are slow.
const PERIOD: usize = 100_003;

/// `length` bytes that depend only on the seed.
pub fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(length + 8);
    let mut state = seed;
    while out.len() < length.min(PERIOD) {
        out.extend_from_slice(&splitmix64(&mut state).to_le_bytes());
    }
    out.truncate(length.min(PERIOD));
    while out.len() < length {
        out.extend_from_within(..PERIOD);
    }
    out.truncate(length);
    out
}

/// As `bytes`, in an array.
pub fn array<const N: usize>(seed: u64) -> [u8; N] {
    bytes(seed, N).try_into().expect("the length that was asked for")
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small, and good enough for test data.
fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Bytes as hexadecimal digits.
pub fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hexadecimal digits, blanks allowed, as bytes.
pub fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(|digit| !digit.is_ascii_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| {
            let pair = std::str::from_utf8(pair).expect("ASCII");
            u8::from_str_radix(pair, 16).expect("two hexadecimal digits")
        })
        .collect()
}

/// Describes the first difference of two buffers.
pub fn first_difference(left: &[u8], right: &[u8]) -> Option<usize> {
    if left.len() != right.len() {
        return Some(left.len().min(right.len()));
    }
    // Without optimisation the search takes long, and most buffers are equal.
    if left == right { None } else { left.iter().zip(right).position(|(left, right)| left != right) }
}

/// Asserts that two buffers are equal; a failure prints the first difference only.
#[track_caller]
pub fn assert_same(left: &[u8], right: &[u8], what: &str) {
    if left == right {
        return;
    }
    let place = first_difference(left, right).expect("they differ");
    panic!("{what}: {} and {} bytes, different from byte {place} on", left.len(), right.len());
}
