//! What a packet's control words, context record and token make of its data.

use super::*;
use crate::block::tests::{GCM_AAD, GCM_IV, GCM_KEY, GCM_PLAIN, GCM_SECRET, GCM_TAG, hex};
use crate::block::{Cipher, Direction, add_key_stream, count_32_bits, crypt};
use crate::hash::{Hash, HashFunction};

#[test]
fn the_ciphers_are_those_of_rustcrypto_in_both_directions() {
    let text: Vec<u8> = (0..96).collect();
    let triple = 2 << 17 | WITH_KEY;
    for (cipher, control, key_len, block) in [
        (Cipher::Aes, aes(&KEY[..16]), 16, 16),
        (Cipher::Aes, aes(&KEY[..24]), 24, 16),
        (Cipher::Aes, aes(&KEY), 32, 16),
        (Cipher::Des, WITH_KEY, 8, 8),
        (Cipher::Des, triple, 24, 8),
    ] {
        let key = &KEY[..key_len];
        for mode in [0, CBC] {
            let mut iv = if mode == CBC { IV[..block].to_vec() } else { Vec::new() };
            let job = |kind| Job::cipher([control | kind, mode], key, &iv, text.len());
            let (encrypt, decrypt) = (job(CRYPTO_OUT), job(CRYPTO_IN));
            let mut right = text.clone();
            let iv = (mode == CBC).then_some(&mut iv[..]);
            assert!(crypt(cipher, key, Direction::Encrypt, iv, &mut right));
            assert_eq!(run(&encrypt, &text, 96), (right.clone(), 0), "{cipher:?} {key_len} {mode}");
            assert_eq!(run(&decrypt, &right, 96), (text.clone(), 0), "{cipher:?} {key_len} {mode}");
        }
    }
}

/// RFC 3686, test vector 1; and a length without a block.
#[test]
fn the_counter_mode_is_that_of_ipsec() {
    let key = hex("ae6852f8121067cc4bf7a5765577f39e");
    let iv = hex("00000030000000000000000000000001");
    let job = Job::cipher([aes(&key) | CRYPTO_OUT, CTR], &key, &iv, 16);
    let secret = hex("e4095d4fb7a7b3792d6175a3261311b8");
    assert_eq!(run(&job, b"Single block msg", 16), (secret, 0));
    let (mut iv, mut right) = (IV, [7; 37]);
    let job = Job::cipher([aes(&KEY) | CRYPTO_IN, CTR], &KEY, &iv, 37);
    add_key_stream(&KEY, &mut iv, &mut right, count_32_bits).expect("a key");
    assert_eq!(run(&job, &[7; 37], 37), (right.to_vec(), 0));
}

const FUNCTIONS: [(HashFunction, u32); 6] = [
    (HashFunction::Md5, 0),
    (HashFunction::Sha1, 2 << 23),
    (HashFunction::Sha256, 3 << 23),
    (HashFunction::Sha224, 4 << 23),
    (HashFunction::Sha512, 5 << 23),
    (HashFunction::Sha384, 6 << 23),
];

/// As Linux: in one go, and in three, of which the last has the count; with the whole state as result.
#[test]
fn the_hashes_begin_go_on_and_end() {
    let message: Vec<u8> = (0..=255).chain(0..77).collect();
    for (function, bits) in FUNCTIONS {
        let (size, right) = (function.state_bytes(), Hash::new(function).digest(0, &message));
        let all = Job::hash([bits | HASH_OUT | PRECOMPUTED | RESTART, 0], &[], message.len(), size);
        let (result, error) = run(&all, &message, size);
        assert_eq!((&result[..right.len()], error), (&right[..], 0), "{function:?}");
        let begin = Job::hash([bits | HASH_OUT | PRECOMPUTED | RESTART | NO_FINISH, 0], &[], 128, size);
        let (state, _) = run(&begin, &message[..128], size);
        let further = Job::hash([bits | HASH_OUT | PRECOMPUTED | NO_FINISH, 0], &state, 128, size);
        let (state, _) = run(&further, &message[128..256], size);
        let counted = [&state[..], &4_u32.to_le_bytes()].concat();
        let end = Job::hash([bits | HASH_OUT | PRECOMPUTED, COUNTED], &counted, 77, size);
        assert_eq!(run(&end, &message[256..], size).0[..right.len()], right, "{function:?}");
    }
}

