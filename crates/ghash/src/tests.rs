#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod constant_time;
mod groups;

use super::*;
use group::Method;
use integers::Integers;

/// Multiplies bit by bit in GF(2^128) as in SP 800-38D (6.3): an element is a number whose highest bit is
/// the coefficient of x^0.
fn multiply(left: u128, mut right: u128) -> u128 {
    let mut product = 0;
    for bit in (0..128).rev() {
        product ^= right & (left >> bit & 1).wrapping_neg();
        right = right >> 1 ^ 0xe1 << 120 & (right & 1).wrapping_neg();
    }
    product
}

fn block(bytes: &[u8]) -> u128 {
    let mut padded = [0; BLOCK];
    padded[..bytes.len()].copy_from_slice(bytes);
    u128::from_be_bytes(padded)
}

/// GHASH bit by bit: of additional data, and then of each length of the text.
struct Expected<'a> {
    key: u128,
    aad: usize,
    text: &'a [u8],
    /// The hash of the blocks before `whole` of the text.
    hash: u128,
    whole: usize,
}

impl Expected<'_> {
    fn new<'a>(key: &[u8; BLOCK], aad: &[u8], text: &'a [u8]) -> Expected<'a> {
        let key = u128::from_be_bytes(*key);
        let hash = aad.chunks(BLOCK).fold(0, |hash, bytes| multiply(hash ^ block(bytes), key));
        Expected { key, aad: aad.len(), text, hash, whole: 0 }
    }

    /// Of a length that is not below the one before.
    fn of(&mut self, length: usize) -> [u8; BLOCK] {
        while length - self.whole >= BLOCK {
            self.hash = multiply(self.hash ^ block(&self.text[self.whole..][..BLOCK]), self.key);
            self.whole += BLOCK;
        }
        let [aad, text] = [self.aad, length].map(|bytes| bytes as u128 * 8);
        let hash = match &self.text[self.whole..length] {
            [] => self.hash,
            rest => multiply(self.hash ^ block(rest), self.key),
        };
        multiply(hash ^ aad << 64 ^ text, self.key).to_be_bytes()
    }
}

fn random() -> impl FnMut() -> u8 {
    let mut bits = 7_u64;
    move || {
        bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (bits >> 33) as u8
    }
}

fn number(digits: &str) -> [u8; BLOCK] {
    u128::from_str_radix(digits, 16).expect("hexadecimal").to_be_bytes()
}

/// Test case 4 of the specification of GCM (McGrew and Viega, 2005).
#[test]
fn the_published_example_is_right() {
    let hash_key = number("b83b533708bf535d0aa6e52980d53b78");
    let aad: Vec<u8> =
        [number("feedfacedeadbeeffeedfacedeadbeef").as_slice(), &[0xab, 0xad, 0xda, 0xd2]].concat();
    let ciphertext = [
        number("42831ec2217774244b7221b784d0d49c"),
        number("e3aa212f2c02a4e035c17e2329aca12e"),
        number("21d514b25466931c7d8f6a5aac84aa05"),
        number("1ba30b396a0aac973d58e09100000000"),
    ]
    .concat();
    let ciphertext = &ciphertext[..60];
    let hash = number("698e57f70e6ecc7fd9463b7260a9ae5f");
    assert_eq!(Expected::new(&hash_key, &aad, ciphertext).of(ciphertext.len()), hash);
    let methods: Vec<Powers> = Powers::by_each_method(&hash_key).collect();
    assert_eq!(
        methods.len(),
        usize::from(Instructions::is_there()) + usize::from(cfg!(target_arch = "x86_64"))
    );
    for powers in methods {
        assert_eq!(powers.of_message(&aad, ciphertext), hash);
    }
}

/// The keys 0 and 1, of ones, of a single one and a single zero at each place, and random ones.
fn keys(random: &mut impl FnMut() -> u8) -> Vec<[u8; BLOCK]> {
    let single = |bit: u32| [1 << bit, !(1 << bit)];
    let extreme = [0, u128::MAX].into_iter().chain((0..128).flat_map(single)).map(u128::to_be_bytes);
    extreme.chain((0..8).map(|_| std::array::from_fn(|_| random()))).collect()
}

