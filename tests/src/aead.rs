//! Properties that hold for every AEAD.

use proptest::test_runner::TestCaseError;

use crate::aead_script::{Forged, Message, Script, Step, play, sealed};
use crate::bytes::{array, assert_same, bytes, hex};
use crate::evp::{Cipher, Context, Direction, Outcome};
use crate::lane::runner;
use crate::world::{AEADS, World};

const BLOCK: usize = 16;

/// Any sequence of calls returns what the default provider returns, for as many sequences as
/// [`runner`] takes.
#[track_caller]
pub fn any_sequence_of_calls_is_answered_alike(world: &World, cases: u32) {
    let ciphers = AEADS.map(|algorithm| (world.hard(algorithm), world.soft(algorithm)));
    let answered_alike = |script: Script| {
        let (hard, soft) = &ciphers[script.cipher];
        let played = play(&script, hard, soft);
        played.map_err(|problem| TestCaseError::fail(format!("{}: {problem}", AEADS[script.cipher])))
    };
    runner(cases)
        .run(&crate::aead_script::script(ciphers.len()), answered_alike)
        .unwrap_or_else(|failure| panic!("{:?}: {failure}", world.driver_choice));
}

/// Sequences at which implementations differ, for each cipher.
#[track_caller]
pub fn chosen_sequences_are_answered_alike(world: &World) {
    let whole = Message {
        length: 4096,
        aad: 13,
        aad_in_two: false,
        cut_at: None,
        in_place: true,
        tag: 16,
        finish: true,
    };
    let cut = |at| Message { cut_at: Some(at), ..whole.clone() };
    let text = |length| Step::Text { length, in_place: true };
    let again = |key, iv, direction| Step::Again { key, iv, direction };
    let seal = || Step::Seal(whole.clone());
    let open = |forged| Step::Open(whole.clone(), forged, true);
    let open_late = |forged| Step::Open(whole.clone(), forged, false);
    let sequences = [
        // Consecutive messages in both directions, with the parameters of the context read in
        // between.
        vec![seal(), Step::Ask, open(Forged::Not), Step::Ask, seal(), open(Forged::Tag), open(Forged::Not)],
        vec![open(Forged::Text), Step::Ask, open(Forged::Aad), Step::Finish, open(Forged::Not), Step::Finish],
        // More plaintext than the accelerator processed; all of it before an empty update, and
        // after one.
        vec![Step::Seal(cut(4000)), Step::Seal(cut(4096)), Step::Seal(cut(0))],
        vec![Step::Open(cut(4000), Forged::Not, true), Step::Open(cut(4096), Forged::Not, true)],
        // The tag is set after the data; it is not set; it is that of another message.
        vec![
            Step::Open(whole.clone(), Forged::Not, false),
            again(false, true, None),
            text(4096),
            Step::Finish,
        ],
        vec![again(false, true, Some(Direction::Decrypt)), text(4096), Step::Finish, Step::Ask],
        vec![seal(), again(false, true, Some(Direction::Decrypt)), text(4096), Step::Finish],
        vec![open(Forged::Not), again(false, true, None), text(4096), Step::Finish, Step::Tag(16)],
        // Parameters read and set, and contexts copied, while the accelerator has computed ahead.
        vec![
            again(false, true, Some(Direction::Encrypt)),
            text(4096),
            Step::Ask,
            text(5),
            Step::Finish,
            Step::Tag(16),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            text(4096),
            Step::Tag(16),
            Step::Finish,
            Step::Tag(8),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            text(4096),
            Step::Copy,
            Step::Finish,
            Step::Tag(16),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            text(4096),
            Step::Aad(5),
            Step::Finish,
            Step::Tag(16),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            text(4096),
            Step::NonceLength(13),
            text(1),
            Step::Finish,
        ],
        vec![again(false, true, Some(Direction::Encrypt)), text(4096), Step::SetTag(16), Step::TagLength(16)],
        vec![again(false, true, Some(Direction::Encrypt)), text(4096), again(true, false, None), text(4096)],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            text(4096),
            again(false, false, Some(Direction::Decrypt)),
        ],
        // The next IV, of a length that the provider does not use.
        vec![Step::CountedIv, Step::NonceLength(13), Step::NextIv(1), Step::NextIv(12)],
        vec![Step::NonceLength(13), Step::CountedIv, Step::NextIv(8), Step::NonceLength(12), Step::NextIv(8)],
        // Each message needs a new nonce, and nothing follows the end of a message.
        vec![seal(), text(4096), Step::Finish, Step::Tag(16), Step::Aad(13)],
        vec![
            seal(),
            again(false, false, None),
            text(4096),
            Step::Finish,
            again(true, false, None),
            text(4096),
        ],
        // A new key, or the other direction, in the middle of a message.
        vec![
            again(false, true, None),
            Step::Aad(13),
            again(true, false, None),
            text(4096),
            Step::Finish,
            Step::Tag(16),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            Step::Aad(13),
            again(false, false, Some(Direction::Decrypt)),
            Step::SetTag(16),
            text(4096),
            Step::Finish,
        ],
        // CCM's length: announced but different, announced twice, left over from an abandoned
        // message.
        vec![
            again(false, true, Some(Direction::Encrypt)),
            Step::Announce(4096),
            text(4097),
            text(4096),
            Step::Tag(12),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            Step::Announce(17),
            again(false, true, None),
            text(17),
            Step::Tag(12),
            again(false, true, None),
            text(4096),
            Step::Finish,
            Step::Tag(12),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            Step::Announce(100),
            Step::Aad(13),
            Step::Announce(4096),
            text(4096),
            Step::Tag(12),
        ],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            Step::Announce(4096),
            Step::Aad(5),
            Step::Aad(6),
            text(4096),
            Step::Tag(12),
        ],
        // IVs that are incremented, as by OpenSSH; the context continues after those that the
        // accelerator used.
        vec![
            again(false, false, Some(Direction::Encrypt)),
            Step::CountedIv,
            Step::NextIv(1),
            Step::OneShotAad(Some(4)),
            Step::OneShot(4096),
            Step::OneShotAad(None),
            Step::Tag(16),
            Step::NextIv(12),
            Step::OneShotAad(Some(4)),
            Step::OneShot(4096),
            Step::OneShotAad(None),
            Step::Tag(16),
            Step::Ask,
            text(4096),
            Step::Finish,
        ],
        // Nonces of other lengths than twelve bytes, then of twelve bytes again.
        vec![
            Step::NonceLength(8),
            Step::Ask,
            seal(),
            open(Forged::Not),
            Step::NonceLength(12),
            seal(),
            open(Forged::Not),
        ],
        vec![Step::NonceLength(13), seal(), Step::NonceLength(7), open(Forged::Not), open(Forged::Tag)],
        // Calls between the messages of a connection.
        vec![again(false, true, None), Step::Tag(16), text(600), Step::Finish, Step::Tag(16)],
        vec![again(false, true, None), Step::Aad(5), Step::Ask, Step::Aad(8), text(600), Step::Finish],
        vec![again(false, true, None), Step::Aad(5), again(false, true, None), text(600), Step::Finish],
        vec![again(false, true, None), Step::Aad(5), Step::Copy, text(600), Step::Finish, Step::Tag(16)],
        vec![again(false, true, None), Step::Aad(5), Step::Finish, Step::Tag(16), seal()],
        vec![again(false, true, None), again(false, false, None), text(600), Step::Finish, Step::Tag(12)],
        vec![seal(), Step::Finish, Step::Tag(16), Step::Ask],
        vec![seal(), Step::Copy, Step::Tag(16), text(5), Step::Aad(5)],
        vec![seal(), text(600), Step::Finish, Step::Tag(16)],
        vec![seal(), Step::Aad(3), Step::Tag(0), Step::Tag(17), Step::Tag(4)],
        vec![seal(), again(false, true, None), Step::Tag(16), Step::Ask, text(600), Step::Tag(16)],
        vec![seal(), again(false, false, Some(Direction::Decrypt)), Step::Tag(16), Step::SetTag(16), seal()],
        vec![seal(), again(true, true, None), Step::Tag(16), text(600), Step::Finish, Step::Tag(16)],
        vec![seal(), Step::NonceLength(12), Step::Tag(16), Step::NextIv(12), seal()],
        vec![seal(), Step::CountedIv, Step::NextIv(8), text(600), Step::Finish, Step::Tag(16), seal()],
        vec![seal(), Step::OneShot(600), Step::OneShotAad(None), Step::Tag(16)],
        vec![open(Forged::Not), Step::Tag(16), Step::Copy, text(600), Step::Finish],
        vec![open(Forged::Not), Step::SetTag(12), Step::Ask, text(600), Step::Finish],
        vec![open(Forged::Not), Step::SetTag(16), again(false, true, None), text(600), Step::Finish],
        vec![open(Forged::Not), again(false, true, None), Step::Aad(5), text(600), Step::Finish],
        vec![again(false, true, None), Step::SetTag(0), Step::SetTag(17), text(600), Step::Finish, seal()],
        vec![again(false, true, None), text(600), Step::Copy, Step::SetTag(16), Step::Finish],
        vec![again(false, true, None), text(600), Step::SetTag(16), text(16), Step::Finish],
        vec![open_late(Forged::Not), Step::Copy, open_late(Forged::Tag), open_late(Forged::Not), Step::Ask],
        vec![open_late(Forged::Text), open_late(Forged::Not), again(false, true, None), Step::Finish],
        vec![open(Forged::Aad), open(Forged::Not), open(Forged::Text), open(Forged::Tag), open(Forged::Not)],
        vec![open(Forged::Not), again(false, false, Some(Direction::Encrypt)), Step::Tag(16), seal()],
        // A final call without data; data of zero bytes.
        vec![again(false, true, Some(Direction::Encrypt)), Step::Aad(13), Step::Finish, Step::Tag(16)],
        vec![
            again(false, true, Some(Direction::Encrypt)),
            text(0),
            text(4096),
            text(0),
            Step::Finish,
            Step::Tag(16),
        ],
    ];
    for (cipher, algorithm) in AEADS.iter().enumerate() {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        for (number, steps) in sequences.iter().enumerate() {
            let steps: Vec<(usize, Step)> = steps.iter().cloned().map(|step| (0, step)).collect();
            // The seed decides whether tags of the first messages are set before the data.
            let starts = [(Direction::Encrypt, 1), (Direction::Decrypt, 1), (Direction::Decrypt, 2)];
            for (direction, seed) in starts {
                for counts in [false, true] {
                    let script = Script { seed, cipher, direction, counts, steps: steps.clone() };
                    play(&script, &hard, &soft).unwrap_or_else(|problem| {
                        let choice = &world.driver_choice;
                        panic!("{choice:?}, {algorithm}, sequence {number}, {script:?}: {problem}")
                    });
                }
            }
        }
    }
}

