//! `outboard enable --restart` and `disable --restart` for Debian's nginx, in a machine that systemd
//! booted: real clients, the counters of the accelerator, and all of /etc and /run as before.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use outboard_tests::command::{failed, status_and_output, succeeded};
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::services::{disables, enables, fails, in_rounds, machine, succeeds};
use outboard_tests::simulated::Simulated;
use outboard_tests::sites::{downloads, site};
use outboard_tests::systemd::{AddedFiles, Started, assert_unchanged, snapshot, systemctl};
use outboard_tests::tuning::{CIPHER, POLICY, set_thresholds, set_thresholds_of};

pub const NGINX: &str = "https://127.0.0.1:4433/file";

pub fn nginx() -> (AddedFiles, Started) {
    site();
    let mut files = AddedFiles::default();
    files.add(
        "/etc/nginx/conf.d/outboard-test.conf",
        "server {\nlisten 127.0.0.1:4433 ssl;\nroot /var/www/outboard;\nssl_ciphers HIGH;\n\
         ssl_certificate /root/outboard-test.pem;\nssl_certificate_key /root/outboard-test.key;\n}\n",
    );
    (files, Started::start("nginx.service"))
}

#[test]
fn nginx_is_refused_where_software_wins_and_verified_where_the_accelerator_wins() {
    let test = "nginx_is_refused_where_software_wins_and_verified_where_the_accelerator_wins";
    let Some(machine) = machine(test) else { return };
    let (_files, _nginx) = nginx();
    fs::remove_file(POLICY).expect("a policy");
    let text = fails(&machine, &["enable", "nginx", "--restart"]);
    assert!(text.contains("was not measured on this machine: run outboard setup"), "{text}");
    machine.tuned(&["--ciphers", CIPHER]);
    for (from, shown) in [("never", "never"), ("65536", "65536 bytes")] {
        set_thresholds(from);
        let before = snapshot();
        let text = fails(&machine, &["enable", "nginx", "--restart"]);
        assert!(text.contains("software wins for its requests of up to 16384 bytes"), "{text}");
        let row = text.lines().find(|line| line.trim_start().starts_with(CIPHER));
        assert!(row.is_some_and(|row| row.contains(ACCELERATOR) && row.ends_with(shown)), "{text}");
        assert_unchanged(&before);
    }
    // What a test's client sends is decrypted, so it cannot show a driver that wins by encryption only.
    set_thresholds("4096");
    let policy = fs::read_to_string(POLICY).expect("a policy");
    fs::write(POLICY, policy.replace("4096 4096", "4096 never")).expect("a policy");
    let text = succeeds(&machine, &["enable", "nginx", "--restart", "--aes-required"]);
    assert!(text.contains("the accelerator only encrypts"), "{text}");
    disables(&machine, &["nginx"]);
    set_thresholds("4096");
    in_rounds(&machine, &["nginx", "--aes-required"], || downloads(NGINX));
}

/// The simulated accelerator answers each request after 20 ms, so ChaCha20 in software is faster.
#[test]
fn nginx_is_refused_where_chacha20_is_faster_unless_aes_is_required() {
    let test = "nginx_is_refused_where_chacha20_is_faster_unless_aes_is_required";
    let Some(machine) = machine(test) else { return };
    let Some(file) = Simulated::find(test) else { return };
    let (_files, _nginx) = nginx();
    // The driver of virtio-crypto is not to be chosen.
    succeeds(&machine, &["undo", "--yes"]);
    let simulated = Simulated::load_with(&file, &["latency_ns=20000000"]);
    simulated.allow(&["sim-cbc-aes"]);
    machine.tuned(&["--ciphers", CIPHER]);
    set_thresholds_of("sim-cbc-aes", "4096");
    let before = snapshot();
    for how in ["--restart", "--dry-run"] {
        let text = fails(&machine, &["enable", "nginx", how]);
        for part in [
            "another cipher that nginx offers is faster without the accelerator, and cheaper in CPU time: ",
            "TLS_CHACHA20_POLY1305_SHA256 in software ",
            " by sim-cbc-aes ",
            "prefer TLS_CHACHA20_POLY1305_SHA256: `ssl_conf_command Ciphersuites TLS_CHACHA20_POLY1305_SHA256:",
            "--aes-required",
        ] {
            assert!(text.contains(part), "{how}: {text}");
        }
        assert_unchanged(&before);
    }
    enables(&machine, &["nginx", "--aes-required"]);
    let record = fs::read_to_string("/etc/outboard/service-nginx.json").expect("the record");
    assert!(record.contains("\"aes_required\": \"--aes-required was given\""), "{record}");
    let again = succeeds(&machine, &["enable", "nginx", "--dry-run"]);
    assert!(again.contains("nginx: nothing to change"), "{again}");
    disables(&machine, &["nginx"]);
    assert_unchanged(&before);
}

