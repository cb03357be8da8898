//! TLS records as libssl passes them to a cipher: every update is one record, in place, without a
//! final.

use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::evp::{Cipher, Context, Direction, TlsRecords};
use outboard_tests::world::{World, worlds};

const BLOCK: usize = 16;
const SSL3: i32 = 0x0300;
const TLS1_0: i32 = 0x0301;
const TLS1_1: i32 = 0x0302;
const TLS1_2: i32 = 0x0303;
const DTLS1_0: i32 = 0xfeff;
const DTLS1_2: i32 = 0xfefd;
const VERSIONS: [i32; 6] = [SSL3, TLS1_0, TLS1_1, TLS1_2, DTLS1_0, DTLS1_2];
/// None with encrypt-then-MAC, SHA-1, SHA-256, SHA-384.
const MAC_SIZES: [usize; 4] = [0, 20, 32, 48];
const PAYLOADS: [usize; 10] = [0, 1, 15, 16, 17, 255, 256, 1460, 4096, 16_384];
/// TLS 1.1 and later start a record with its IV.
const WITH_IV: [i32; 4] = [TLS1_1, TLS1_2, DTLS1_0, DTLS1_2];

/// The same record context of both providers.
struct Both {
    hard: Context,
    soft: Context,
    records: TlsRecords,
}

impl Both {
    fn new(world: &World, algorithm: &str, records: TlsRecords, direction: Direction) -> Both {
        let start = |cipher: &Cipher| {
            let key = bytes(7, cipher.key_length());
            let mut context = Context::keyed(cipher, &key, &array(8), direction);
            context.set_tls_records(records).expect("TLS parameters");
            context
        };
        Both { hard: start(&world.hard(algorithm)), soft: start(&world.soft(algorithm)), records }
    }

    fn copy(&self) -> Both {
        let copies = [&self.hard, &self.soft].map(|context| {
            let (copy, outcome) = context.copy();
            outcome.expect("copy");
            copy
        });
        let [hard, soft] = copies;
        Both { hard, soft, records: self.records }
    }

    /// Encrypts a record with both and asserts that they agree; `None` when both failed.
    #[track_caller]
    fn encrypt(&mut self, record: &[u8], what: &str) -> Option<Vec<u8>> {
        let mut buffers = [record, record].map(|record| [record, &[0xa5; 2 * BLOCK]].concat());
        let hard = self.hard.update_in_place(&mut buffers[0], record.len());
        let soft = self.soft.update_in_place(&mut buffers[1], record.len());
        assert_eq!(hard, soft, "{what}, {:?}: encryption", self.records);
        let written = usize::try_from(soft.written).expect("a length");
        assert_same(&buffers[0], &buffers[1], &format!("{what}, {:?}: ciphertext", self.records));
        (soft.returned == 1).then(|| buffers[1][..written].to_vec())
    }

