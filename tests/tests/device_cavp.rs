//! The vectors of NIST's Cryptographic Algorithm Validation Program through EVP, with each request
//! offloaded that can be; and those of RFCs where the package of scripts/cavp has none of NIST
//! (counter mode, HMAC).

use std::io::Write;
use std::thread;
use std::time::Duration;

use outboard_tests::bytes::assert_same;
use outboard_tests::cavp::{Case, Vectors, cases};
use outboard_tests::digests::DIGESTS;
use outboard_tests::evp::{Cipher, Context, Direction};
use outboard_tests::messages::{Message, authenticated};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::tally::{Ground, Rule, Tally};
use outboard_tests::world::{DriverChoice, Order, World};

/// The longest IV of ciphers other than AEADs.
const IV: usize = 16;

/// A time in which the driver completes the first key stream of a message on any host.
const ENGINE: Duration = Duration::from_millis(200);

/// AES's keys, in bits.
const KEYS: [usize; 3] = [128, 192, 256];

/// One test of many parts, because loading the simulation takes long: the kernel tests all its
/// drivers.
#[test]
fn the_vectors_of_nist_hold_on_the_accelerator() {
    let test = "the_vectors_of_nist_hold_on_the_accelerator";
    let Some(vectors) = Vectors::find().map_err(|missing| skip(test, missing)).ok() else { return };
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let ground = Ground { vectors, world: simulated.world_of_everything(0) };
    for (name, least_by_hardware, run) in [
        ("AES-CBC", 2000, cbc as fn(&Ground) -> Tally),
        ("AES-ECB", 2000, ecb),
        ("AES-CTR", 6, ctr),
        ("AES-XTS", 4400, xts),
        ("AES-GCM", 6700, gcm),
        ("AES-CCM", 4500, ccm),
        ("DES-EDE3-CBC", 580, des3),
        ("SHA", 5000, digests),
        ("HMAC", 20, hmacs),
    ] {
        let tally = run(&ground);
        let Tally { files, run, hardware, forged, .. } = tally;
        assert!(hardware >= least_by_hardware, "{name}: {hardware} requests by hardware");
        let list =
            |counts: Vec<String>| if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
        let software = list(tally.software.iter().map(|(rule, count)| format!("{count} {rule}")).collect());
        let left_out = list(tally.left_out.iter().map(|(why, count)| format!("{count} {why}")).collect());
        // Not captured by libtest: the numbers are part of the result.
        let _ = writeln!(
            std::io::stderr(),
            "\n{name}: {run} vectors of {files} files run, {hardware} requests by hardware, {forged} forged ones that it \
             refused; by software: {software}; left out: {left_out}"
        );
    }
    ctr_with_look_ahead(&ground.vectors);
}

