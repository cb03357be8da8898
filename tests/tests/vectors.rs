//! Published vectors through EVP, all offloaded.

use outboard_tests::bytes::{assert_same, hex};
use outboard_tests::evp::{Context, Direction};
use outboard_tests::world::worlds;

struct Vector {
    algorithm: &'static str,
    key: &'static str,
    iv: &'static str,
    plaintext: &'static str,
    ciphertext: &'static str,
}

/// NIST SP 800-38A, appendix F.2, all of whose vectors share IV and plaintext.
const SP800_38A_IV: &str = "000102030405060708090a0b0c0d0e0f";
const SP800_38A_PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 \
                                   30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710";

/// FIPS-197, appendix C: single blocks, which equal CBC with an IV of zeros.
const ZERO_IV: &str = "00000000000000000000000000000000";
const FIPS_197_PLAINTEXT: &str = "00112233445566778899aabbccddeeff";

const VECTORS: [Vector; 6] = [
    Vector {
        algorithm: "AES-128-CBC",
        key: "2b7e151628aed2a6abf7158809cf4f3c",
        iv: SP800_38A_IV,
        plaintext: SP800_38A_PLAINTEXT,
        ciphertext: "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2 \
                     73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7",
    },
    Vector {
        algorithm: "AES-192-CBC",
        key: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        iv: SP800_38A_IV,
        plaintext: SP800_38A_PLAINTEXT,
        ciphertext: "4f021db243bc633d7178183a9fa071e8 b4d9ada9ad7dedf4e5e738763f69145a \
                     571b242012fb7ae07fa9baac3df102e0 08b0e27988598881d920a9e64f5615cd",
    },
    Vector {
        algorithm: "AES-256-CBC",
        key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        iv: SP800_38A_IV,
        plaintext: SP800_38A_PLAINTEXT,
        ciphertext: "f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d \
                     39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b",
    },
    Vector {
        algorithm: "AES-128-CBC",
        key: "000102030405060708090a0b0c0d0e0f",
        iv: ZERO_IV,
        plaintext: FIPS_197_PLAINTEXT,
        ciphertext: "69c4e0d86a7b0430d8cdb78070b4c55a",
    },
    Vector {
        algorithm: "AES-192-CBC",
        key: "000102030405060708090a0b0c0d0e0f1011121314151617",
        iv: ZERO_IV,
        plaintext: FIPS_197_PLAINTEXT,
        ciphertext: "dda97ca4864cdfe06eaf70a0ec0d7191",
    },
    Vector {
        algorithm: "AES-256-CBC",
        key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        iv: ZERO_IV,
        plaintext: FIPS_197_PLAINTEXT,
        ciphertext: "8ea2b7ca516745bfeafc49904b496089",
    },
];

#[test]
fn the_published_vectors_hold_in_both_directions() {
    for world in worlds("the_published_vectors_hold_in_both_directions", &[("THRESHOLDS", "ALL:1")]) {
        for vector in &VECTORS {
            let cipher = world.hard(vector.algorithm);
            let iv = hex(vector.iv).try_into().expect("a block");
            let (plain, secret) = (hex(vector.plaintext), hex(vector.ciphertext));
            for (direction, from, to) in
                [(Direction::Encrypt, &plain, &secret), (Direction::Decrypt, &secret, &plain)]
            {
                let mut context = Context::keyed(&cipher, &hex(vector.key), &iv, direction);
                context.set_padding(false).expect("padding off");
                let mut output = vec![0; from.len() + 16];
                let written = context.update(from, &mut output).expect("update");
                assert_same(&output[..written], to, vector.algorithm);
                assert_eq!(context.finish(&mut output).expect("final"), 0);

                // A single block may stay in software, whatever the threshold, except with
                // EVP_Cipher.
                let mut context = Context::keyed(&cipher, &hex(vector.key), &iv, direction);
                let (input, mut output) = ([from.as_slice(), &[0; 16]].concat(), vec![0; from.len() + 16]);
                assert_eq!(context.one_shot(&input, from.len(), &mut output).returned, from.len() as i32);
                assert_same(&output[..from.len()], to, vector.algorithm);
            }
        }
        let expected = 2 * VECTORS.len() as u64;
        world.assert_driver_used();
        if world.counts().requests() > 0 {
            assert!(
                world.counts().hw_requests >= expected,
                "each vector is a request in each direction: {:?}",
                world.counts()
            );
        }
    }
}