/// Whole messages of many lengths, in both directions, to and from the default provider.
#[track_caller]
pub fn either_provider_opens_what_the_other_sealed(world: &World) {
    for (number, algorithm) in AEADS.into_iter().enumerate() {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        let (key, nonce) = (bytes(11, hard.key_length()), array(12));
        for length in [1024, 4095, 4096, 16_385, 65_535] {
            for (tag, aad) in [(16, 5), (if number < 3 { 16 } else { 8 }, 4096)] {
                let (plain, aad) = (bytes(length as u64, length), bytes(2, aad));
                for (seals, opens) in [(&hard, &soft), (&soft, &hard)] {
                    let (text, tag) =
                        sealed(seals, number >= 3, (12, tag), &key, &nonce, &aad, &plain).expect("sealed");
                    assert_ne!(text, plain);
                    let what = format!("{:?}, {algorithm}, {length} bytes", world.driver_choice);
                    let (opened, outcome) = opened(opens, &key, &nonce, &aad, &text, &tag);
                    outcome.expect(&what);
                    assert_same(&opened, &plain, &what);
                    let mut forged = tag.clone();
                    forged[0] ^= 1;
                    let (_, outcome) = self::opened(opens, &key, &nonce, &aad, &text, &forged);
                    assert_eq!(outcome.returned, 0, "{what}: a forged tag");
                }
            }
        }
    }
    world.assert_driver_used();
}

