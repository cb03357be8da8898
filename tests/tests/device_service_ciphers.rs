//! `outboard ciphers --service`: the suites of Debian's nginx, sshd, ssh and OpenVPN, and the advice.

use std::fs;
use std::path::{Path, PathBuf};

use outboard_tests::command::{failed, on_path, succeeded};
use outboard_tests::skip::skip;
use outboard_tests::tuning::Machine;
use serde_json::Value;

/// A file that a test adds, until dropped.
struct Added(PathBuf);

impl Added {
    fn file(path: &str, text: &str) -> Added {
        let path = PathBuf::from(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        assert!(!path.exists(), "{}", path.display());
        fs::write(&path, text).expect("a file");
        Added(path)
    }
}

impl Drop for Added {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// AES-CBC is measured to win from 1 KiB, GCM and CTR never.
fn policy() -> Added {
    let read = |file: &str| fs::read_to_string(file).expect("proc is mounted").trim().to_owned();
    let cpu = outboard_policy::cpu_identity(&read("/proc/cpuinfo"));
    let lines = [
        "outboard-policy 2".to_owned(),
        "goal balanced".to_owned(),
        format!("kernel {}", read("/proc/sys/kernel/osrelease")),
        format!("cpu {cpu}"),
        "AES-128-CBC 1024 1024 virtio_crypto_aes_cbc".to_owned(),
        "AES-256-CBC 1024 1024 virtio_crypto_aes_cbc".to_owned(),
    ];
    Added::file("/etc/outboard/policy", &(lines.join("\n") + "\n"))
}

#[track_caller]
fn suites(machine: &Machine, arguments: &[&str]) -> Value {
    let arguments = [&["ciphers", "--json", "--service"], arguments].concat();
    let output = machine.command(&arguments).output().expect("the command runs");
    let answer: Value = serde_json::from_str(&succeeded(&output, &arguments)).expect("JSON");
    assert_eq!(answer["schema"], "outboard-service-ciphers/1");
    answer
}

#[track_caller]
fn row<'a>(answer: &'a Value, suite: &str) -> &'a Value {
    let rows = answer["suites"].as_array().expect("suites");
    rows.iter().find(|row| row["suite"] == suite).unwrap_or_else(|| panic!("no {suite}: {answer:#}"))
}

#[test]
fn nginx_offers_what_its_files_say_and_cbc_needs_the_flag() {
    let test = "nginx_offers_what_its_files_say_and_cbc_needs_the_flag";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if on_path("nginx").is_none() {
        return skip(test, "the nginx command");
    }
    let _policy = policy();
    let site = "/etc/nginx/conf.d/outboard-test.conf";
    let _site = Added::file(
        site,
        "ssl_ciphers ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-SHA256;\nssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;\n",
    );
    let answer = suites(&machine, &["nginx"]);
    let sources = answer["sources"].as_array().expect("sources");
    assert!(sources.iter().any(|source| *source == format!("{site}:1")), "{answer:#}");
    assert_eq!(row(&answer, "TLS_AES_256_GCM_SHA384")["served"], "software");
    let cbc = row(&answer, "ECDHE-RSA-AES128-SHA256");
    assert_eq!((&cbc["served"], &cbc["from"]), (&"direct".into(), &1024.into()), "{answer:#}");
    assert!(answer["settings"].as_array().expect("settings").is_empty(), "{answer:#}");
    assert!(answer["advice"].as_str().expect("a sentence").contains("--allow-legacy"), "{answer:#}");
    let answer = suites(&machine, &["nginx", "--allow-legacy"]);
    assert_eq!(answer["settings"][0], "ssl_ciphers ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-GCM-SHA384;");
    assert!(answer["price"].as_str().expect("a sentence").contains("Lucky 13"), "{answer:#}");
}

#[test]
fn ssh_and_openvpn_have_their_own_names() {
    let test = "ssh_and_openvpn_have_their_own_names";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    let programs = ["/usr/sbin/sshd", "/usr/bin/ssh", "/usr/sbin/openvpn"];
    if let Some(missing) = programs.into_iter().find(|program| !Path::new(program).exists()) {
        return skip(test, format!("the file {missing}"));
    }
    let _policy = policy();
    // sshd(8) wants the directory of its sandbox.
    fs::create_dir_all("/run/sshd").expect("a directory");
    for service in ["sshd", "ssh"] {
        let answer = suites(&machine, &[service]);
        assert_eq!(row(&answer, "aes128-ctr")["cipher"], "AES-128-CTR");
        assert_eq!(row(&answer, "chacha20-poly1305@openssh.com")["cipher"], Value::Null);
        assert!(answer["advice"].as_str().expect("a sentence").starts_with("No suite"), "{answer:#}");
    }
    let _tunnel = Added::file("/etc/openvpn/server/t.conf", "data-ciphers AES-256-GCM:AES-128-CBC\n");
    let answer = suites(&machine, &["openvpn", "--allow-legacy"]);
    assert_eq!(row(&answer, "AES-256-GCM")["served"], "software");
    // The threshold is below the size of a packet.
    assert_eq!(row(&answer, "AES-128-CBC")["served"], "direct", "{answer:#}");
    let settings = answer["settings"][0].as_str().expect("a setting");
    assert!(
        settings.starts_with("data-ciphers AES-128-CBC:AES-256-GCM") && settings.contains("both ends"),
        "{settings}"
    );
    let arguments = ["ciphers", "--service", "strongswan"];
    failed(&machine.command(&arguments).output().expect("the command runs"), &arguments, 1);
}