#[test]
fn messages_of_each_length_have_the_hash_that_is_computed_bit_by_bit() {
    let mut random = random();
    let text: Vec<u8> = (0..4096).map(|_| random()).collect();
    let key = std::array::from_fn(|_| random());
    for powers in Powers::by_each_method(&key) {
        let mut expected = Expected::new(&key, &text[..13], &text);
        for length in 0..=text.len() {
            assert_eq!(
                powers.of_message(&text[..13], &text[..length]),
                expected.of(length),
                "{length} bytes"
            );
        }
    }
}

#[test]
fn each_length_of_additional_data_and_each_key_has_the_hash_that_is_computed_bit_by_bit() {
    let mut random = random();
    let mut text: Vec<u8> = (0..600).map(|_| random()).collect();
    for (round, key) in keys(&mut random).iter().enumerate() {
        text.iter_mut().for_each(|byte| *byte = if round % 7 == 0 { 0xff } else { random() });
        for powers in Powers::by_each_method(key) {
            for aad in (round % 20..=300).step_by(20) {
                let aad = &text[600 - aad..];
                let mut expected = Expected::new(key, aad, &text);
                for length in [0, 1, 15, 16, 17, 230, 240, 241, 255, 256, 257, 511, 512, 600] {
                    let found = powers.of_message(aad, &text[..length]);
                    assert_eq!(found, expected.of(length), "{key:x?}, {} and {length} bytes", aad.len());
                }
            }
        }
    }
}

/// A column with 16 ones is too large for the multiplication of integers.
#[test]
fn keys_with_a_class_of_ones_are_refused_and_others_are_multiplied_by_any_class() {
    if !Integers::is_there() {
        return;
    }
    let class = u128::from(u64::MAX / 15);
    let mut used = 0;
    let mut random = random();
    for (half, shift, zero) in (0..2 * 4 * 17).map(|number| (number % 2 * 64, number / 2 % 4, number / 8)) {
        let ones = class << shift << half;
        let power = if zero < 16 { ones ^ 1 << (half + shift + 4 * zero) } else { ones };
        // The method divides a power by x.
        let key = multiply(power, 1 << 126);
        let Some(group) = Group::<Integers>::new(&key.to_be_bytes()) else { continue };
        assert!(zero < 16, "{power:x}");
        used += 1;
        for block in [ones, u128::MAX, class << shift, class << 64 << shift, !ones] {
            assert_eq!(
                group.of_blocks([&block.to_be_bytes()]),
                multiply(block, key).to_be_bytes(),
                "{key:x}"
            );
        }
        // Two classes of which the sum has ones only.
        let some = u128::from_be_bytes(std::array::from_fn(|_| random())) & ones;
        let rest = ones ^ some;
        let moved = [rest >> shift << (shift ^ 1), rest >> shift << (shift ^ 2), rest.rotate_left(64)];
        for power in moved.map(|moved| some | moved) {
            assert!(Group::<Integers>::new(&multiply(power, 1 << 126).to_be_bytes()).is_none(), "{power:x}");
        }
    }
    assert!(used > 50, "{used} keys are used");
}

/// Those of this CPU, and those of others.
#[cfg(target_arch = "x86_64")]
#[test]
fn sums_are_the_same_in_memory_and_in_registers() {
    let mut random = random();
    for count in 1..=group::GROUP {
        let mut number = || u64::from_be_bytes(std::array::from_fn(|_| random()));
        let mut numbers = || [[(); 9]; 3].map(|part| part.map(|()| number()));
        let powers: Vec<[[u64; 9]; 3]> = (0..count).map(|_| numbers()).collect();
        let parts: Vec<[u64; 3]> = (0..count).map(|_| numbers().map(|part| part[0])).collect();
        let mut in_memory = numbers().map(|part| part.map(u128::from));
        let mut in_registers = in_memory;
        integers::in_memory::add_products(parts.iter().copied(), &powers, &mut in_memory);
        integers::in_registers::add_products(parts.into_iter(), &powers, &mut in_registers);
        assert_eq!(in_memory, in_registers, "{count} blocks");
    }
}
