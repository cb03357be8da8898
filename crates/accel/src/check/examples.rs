//! Published examples of digests and HMAC.

use crate::{Hash, HashAlgorithm};

/// One example. The digest is hexadecimal, with spaces where it is long.
pub(super) struct Example {
    pub(super) algorithm: HashAlgorithm,
    pub(super) key: &'static [u8],
    pub(super) message: &'static [u8],
    pub(super) digest: &'static str,
    pub(super) source: &'static str,
}

/// FIPS 180-4's examples: three bytes, and two messages whose padding needs a block of its own.
const ABC: &[u8] = b"abc";
const BITS_448: &[u8] = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const BITS_896: &[u8] = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
                          hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

/// RFC 2202 and RFC 4231: a key shorter than a digest, and two that are longer than a block.
const JEFE: &[u8] = b"Jefe";
const WHAT: &[u8] = b"what do ya want for nothing?";
const LARGER: &[u8] = b"Test Using Larger Than Block-Size Key - Hash Key First";
const KEY_80: &[u8] = &[0xaa; 80];
const KEY_131: &[u8] = &[0xaa; 131];

const fn digest(hash: Hash, message: &'static [u8], digest: &'static str) -> Example {
    Example {
        algorithm: HashAlgorithm { hash, hmac: false },
        key: &[],
        message,
        digest,
        source: "FIPS 180-4's examples",
    }
}

const fn hmac(
    hash: Hash,
    key: &'static [u8],
    message: &'static [u8],
    digest: &'static str,
    source: &'static str,
) -> Example {
    Example { algorithm: HashAlgorithm { hash, hmac: true }, key, message, digest, source }
}

/// At least two for each algorithm.
pub(super) const EXAMPLES: [Example; 20] = [
    digest(Hash::Sha1, ABC, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    digest(Hash::Sha1, BITS_448, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    digest(Hash::Sha224, ABC, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    digest(Hash::Sha224, BITS_448, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
    digest(Hash::Sha256, ABC, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    digest(Hash::Sha256, BITS_448, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    digest(
        Hash::Sha384,
        ABC,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed \
         8086072ba1e7cc2358baeca134c825a7",
    ),
    digest(
        Hash::Sha384,
        BITS_896,
        "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712 \
         fcc7c71a557e2db966c3e9fa91746039",
    ),
    digest(
        Hash::Sha512,
        ABC,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a \
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    digest(
        Hash::Sha512,
        BITS_896,
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018 \
         501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
    ),
    hmac(Hash::Sha1, JEFE, WHAT, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79", "RFC 2202, case 2"),
    hmac(Hash::Sha1, KEY_80, LARGER, "aa4ae5e15272d00e95705637ce8a3b55ed402112", "RFC 2202, case 6"),
    hmac(
        Hash::Sha224,
        JEFE,
        WHAT,
        "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
        "RFC 4231, case 2",
    ),
    hmac(
        Hash::Sha224,
        KEY_131,
        LARGER,
        "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
        "RFC 4231, case 6",
    ),
    hmac(
        Hash::Sha256,
        JEFE,
        WHAT,
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "RFC 4231, case 2",
    ),
    hmac(
        Hash::Sha256,
        KEY_131,
        LARGER,
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        "RFC 4231, case 6",
    ),
    hmac(
        Hash::Sha384,
        JEFE,
        WHAT,
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e \
         8e2240ca5e69e2c78b3239ecfab21649",
        "RFC 4231, case 2",
    ),
    hmac(
        Hash::Sha384,
        KEY_131,
        LARGER,
        "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6 \
         0c2ef6ab4030fe8296248df163f44952",
        "RFC 4231, case 6",
    ),
    hmac(
        Hash::Sha512,
        JEFE,
        WHAT,
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554 \
         9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        "RFC 4231, case 2",
    ),
    hmac(
        Hash::Sha512,
        KEY_131,
        LARGER,
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352 \
         6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        "RFC 4231, case 6",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::sha;
    use super::super::vectors::hex;
    use super::*;

    #[test]
    fn the_reference_gives_the_examples() {
        for example in &EXAMPLES {
            let found = sha::digest(example.algorithm, example.key, example.message);
            assert_eq!(found, hex(example.digest), "{:?}, {}", example.algorithm, example.source);
        }
    }

    #[test]
    fn every_algorithm_has_two_examples() {
        for algorithm in HashAlgorithm::all() {
            assert_eq!(EXAMPLES.iter().filter(|e| e.algorithm == algorithm).count(), 2, "{algorithm:?}");
        }
    }

    /// FIPS 180-4's example of a million times "a".
    #[test]
    fn the_reference_hashes_a_million_bytes() {
        let algorithm = HashAlgorithm { hash: Hash::Sha1, hmac: false };
        let found = sha::digest(algorithm, &[], &vec![b'a'; 1_000_000]);
        assert_eq!(found, hex("34aa973cd4c4daa4f61eeb2bdbad27316534016f"));
    }
}
