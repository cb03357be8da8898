//! VIA PadLock, which a plugin adds to QEMU's CPU (models/padlock, `vm/run --model padlock`): the
//! kernel's drivers, the engine of OpenSSL 3, and the provider, which executes the instructions.

use std::fs;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use outboard_drivers::padlock::is_enabled;
use outboard_tests::bytes::{bytes, hex_digits};
use outboard_tests::child::in_own_process;
use outboard_tests::command::succeeded;
use outboard_tests::evp::{Cipher, Context, Direction, major_version};
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::skip::skip;
use outboard_tests::tuning::{Machine, POLICY};
use outboard_tests::world::{DriverChoice, Order, World};
use serde_json::Value;

const DRIVERS: [&str; 5] =
    ["padlock-ecb-aes", "padlock-cbc-aes", "padlock-ctr-aes", "padlock-sha1", "padlock-sha256"];
const SIZES: [u32; 3] = [128, 192, 256];
const FINDINGS: &str = "/etc/outboard/checked";

/// What the model has counted (models/padlock/src/cpuid.rs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    crypts: u32,
    blocks: u32,
    hashes: u32,
    stale: u32,
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn leaf(number: u32, ecx: u32) -> [u32; 4] {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::__cpuid_count;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::__cpuid_count;
    // SAFETY: every x86 CPU of today has CPUID.
    #[allow(unused_unsafe, reason = "newer versions of Rust have it as a safe function")]
    let found = unsafe { __cpuid_count(number, ecx) };
    [found.eax, found.ebx, found.ecx, found.edx]
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn leaf(_: u32, _: u32) -> [u32; 4] {
    [0; 4]
}

/// The machine with PadLock, for one test at a time: the model's counts are the machine's.
struct Padlock {
    _alone: MutexGuard<'static, ()>,
}

impl Padlock {
    fn find(test: &str) -> Option<Padlock> {
        static ALONE: Mutex<()> = Mutex::new(());
        if !is_enabled(DRIVERS[0]) {
            skip(test, "VIA PadLock (vm/run --model padlock)");
            return None;
        }
        let _ = fs::remove_file(FINDINGS);
        Some(Padlock { _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner) })
    }

    fn counts(&self) -> Counts {
        let [crypts, blocks, hashes, stale] = leaf(0xc000_0f00, 0);
        Counts { crypts, blocks, hashes, stale }
    }

    /// Makes one bit of each result wrong.
    fn damages(&self, is_on: bool) {
        leaf(0xc000_0f01, u32::from(is_on));
    }
}

impl Drop for Padlock {
    fn drop(&mut self) {
        self.damages(false);
        let _ = fs::remove_file(FINDINGS);
    }
}