/// The vectors of CTR with key stream that a driver of ECB mode computes in advance. Each is a
/// message under a key of its own, so it is processed byte by byte: the first byte starts the stream.
/// Those of GCM are shorter than the messages that look-ahead serves.
fn ctr_with_look_ahead(vectors: &Vectors) {
    let settings = [("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0"), ("SHADOW_CHECKS", "1")];
    let world = World::new(DriverChoice::Simulated("sim-ecb-aes".to_owned()), &settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"));
    let (mut run, mut requests) = (0, 0);
    for bits in KEYS {
        let algorithm = format!("AES-{bits}-CTR");
        let cipher = world.hard(&algorithm);
        for case in cases(&vectors.text(&format!("ciphers/AES/CTR/aes-{bits}-ctr.txt"))) {
            let [plain, secret] = ["PLAINTEXT", "CIPHERTEXT"].map(|name| case.bytes(name));
            let iv = case.bytes("IV").try_into().expect("a block");
            let mut context = Context::keyed(&cipher, &case.bytes("KEY"), &iv, Direction::Encrypt);
            let mut output = vec![0; plain.len() + IV];
            for (at, byte) in plain.iter().enumerate() {
                context.update(&[*byte], &mut output[at..]).expect("update");
                if at == 0 {
                    thread::sleep(ENGINE);
                }
            }
            assert_same(&output[..plain.len()], &secret, &algorithm);
            run += 1;
            requests += plain.len() as u64;
        }
    }
    // A context adds its counts at its end.
    let done = world.counts();
    let ahead = done.ahead_requests;
    assert_eq!((done.failures, done.mismatches), (0, 0), "{done:?}");
    assert!(run >= 9 && ahead * 10 >= (requests - run) * 9, "{run} vectors of {requests} bytes: {done:?}");
    let _ = writeln!(
        std::io::stderr(),
        "\nAES-CTR with look-ahead: {run} vectors run, {ahead} of {requests} bytes with key stream"
    );
}

fn direction(case: &Case<'_>) -> Direction {
    match case.section() {
        "ENCRYPT" => Direction::Encrypt,
        "DECRYPT" => Direction::Decrypt,
        other => panic!("no section of that name: {other}"),
    }
}

/// Compares the result of a cipher other than an AEAD with a vector: with EVP_Cipher, and with
/// EVP_CipherUpdate where that reaches the driver: an update of one block may be buffered for its
/// padding.
#[track_caller]
fn compare(
    cipher: &Cipher,
    key: &[u8],
    iv: &[u8],
    texts: [&[u8]; 2],
    case: &Case<'_>,
    what: &str,
    tally: &mut Tally,
) {
    let direction = direction(case);
    let [from, to] = if direction == Direction::Encrypt { texts } else { [texts[1], texts[0]] };
    let mut whole_iv = [0; IV];
    whole_iv[..iv.len()].copy_from_slice(iv);
    let begun = || {
        let mut context = Context::keyed(cipher, key, &whole_iv, direction);
        context.set_padding(false).expect("padding off");
        context
    };
    let (block, mut output) = (cipher.block_size(), vec![0; from.len() + IV]);
    // A stream cipher has a block size of one byte.
    let is_stream = block == 1 && !cipher.is_xts();
    let steals = cipher.is_xts() && from.len() % IV != 0;
    let least = if block == 1 { 2 * IV } else { 2 * block };
    tally.run += 1;
    if from.len() >= least || steals || is_stream {
        let written = begun().update(from, &mut output).expect(what);
        assert_same(&output[..written], to, what);
        tally.asked(match (steals, from.len() < least) {
            (true, _) => Some("with a part of a block at the end (ciphertext stealing)"),
            (_, true) => Some("of one block of the key stream"),
            _ => None,
        });
    }
    if !steals && !is_stream {
        let padded = [from, &[0; IV]].concat();
        let answer = begun().one_shot(&padded, from.len(), &mut output);
        assert_eq!(usize::try_from(answer.returned), Ok(from.len()), "{what}: {answer:?}");
        assert_same(&output[..from.len()], to, what);
        tally.asked(None);
    }
}

/// The files of a mode of AES: their names before the key length, and the number of vectors of
/// each; 0 where there is no such file.
type Family<'a> = (&'a str, [usize; 3]);

fn aes(ground: &Ground, mode: &str, families: &[Family<'_>], iv: fn(&Case<'_>) -> Vec<u8>) -> Tally {
    let mut all = Tally::default();
    for (bits, which) in KEYS.iter().zip(0..) {
        for (begin, least) in families.iter().filter(|(_, least)| least[which] > 0) {
            let algorithm = format!("AES-{bits}-{mode}");
            let cipher = ground.world.hard(&algorithm);
            let name = format!("ciphers/AES/{mode}/{begin}{bits}.rsp");
            all.add(ground.file(&name, &algorithm, least[which], |case, what, tally| {
                // Only XTS has it, in bits.
                if case.get("DataUnitLen").is_some() && case.number("DataUnitLen") % 8 != 0 {
                    return tally.leave_out("whose data unit is not of whole bytes");
                }
                let name = |long, short| if case.get(long).is_some() { long } else { short };
                let [plain, secret] =
                    [name("PLAINTEXT", "PT"), name("CIPHERTEXT", "CT")].map(|name| case.bytes(name));
                compare(&cipher, &case.bytes("KEY"), &iv(case), [&plain, &secret], case, what, tally);
            }));
        }
    }
    all
}

