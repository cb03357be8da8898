//! `outboard config` as a command.

use std::fs;
use std::process::{Command, Output};

fn config(openssl_conf: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outboard"));
    command.arg("config").args(arguments).env("OPENSSL_CONF", openssl_conf).output().unwrap()
}

#[test]
fn each_key_is_shown_with_its_line_and_what_it_overrides() {
    let dir = tempfile::tempdir().unwrap();
    let (system, own) = (dir.path().join("openssl.cnf"), dir.path().join("own.cnf"));
    fs::write(&system, "openssl_conf = i\n[i]\nproviders = p\n[p]\ndefault = d\noutboard = o\n[d]\nactivate = 1\n[o]\nCIPHERS = NONE\n")
        .unwrap();
    let text = format!(
        ".include = {}\n[i]\nalg_section = a\n[a]\ndefault_properties = ?provider=outboard\n\
         [o]\nmodule = /x\nactivate = 1\nCIPHERS = AES-128-CBC\nTHRESHOLDS = ALL:512\nNOTE = \"a\x1b[31m\"\n",
        system.display()
    );
    fs::write(&own, text).unwrap();
    let (system, own) = (system.to_str().unwrap(), own.to_str().unwrap());
    let output = config(own, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let has = |words: &[&str]| text.lines().any(|line| line.split_whitespace().eq(words.iter().copied()));
    assert!(has(&["reads", system]), "{text}");
    assert!(text.contains("outboard: activated and preferred\n"), "{text}");
    assert!(has(&["CIPHERS", "AES-128-CBC", &format!("{own}:9")]), "{text}");
    assert!(has(&["overrides", "NONE", &format!("{system}:10")]), "{text}");
    // What is shown depends on whether the machine has a driver.
    let served = has(&["AES-128-CBC", "512", "B", "512", "B", "-", &format!("{own}:10")]);
    assert!(served || text.contains("in software: AES-128-CBC\n"), "{text}");
    assert!(text.contains(&format!("problem: {own}:11: NOTE = a\u{fffd}[31m: unknown key")), "{text}");
    let json = String::from_utf8(config(own, &["--json"]).stdout).unwrap();
    for part in ["\"schema\": \"outboard-config/1\"", "\"activated\": true", "\"line\": 9"] {
        assert!(json.contains(part), "{part}: {json}");
    }
}

#[test]
fn broken_configurations_are_described() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("openssl.cnf");
    fs::write(&file, "openssl_conf = i\n[i\n").unwrap();
    let text = |conf: &str| String::from_utf8(config(conf, &[]).stdout).unwrap();
    let refused = text(file.to_str().unwrap());
    assert!(refused.contains("problem: OpenSSL refuses the whole configuration"), "{refused}");
    assert!(refused.contains("openssl.cnf:2: the section's closing ] is missing"), "{refused}");
    assert!(text("/no/such/file").contains("OpenSSL continues without a configuration"));
    assert!(text("").contains("no openssl.cnf (OPENSSL_CONF names it)"));
}

#[test]
fn an_unknown_service_is_an_error() {
    let output = config("", &["--service", "nothing"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("nothing is not a service that outboard supports"), "{text}");
    assert_eq!(config("", &["--unit", "../x"]).status.code(), Some(1));
    assert_eq!(config("", &["--what"]).status.code(), Some(2));
}
