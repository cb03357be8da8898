//! Properties of every cipher except AES in CBC mode, whether the kernel's software or the
//! simulated accelerator processes the requests.

use proptest::test_runner::TestCaseError;

use crate::bytes::{array, assert_same, bytes, hex};
use crate::evp::{Context, Direction, TlsRecords};
use crate::lane::runner;
use crate::messages::padded;
use crate::script::{Script, Step, play, script};
use crate::world::{OTHER_CIPHERS, World};

const BOTH: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

/// Any sequence of calls returns what the default provider returns, for as many sequences as
/// [`runner`] takes.
#[track_caller]
pub fn any_sequence_of_calls_is_answered_alike(world: &World, cases: u32) {
    let ciphers = OTHER_CIPHERS.map(|algorithm| (world.hard(algorithm), world.soft(algorithm)));
    let answered_alike = |script: Script| {
        let (hard, soft) = &ciphers[script.cipher];
        let played = play(&script, hard, soft);
        played.map_err(|problem| TestCaseError::fail(format!("{}: {problem}", OTHER_CIPHERS[script.cipher])))
    };
    runner(cases)
        .run(&script(ciphers.len()), answered_alike)
        .unwrap_or_else(|failure| panic!("{:?}: {failure}", world.driver_choice));
    world.assert_driver_used();
}

/// Sequences at which implementations differ, for each cipher.
#[track_caller]
pub fn chosen_sequences_are_answered_alike(world: &World) {
    let update = |length| Step::Update { length, in_place: false, skew: 0 };
    let in_place = |length| Step::Update { length, in_place: true, skew: 3 };
    let again = |key, iv, direction| Step::Again { key, iv, direction };
    let sequences = [
        // The driver continues in the middle of a key stream block, and stops in the middle of one.
        vec![
            update(5),
            update(4096),
            Step::Ask,
            update(7),
            in_place(4100),
            Step::Ask,
            update(4),
            update(4096),
        ],
        // A new initialization without key and IV, with one of them, and in the other direction.
        vec![update(4096), again(false, false, None), update(4096), Step::Ask, update(33)],
        vec![update(4101), again(true, false, None), update(4096), Step::Ask, Step::Copy, update(4096)],
        vec![update(4096), again(false, true, Some(Direction::Decrypt)), update(4096), Step::Ask],
        vec![
            update(4096),
            again(true, true, Some(Direction::Decrypt)),
            update(4096),
            Step::Finish,
            Step::Ask,
        ],
        // num is set, which has an effect only in counter mode.
        vec![update(4101), Step::Num(0), Step::Ask, update(4096), Step::Num(1), Step::Ask, update(4096)],
        // EVP_Cipher ignores buffered bytes, but not the position in a key stream block.
        vec![
            Step::OneShot(4096),
            Step::OneShot(21),
            Step::OneShot(4096),
            Step::Ask,
            update(4096),
            Step::OneShot(16),
        ],
        // The key stream continues after the end of a stream.
        vec![update(1), Step::Finish, update(4096), Step::Ask],
        // A block is buffered, read and copied.
        vec![
            Step::Restart { direction: Direction::Decrypt },
            update(4096),
            Step::Copy,
            update(4096),
            Step::Padding(false),
            update(4096),
            Step::Ask,
            Step::Finish,
        ],
    ];
    for (cipher, algorithm) in OTHER_CIPHERS.iter().enumerate() {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        for steps in &sequences {
            let steps = steps.iter().cloned().map(|step| (0, step)).collect();
            let (direction, keyed, with_iv) = (Direction::Encrypt, true, true);
            let script = Script { seed: 1, cipher, direction, keyed, with_iv, steps };
            play(&script, &hard, &soft)
                .unwrap_or_else(|problem| panic!("{:?}, {algorithm}: {problem}", world.driver_choice));
        }
    }
    world.assert_driver_used();
}