/// Known answers (AESAVS, 6.2) and messages of many blocks.
fn cbc(ground: &Ground) -> Tally {
    let families = [
        ("CBCGFSbox", [14, 12, 10]),
        ("CBCKeySbox", [42, 48, 32]),
        ("CBCVarKey", [256, 384, 512]),
        ("CBCVarTxt", [256; 3]),
        ("CBCMMT", [20; 3]),
    ];
    aes(ground, "CBC", &families, |case| case.bytes("IV"))
}

fn ecb(ground: &Ground) -> Tally {
    let families = [
        ("ECBGFSbox", [14, 12, 10]),
        ("ECBKeySbox", [42, 48, 32]),
        ("ECBVarKey", [256, 384, 512]),
        ("ECBVarTxt", [256; 3]),
        ("ECBMMT", [20; 3]),
    ];
    aes(ground, "ECB", &families, |_| Vec::new())
}

/// Those of RFC 3686: NIST has none.
fn ctr(ground: &Ground) -> Tally {
    let mut all = Tally::default();
    for bits in KEYS {
        let algorithm = format!("AES-{bits}-CTR");
        let cipher = ground.world.hard(&algorithm);
        all.add(ground.file(
            &format!("ciphers/AES/CTR/aes-{bits}-ctr.txt"),
            &algorithm,
            3,
            |case, what, tally| {
                let texts = [&*case.bytes("PLAINTEXT"), &*case.bytes("CIPHERTEXT")];
                compare(&cipher, &case.bytes("KEY"), &case.bytes("IV"), texts, case, what, tally);
            },
        ));
    }
    all
}

fn xts(ground: &Ground) -> Tally {
    let mut all = aes(ground, "XTS", &[("tweak-128hexstr/XTSGenAES", [800, 0, 600])], |case| case.bytes("i"));
    // The number of a data unit, least significant byte first.
    let number = |case: &Case<'_>| case.number("DataUnitSeqNumber").to_le_bytes().to_vec();
    all.add(aes(ground, "XTS", &[("tweak-dataunitseqno/XTSGenAES", [800, 0, 600])], number));
    all
}

/// All known answers have three equal keys, which makes it single DES.
fn des3(ground: &Ground) -> Tally {
    let cipher = ground.world.hard("DES-EDE3-CBC");
    let mut all = Tally::default();
    for (name, least) in [
        ("invperm", 128),
        ("permop", 64),
        ("subtab", 38),
        ("varkey", 112),
        ("vartext", 128),
        ("MMT1", 20),
        ("MMT2", 20),
        ("MMT3", 20),
    ] {
        all.add(ground.file(
            &format!("ciphers/3DES/CBC/TCBC{name}.rsp"),
            "DES-EDE3-CBC",
            least,
            |case, what, tally| {
                let names = if case.get("KEYs").is_some() { ["KEYs"; 3] } else { ["KEY1", "KEY2", "KEY3"] };
                let key = names.map(|name| case.bytes(name)).concat();
                let texts = [&*case.bytes("PLAINTEXT"), &*case.bytes("CIPHERTEXT")];
                compare(&cipher, &key, &case.bytes("IV"), texts, case, what, tally);
            },
        ));
    }
    all
}

