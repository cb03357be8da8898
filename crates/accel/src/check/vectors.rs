//! Published examples: a driver that fails one of them implements another algorithm than it
//! reports.

use crate::Algorithm;

/// Bytes are hexadecimal, with spaces between blocks.
pub(super) struct Vector {
    pub(super) algorithm: Algorithm,
    pub(super) key: &'static str,
    pub(super) iv: &'static str,
    pub(super) plain: &'static str,
    pub(super) cipher: &'static str,
    pub(super) source: &'static str,
}

/// SP 800-38A, appendix F: the plaintext of all of its examples.
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 \
                     30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710";

const KEY_128: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const KEY_192: &str = "8e73b0f7da0e6452c810f32b809079e5 62f8ead2522c6b7b";
const KEY_256: &str = "603deb1015ca71be2b73aef0857d7781 1f352c073b6108d72d9810a30914dff4";

/// The IV of its CBC examples, and the first counter of those of counter mode.
const IV: &str = "000102030405060708090a0b0c0d0e0f";
const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

/// Four blocks that count from 0, as the longer examples of IEEE 1619 begin.
const COUNTING: &str = "000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f \
                        202122232425262728292a2b2c2d2e2f 303132333435363738393a3b3c3d3e3f";

/// At least one for each algorithm and key length.
pub(super) const VECTORS: [Vector; 12] = [
    Vector {
        algorithm: Algorithm::CbcAes,
        key: KEY_128,
        iv: IV,
        plain: PLAIN,
        cipher: "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2 \
                 73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7",
        source: "SP 800-38A, F.2.1",
    },
    Vector {
        algorithm: Algorithm::CbcAes,
        key: KEY_192,
        iv: IV,
        plain: PLAIN,
        cipher: "4f021db243bc633d7178183a9fa071e8 b4d9ada9ad7dedf4e5e738763f69145a \
                 571b242012fb7ae07fa9baac3df102e0 08b0e27988598881d920a9e64f5615cd",
        source: "SP 800-38A, F.2.3",
    },
    Vector {
        algorithm: Algorithm::CbcAes,
        key: KEY_256,
        iv: IV,
        plain: PLAIN,
        cipher: "f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d \
                 39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b",
        source: "SP 800-38A, F.2.5",
    },
    Vector {
        algorithm: Algorithm::CtrAes,
        key: KEY_128,
        iv: COUNTER,
        plain: PLAIN,
        cipher: "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff \
                 5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee",
        source: "SP 800-38A, F.5.1",
    },
    Vector {
        algorithm: Algorithm::CtrAes,
        key: KEY_192,
        iv: COUNTER,
        plain: PLAIN,
        cipher: "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94 \
                 1e36b26bd1ebc670d1bd1d665620abf7 4f78a7f6d29809585a97daec58c6b050",
        source: "SP 800-38A, F.5.3",
    },
    Vector {
        algorithm: Algorithm::CtrAes,
        key: KEY_256,
        iv: COUNTER,
        plain: PLAIN,
        cipher: "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5 \
                 2b0930daa23de94ce87017ba2d84988d dfc9c58db67aada613c2dd08457941a6",
        source: "SP 800-38A, F.5.5",
    },
    Vector {
        algorithm: Algorithm::EcbAes,
        key: KEY_128,
        iv: "",
        plain: PLAIN,
        cipher: "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf \
                 43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4",
        source: "SP 800-38A, F.1.1",
    },
    Vector {
        algorithm: Algorithm::EcbAes,
        key: KEY_192,
        iv: "",
        plain: PLAIN,
        cipher: "bd334f1d6e45f25ff712a214571fa5cc 974104846d0ad3ad7734ecb3ecee4eef \
                 ef7afd2270e2e60adce0ba2face6444e 9a4b41ba738d6c72fb16691603c18e0e",
        source: "SP 800-38A, F.1.3",
    },
    Vector {
        algorithm: Algorithm::EcbAes,
        key: KEY_256,
        iv: "",
        plain: PLAIN,
        cipher: "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870 \
                 b6ed21b99ca6f4f9f153e7b1beafed1d 23304b7a39f9f3ff067d8d8f9e24ecc7",
        source: "SP 800-38A, F.1.5",
    },
    Vector {
        algorithm: Algorithm::XtsAes,
        key: "27182818284590452353602874713526 31415926535897932384626433832795",
        iv: "00000000000000000000000000000000",
        plain: COUNTING,
        cipher: "27a7479befa1d476489f308cd4cfa6e2 a96e4bbe3208ff25287dd3819616e89c \
                 c78cf7f5e543445f8333d8fa7f560000 05279fa5d8b5e4ad40e736ddb4d35412",
        source: "IEEE 1619, vector 4",
    },
    Vector {
        algorithm: Algorithm::XtsAes,
        key: "2718281828459045235360287471352662497757247093699959574966967627 \
              3141592653589793238462643383279502884197169399375105820974944592",
        iv: "ff000000000000000000000000000000",
        plain: COUNTING,
        cipher: "1c3b3a102f770386e4836c99e370cf9b ea00803f5e482357a4ae12d414a3e63b \
                 5d31e276f8fe4a8d66b317f9ac683f44 680a86ac35adfc3345befecb4bb188fd",
        source: "IEEE 1619, vector 10",
    },
    Vector {
        algorithm: Algorithm::CbcDes3Ede,
        key: "0123456789abcdef 23456789abcdef01 456789abcdef0123",
        iv: "f69f2445df4f9b17",
        plain: "6bc1bee22e409f96 e93d7e117393172a ae2d8a571e03ac9c 9eb76fac45af8e51",
        cipher: "2079c3d53aa763e1 93b79e2569ab5262 516570481f25b50f 73c0bda85c8e0da7",
        source: "NIST's examples with intermediate values, TDES in CBC",
    },
];

pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::modes::Reference;
    use super::*;
    use crate::Direction;

    #[test]
    fn the_reference_gives_the_examples() {
        for vector in &VECTORS {
            let [key, iv, plain, cipher] = [vector.key, vector.iv, vector.plain, vector.cipher].map(hex);
            let reference = Reference::new(vector.algorithm, &key);
            assert_eq!(reference.crypt(Direction::Encrypt, &iv, &plain), cipher, "{}", vector.source);
            assert_eq!(reference.crypt(Direction::Decrypt, &iv, &cipher), plain, "{}", vector.source);
        }
    }

    #[test]
    fn every_algorithm_has_an_example() {
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| !algorithm.has_tags()) {
            assert!(VECTORS.iter().any(|vector| vector.algorithm == algorithm), "{algorithm:?}");
        }
    }
}