/// Decrypts a message whose tag is set first, as TLS does. Returns the plaintext and the result of
/// the last call, which can reject it.
pub fn opened(
    cipher: &Cipher,
    key: &[u8],
    nonce: &[u8; BLOCK],
    aad: &[u8],
    text: &[u8],
    tag: &[u8],
) -> (Vec<u8>, Outcome) {
    let mut context = Context::new();
    let mut plain = vec![0; text.len() + BLOCK];
    context.init(Some(cipher), None, None, Some(Direction::Decrypt)).expect("init");
    context.set_nonce_length(12).expect("12 bytes of nonce");
    context.set_tag(tag).expect("set tag");
    context.init(None, Some(key), Some(nonce), None).expect("init");
    if cipher.is_ccm() {
        context.announce(text.len()).expect("announce");
    }
    context.additional(aad).expect("additional data");
    let updated = context.update(text, &mut plain);
    plain.truncate(text.len());
    if cipher.is_ccm() {
        return (plain, updated);
    }
    updated.expect("update");
    (plain, context.finish(&mut [0; BLOCK]))
}

/// Records of TLS 1.2 as in libssl: in place, preceded by the explicit part of the nonce, followed
/// by the tag.
#[track_caller]
pub fn records_are_sealed_and_opened_alike(world: &World, algorithms: &[&str]) {
    for algorithm in algorithms {
        let ciphers = [world.hard(algorithm), world.soft(algorithm)];
        let is_ccm = ciphers[0].is_ccm();
        let around = 8 + 16;
        let answers = ciphers.each_ref().map(|cipher| {
            let start = |direction| {
                let mut context = Context::new();
                let key = bytes(7, cipher.key_length());
                context.init(Some(cipher), None, None, Some(direction)).expect("init");
                if is_ccm {
                    context.set_nonce_length(12).expect("12 bytes of nonce");
                    context.set_tag_length(16).expect("16 bytes of tag");
                }
                context.init(None, Some(&key), None, None).expect("init");
                if is_ccm {
                    context.set_fixed_iv(&bytes(8, 4)).expect("fixed IV");
                } else {
                    context.set_counted_iv(&bytes(8, 12)).expect("counted IV");
                }
                context
            };
            let (mut seal, mut open) = (start(Direction::Encrypt), start(Direction::Decrypt));
            [4096, 40, 4096, 0, 16_384, 17, 4097].map(|length| {
                let mut record = bytes(length as u64, length + around + 2 * BLOCK);
                let preceding = |length: usize| [&bytes(9, 11)[..], &(length as u16).to_be_bytes()].concat();
                let mut answers = vec![seal.set_record(&preceding(length + 8))];
                answers.push(seal.update_in_place(&mut record, length + around));
                let secret = record.clone();
                answers.push(open.set_record(&preceding(length + around)));
                answers.push(open.update_in_place(&mut record, length + around));
                let mut ivs = vec![seal.updated_iv()];
                if !is_ccm {
                    ivs.push(open.updated_iv());
                }
                // A modified record, then a correct one.
                let mut forged = secret.clone();
                forged[8 + length / 2] ^= 1;
                answers.push(open.set_record(&preceding(length + around)));
                answers.push(open.update_in_place(&mut forged, length + around));
                let mut right = secret.clone();
                answers.push(open.set_record(&preceding(length + around)));
                answers.push(open.update_in_place(&mut right, length + around));
                // Not a record: another length announced; more than one update.
                let mut odd = secret.clone();
                answers.push(open.set_record(&preceding(length + around + 1)));
                answers.push(open.update_in_place(&mut odd, length + around));
                answers.push(open.update_in_place(&mut odd, length));
                answers.push(open.set_record(&preceding(7)));
                (length, answers, secret, record, forged, right, ivs)
            })
        });
        for (hard, soft) in answers[0].iter().zip(&answers[1]) {
            assert_eq!(hard.1, soft.1, "{:?}, {algorithm}, {} bytes", world.driver_choice, hard.0);
            assert_eq!(hard, soft, "{:?}, {algorithm}, {} bytes", world.driver_choice, hard.0);
        }
    }
    world.assert_driver_used();
}