/// Each provider decrypts messages of any length that the other has encrypted.
#[track_caller]
pub fn either_provider_decrypts_what_the_other_encrypted(world: &World) {
    for algorithm in OTHER_CIPHERS {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        let (key, iv) = (bytes(11, hard.key_length()), array(12));
        for length in [16, 17, 4095, 4096, 65_536, 100_003] {
            let plain = bytes(length as u64, length);
            for (encrypts, decrypts) in [(&hard, &soft), (&soft, &hard)] {
                let secret = padded(encrypts, &key, &iv, Direction::Encrypt, &plain);
                assert_ne!(secret, plain);
                let back = padded(decrypts, &key, &iv, Direction::Decrypt, &secret);
                assert_same(
                    &back,
                    &plain,
                    &format!("{:?}, {algorithm}, {length} bytes", world.driver_choice),
                );
            }
        }
    }
    world.assert_driver_used();
}

/// The counter carries into every byte above it, in the middle of a request too, and wraps around.
#[track_caller]
pub fn counters_carry_and_wrap(world: &World) {
    for algorithm in &OTHER_CIPHERS[..3] {
        let ciphers = [world.hard(algorithm), world.soft(algorithm)];
        for ones in [1, 2, 4, 8, 16] {
            let mut iv = [0; 16];
            iv[16 - ones..].fill(0xff);
            // So that it wraps in the middle of the second update.
            iv[15] = 0xf0;
            let streams = ciphers.each_ref().map(|cipher| {
                let mut context =
                    Context::keyed(cipher, &bytes(1, cipher.key_length()), &iv, Direction::Encrypt);
                let mut all = Vec::new();
                for length in [3, 4096, 70_000, 4099] {
                    let mut output = vec![0; length + 16];
                    context.update(&bytes(2, length), &mut output).expect("update");
                    all.extend_from_slice(&output);
                    all.extend_from_slice(&context.updated_iv().0);
                }
                all
            });
            assert_same(
                &streams[0],
                &streams[1],
                &format!("{:?}, {algorithm}, {ones} bytes of ones", world.driver_choice),
            );
        }
    }
    world.assert_driver_used();
}

/// XTS: each update is a data unit with the IV that was set, of 16 bytes to 16 MiB, including those
/// with a partial last block.
#[track_caller]
pub fn each_update_of_xts_is_a_data_unit(world: &World) {
    const MOST: usize = 16 << 20;
    let before = world.counts();
    for algorithm in ["AES-128-XTS", "AES-256-XTS"] {
        let ciphers = [world.hard(algorithm), world.soft(algorithm)];
        let key = bytes(1, ciphers[0].key_length());
        for direction in BOTH {
            let answers = ciphers.each_ref().map(|cipher| {
                let mut context = Context::keyed(cipher, &key, &array(3), direction);
                [512, 4096, 4096, 4097, 15, 16, 31, 0, 65_536, 65_552, 100_000].map(|length| {
                    let mut output = vec![0; length + 16];
                    let updated = context.update(&bytes(4, length), &mut output);
                    // A new tweak for each sector, as in dm-crypt; the key stays.
                    let tweaked = context.init(None, None, Some(&array(length as u64)), None);
                    (length, updated, output, tweaked, context.updated_iv())
                })
            });
            for (hard, soft) in answers[0].iter().zip(&answers[1]) {
                let what = format!("{:?}, {algorithm}, {direction:?}, {} bytes", world.driver_choice, hard.0);
                assert_same(&hard.2, &soft.2, &what);
                assert_eq!((&hard.1, &hard.3, &hard.4), (&soft.1, &soft.3, &soft.4), "{what}");
            }
        }
        let refusals = ciphers.each_ref().map(|cipher| {
            let (mut same, mut output) = (Context::new(), vec![0; 8192]);
            let equal_halves = [&key[..key.len() / 2], &key[..key.len() / 2]].concat();
            let mut without_iv = Context::new();
            vec![
                same.init(Some(cipher), Some(&equal_halves), Some(&array(1)), Some(Direction::Encrypt)),
                same.update(&bytes(5, 4096), &mut output),
                same.init(Some(cipher), Some(&equal_halves), Some(&array(1)), Some(Direction::Decrypt)),
                same.update(&bytes(5, 4096), &mut output),
                without_iv.init(Some(cipher), Some(&key), None, Some(Direction::Encrypt)),
                without_iv.update(&bytes(5, 4096), &mut output),
                without_iv.init(None, None, Some(&array(6)), None),
                without_iv.update(&bytes(5, 4096), &mut output),
                without_iv.update(&vec![0; MOST + 16], &mut vec![0; MOST + 32]),
            ]
        });
        assert_eq!(refusals[0], refusals[1], "{:?}, {algorithm}", world.driver_choice);
        let returned: Vec<i32> = refusals[1].iter().map(|outcome| outcome.returned).collect();
        assert_eq!(returned, [0, 0, 1, 1, 1, 0, 1, 1, 0], "{algorithm}");
    }
    world.assert_driver_used();
    // At least one request of 512 bytes and two of 4096 in each direction and with each key; none
    // for lengths with a partial block.
    let done = world.counts() - before;
    assert!(done.hw_requests == 0 || done.hw_requests >= 12, "{:?}: {done:?}", world.driver_choice);
}