fn world(settings: &[(&str, &str)]) -> World {
    let all = [("THRESHOLDS", "ALL:16"), ("LOG_LEVEL", "off"), ("DIGESTS", "ALL"), ("POLICY", "NONE")];
    let all: Vec<_> = all.into_iter().chain(settings.iter().copied()).collect();
    World::new(DriverChoice::Accelerator, &all, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
}

/// The result of a whole text.
fn crypt(cipher: &Cipher, key: &[u8], iv: &[u8; 16], direction: Direction, text: &[u8]) -> Vec<u8> {
    let mut context = Context::keyed(cipher, key, iv, direction);
    let mut output = vec![0; text.len() + 32];
    let mut len = context.update(text, &mut output).expect("update");
    len += context.finish(&mut output[len..]).expect("finish");
    output.truncate(len);
    output
}

/// Counters that overflow in 16, 32 and 128 bits in the middle of a text.
fn ivs() -> [[u8; 16]; 4] {
    let ending_in = |ones: usize| {
        let mut iv = [0xa5; 16];
        iv[16 - ones..].fill(0xff);
        iv[15] = 0xf0;
        iv
    };
    [2, 4, 16].map(ending_in).into_iter().chain([[7; 16]]).collect::<Vec<_>>().try_into().expect("four")
}

#[test]
fn the_kernels_drivers_pass_their_self_tests_and_its_generator_is_found() {
    let test = "the_kernels_drivers_pass_their_self_tests_and_its_generator_is_found";
    let Some(_padlock) = Padlock::find(test) else { return };
    let drivers = fs::read_to_string("/proc/crypto").expect("/proc/crypto");
    for name in ["cbc-aes-padlock", "ecb-aes-padlock", "sha1-padlock-nano", "sha256-padlock-nano"] {
        let mut entries = drivers.split("\n\n");
        let entry =
            entries.find(|entry| entry.contains(&format!(": {name}\n"))).unwrap_or_else(|| panic!("{name}"));
        assert!(entry.contains("selftest     : passed"), "{entry}");
    }
    let generators = fs::read_to_string("/sys/class/misc/hw_random/rng_available").expect("generators");
    assert!(generators.split_whitespace().any(|name| name == "via"), "{generators}");
}

#[test]
fn every_cipher_and_digest_of_the_provider_equals_openssls_own() {
    let test = "every_cipher_and_digest_of_the_provider_equals_openssls_own";
    let Some(padlock) = Padlock::find(test) else { return };
    let world = world(&[("LOOKAHEAD", "OFF")]);
    let before = padlock.counts();
    let mut asked = 0;
    for name in
        ["ECB", "CBC", "CTR"].into_iter().flat_map(|mode| SIZES.map(|size| format!("AES-{size}-{mode}")))
    {
        let (hard, soft) = (world.hard(&name), world.soft(&name));
        let key = bytes(3, hard.key_length());
        for (iv, len) in ivs().iter().zip([16, 4096 + 16, 70_000, 200_000]) {
            let text = bytes(len as u64, len);
            let expected = crypt(&soft, &key, iv, Direction::Encrypt, &text);
            assert!(crypt(&hard, &key, iv, Direction::Encrypt, &text) == expected, "{name}, {len} bytes");
            assert!(crypt(&hard, &key, iv, Direction::Decrypt, &expected) == text, "{name}, {len} bytes");
            asked += 2 * (len / 16) as u32;
        }
    }
    for name in ["SHA1", "SHA2-256"] {
        let (hard, soft) = (world.hard_digest(name).expect("offered"), world.soft_digest(name));
        for len in [16, 55, 56, 63, 64, 65, 4095, 100_000] {
            let message = bytes(len as u64, len);
            assert_eq!(hard.of(&message), soft.of(&message), "{name}, {len} bytes");
        }
    }
    world.assert_driver_used();
    let after = padlock.counts();
    // Not the first and last blocks that OpenSSL's own code does.
    assert!(after.blocks - before.blocks > asked / 10 * 9, "{before:?} {after:?}, {asked} blocks");
    assert!(after.hashes - before.hashes >= 16, "{before:?} {after:?}");
}

#[test]
fn gcm_gets_its_key_stream_from_the_unit() {
    let test = "gcm_gets_its_key_stream_from_the_unit";
    let Some(padlock) = Padlock::find(test) else { return };
    let world = world(&[("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0")]);
    let before = padlock.counts();
    for name in SIZES.map(|size| format!("AES-{size}-GCM")) {
        let (hard, soft) = (world.hard(&name), world.soft(&name));
        let key = bytes(4, hard.key_length());
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let mut streams = [&hard, &soft].map(|cipher| MessageStream::new(cipher, &key, direction));
            let mut other = MessageStream::new(&soft, &key, Direction::Encrypt);
            for number in 0..40_u8 {
                let mut nonce = [1; NONCE];
                nonce[NONCE - 1] = number;
                let plain = StreamMessage::new(u64::from(number), nonce, 4096 - usize::from(number));
                let message = match direction {
                    Direction::Encrypt => plain,
                    Direction::Decrypt => other.process(&plain, false).expect("encrypted"),
                };
                let [hard, soft] =
                    streams.each_mut().map(|one| one.process(&message, false).expect("processed"));
                assert_eq!(hard, soft, "{name}, message {number}");
            }
        }
        assert!(world.counts_of(&name).ahead_bytes > 100_000, "{name}: {:?}", world.counts_of(&name));
    }
    assert!(padlock.counts().blocks - before.blocks > 3 * 2 * 100_000 / 16);
}

