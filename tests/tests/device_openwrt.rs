//! `outboard enable` on OpenWrt: files of programs instead of drop-ins, restarts by init scripts.
//! procd, ubus and OpenSSL's init script are stubs (tests/src/openwrt), whose scripts run in busybox's
//! ash; uci (scripts/openwrt-uci), outboard's init script, OpenSSL, nginx and the accelerator are real.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use outboard_tests::command::{on_path, succeeded};
use outboard_tests::file_tree::{assert_etc_is, etc_without_lock};
use outboard_tests::lane::is_full_lane;
use outboard_tests::openwrt::session::Nginx;
use outboard_tests::openwrt::{CONFIG_FILE, OpenWrt, config, init_script, shell};
use outboard_tests::services::{enables, fails, meanwhile, requests_of, succeeds};
use outboard_tests::sites::{FILE, downloads, site};
use outboard_tests::skip::skip;
use outboard_tests::tuning::{CIPHER, Machine, set_thresholds};

const SITE: &str = "https://127.0.0.1:4433/file";
const PROGRAM: &str = "/etc/outboard/programs.d/nginx";
const COUNTERS: &str = "/var/run/outboard/nginx";

/// A program other than nginx, with the system's configuration.
fn another_program() {
    let arguments = [
        "enc",
        "-aes-128-cbc",
        "-K",
        &"42".repeat(16),
        "-iv",
        &"24".repeat(16),
        "-in",
        FILE,
        "-out",
        "/dev/null",
    ];
    succeeded(&Command::new("openssl").args(arguments).output().expect("openssl"), &arguments);
}

#[test]
fn services_of_procd_are_enabled_verified_and_disabled() {
    let test = "services_of_procd_are_enabled_verified_and_disabled";
    if let Some(missing) = ["nginx", "curl", "openssl"].into_iter().find(|name| on_path(name).is_none()) {
        return skip(test, format!("the {missing} command"));
    }
    let Some(machine) = Machine::with_accelerator(test) else { return };
    site();
    let _openwrt = match OpenWrt::imitate() {
        Ok(openwrt) => openwrt,
        Err(missing) => return skip(test, missing),
    };
    machine.tuned(&["--ciphers", CIPHER]);
    set_thresholds("never");
    // The lock of /etc/outboard is created once.
    succeeds(&machine, &["enable", "ssh", "--force"]);
    succeeds(&machine, &["disable", "ssh"]);
    let text = fails(&machine, &["enable", "nginx", "--restart"]);
    assert!(text.contains("software wins for its requests of up to 16384 bytes"), "{text}");
    set_thresholds("4096");

    let before = etc_without_lock();
    let text = fails(&machine, &["enable", "nginx", "--restart"]);
    assert!(text.contains("no unit of nginx runs: start it first"), "{text}");
    let text = fails(&machine, &["enable", "--unit", "nginx"]);
    assert!(text.contains("procd runs no program for /etc/init.d/nginx"), "{text}");
    let text = fails(&machine, &["enable", "apache"]);
    assert!(text.contains("apache is not installed: there is no unit /etc/init.d/apache2"), "{text}");
    let nginx = Nginx::start();
    downloads(SITE);
    assert_eq!(shell("uci get nginx.main.configuration"), "/etc/nginx/outboard-test.conf\n");
    is_switched_on_by_the_commands_that_are_named(&machine);
    let text = succeeds(&machine, &["enable", "nginx", "--dry-run"]);
    assert!(text.contains(&format!("+++ {PROGRAM}")) && text.contains("/etc/init.d/nginx restart"), "{text}");
    assert_etc_is(&before, "a dry run");
    assert_eq!(requests_of(|| downloads(SITE)), 0, "the provider is loaded, and nginx is not enabled");

    let kinds = [&["nginx"][..], &["--unit", "nginx"]];
    for arguments in kinds.into_iter().take(if is_full_lane() { 2 } else { 1 }) {
        enables(&machine, arguments);
        assert!(requests_of(|| downloads(SITE)) >= 200, "nginx does not use the accelerator");
        assert_eq!(requests_of(another_program), 0, "only nginx is enabled");
        let kind = ["--service", "--unit"][arguments.len() - 1];
        is_listed(&machine);
        is_observed(&machine, kind);
        let disable = [&["disable"], arguments, &["--restart"]].concat();
        let text = succeeds(&machine, &disable);
        assert!(text.contains("restarted: nginx"), "{text}");
        Nginx::wait_until_it_listens();
        assert_eq!(requests_of(|| downloads(SITE)), 0, "nginx still uses the accelerator");
        assert_etc_is(&before, "after disable");
        assert!(!Path::new(COUNTERS).exists(), "the counters are left");
        let text = prove(&machine, kind, "nginx");
        assert!(text.contains("is not enabled"), "{text}");
    }
    drop(nginx);

    let text = succeeds(&machine, &["enable", "openssl"]);
    assert!(
        text.contains("/etc/outboard/programs.d/_all") && text.contains("restart the services"),
        "{text}"
    );
    assert!(requests_of(another_program) > 0, "every program is enabled");
    assert!(!Path::new("/var/run/outboard/openssl").exists(), "a file for each program");
    let text = prove(&machine, "--service", "openssl");
    assert!(text.contains("openssl has no unit or init script"), "{text}");
    succeeds(&machine, &["disable", "openssl"]);
    assert_eq!(requests_of(another_program), 0);
    assert_etc_is(&before, "after disable");
}