/// TLS records of triple DES, whose explicit IV has eight bytes.
#[track_caller]
pub fn records_of_triple_des_are_sealed_and_opened_alike(world: &World) {
    let ciphers = [world.hard("DES-EDE3-CBC"), world.soft("DES-EDE3-CBC")];
    for version in [0x0300, 0x0301, 0x0303] {
        for mac_size in [0, 20] {
            let records = TlsRecords { version, mac_size };
            let answers = ciphers.each_ref().map(|cipher| {
                let start = |direction| {
                    let mut context = Context::keyed(cipher, &bytes(1, 24), &array(2), direction);
                    context.set_tls_records(records).expect("TLS parameters");
                    context
                };
                let (mut seal, mut open) = (start(Direction::Encrypt), start(Direction::Decrypt));
                [40, 4096, 4099, 16_384].map(|length| {
                    let mut record = bytes(length as u64, length + 32);
                    let sealed = seal.update_in_place(&mut record, length);
                    let secret = record.clone();
                    let opened = open.update_in_place(&mut record, sealed.expect("sealed"));
                    let mac = (mac_size > 0).then(|| open.tls_mac(mac_size));
                    // A wrong last byte gives another padding, and a random MAC if there is one.
                    let mut forged = secret.clone();
                    forged[sealed.expect("sealed") - 1] ^= 0x55;
                    let mut open = start(Direction::Decrypt);
                    let refused = open.update_in_place(&mut forged, sealed.expect("sealed"));
                    // OpenSSL's error reason is not that of a TLS record.
                    let what = (mac_size == 0).then_some(refused.returned);
                    (length, sealed, secret, opened, record, mac, what)
                })
            });
            for (hard, soft) in answers[0].iter().zip(&answers[1]) {
                assert_eq!(hard, soft, "{:?}, version {version:x}, MAC of {mac_size}", world.driver_choice);
            }
        }
    }
    world.assert_driver_used();
}

/// The parameters of a cipher equal those of the default provider in this OpenSSL.
#[track_caller]
pub fn descriptions_are_the_default_providers(world: &World) {
    for algorithm in OTHER_CIPHERS {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        assert_eq!(hard.description(), soft.description(), "{algorithm}");
        assert_eq!(hard.parameters(), soft.parameters(), "{algorithm}");
    }
    let names = [
        "2.16.840.1.101.3.4.1.1",
        "2.16.840.1.101.3.4.1.21",
        "2.16.840.1.101.3.4.1.41",
        "1.3.111.2.1619.0.1.1",
        "1.3.111.2.1619.0.1.2",
        "DES3",
        "1.2.840.113549.3.7",
        "aes-128-ctr",
    ];
    for name in names {
        assert_eq!(world.hard(name).description(), world.soft(name).description(), "{name}");
    }
}

