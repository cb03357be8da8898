//! Each provider decrypts what the other has encrypted, from one byte to megabytes, through EVP and
//! through `openssl enc`.

use std::fs;
use std::path::{Path, PathBuf};

use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::command::{on_path, run, status_and_output};
use outboard_tests::evp::Direction;
use outboard_tests::messages::padded;
use outboard_tests::skip::skip;
use outboard_tests::world::{CIPHERS, World, worlds, write_text};

const MEGABYTE: usize = 1 << 20;
const LENGTHS: [usize; 9] = [1, 15, 16, 17, 4096, 65_535, 65_536, 1_000_003, 8 * MEGABYTE];

#[test]
fn either_provider_decrypts_what_the_other_encrypted() {
    for world in worlds("either_provider_decrypts_what_the_other_encrypted", &[("THRESHOLDS", "ALL:1024")]) {
        for algorithm in CIPHERS {
            let (hard, soft) = (world.hard(algorithm), world.soft(algorithm));
            let (key, iv) = (bytes(11, hard.key_length()), array(12));
            // One key length with the longest message is enough for an emulated machine.
            let longest = if algorithm == CIPHERS[0] { LENGTHS.len() } else { LENGTHS.len() - 1 };
            for length in LENGTHS.into_iter().take(longest) {
                let plain = bytes(length as u64, length);
                let what = format!("{:?}, {algorithm}, {length} bytes", world.driver_choice);
                for (encrypts, decrypts) in [(&hard, &soft), (&soft, &hard)] {
                    let secret = padded(encrypts, &key, &iv, Direction::Encrypt, &plain);
                    assert_same(&padded(decrypts, &key, &iv, Direction::Decrypt, &secret), &plain, &what);
                }
            }
        }
        world.assert_driver_used();
    }
}

#[test]
fn openssl_enc_decrypts_with_one_what_it_encrypted_with_the_other() {
    let test = "openssl_enc_decrypts_with_one_what_it_encrypted_with_the_other";
    let Some(openssl) = on_path("openssl") else {
        return skip(test, "the openssl command");
    };
    for world in worlds(test, &[("THRESHOLDS", "ALL:1024")]) {
        let plain_config = world.folder().join("plain.cnf");
        write_text(&plain_config, "default = default_section\n", &world.section, "");
        for length in [1, 16, 100_000, 8 * MEGABYTE] {
            let file = Files::new(&world, length);
            for (encrypts, decrypts) in
                [(world.config(), plain_config.clone()), (plain_config.clone(), world.config())]
            {
                enc(&openssl, &encrypts, "-e", &file.plain, &file.secret);
                enc(&openssl, &decrypts, "-d", &file.secret, &file.back);
                let read = |path: &Path| fs::read(path).expect("what openssl enc wrote");
                let what = format!("{:?}, {length} bytes", world.driver_choice);
                assert_same(&read(&file.back), &read(&file.plain), &what);
            }
        }
        world.assert_driver_used();
    }
}

struct Files {
    plain: PathBuf,
    secret: PathBuf,
    back: PathBuf,
}

impl Files {
    fn new(world: &World, length: usize) -> Files {
        let path = |name: &str| world.folder().join(name);
        let files = Files { plain: path("plain"), secret: path("secret"), back: path("back") };
        fs::write(&files.plain, bytes(length as u64, length)).expect("a file in the world's folder");
        files
    }
}

#[track_caller]
fn enc(openssl: &Path, config: &Path, direction: &str, from: &Path, to: &Path) {
    let (from, to) = (from.to_str().expect("a plain name"), to.to_str().expect("a plain name"));
    let mut arguments = vec!["enc", "-aes-128-cbc", direction, "-in", from, "-out", to];
    arguments.extend(["-K", "000102030405060708090a0b0c0d0e0f", "-iv", "f0e0d0c0b0a090807060504030201000"]);
    let output = run(openssl, config, &arguments);
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "openssl enc {direction}: {}",
        status_and_output(&output)
    );
}
