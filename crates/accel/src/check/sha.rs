//! SHA-1, SHA-2 and HMAC as FIPS 180-4 and FIPS 198-1 write them. Slow, and independent of the code
//! that drivers use.

use crate::{Hash, HashAlgorithm};

/// FIPS 180-4, 4.2.3: from the cube roots of the first eighty primes. SHA-256 uses the upper halves
/// of the first 64 (4.2.2).
#[rustfmt::skip]
const K: [u64; 80] = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
];

/// 5.3.5: from the square roots of the first eight primes. SHA-256 uses the upper halves (5.3.3).
#[rustfmt::skip]
const FIRST: [u64; 8] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
];

/// 5.3.4: from the square roots of the ninth to the sixteenth prime. SHA-224 uses the lower halves
/// (5.3.2).
#[rustfmt::skip]
const NINTH: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
    0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
];

pub(super) fn digest(algorithm: HashAlgorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    if algorithm.hmac { hmac(algorithm.hash, key, message) } else { hash(algorithm.hash, message) }
}

/// FIPS 198-1, 4.
fn hmac(function: Hash, key: &[u8], message: &[u8]) -> Vec<u8> {
    let block = function.block_len();
    let mut key = if key.len() > block { hash(function, key) } else { key.to_vec() };
    key.resize(block, 0);
    let padded = |pad: u8, text: &[u8]| {
        let mut all: Vec<u8> = key.iter().map(|byte| byte ^ pad).collect();
        all.extend_from_slice(text);
        hash(function, &all)
    };
    padded(0x5c, &padded(0x36, message))
}

fn hash(function: Hash, message: &[u8]) -> Vec<u8> {
    let upper = |half: u64| (half >> 32) as u32;
    let mut result: Vec<u8> = match function {
        Hash::Sha1 => sha1(message),
        Hash::Sha224 => sha256(NINTH.map(|word| word as u32), message),
        Hash::Sha256 => sha256(FIRST.map(upper), message),
        Hash::Sha384 => sha512(NINTH, message),
        Hash::Sha512 => sha512(FIRST, message),
    };
    result.truncate(function.digest_len());
    result
}

/// 5.1: a one bit, zeros, and the length in bits, up to whole blocks.
fn padded(message: &[u8], block: usize) -> Vec<u8> {
    let length = block / 8;
    let mut all = message.to_vec();
    all.push(0x80);
    while all.len() % block != block - length {
        all.push(0);
    }
    let bits = (message.len() as u128 * 8).to_be_bytes();
    all.extend_from_slice(&bits[16 - length..]);
    all
}

fn words<const N: usize>(block: &[u8]) -> [u64; N] {
    let size = block.len() / 16;
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(size)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    }
    words
}

/// 6.1.2
fn sha1(message: &[u8]) -> Vec<u8> {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded(message, 64).chunks_exact(64) {
        let mut w = words::<80>(block).map(|word| word as u32);
        for t in 16..80 {
            w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (t, word) in w.into_iter().enumerate() {
            let (f, k) = match t / 20 {
                0 => (b & c | !b & d, 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc_u32),
                _ => (b ^ c ^ d, 0xca62_c1d6),
            };
            let sum = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(word);
            (a, b, c, d, e) = (sum, a, b.rotate_left(30), c, d);
        }
        for (word, more) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(more);
        }
    }
    state.into_iter().flat_map(u32::to_be_bytes).collect()
}

/// 6.2.2, for SHA-224 (6.3) too.
fn sha256(mut state: [u32; 8], message: &[u8]) -> Vec<u8> {
    let rotated =
        |x: u32, by: [u32; 3]| x.rotate_right(by[0]) ^ x.rotate_right(by[1]) ^ x.rotate_right(by[2]);
    let shifted = |x: u32, by: [u32; 3]| x.rotate_right(by[0]) ^ x.rotate_right(by[1]) ^ (x >> by[2]);
    for block in padded(message, 64).chunks_exact(64) {
        let mut w = words::<64>(block).map(|word| word as u32);
        for t in 16..64 {
            let (early, late) = (shifted(w[t - 15], [7, 18, 3]), shifted(w[t - 2], [17, 19, 10]));
            w[t] = late.wrapping_add(w[t - 7]).wrapping_add(early).wrapping_add(w[t - 16]);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, k) in w.into_iter().zip(K) {
            let k = (k >> 32) as u32;
            let one = h.wrapping_add(rotated(e, [6, 11, 25])).wrapping_add(e & f ^ !e & g);
            let one = one.wrapping_add(k).wrapping_add(word);
            let two = rotated(a, [2, 13, 22]).wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(one), c, b, a, one.wrapping_add(two));
        }
        for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(more);
        }
    }
    state.into_iter().flat_map(u32::to_be_bytes).collect()
}

/// 6.4.2, for SHA-384 (6.5) too.
fn sha512(mut state: [u64; 8], message: &[u8]) -> Vec<u8> {
    let rotated =
        |x: u64, by: [u32; 3]| x.rotate_right(by[0]) ^ x.rotate_right(by[1]) ^ x.rotate_right(by[2]);
    let shifted = |x: u64, by: [u32; 3]| x.rotate_right(by[0]) ^ x.rotate_right(by[1]) ^ (x >> by[2]);
    for block in padded(message, 128).chunks_exact(128) {
        let mut w = words::<80>(block);
        for t in 16..80 {
            let (early, late) = (shifted(w[t - 15], [1, 8, 7]), shifted(w[t - 2], [19, 61, 6]));
            w[t] = late.wrapping_add(w[t - 7]).wrapping_add(early).wrapping_add(w[t - 16]);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, k) in w.into_iter().zip(K) {
            let one = h.wrapping_add(rotated(e, [14, 18, 41])).wrapping_add(e & f ^ !e & g);
            let one = one.wrapping_add(k).wrapping_add(word);
            let two = rotated(a, [28, 34, 39]).wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(one), c, b, a, one.wrapping_add(two));
        }
        for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(more);
        }
    }
    state.into_iter().flat_map(u64::to_be_bytes).collect()
}