fn gcm(ground: &Ground) -> Tally {
    let mut all = Tally::default();
    for (bits, way) in KEYS.iter().flat_map(|bits| [(bits, "Decrypt"), (bits, "EncryptExtIV")]) {
        let algorithm = format!("AES-{bits}-GCM");
        let cipher = ground.world.hard(&algorithm);
        let name = format!("ciphers/AES/GCM/gcm{way}{bits}.rsp");
        all.add(ground.file_of_messages(&name, &algorithm, 175 * 15 + 350, |case, what, tally| {
            // They are processed in software and are many: the first of each kind.
            if case.number("IVlen") != 96 && case.number("Count") > 0 {
                return tally.leave_out("more with a nonce that is not of 12 bytes");
            }
            let [key, nonce, aad, tag, secret] =
                ["Key", "IV", "AAD", "Tag", "CT"].map(|name| case.bytes(name));
            // Absent where the tag is wrong.
            let plain = case.get("FAIL").is_none().then(|| case.bytes("PT"));
            let message = Message { key: &key, nonce: &nonce, aad: &aad, text: &secret, tag: &tag };
            let rule: Rule = match way {
                _ if secret.is_empty() => Some("without a text"),
                _ if nonce.len() != 12 => Some("with a nonce that is not of 12 bytes"),
                "Decrypt" if tag.len() < 16 => Some("to be decrypted with a tag of less than 16 bytes"),
                _ => None,
            };
            tally.run += 1;
            tally.asked_to_open(rule, plain.is_none());
            if way == "Decrypt" {
                opens(&cipher, &message, plain, "final", what);
            } else {
                seals(&cipher, &Message { text: &plain.expect(what), ..message }, &secret, what);
            }
        }));
    }
    all
}

fn ccm(ground: &Ground) -> Tally {
    let mut all = Tally::default();
    for bits in KEYS {
        let algorithm = format!("AES-{bits}-CCM");
        let cipher = ground.world.hard(&algorithm);
        for (name, least) in [("DVPT", 240), ("VADT", 330), ("VNT", 70), ("VPT", 250), ("VTT", 70)] {
            all.add(ground.file_of_messages(
                &format!("ciphers/AES/CCM/{name}{bits}.rsp"),
                &algorithm,
                least,
                |case, what, tally| {
                    let (plain_len, tag_len) = (case.number("Plen"), case.number("Tlen"));
                    let (key, nonce) = (case.bytes("Key"), case.bytes("Nonce"));
                    let aad = case.first_bytes("Adata", case.number("Alen"));
                    let both = case.first_bytes("CT", plain_len + tag_len);
                    let (secret, tag) = both.split_at(plain_len);
                    let is_right = case.get("Result").is_none_or(|result| result == "Pass");
                    let plain = is_right.then(|| case.first_bytes("Payload", plain_len));
                    let message = Message { key: &key, nonce: &nonce, aad: &aad, text: secret, tag };
                    let rule: Rule = secret.is_empty().then_some("without a text");
                    tally.run += 1;
                    tally.asked_to_open(rule, plain.is_none());
                    opens(&cipher, &message, plain.clone(), "update", what);
                    if let Some(plain) = plain {
                        tally.asked(rule);
                        seals(&cipher, &Message { text: &plain, ..message }, secret, what);
                    }
                },
            ));
        }
    }
    all
}

/// The expected plaintext, or the call that rejects the message.
#[track_caller]
fn opens(cipher: &Cipher, message: &Message<'_>, plain: Option<Vec<u8>>, refuses: &'static str, what: &str) {
    let answer = authenticated(cipher, Direction::Decrypt, message);
    assert_eq!(answer, plain.ok_or(refuses), "{what}");
}

#[track_caller]
fn seals(cipher: &Cipher, message: &Message<'_>, secret: &[u8], what: &str) {
    let answer = authenticated(cipher, Direction::Encrypt, message);
    assert_eq!(answer, Ok([secret, message.tag].concat()), "{what}");
}

/// Short and long messages, and of the Monte Carlo tests of SHAVS, 6.4, the first of a hundred
/// checkpoints: a thousand messages.
fn digests(ground: &Ground) -> Tally {
    let mut all = Tally::default();
    for (name, short) in DIGESTS.iter().zip([65, 65, 65, 129, 129]) {
        let digest = ground.world.hard_digest(name).expect("it is offered");
        let file = match *name {
            "SHA1" => "hashes/SHA1/SHA1".to_owned(),
            other => format!("hashes/SHA2/{}", other.replace("SHA2-", "SHA")),
        };
        for (kind, least) in [("ShortMsg", short), ("LongMsg", short - 1)] {
            all.add(ground.file(&format!("{file}{kind}.rsp"), name, least, |case, what, tally| {
                let message = case.first_bytes("Msg", case.number("Len") / 8);
                assert_eq!(digest.of(&message), case.bytes("MD"), "{what}");
                tally.run += 1;
                tally.asked(None);
            }));
        }
        all.add(ground.file(&format!("{file}Monte.rsp"), name, 1, |case, what, tally| {
            if case.number("COUNT") > 0 {
                return tally.leave_out("checkpoints of Monte Carlo tests");
            }
            let seed = case.bytes("Seed");
            let mut last = [seed.clone(), seed.clone(), seed];
            for _ in 0..1000 {
                let next = digest.of(&last.concat());
                last.rotate_left(1);
                last[2] = next;
                tally.asked(None);
            }
            assert_eq!(last[2], case.bytes("MD"), "{what}");
            tally.run += 1;
        }));
    }
    all
}