#[test]
fn a_service_that_cannot_be_restarted_is_refused_before_a_change() {
    let Some(machine) = machine("a_service_that_cannot_be_restarted_is_refused_before_a_change") else {
        return;
    };
    let before = snapshot();
    for (arguments, says) in [
        (&["enable", "nginx"][..], "no unit of nginx runs: start it first"),
        (&["enable", "--unit", "no-such-unit"], "there is no unit no-such-unit.service"),
        (&["enable", "ssh"], "has no unit that can be restarted"),
        (&["disable", "nginx"], "nginx: it is not enabled"),
    ] {
        let force = if arguments[0] == "enable" { &["--restart", "--force"][..] } else { &["--restart"] };
        let text = fails(&machine, &[arguments, force].concat());
        assert!(text.contains(says), "{arguments:?}: {text}");
        assert_unchanged(&before);
    }
    let mut command = machine.command(&["enable", "nginx", "--restart", "--force"]);
    let text = failed(&command.uid(65534).output().expect("the command runs"), &["as nobody"], 1);
    assert!(text.contains("only root may"), "{text}");
    assert_unchanged(&before);
}

/// By a file in a directory of systemd's that is not one of packages or administrators.
#[test]
fn a_setting_that_systemd_has_read_is_found_before_a_change() {
    let Some(machine) = machine("a_setting_that_systemd_has_read_is_found_before_a_change") else { return };
    let mut files = AddedFiles::default();
    let control = "/etc/systemd/system.control/nginx.service.d/90-test.conf";
    files.add(control, "[Service]\nEnvironment=OPENSSL_CONF=/dev/null\n");
    systemctl(&["daemon-reload"]);
    let before = snapshot();
    let text = fails(&machine, &["enable", "nginx", "--force"]);
    assert!(text.contains(&format!("{control} sets or unsets OPENSSL_CONF")), "{text}");
    assert_unchanged(&before);
    drop(files);
    systemctl(&["daemon-reload"]);
}

#[test]
fn a_configuration_of_its_own_stays_in_force() {
    let Some(machine) = machine("a_configuration_of_its_own_stays_in_force") else { return };
    let (mut files, nginx) = nginx();
    drop(nginx);
    let own = "/etc/ssl/outboard-test.cnf";
    let drop_in = format!("[Service]\nEnvironment=OPENSSL_CONF={own}\n");
    files.add("/etc/systemd/system/nginx.service.d/10-test.conf", &drop_in);
    files.add(own, "openssl_conf = i\n[i]\nno assignment\n");
    let before = snapshot();
    let text = fails(&machine, &["enable", "nginx", "--restart", "--force"]);
    assert!(text.contains("OpenSSL refuses the whole configuration"), "{text}");
    assert_unchanged(&before);

    // In TLS 1.3 the service has one suite, by its openssl.cnf.
    files.add(
        own,
        "openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\nCiphersuites = TLS_AES_128_GCM_SHA256\n",
    );
    let _nginx = Started::start("nginx.service");
    let before = snapshot();
    let found = enables(&machine, &["nginx", "--force"]);
    assert_eq!(found["exchanges"][0]["cipher"], "TLS_AES_128_GCM_SHA256", "{found:#}");
    downloads(NGINX);
    disables(&machine, &["nginx"]);
    assert_unchanged(&before);
    let output =
        Command::new("systemctl").args(["show", "-p", "Environment", "nginx"]).output().expect("systemctl");
    assert!(succeeded(&output, &["show"]).contains(own), "{}", status_and_output(&output));
}