    /// Decrypts a record with both and asserts that they agree in all that is not random. A MAC is
    /// that of good padding alone.
    #[track_caller]
    fn decrypt(&mut self, record: &[u8], mac: Mac, what: &str) -> bool {
        let mut buffers = [record, record].map(|record| [record, &[0xa5; 2 * BLOCK]].concat());
        let hard = self.hard.update_in_place(&mut buffers[0], record.len());
        let soft = self.soft.update_in_place(&mut buffers[1], record.len());
        if soft.returned != 1 {
            // Errors of the provider have their own text and no reason: see
            // crates/provider/src/core.rs.
            let (hard, soft) = (
                (hard.returned, hard.written, hard.reasons.len()),
                (soft.returned, soft.written, soft.reasons.len()),
            );
            assert_eq!(hard, soft, "{what}, {:?}: a refusal", self.records);
            return false;
        }
        assert_eq!(hard, soft, "{what}, {:?}: decryption", self.records);
        let start = if WITH_IV.contains(&self.records.version) { BLOCK } else { 0 };
        let end = start + usize::try_from(soft.written).expect("a length");
        assert_same(
            &buffers[0][start..end],
            &buffers[1][start..end],
            &format!("{what}, {:?}: payload", self.records),
        );
        if self.records.mac_size > 0 {
            let (hard, hard_outcome) = self.hard.tls_mac(self.records.mac_size);
            let (soft, soft_outcome) = self.soft.tls_mac(self.records.mac_size);
            assert_eq!(hard_outcome, soft_outcome, "{what}: asking for the MAC");
            let (hard, soft) = (hard.expect("a MAC"), soft.expect("a MAC"));
            match mac {
                Mac::Good => assert_eq!(hard, soft, "{what}, {:?}: the MAC", self.records),
                Mac::Random => {
                    assert_ne!(hard, soft, "{what}, {:?}: a bad record's MAC is random", self.records)
                }
                Mac::Unknown => {}
            }
        }
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mac {
    Good,
    Random,
    /// Whether the padding is correct cannot be observed.
    Unknown,
}

/// All versions with all MAC sizes.
fn kinds() -> impl Iterator<Item = TlsRecords> {
    VERSIONS.into_iter().flat_map(|version| MAC_SIZES.map(|mac_size| TlsRecords { version, mac_size }))
}

/// A record before padding: the IV where the version has one, the payload, the MAC.
fn record(records: TlsRecords, payload: usize) -> Vec<u8> {
    let iv = if WITH_IV.contains(&records.version) { BLOCK } else { 0 };
    bytes(payload as u64, iv + payload + records.mac_size)
}

#[test]
fn records_are_sealed_and_opened_as_by_the_default_provider_one_after_the_other() {
    let test = "records_are_sealed_and_opened_as_by_the_default_provider_one_after_the_other";
    for threshold in ["ALL:1", "ALL:1024"] {
        for world in worlds(test, &[("THRESHOLDS", threshold)]) {
            for records in kinds() {
                // One pair of contexts for all records: TLS 1.0 chains each record to the last.
                let algorithm = if records.mac_size == 32 { "AES-128-CBC" } else { "AES-256-CBC" };
                let mut seal = Both::new(&world, algorithm, records, Direction::Encrypt);
                let mut open = Both::new(&world, algorithm, records, Direction::Decrypt);
                for payload in PAYLOADS {
                    let what = format!("{:?}, {threshold}, payload of {payload} bytes", world.driver_choice);
                    let sealed = seal.encrypt(&record(records, payload), &what).expect("a record is sealed");
                    assert!(
                        open.decrypt(&sealed, Mac::Good, &what),
                        "{what}, {records:?}: a good record is opened"
                    );
                }
            }
            world.assert_driver_used();
        }
    }
}

#[test]
fn every_bad_padding_is_treated_as_by_the_default_provider() {
    for world in worlds("every_bad_padding_is_treated_as_by_the_default_provider", &[("THRESHOLDS", "ALL:1")])
    {
        for records in kinds() {
            for payload in [0, 40, 300] {
                for padding in [1, 2, 15, 16, 17, 48, 255, 256] {
                    padded_records(&world, records, payload, padding);
                }
            }
        }
        world.assert_driver_used();
    }
}

/// Decrypts a record with this number of padding bytes, intact and with each kind of damage, if it
/// fills whole blocks.
fn padded_records(world: &World, records: TlsRecords, payload: usize, padding: usize) {
    let mut good = record(records, payload);
    let before = good.len();
    if (before + padding) % BLOCK != 0 {
        return;
    }
    let value = u8::try_from(padding - 1).expect("padding is at most 256");
    good.resize(before + padding, value);
    let check = |plain: &[u8], mac: Mac, what: &str| {
        let what = format!("{:?}, payload {payload}, padding {padding}, {what}", world.driver_choice);
        let mut open = Both::new(world, "AES-128-CBC", records, Direction::Decrypt);
        open.decrypt(&raw_encrypt(world, plain), mac, &what);
    };

    // SSL 3 requires the shortest padding and checks only its last byte.
    let ssl3 = records.version == SSL3;
    check(&good, if ssl3 && padding > BLOCK { Mac::Random } else { Mac::Good }, "whole");
    if padding > 1 && !ssl3 {
        for place in [before, before + (padding - 1) / 2, before + padding - 2] {
            let mut bad = good.clone();
            bad[place] ^= 0x01;
            check(&bad, Mac::Random, &format!("byte {} of the padding flipped", place - before));
        }
    }
    if before < 255 && good.len() <= 255 {
        let mut bad = good.clone();
        *bad.last_mut().expect("a record") = 0xff;
        check(&bad, Mac::Random, "padding longer than the record");
    }
}

/// CBC without padding, with the key and the IV of `Both`.
fn raw_encrypt(world: &World, plain: &[u8]) -> Vec<u8> {
    let cipher = world.soft("AES-128-CBC");
    let mut context = Context::keyed(&cipher, &bytes(7, cipher.key_length()), &array(8), Direction::Encrypt);
    context.set_padding(false).expect("padding off");
    let mut output = vec![0; plain.len() + BLOCK];
    let written = context.update(plain, &mut output).expect("update");
    output.truncate(written);
    output
}

#[test]
fn records_of_impossible_length_are_refused_alike() {
    for world in worlds("records_of_impossible_length_are_refused_alike", &[("THRESHOLDS", "ALL:1")]) {
        for records in kinds() {
            for length in [1, 15, 16, 17, 31, 32, 33, 47, 48, 64] {
                let mut open = Both::new(&world, "AES-128-CBC", records, Direction::Decrypt);
                let what = format!("{:?}, a record of {length} bytes", world.driver_choice);
                open.decrypt(&bytes(9, length), Mac::Unknown, &what);
            }
        }
    }
}

#[test]
fn records_that_tls_forbids_are_refused_alike() {
    for world in worlds("records_that_tls_forbids_are_refused_alike", &[("THRESHOLDS", "ALL:1")]) {
        let records = TlsRecords { version: TLS1_2, mac_size: 20 };
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let mut both = Both::new(&world, "AES-128-CBC", records, direction);
            let mut output = [0; 96];
            let apart = [both.hard.update(&[0; 64], &mut output), both.soft.update(&[0; 64], &mut output)];
            assert_eq!(apart[0], apart[1], "a record that is not in place");
            let last = [both.hard.finish(&mut output), both.soft.finish(&mut output)];
            assert_eq!(last[0], last[1], "a final");
            both.hard.set_padding(false).expect("padding off");
            both.soft.set_padding(false).expect("padding off");
            let bare =
                [both.hard.update_in_place(&mut output, 64), both.soft.update_in_place(&mut output, 64)];
            assert_eq!(bare[0], bare[1], "a record without padding");
        }
    }
}

/// Copied before the first record is decrypted: after it, OpenSSL's own ciphers share the allocated
/// MAC between both contexts and free it twice (dupctx in
/// providers/implementations/ciphers/cipher_aes.c copies the pointer).
#[test]
fn a_copied_record_context_is_independent() {
    for world in worlds("a_copied_record_context_is_independent", &[("THRESHOLDS", "ALL:1")]) {
        let records = TlsRecords { version: TLS1_0, mac_size: 20 };
        let mut seal = Both::new(&world, "AES-128-CBC", records, Direction::Encrypt);
        let mut open = Both::new(&world, "AES-128-CBC", records, Direction::Decrypt);
        let mut open_copy = open.copy();
        let first = seal.encrypt(&record(records, 100), "first").expect("sealed");
        let mut seal_copy = seal.copy();
        let second = seal.encrypt(&record(records, 5000), "second").expect("sealed");
        let again = seal_copy.encrypt(&record(records, 5000), "second, by the copy").expect("sealed");
        assert_same(&again, &second, "the same record chained to the same one");
        for both in [&mut open, &mut open_copy] {
            assert!(both.decrypt(&first, Mac::Good, "first"));
            assert!(both.decrypt(&second, Mac::Good, "second"));
        }
    }
}
