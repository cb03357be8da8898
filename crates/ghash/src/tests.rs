use super::*;

/// GHASH bit by bit.
fn expected(hash_key: &[u8; BLOCK], aad: &[u8], ciphertext: &[u8]) -> [u8; BLOCK] {
    let key = u128::from_be_bytes(*hash_key);
    let [aad_bits, text_bits] = [aad, ciphertext].map(|bytes| bytes.len() as u128 * 8);
    let lengths = aad_bits << 64 | text_bits;
    let blocks = aad.chunks(BLOCK).chain(ciphertext.chunks(BLOCK)).map(|block| {
        let mut padded = [0; BLOCK];
        padded[..block.len()].copy_from_slice(block);
        u128::from_be_bytes(padded)
    });
    let hash = blocks.chain([lengths]).fold(0, |hash, block| multiply(hash ^ block, key));
    hash.to_be_bytes()
}

fn powers(hash_key: &[u8; BLOCK]) -> Powers {
    let mut powers = Powers::none().expect("the instructions");
    powers.set(hash_key);
    powers
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
    assert_eq!(expected(&hash_key, &aad, ciphertext), hash);
    assert_eq!(powers(&hash_key).of_message(&aad, ciphertext), hash);
}

#[test]
fn messages_of_any_length_have_the_hash_that_is_computed_bit_by_bit() {
    let mut bits = 7_u64;
    let mut random = move || {
        bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (bits >> 33) as u8
    };
    let keys = [
        [0; BLOCK],
        [0xff; BLOCK],
        number("80000000000000000000000000000000"),
        number("1"),
        std::array::from_fn(|_| random()),
    ];
    for (round, key) in keys.iter().cycle().take(12).enumerate() {
        let powers = powers(key);
        let text: Vec<u8> = (0..700).map(|_| if round % 7 == 0 { 0xff } else { random() }).collect();
        let mut lengths = vec![0, 1, 15, 16, 17, 239, 240, 241, 255, 256, 257, 272, 511, 512, 700];
        lengths.push(usize::from(random()) * 2);
        for length in lengths {
            for aad in [0, 5, 13, 16, 20, 48, 300] {
                let (aad, text) = (&text[700 - aad..], &text[..length]);
                let found = powers.of_message(aad, text);
                assert_eq!(found, expected(key, aad, text), "{key:x?}, {} and {length} bytes", aad.len());
            }
        }
    }
}
