//! `outboard bundle`, `prove --json`, `report` and `metrics`: no secret that is planted in a
//! configuration or in a command line is in their output, and what they are for is.

mod both;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use outboard_tests::lane::is_full_lane;
use outboard_tests::planted::{IN_COMMANDS, IN_CONFIGURATIONS, Planter, fresh_seed};
use serde_json::Value;

/// The number of random configurations or commands of a test.
fn runs() -> usize {
    if is_full_lane() { 100 } else { 50 }
}

fn outboard() -> Command {
    Command::new(both::outboard())
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The document of a file as `report` shows it.
fn reports(document: &Path) -> Vec<String> {
    let report = |format| {
        let mut command = outboard();
        text_of(&succeeds(command.args(["report", "-o", "-", "--format", format]).arg(document)).stdout)
    };
    ["html", "markdown", "json"].map(report).to_vec()
}

#[track_caller]
fn assert_hides(shown: &[String], planter: &Planter, of: &dyn std::fmt::Debug) {
    for text in shown {
        for secret in &planter.secrets {
            assert!(!text.contains(secret), "{secret} of {of:?} in {text}");
        }
    }
}

#[test]
fn a_bundle_has_no_secret_of_the_configuration_and_gives_the_same_status() {
    if !Path::new("/proc/crypto").exists() {
        return;
    }
    let mut planter = Planter::new(fresh_seed(), IN_CONFIGURATIONS);
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let (conf, bundle, document) = (at("openssl.cnf"), at("bundle.tar.xz"), at("status.json"));
    let mut named = 0;
    for _ in 0..runs() {
        planter.secrets.clear();
        let planted = planter.configuration(place.path().to_str().unwrap());
        let included = Path::new(&planted.included.0);
        fs::write(&conf, &planted.text).unwrap();
        fs::create_dir(included.parent().unwrap()).unwrap();
        fs::write(included, &planted.included.1).unwrap();

        let run = |arguments: &[&str]| succeeds(outboard().args(arguments).env("OPENSSL_CONF", &conf)).stdout;
        let live = run(&["status", "--json"]);
        let listed = run(&["bundle", "--force", "-o", bundle.to_str().unwrap()]);
        let metrics = run(&["metrics"]);
        fs::remove_dir_all(included.parent().unwrap()).unwrap();
        let from = succeeds(outboard().args(["status", "--json", "--from"]).arg(&bundle)).stdout;
        let mut content = Vec::new();
        let mut tar = lzma_rust2::XzReader::new(fs::File::open(&bundle).unwrap(), false);
        std::io::copy(&mut tar, &mut content).unwrap();
        fs::write(&document, &live).unwrap();
        let mut shown: Vec<String> =
            [&live, &listed, &metrics, &from, &content].map(|it| text_of(it)).to_vec();
        shown.extend(reports(&document));
        assert_hides(&shown, &planter, &text_of(&planted.text));
        assert!(!shown[4].contains("192.168.7.9"));

        let (live, from): (Value, Value) =
            (serde_json::from_slice(&live).unwrap(), serde_json::from_slice(&from).unwrap());
        for (field, value) in live.as_object().unwrap() {
            // What could not be read is a warning, or missing in the archive.
            assert!(
                ["saved_tree", "missing", "warnings"].contains(&field.as_str()) || from[field] == *value,
                "{field}"
            );
        }
        let openssl = &live["openssl"];
        named += usize::from(!openssl["engines"].is_null() && !openssl["providers"].is_null());
    }
    assert!(named > runs() / 4, "only {named} configurations had something to show");
}

#[test]
fn a_proof_and_its_report_have_no_secret_of_the_command() {
    let mut planter = Planter::new(fresh_seed(), IN_COMMANDS);
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::write(at("module.so"), "no module").unwrap();
    // Commands that do nothing, with the names of those that matter.
    for name in ["openssl", "sh", "bash", "env", "sudo"] {
        fs::write(at(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let json = at("proof.json");
    for _ in 0..runs() {
        planter.secrets.clear();
        let mut words = planter.command_line();
        if words[0].contains('=') {
            words = vec!["sh".to_owned(), "-c".to_owned(), words.join(" ")];
        }
        let program = at(Path::new(&words[0]).file_name().unwrap().to_str().unwrap());
        let mut prove = outboard();
        prove.args(["prove", "--module"]).arg(at("module.so")).arg("--json").arg(&json).arg("--");
        let told = text_of(&succeeds(prove.arg(program).args(&words[1..])).stderr);
        let document = fs::read_to_string(&json).unwrap();
        let mut shown = vec![told, document];
        shown.extend(reports(&json));
        assert_hides(&shown, &planter, &words);
        let has_sizes = words.join(" ").contains("-bytes 16384");
        for text in shown {
            let text = text.replace("\\-", "-");
            for word in ["openssl", "aes-128-cbc"].into_iter().chain(has_sizes.then_some("16384")) {
                assert!(text.contains(word), "{word} of {words:?} is not in {text}");
            }
        }
    }
}