/// Name, key, IV, plaintext, ciphertext.
type Vector = [&'static str; 5];

const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51";
const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const KEY_128: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const KEY_192: &str = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
const KEY_256: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const NO_IV: &str = "00000000000000000000000000000000";

/// NIST SP 800-38A, appendices F.5 and F.1 (the first two blocks); IEEE 1619, vectors 2, 4 and 10
/// (the first two blocks) and 15 (ciphertext stealing); NIST's examples with intermediate values of
/// TDES in CBC mode.
const VECTORS: [Vector; 11] = [
    [
        "AES-128-CTR",
        KEY_128,
        COUNTER,
        PLAIN,
        "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff",
    ],
    [
        "AES-192-CTR",
        KEY_192,
        COUNTER,
        PLAIN,
        "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94",
    ],
    [
        "AES-256-CTR",
        KEY_256,
        COUNTER,
        PLAIN,
        "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5",
    ],
    [
        "AES-128-ECB",
        KEY_128,
        NO_IV,
        PLAIN,
        "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf",
    ],
    [
        "AES-192-ECB",
        KEY_192,
        NO_IV,
        PLAIN,
        "bd334f1d6e45f25ff712a214571fa5cc 974104846d0ad3ad7734ecb3ecee4eef",
    ],
    [
        "AES-256-ECB",
        KEY_256,
        NO_IV,
        PLAIN,
        "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870",
    ],
    [
        "AES-128-XTS",
        "11111111111111111111111111111111 22222222222222222222222222222222",
        "33333333330000000000000000000000",
        "44444444444444444444444444444444 44444444444444444444444444444444",
        "c454185e6a16936e39334038acef838b fb186fff7480adc4289382ecd6d394f0",
    ],
    [
        "AES-128-XTS",
        "27182818284590452353602874713526 31415926535897932384626433832795",
        NO_IV,
        "000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f",
        "27a7479befa1d476489f308cd4cfa6e2 a96e4bbe3208ff25287dd3819616e89c",
    ],
    [
        "AES-256-XTS",
        "2718281828459045235360287471352662497757247093699959574966967627 \
         3141592653589793238462643383279502884197169399375105820974944592",
        "ff000000000000000000000000000000",
        "000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f",
        "1c3b3a102f770386e4836c99e370cf9b ea00803f5e482357a4ae12d414a3e63b",
    ],
    [
        "AES-128-XTS",
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0 bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a785634120000000000000000000000",
        "000102030405060708090a0b0c0d0e0f 10",
        "6c1625db4671522d3d7599601de7ca09 ed",
    ],
    [
        "DES-EDE3-CBC",
        "0123456789abcdef 23456789abcdef01 456789abcdef0123",
        "f69f2445df4f9b17 0000000000000000",
        PLAIN,
        "2079c3d53aa763e193b79e2569ab5262 516570481f25b50f73c0bda85c8e0da7",
    ],
];

/// The published vectors in both directions, on the driver except for the one with ciphertext
/// stealing.
#[track_caller]
pub fn the_published_vectors_hold(world: &World) {
    let before = world.counts();
    for [algorithm, key, iv, plain, secret] in VECTORS {
        let cipher = world.hard(algorithm);
        let iv = hex(iv).try_into().expect("a block");
        let (plain, secret) = (hex(plain), hex(secret));
        for (direction, from, to) in
            [(Direction::Encrypt, &plain, &secret), (Direction::Decrypt, &secret, &plain)]
        {
            let mut context = Context::keyed(&cipher, &hex(key), &iv, direction);
            context.set_padding(false).expect("padding off");
            let mut output = vec![0; from.len() + 16];
            let written = context.update(from, &mut output).expect("update");
            assert_same(&output[..written], to, algorithm);
            assert_eq!(context.finish(&mut output).expect("final"), 0);

            let mut context = Context::keyed(&cipher, &hex(key), &iv, direction);
            let (input, mut output) = ([from.as_slice(), &[0; 16]].concat(), vec![0; from.len() + 16]);
            assert_eq!(context.one_shot(&input, from.len(), &mut output).returned, from.len() as i32);
            assert_same(&output[..from.len()], to, algorithm);
        }
    }
    world.assert_driver_used();
    let done = world.counts() - before;
    assert!(done.requests() == 0 || done.hw_requests == 4 * (VECTORS.len() as u64 - 1), "{done:?}");
}
