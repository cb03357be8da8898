//! `outboard bundle`, `prove --json` and `report`: no secret that is planted in a configuration or
//! in a command line is in their output, and what they are for is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const RUNS: usize = 100;

fn outboard() -> Command {
    Command::new(env!("CARGO_BIN_EXE_outboard"))
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Numbers that a seed determines.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    /// A key, a PIN, or a password.
    fn secret(&mut self) -> String {
        let all = ["0123456789abcdef", "0123456789", "ABCDEFGHIJabcdefghij0123456789!%+^~"];
        let letters = all[self.below(all.len())].as_bytes();
        (0..9 + self.below(20)).map(|_| char::from(letters[self.below(letters.len())])).collect::<String>()
            + "80817"
    }

    /// The text with another secret for each `@`, one of four for each `?`, whose word stands in brackets.
    fn planted(&mut self, template: &str, secrets: &mut Vec<String>) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['@', '?']) {
            text += &rest[..at];
            let is_always = rest.as_bytes()[at] == b'@';
            rest = &rest[at + 1..];
            let word = match is_always {
                true => "",
                false => {
                    let (word, after) = rest[1..].split_once('>').unwrap();
                    rest = after;
                    word
                }
            };
            if is_always || self.below(4) == 0 {
                secrets.push(self.secret());
                text += &secrets[secrets.len() - 1];
            } else {
                text += word;
            }
        }
        text + rest
    }
}

fn fresh() -> Random {
    let seed = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    println!("the seed is {seed}");
    Random(seed)
}

#[test]
fn a_bundle_has_no_secret_of_the_configuration_and_gives_the_same_status() {
    if !Path::new("/proc/crypto").exists() {
        return;
    }
    let mut random = fresh();
    let place = tempfile::tempdir().unwrap();
    let (conf, bundle) = (place.path().join("openssl.cnf"), place.path().join("bundle.tar.xz"));
    for run in 0..RUNS {
        let mut secrets = Vec::new();
        let more = place.path().join(random.planted("?<more>.cnf", &mut secrets));
        let text = "# @\n@ = @\nopenssl_conf = main\ncommonName = @ # @\n.include MORE\n[main]\nengines = e\nproviders = p\n\
            random = r\noutput_password = @\n[e]\ndevcrypto = dc\n?<afalg> = a\n[dc]\nDIGESTS = ?<ALL>\nPIN = @\n[p]\n\
            ?<outboard> = ?<sect>\n[r]\nseed = ?<JITTER>\n[@]\nsubjectAltName = IP:192.168.7.9\nkey = \"@\\\n @\"\n";
        let text = random.planted(text, &mut secrets).replace("MORE", more.to_str().unwrap());
        let mut bytes = text.into_bytes();
        if run % 2 == 0 {
            bytes.extend(b"localityName = Z\xfcrich\n");
        }
        fs::write(&conf, bytes).unwrap();
        let text =
            random.planted("[sect]\nactivate = ?<1>\nidentity = ?<default>\npin-value = @\n", &mut secrets);
        fs::write(&more, text).unwrap();

        let live = succeeds(outboard().args(["status", "--json"]).env("OPENSSL_CONF", &conf));
        let listed =
            succeeds(outboard().args(["bundle", "--force", "-o"]).arg(&bundle).env("OPENSSL_CONF", &conf));
        let from = succeeds(outboard().args(["status", "--json", "--from"]).arg(&bundle));
        let tar = lzma_rust2::XzReader::new(fs::File::open(&bundle).unwrap(), false);
        let content = std::io::read_to_string(Lossy(tar)).unwrap();
        fs::remove_file(&more).unwrap();
        let (live_text, from_text) = (text_of(&live.stdout), text_of(&from.stdout));
        for secret in &secrets {
            for shown in [&live_text, &text_of(&listed.stdout), &from_text, &content] {
                assert!(!shown.contains(secret), "{secret} in {shown}");
            }
        }
        assert!(!content.contains("192.168.7.9"));
        let (live, from): (Value, Value) =
            (serde_json::from_str(&live_text).unwrap(), serde_json::from_str(&from_text).unwrap());
        assert_eq!(live["openssl"], from["openssl"]);
        assert!(
            live["openssl"]["engines"]["names"].as_array().is_some_and(|names| names.len() == 2),
            "{live_text}"
        );
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Text of any bytes.
struct Lossy<R>(R);

impl<R: std::io::Read> std::io::Read for Lossy<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.0.read(buffer)?;
        buffer[..len].iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
        Ok(len)
    }
}

#[test]
fn a_proof_and_its_report_have_no_secret_of_the_command() {
    let mut random = fresh();
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::write(at("module.so"), "no module").unwrap();
    // Commands that do nothing, with the names of those that matter.
    for name in ["openssl", "sh"] {
        fs::write(at(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let json = at("proof.json");
    for run in 0..RUNS {
        let mut secrets = Vec::new();
        let templates = [
            "openssl enc -aes-128-cbc -K @ -iv=@ --pass=pass:@ -in @ -bufsize 16384 -bytes 16384",
            "openssl enc -aes-128-cbc --K @ --iv @ -pass @ -x@ @ A=@ -bytes 16384",
            "A=@ openssl enc -aes-128-cbc -K @ -bytes 16384 | curl -u @:@ https://@:@/@ # @",
            "env B=@ openssl enc -aes-128-cbc -K '@' -bytes 16384 -engine pkcs11:pin-value=@; echo \"@\"",
        ];
        let line = random.planted(templates[run % 4], &mut secrets);
        let mut prove = outboard();
        prove.args(["prove", "--module"]).arg(at("module.so")).arg("--json").arg(&json).arg("--");
        if run % 4 < 2 {
            let mut words = line.split(' ');
            prove.arg(at(words.next().unwrap())).args(words);
        } else {
            prove.arg(at("sh")).args(["-c", &line]);
        }
        let shown = text_of(&succeeds(&mut prove).stderr);
        let document = fs::read_to_string(&json).unwrap();
        let mut all = vec![shown, document.replace("\",\n    \"", " ")];
        for format in ["html", "markdown", "json"] {
            let report = succeeds(outboard().args(["report", "-o", "-", "--format", format]).arg(&json));
            all.push(text_of(&report.stdout));
        }
        for (number, shown) in all.iter().enumerate() {
            for secret in &secrets {
                assert!(!shown.contains(secret), "{secret} of {line} in {shown}");
            }
            let words: &[&str] = if number == 4 {
                &["openssl", "aes-128-cbc", "16384"]
            } else {
                &["-aes-128-cbc", "-bytes 16384"]
            };
            for word in words {
                assert!(shown.replace("\\-", "-").contains(word), "{word} of {line} is not in {shown}");
            }
        }
    }
}