/// The parameters of a cipher equal those of the default provider in this OpenSSL, under each of
/// its names.
#[track_caller]
pub fn descriptions_are_the_default_providers(world: &World) {
    let names = [
        "id-aes128-GCM",
        "2.16.840.1.101.3.4.1.6",
        "2.16.840.1.101.3.4.1.26",
        "2.16.840.1.101.3.4.1.46",
        "2.16.840.1.101.3.4.1.7",
        "id-aes192-CCM",
        "2.16.840.1.101.3.4.1.47",
    ];
    for algorithm in AEADS.into_iter().chain(names) {
        let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
        assert_eq!(hard.description(), soft.description(), "{algorithm}");
        assert_eq!(hard.parameters(), soft.parameters(), "{algorithm}");
    }
}

/// Name, key, nonce, additional data, plaintext, ciphertext, tag.
type Vector = [&'static str; 7];

const GCM_KEY: &str = "feffe9928665731c6d6a8f9467308308";
const GCM_NONCE: &str = "cafebabefacedbaddecaf888";
const GCM_AAD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const GCM_PLAIN: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72 \
                         1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
const CCM_KEY: &str = "404142434445464748494a4b4c4d4e4f";

/// McGrew and Viega, test cases 2, 4, 10 and 16; SP 800-38C, examples 1 to 3.
const VECTORS: [Vector; 7] = [
    [
        "AES-128-GCM",
        "00000000000000000000000000000000",
        "000000000000000000000000",
        "",
        "00000000000000000000000000000000",
        "0388dace60b6a392f328c2b971b2fe78",
        "ab6e47d42cec13bdf53a67b21257bddf",
    ],
    [
        "AES-128-GCM",
        GCM_KEY,
        GCM_NONCE,
        GCM_AAD,
        GCM_PLAIN,
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e \
         21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        "5bc94fbc3221a5db94fae95ae7121a47",
    ],
    [
        "AES-192-GCM",
        "feffe9928665731c6d6a8f9467308308feffe9928665731c",
        GCM_NONCE,
        GCM_AAD,
        GCM_PLAIN,
        "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c \
         7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
        "2519498e80f1478f37ba55bd6d27618c",
    ],
    [
        "AES-256-GCM",
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        GCM_NONCE,
        GCM_AAD,
        GCM_PLAIN,
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa \
         8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
        "76fc6ece0f4e1768cddf8853bb2d551b",
    ],
    ["AES-128-CCM", CCM_KEY, "10111213141516", "0001020304050607", "20212223", "7162015b", "4dac255d"],
    [
        "AES-128-CCM",
        CCM_KEY,
        "1011121314151617",
        "000102030405060708090a0b0c0d0e0f",
        "202122232425262728292a2b2c2d2e2f",
        "d2a1f0e051ea5f62081a7792073d593d",
        "1fc64fbfaccd",
    ],
    [
        "AES-128-CCM",
        CCM_KEY,
        "101112131415161718191a1b",
        "000102030405060708090a0b0c0d0e0f10111213",
        "202122232425262728292a2b2c2d2e2f3031323334353637",
        "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5",
        "484392fbc1b09951",
    ],
];

/// With the driver, whatever the threshold is.
#[track_caller]
pub fn the_published_vectors_hold(world: &World) {
    for [algorithm, key, nonce, aad, plain, text, tag] in VECTORS {
        let [key, nonce, aad, plain, text, tag] = [key, nonce, aad, plain, text, tag].map(hex);
        let cipher = world.hard(algorithm);
        let mut iv = [0; BLOCK];
        iv[..nonce.len()].copy_from_slice(&nonce);
        let before = world.counts();
        let lengths = (nonce.len(), tag.len());
        let got = sealed(&cipher, cipher.is_ccm(), lengths, &key, &iv, &aad, &plain).expect("sealed");
        assert_eq!(got, (text, tag), "{:?}, {algorithm}", world.driver_choice);
        let done = world.counts() - before;
        assert_eq!((done.hw_requests, done.sw_requests), (1, 0), "{algorithm}: {done:?}");
    }
}