/// Those of RFC 2202 and RFC 4231: NIST's are not in the package.
fn hmacs(ground: &Ground) -> Tally {
    let hmac = ground.world.hard_hmac().expect("it is offered");
    let mut all = Tally::default();
    for (name, block, file, least) in [
        ("SHA1", 64, "rfc-2202-sha1", 7),
        ("SHA2-224", 64, "rfc-4231-sha224", 6),
        ("SHA2-256", 64, "rfc-4231-sha256", 6),
        ("SHA2-384", 128, "rfc-4231-sha384", 6),
        ("SHA2-512", 128, "rfc-4231-sha512", 6),
    ] {
        all.add(ground.file(
            &format!("HMAC/{file}.txt"),
            &format!("HMAC-{name}"),
            least,
            |case, what, tally| {
                let (key, message) = (case.bytes("Key"), case.bytes("Msg"));
                assert_eq!(hmac.of(name, &key, &message), case.bytes("MD"), "{what}");
                tally.run += 1;
                tally.asked((key.len() > block).then_some("with a key that is longer than a block"));
            },
        ));
    }
    all
}

#[test]
fn a_vector_has_its_own_values_and_those_of_its_part_of_the_file() {
    let text = "# CAVS 11.0\n\n[Alen = 0, Plen = 24]\n\nKey = ab CD\nNonce = 01\n\nCount = 0\nCT = \nResult = Fail\n\n\
                Count = 1\n# a comment\nCT = 0203\n\n[Alen = 32]\nNonce = 04\n\nCount = 0\nCT = 00\n";
    let all: Vec<_> = cases(text).collect();
    let values = |name| all.iter().map(|case| case.get(name)).collect::<Vec<_>>();
    assert_eq!(values("CT"), [Some(""), Some("0203"), Some("00")]);
    assert_eq!(values("result"), [Some("Fail"), None, None]);
    assert_eq!(values("nonce"), [Some("01"), Some("01"), Some("04")]);
    assert_eq!(all.iter().map(|case| case.number("alen")).collect::<Vec<_>>(), [0, 0, 32]);
    assert_eq!(all.iter().map(|case| case.number("Plen")).collect::<Vec<_>>(), [24; 3]);
    assert_eq!((all[1].bytes("key"), all[2].first_bytes("CT", 0)), (vec![0xab, 0xcd], vec![]));
}

#[test]
fn sections_and_bare_words_are_distinguished_from_values() {
    let text = "[ENCRYPT]\nCOUNT = 0\nKEYs = 01\n\n[DECRYPT]\r\nCOUNT = 7\r\nFAIL\r\n\r\n\r\nLen = 8\nKey = 02\n# \"a comment\"\n\
                Msg = 36";
    let all: Vec<_> = cases(text).collect();
    assert_eq!(all.iter().map(Case::section).collect::<Vec<_>>(), ["ENCRYPT", "DECRYPT", "DECRYPT"]);
    assert_eq!(all.iter().map(|case| case.get("FAIL")).collect::<Vec<_>>(), [None, Some(""), None]);
    assert_eq!((all[1].number("count"), all[2].bytes("msg")), (7, vec![0x36]));
    assert_eq!((all[0].get("Msg"), all[2].get("COUNT")), (None, None));
    assert_eq!(cases("# nothing\n\n[L = 20]\nSeed = 00\n").count(), 0);
}