/// The unit keeps a key until EFLAGS is written.
#[test]
fn contexts_that_alternate_never_use_the_key_of_another_one() {
    let test = "contexts_that_alternate_never_use_the_key_of_another_one";
    let Some(padlock) = Padlock::find(test) else { return };
    let world = world(&[]);
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let text = bytes(5, 1024);
    let before = padlock.counts();
    for round in 0..20_u64 {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let key = bytes(round, 16);
            let mut contexts = [&hard, &soft].map(|cipher| Context::keyed(cipher, &key, &[9; 16], direction));
            let results = contexts.each_mut().map(|context| {
                let mut output = vec![0; 1024 + 32];
                context.update(&text, &mut output).expect("update");
                output
            });
            assert!(results[0] == results[1], "{round}");
        }
    }
    let after = padlock.counts();
    assert!(after.crypts - before.crypts >= 40 && after.stale == before.stale, "{before:?} {after:?}");
}

/// 15 ciphers of OpenSSL 3's engine. OpenSSL 4 has none.
#[test]
fn the_engine_equals_openssls_own_code_and_the_provider() {
    let test = "the_engine_equals_openssls_own_code_and_the_provider";
    let Some(padlock) = Padlock::find(test) else { return };
    if major_version() >= 4 {
        let engine = Command::new("openssl").args(["engine", "padlock"]).output().expect("openssl runs");
        return assert!(!engine.status.success());
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (plain, result) = (path("plain"), path("result"));
    let text = bytes(6, 50_000);
    fs::write(&plain, &text).expect("a file");
    let world = world(&[("LOOKAHEAD", "OFF")]);
    for (size, mode) in
        SIZES.into_iter().flat_map(|size| ["cbc", "ctr", "ecb", "cfb", "ofb"].map(|mode| (size, mode)))
    {
        let name = format!("AES-{size}-{mode}").to_uppercase();
        let key = bytes(7, size as usize / 8);
        let iv = [0x3c; 16];
        let line = format!(
            "enc -engine padlock -aes-{size}-{mode} -K {} -iv {} -in {plain} -out {result}",
            hex_digits(&key),
            hex_digits(&iv)
        );
        let before = padlock.counts();
        let engine = Command::new("openssl").args(line.split(' ')).output().expect("openssl runs");
        succeeded(&engine, &[&line]);
        assert!(padlock.counts().blocks - before.blocks >= 50_000 / 16, "{name} by the engine");
        let found = fs::read(&result).expect("a result");
        let expected = crypt(&world.soft(&name), &key, &iv, Direction::Encrypt, &text);
        assert!(found == expected, "{name}");
        if let Some(hard) = world.hard_if_offered(&name) {
            assert!(crypt(&hard, &key, &iv, Direction::Encrypt, &text) == found, "{name}");
        }
    }
}

#[test]
fn status_ciphers_and_check_show_the_units() {
    let test = "status_ciphers_and_check_show_the_units";
    let Some(padlock) = Padlock::find(test) else { return };
    let Some(machine) = Machine::new(test) else { return };
    let output = |arguments: &[&str]| {
        let text = succeeded(&machine.command(arguments).output().expect("the command runs"), arguments);
        serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let status = output(&["status", "--json"]);
    let accelerators = status["accelerators"].as_array().expect("accelerators");
    let unit = accelerators.iter().find(|one| one["id"] == "padlock").expect("PadLock");
    assert_eq!(
        (&unit["preferred"], &unit["completion"]),
        (&"CPU instructions".into(), &"polled".into()),
        "{unit}"
    );
    assert_eq!(unit["drivers"].as_array().map(Vec::len), Some(DRIVERS.len()), "{unit}");
    assert_eq!(status["verdict"]["answer"], "reached", "{}", status["verdict"]);

    let ciphers = output(&["ciphers", "--json", "--threshold", "1"]).to_string();
    assert!(ciphers.contains("padlock-cbc-aes") && ciphers.contains("CPU instructions"), "{ciphers}");

    let before = padlock.counts();
    let arguments = [&["--json", "--for", "0"], &DRIVERS[..]].concat();
    let checked: Value = serde_json::from_str(&machine.checked(&arguments, 0)).expect("JSON");
    for one in checked["drivers"].as_array().expect("drivers") {
        assert_eq!(
            (&one["verdict"], &one["interface"]),
            (&"exact".into(), &"CPU instructions".into()),
            "{one}"
        );
        assert!(one["interrupts"].is_null(), "{one}");
    }
    assert_eq!(padlock.counts().stale, before.stale);
}

#[test]
fn prove_gives_the_providers_count_and_says_that_nothing_confirms_it() {
    let test = "prove_gives_the_providers_count_and_says_that_nothing_confirms_it";
    let Some(padlock) = Padlock::find(test) else { return };
    let Some(machine) = Machine::new(test) else { return };
    let line = "prove --json - --threshold 16 -- openssl enc -aes-128-cbc -in /proc/kallsyms -out /dev/null -K 00 -iv 00";
    let before = padlock.counts();
    let output = machine.command(&line.split(' ').collect::<Vec<_>>()).output().expect("the command runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\"verdict\": \"unverified\""), "{text}");
    assert!(text.contains("by PadLock") && text.contains("nothing but this count confirms it"), "{text}");
    assert!(padlock.counts().blocks - before.blocks > 10_000);
}

#[test]
fn tune_measures_the_unit_and_the_provider_uses_the_policy() {
    let test = "tune_measures_the_unit_and_the_provider_uses_the_policy";
    let Some(_padlock) = Padlock::find(test) else { return };
    let Some(machine) = Machine::new(test) else { return };
    let answer = machine.tuned(&["--ciphers", "AES-128-ECB"]);
    let cipher = &answer["ciphers"][0];
    assert_eq!(
        (&cipher["driver"], &cipher["interface"]),
        (&DRIVERS[0].into(), &"CPU instructions".into()),
        "{answer}"
    );
    let points = cipher["encrypt"]["points"].as_array().expect("points");
    assert!(points.iter().all(|point| point["refused"].is_null()), "{points:?}");
    assert!(fs::read_to_string(POLICY).expect("a policy").contains(DRIVERS[0]));
    assert_eq!(machine.policy()["in_force"], true, "{}", machine.policy());
}

#[test]
fn one_line_of_configuration_switches_it_off() {
    let test = "one_line_of_configuration_switches_it_off";
    let Some(padlock) = Padlock::find(test) else { return };
    let before = padlock.counts();
    let world = world(&[("PADLOCK", "OFF")]);
    assert!(world.hard_if_offered("AES-128-CBC").is_none() && world.hard_digest("SHA1").is_none());
    assert_eq!(padlock.counts(), before, "not even the self-test");
}

#[test]
fn a_unit_that_becomes_wrong_is_found_and_no_wrong_byte_is_released() {
    let test = "a_unit_that_becomes_wrong_is_found_and_no_wrong_byte_is_released";
    let Some(padlock) = Padlock::find(test) else { return };
    let Some(machine) = Machine::new(test) else { return };
    in_own_process(|| {
        let world = world(&[]);
        let (hard, soft) = (world.hard("AES-256-CTR"), world.soft("AES-256-CTR"));
        let (key, iv, text) = (bytes(8, 32), [1; 16], bytes(9, 20_000));
        let expected = crypt(&soft, &key, &iv, Direction::Encrypt, &text);
        padlock.damages(true);
        assert!(crypt(&hard, &key, &iv, Direction::Encrypt, &text) == expected);
        assert!(world.counts().mismatches > 0, "{:?}", world.counts());
    });
    let ciphers = machine.command(&["ciphers"]).output().expect("the command runs");
    let text = succeeded(&ciphers, &["ciphers"]);
    assert!(text.contains("its self-test failed"), "{text}");
    padlock.damages(false);
}
