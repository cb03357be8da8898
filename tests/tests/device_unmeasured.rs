//! What was not measured costs what it costs by OpenSSL alone.

use std::fs;
use std::path::Path;

use outboard_tests::bytes::bytes;
use outboard_tests::command::{command, on_path, status_and_output};
use outboard_tests::module::module;
use outboard_tests::services::requests_of;
use outboard_tests::skip::skip;
use outboard_tests::tuning::{Machine, POLICY, policy_without_ciphers, set_thresholds};
use outboard_tests::world::{Order, outboard_section, write_config};

/// `openssl enc` makes requests of 4 KiB.
const BYTES: usize = 4 << 20;

/// Encrypts a file with this configuration, by a program that runs openssl(1) if one is given. Returns
/// its messages.
#[track_caller]
fn encrypts(folder: &Path, config: &str, runner: &[&str]) -> String {
    let path = |name: &str| folder.join(name).to_str().expect("a plain name").to_owned();
    let (plain, secret, key) = (path("plain"), path("secret"), "42".repeat(16));
    let openssl = ["openssl", "enc", "-aes-128-cbc", "-in", &plain, "-out", &secret, "-K", &key, "-iv", &key];
    let words = [runner, &openssl].concat();
    let program = on_path(words[0]).unwrap_or_else(|| panic!("no {}", words[0]));
    let output = command(&program, &folder.join(config), &words[1..]).output().expect("it starts");
    assert!(output.status.success(), "{}", status_and_output(&output));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The instructions of that, by callgrind.
#[track_caller]
fn instructions(folder: &Path, config: &str) -> f64 {
    let text = encrypts(folder, config, &["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let (_, total) = text.rsplit_once("Collected : ").unwrap_or_else(|| panic!("{text}"));
    total.split_whitespace().next().and_then(|count| count.parse().ok()).expect("a number")
}

#[test]
fn openssl_enc_is_softwares_until_its_cipher_was_measured() {
    let test = "openssl_enc_is_softwares_until_its_cipher_was_measured";
    let Some(_machine) = Machine::with_accelerator(test) else { return };
    if on_path("valgrind").is_none() {
        return skip(test, "valgrind");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::write(folder.join("plain"), bytes(1, BYTES)).expect("a file");
    fs::write(folder.join("alone"), "").expect("a file");
    let section = outboard_section(&module().expect("the provider"), &[], true);
    write_config(&folder.join("with"), &section, Order::DefaultFirst);
    encrypts(folder, "alone", &[]);
    let expected = fs::read(folder.join("secret")).expect("what software wrote");
    let alone = instructions(folder, "alone");

    let gcm = policy_without_ciphers() + "AES-128-GCM 512 512 sim-gcm-aes\n";
    for (policy, what) in [(None, "after allow"), (Some(gcm), "after a tune of GCM")] {
        policy.map_or(Ok(()), |text| fs::write(POLICY, text)).expect("a policy");
        let requests = requests_of(|| drop(encrypts(folder, "with", &[])));
        assert_eq!(requests, 0, "{what}");
        let with = instructions(folder, "with");
        println!("     {what}: {with} instructions, {alone} by OpenSSL alone");
        assert!(with <= 1.02 * alone, "{what}: {with} instructions, {alone} by OpenSSL alone");
    }
    set_thresholds("4096");
    let requests = requests_of(|| drop(encrypts(folder, "with", &[])));
    assert!(requests > 0, "it was measured");
    assert!(fs::read(folder.join("secret")).expect("what hardware wrote") == expected);
}
