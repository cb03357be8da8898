//! `outboard ciphers --service`: the suites of Debian's nginx, sshd, ssh and OpenVPN, and the advice;
//! which `outboard enable` follows.

use std::fs;
use std::path::{Path, PathBuf};

use outboard_tests::command::{failed, on_path, succeeded};
use outboard_tests::skip::skip;
use outboard_tests::tuning::{Machine, policy_without_ciphers};
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
    policy_with(&[])
}

/// The same with figures of what services may choose between.
fn policy_with(figures: &[&str]) -> Added {
    let lines = [
        policy_without_ciphers(),
        "AES-128-CBC 1024 1024 virtio_crypto_aes_cbc".to_owned(),
        "AES-256-CBC 1024 1024 virtio_crypto_aes_cbc".to_owned(),
    ];
    let figures = figures.iter().map(|figure| format!("figure {figure}"));
    let lines: Vec<String> = lines.into_iter().chain(figures).collect();
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
    assert_eq!((&answer["decision"], &answer["legacy"]), (&"leave".into(), &Value::Null), "{answer:#}");
    assert!(answer["why"].as_str().expect("a sentence").contains("--allow-legacy"), "{answer:#}");
    let answer = suites(&machine, &["nginx", "--allow-legacy"]);
    let answer = &answer["legacy"];
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
        assert_eq!((&answer["decision"], &answer["refused"]), (&"leave".into(), &true.into()), "{answer:#}");
    }
    let _tunnel = Added::file("/etc/openvpn/server/t.conf", "data-ciphers AES-256-GCM:AES-128-CBC\n");
    let answer = suites(&machine, &["openvpn", "--allow-legacy"]);
    assert_eq!(row(&answer, "AES-256-GCM")["served"], "software");
    // The threshold is below the size of a packet.
    assert_eq!(row(&answer, "AES-128-CBC")["served"], "direct", "{answer:#}");
    let settings = answer["legacy"]["settings"][0].as_str().expect("a setting");
    assert!(
        settings.starts_with("data-ciphers AES-128-CBC:AES-256-GCM") && settings.contains("both ends"),
        "{settings}"
    );
    let arguments = ["ciphers", "--service", "strongswan"];
    failed(&machine.command(&arguments).output().expect("the command runs"), &arguments, 1);
}

/// CBC by the accelerator costs more than ChaCha20, or less.
#[test]
fn openvpn_is_refused_where_chacha20_wins_and_enabled_where_it_does_not() {
    let test = "openvpn_is_refused_where_chacha20_wins_and_enabled_where_it_does_not";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if !Path::new("/usr/sbin/openvpn").exists() {
        return skip(test, "the file /usr/sbin/openvpn");
    }
    let _tunnel = Added::file(
        "/etc/openvpn/server/t.conf",
        "data-ciphers AES-256-GCM:CHACHA20-POLY1305:AES-128-CBC:AES-256-CBC\n",
    );
    let chacha20 = "1472 ChaCha20-Poly1305 - 40/0.02 25";
    let cbc = |speed: &str, cpu: &str| {
        ["AES-128-CBC", "AES-256-CBC"]
            .map(|name| format!("1472 {name} virtio_crypto_aes_cbc {speed}/0.02 {cpu}"))
    };
    let figures = |cbc: &[String; 2]| {
        policy_with(&[
            chacha20,
            &cbc[0],
            &cbc[1],
            "1472 AES-256-GCM - 12/0.02 80",
            "1472 HMAC-SHA1 - 200/0.02 5",
        ])
    };
    let plan = |more: &[&str]| {
        let arguments = [&["enable", "openvpn", "--dry-run"], more].concat();
        machine.command(&arguments).output().expect("the command runs")
    };

    let policy = figures(&cbc("9", "90"));
    let refused = failed(&plan(&[]), &["enable"], 1);
    for part in [
        "another cipher that openvpn offers is faster without the accelerator, and cheaper in CPU time: ",
        "CHACHA20-POLY1305 in software 40.0 MB/s and 25.0 ms of CPU time per MB",
        "prefer CHACHA20-POLY1305: `data-ciphers CHACHA20-POLY1305:AES-256-GCM    # on both ends",
        "--aes-required",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    succeeded(&plan(&["--aes-required"]), &["enable"]);
    let answer = suites(&machine, &["openvpn"]);
    assert_eq!(
        (&answer["decision"], &answer["other"]),
        (&"prefer".into(), &"CHACHA20-POLY1305".into()),
        "{answer:#}"
    );
    assert_eq!(answer["entrants"].as_array().map(Vec::len), Some(4), "{answer:#}");
    drop(policy);

    // Faster than ChaCha20 with the MAC, but CBC is not what is preferred.
    let _policy = figures(&cbc("300", "2"));
    let output = plan(&[]);
    let text = format!("{}{}", succeeded(&output, &["enable"]), String::from_utf8_lossy(&output.stderr));
    assert!(
        text.contains("prefer CHACHA20-POLY1305")
            && text.contains("the cheapest in CPU time, is CHACHA20-POLY1305 in software"),
        "{text}"
    );
}

/// The MAC decides: CBC with umac-64 wins over ChaCha20, with hmac-sha2-256 it loses.
#[test]
fn the_macs_of_sshd_decide_whether_it_is_refused() {
    let test = "the_macs_of_sshd_decide_whether_it_is_refused";
    let Some(machine) = Machine::with_accelerator(test) else { return };
    if !Path::new("/usr/sbin/sshd").exists() {
        return skip(test, "the file /usr/sbin/sshd");
    }
    fs::create_dir_all("/run/sshd").expect("a directory");
    let _policy = policy_with(&[
        "32768 ChaCha20-Poly1305 - 40/0.02 25",
        "32768 AES-128-CBC virtio_crypto_aes_cbc 200/0.02 3",
        "32768 UMAC-64 - 300/0.02 3.5",
        "32768 HMAC-SHA2-256 - 20/0.02 50",
    ]);
    let plan = |macs: &str| {
        let text = format!("Ciphers chacha20-poly1305@openssh.com,aes128-cbc\nMACs {macs}\n");
        let _file = Added::file("/etc/ssh/sshd_config.d/outboard-test.conf", &text);
        let output = machine.command(&["enable", "sshd", "--dry-run"]).output().expect("the command runs");
        format!("{}{}", output.status.success(), String::from_utf8_lossy(&output.stderr))
    };
    let loses = plan("hmac-sha2-256-etm@openssh.com");
    assert!(
        loses.starts_with("false") && loses.contains("peers negotiate chacha20-poly1305@openssh.com already"),
        "{loses}"
    );
    assert!(
        loses.contains("aes128-cbc with hmac-sha2-256-etm@openssh.com by virtio_crypto_aes_cbc"),
        "{loses}"
    );
    let wins = plan("umac-64-etm@openssh.com,hmac-sha2-256-etm@openssh.com");
    assert!(wins.starts_with("true"), "{wins}");
}