fn is_listed(machine: &Machine) {
    assert!(Path::new(PROGRAM).exists());
    let status = succeeds(machine, &["enable", "--list"]);
    let is_enabled = |line: &str| line.starts_with("nginx") && line.contains(" enabled ");
    assert!(status.lines().any(is_enabled), "{status}");
}

/// With uci, in both ways in which it can be off, by what `enable` prints.
fn is_switched_on_by_the_commands_that_are_named(machine: &Machine) {
    for off in ["uci delete openssl.outboard", "uci set openssl.outboard.enabled=0"] {
        shell(&format!("{off}; uci commit openssl; /etc/init.d/openssl reload"));
        let text = fails(machine, &["enable", "nginx", "--dry-run"]);
        let (_, commands) = text.split_once("in /etc/config/openssl: ").expect("the commands");
        shell(commands);
        assert_eq!(shell("uci get openssl.outboard; uci get openssl.outboard.enabled"), "provider\n1\n");
        succeeds(machine, &["enable", "nginx", "--dry-run"]);
    }
    fs::write(CONFIG_FILE, config()).expect("our own");
    init_script("openssl", "reload");
}

/// By a client of the service, and not by another program that uses OpenSSL meanwhile.
fn is_observed(machine: &Machine, kind: &str) {
    let about = fs::metadata(COUNTERS).expect("counters");
    assert_eq!((about.uid(), about.mode() & 0o7777), (0, 0o600));
    let arguments =
        ["prove", "--quiet", kind, "nginx", "--json", "-", "--for", "4s", "--require-hardware", "50"];
    let proof = meanwhile(machine, &arguments, || {
        downloads(SITE);
        another_program();
    });
    assert_eq!(
        (&proof["verdict"], &proof["service"]["units"][0]),
        (&"hardware".into(), &"nginx".into()),
        "{proof:#}"
    );
    let all = proof["algorithms"].as_array().expect("a list");
    let cbc = all.iter().find(|one| one["name"] == CIPHER).expect("the cipher");
    assert!(cbc["hardware_bytes"].as_u64() > Some(1 << 20), "{proof:#}");
    // The software of another program is not in it.
    assert!(cbc["software_bytes"].as_u64() < Some(1 << 20), "{proof:#}");
    let live = succeeds(machine, &["metrics"]);
    assert!(live.contains("unit=\"nginx\""), "{live}");
    let text = prove(machine, kind, "nginx");
    assert!(text.contains("SOFTWARE ONLY"), "{text}");
    assert_eq!(fs::read_dir("/var/run/outboard").expect("a directory").count(), 1, "nginx alone is counted");
}

/// What a second of observation prints.
fn prove(machine: &Machine, kind: &str, name: &str) -> String {
    let output = machine.command(&["prove", kind, name, "--for", "1s"]).output().expect("the command runs");
    String::from_utf8_lossy(&output.stderr).into_owned()
}