/// The states of HMAC after its two keys, one after the other (RFC 2104).
fn states(function: HashFunction, key: &[u8]) -> Vec<u8> {
    let state = |pad: u8| {
        let mut block = key.to_vec();
        block.resize(function.block_bytes(), 0);
        let mut hash = Hash::new(function);
        hash.add(&block.iter().map(|byte| byte ^ pad).collect::<Vec<_>>());
        hash.state().to_vec()
    };
    [state(0x36), state(0x5c)].concat()
}

fn hmac(function: HashFunction, key: &[u8], message: &[u8]) -> Vec<u8> {
    let (block, states) = (function.block_bytes() as u64, states(function, key));
    let (inner, outer) = states.split_at(function.state_bytes());
    let digest = Hash::from(function, inner).digest(block, message);
    Hash::from(function, outer).digest(block, &digest)
}

/// RFC 2202 and RFC 4231, test case 2, for SHA-1 and SHA-256; the others by the states.
#[test]
fn hmac_ends_with_the_outer_hash() {
    let (key, message) = (b"Jefe", b"what do ya want for nothing?");
    for (function, bits) in FUNCTIONS {
        let right = match function {
            HashFunction::Sha1 => hex("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
            HashFunction::Sha256 => hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            _ => hmac(function, key, message),
        };
        let size = function.state_bytes();
        let job = Job::hash([bits | HASH_OUT | HMAC, 0], &states(function, key), message.len(), size);
        assert_eq!(run(&job, message, size).0[..right.len()], right, "{function:?}");
    }
}

/// The output and the error of both directions.
fn both(job: &Job, aad: &[u8], plain: &[u8], tag: usize) -> [(Vec<u8>, u32); 3] {
    let has_first_block = job.controls[1] & ENCRYPTED_HASH != 0;
    let token = |opens| sealing(aad.len(), plain.len(), tag, has_first_block, opens);
    let mut seal = job.clone();
    (seal.controls[0], seal.more) = (job.controls[0] | ENCRYPT_HASH_OUT, token(false));
    let sealed = run(&seal, &[aad, plain].concat(), plain.len() + tag);
    let mut open = job.clone();
    (open.controls[0], open.more) = (job.controls[0] | HASH_DECRYPT_IN, token(true));
    let mut input = [aad, &sealed.0].concat();
    let opened = run(&open, &input, plain.len());
    *input.last_mut().expect("a tag") ^= 1;
    let refused = run(&open, &input, plain.len());
    [sealed, opened, refused]
}

#[test]
fn a_cipher_with_hmac_seals_opens_and_refuses() {
    let (aad, plain) = (&[9; 24], [8; 64]);
    for (function, bits) in FUNCTIONS {
        for mode in [CBC, CTR] {
            let tag = function.digest_bytes();
            let record = [&KEY[..], &states(function, b"a key")].concat();
            let controls = [aes(&KEY) | bits | HMAC, mode];
            let job = Job { controls, record, iv: IV.to_vec(), ..Job::default() };
            let [sealed, opened, refused] = both(&job, aad, &plain, tag);
            let (mut right, mut iv) = (plain.to_vec(), IV);
            if mode == CTR {
                add_key_stream(&KEY, &mut iv, &mut right, count_32_bits).expect("a key");
            } else {
                assert!(crypt(Cipher::Aes, &KEY, Direction::Encrypt, Some(&mut iv), &mut right));
            }
            right.extend(hmac(function, b"a key", &[&aad[..], &right].concat()));
            assert_eq!(sealed, (right, 0), "{function:?}");
            assert_eq!(opened, (plain.to_vec(), 0), "{function:?}");
            assert_eq!(refused, (plain.to_vec(), token::AUTHENTICATION_FAILED), "{function:?}");
        }
    }
}

#[test]
fn gcm_is_as_its_authors_show() {
    let [sealed, opened, refused] =
        both(&gcm(&hex(GCM_KEY), &hex(GCM_IV)), &hex(GCM_AAD), &hex(GCM_PLAIN), 16);
    assert_eq!(sealed, ([hex(GCM_SECRET), hex(GCM_TAG)].concat(), 0));
    assert_eq!(opened, (hex(GCM_PLAIN), 0));
    assert_eq!(refused.1, token::AUTHENTICATION_FAILED);
}

/// Test case 1: nothing but a tag. The packet has a byte that no instruction takes. With a tag of a wrong
/// message, there is no output either.
#[test]
fn gcm_of_nothing_has_a_tag() {
    let mut job = gcm(&[0; 16], &[0; 12]);
    job.controls[0] |= ENCRYPT_HASH_OUT;
    job.more = sealing(0, 0, 16, true, false);
    assert_eq!(run(&job, &[0], 16), (hex("58e2fccefa7e3061367f1d57a4e7455a"), 0));
    let aad_only = both(&gcm(&KEY, &IV[..12]), &[5; 20], &[], 16);
    assert_eq!(aad_only.map(|(output, error)| (output.len(), error)), [(16, 0), (0, 0), (0, 1 << 9)]);
}

/// RFC 4543: the text is authenticated, and passes as it is. Its hash is that of AAD only.
#[test]
fn gmac_authenticates_what_passes() {
    let (aad, text) = ([3; 12], [4; 30]);
    let mut job = gcm(&KEY, &IV[..12]);
    let mut whole = job.clone();
    job.controls[0] |= HASH_ENCRYPT_OUT;
    job.more = [
        &[direction(TO_HASH, 12)][..],
        &FIRST_BLOCK,
        &[last_direction(ENDS | TO_HASH | TO_OUTPUT, 30), digest(16)],
    ]
    .concat();
    let (output, error) = run(&job, &[&aad[..], &text].concat(), 46);
    whole.controls[0] |= ENCRYPT_HASH_OUT;
    whole.more = sealing(42, 0, 16, true, false);
    let (tag, _) = run(&whole, &[&aad[..], &text].concat(), 16);
    assert_eq!((&output[..30], &output[30..], error), (&text[..], &tag[..], 0));
}

/// RFC 3610, packet vector 1, with the words in front that Linux inserts.
#[test]
fn ccm_is_as_the_standard_shows() {
    let key = hex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf");
    let (aad, plain): (Vec<u8>, Vec<u8>) = ((0..8).collect(), (8..31).collect());
    let secret = hex("588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0");
    let nonce = hex("00000003020100a0a1a2a3a4a5");
    let first = [&[0x59][..], &nonce, &[0, 23], &[0, 8], &[0; 2]].concat();
    let record = [&key[..], &[0; 32], &swapped(&key)].concat();
    let iv = [&[1][..], &nonce, &[0; 2]].concat();
    for opens in [false, true] {
        let kind = if opens { DECRYPT_HASH_IN } else { HASH_ENCRYPT_OUT };
        let mut more = vec![instruction(2, TO_HASH | 0x1b, 0, 18)];
        more.extend(words_of(&first));
        more.extend([direction(TO_HASH, 8), instruction(2, TO_HASH, 0, 6)]);
        more.extend(FIRST_BLOCK);
        more.extend([
            direction(ENDS | TO_CIPHER | TO_HASH | TO_OUTPUT, 23),
            instruction(2, TO_HASH, 1, 32 - 23),
        ]);
        more.extend(if opens { verify(8).to_vec() } else { vec![digest(8)] });
        let controls = [aes(&key) | XCM | XCBC_128 | kind, CTR | ENCRYPTED_HASH];
        let job = Job { controls, record: record.clone(), iv: iv.clone(), more, ..Job::default() };
        let (input, output) = if opens { (&secret, &plain) } else { (&plain, &secret) };
        assert_eq!(run(&job, &[&aad, &input[..]].concat(), output.len()), (output.clone(), 0));
    }
}

/// RFC 4493, examples 2 and 3.
#[test]
fn cmac_adds_a_constant_to_the_last_block() {
    let constants = hex("fbeed618357133667c85e08f7236a8def7ddac306ae266ccf90bc11ee46d513b");
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let record = swapped(&[constants, key].concat());
    let message = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411");
    for (len, right) in [(16, "070a16b46b4d4144f79bdd9dd04a287c"), (40, "dfa66747de9ae63030ca32611497c827")] {
        let job = Job::hash([XCM | XCBC_128 | HASH_OUT, 0], &record, len, 16);
        assert_eq!(run(&job, &message[..len], 16), (hex(right), 0));
    }
}

#[test]
fn crc32_goes_on_from_its_result() {
    let job = |from: u32, len| Job::hash([XCM | HASH_OUT, 0], &from.to_le_bytes(), len, 4);
    let (first, _) = run(&job(0, 4), b"1234", 4);
    let first = u32::from_le_bytes(first.try_into().expect("four bytes"));
    // The check value of CRC-32 (IEEE 802.3).
    assert_eq!(run(&job(first, 5), b"56789", 4), (0xcbf4_3926_u32.to_le_bytes().to_vec(), 0));
}
