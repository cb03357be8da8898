//! `outboard enable` on OpenWrt: files of programs instead of drop-ins, restarts by init scripts.
//! procd and ubus are stubs (tests/src/openwrt), whose scripts run in busybox's ash; OpenSSL, nginx
//! and the accelerator are real.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use outboard_tests::command::{on_path, succeeded};
use outboard_tests::file_tree::{assert_etc_is, etc_without_lock};
use outboard_tests::openwrt::{ENABLED, OpenWrt, PROVIDERS, init_script};
use outboard_tests::services::{CIPHER, enables, fails, requests_of, set_thresholds, succeeds};
use outboard_tests::sites::{FILE, downloads, site};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;
use outboard_tests::tuning::Machine;

const SITE: &str = "https://127.0.0.1:4433/file";
const ADDRESS: &str = "127.0.0.1:4433";
const PROGRAM: &str = "/etc/outboard/programs.d/nginx";

/// nginx, started by its init script, until dropped.
struct Nginx;

impl Nginx {
    fn start() -> Nginx {
        init_script("nginx", "start");
        Nginx::wait_until_it_listens();
        Nginx
    }

    /// procd does not wait for a service that it starts.
    fn wait_until_it_listens() {
        wait_until("nginx listens", || TcpStream::connect(ADDRESS).is_ok());
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        init_script("nginx", "stop");
    }
}

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
    fs::write(PROVIDERS, "# off\n").expect("our own");
    let text = fails(&machine, &["enable", "nginx"]);
    assert!(text.contains("uci set openssl.outboard.enabled=1"), "{text}");
    fs::write(PROVIDERS, ENABLED).expect("our own");
    let text = succeeds(&machine, &["enable", "nginx", "--dry-run"]);
    assert!(text.contains(&format!("+++ {PROGRAM}")) && text.contains("/etc/init.d/nginx restart"), "{text}");
    assert_etc_is(&before, "a dry run");
    assert_eq!(requests_of(|| downloads(SITE)), 0, "the provider is loaded, and nginx is not enabled");

    for arguments in [&["nginx"][..], &["--unit", "nginx"]] {
        enables(&machine, arguments);
        assert!(requests_of(|| downloads(SITE)) >= 200, "nginx does not use the accelerator");
        assert_eq!(requests_of(another_program), 0, "only nginx is enabled");
        shows_its_processes(&machine, ["--service", "--unit"][arguments.len() - 1]);
        let disable = [&["disable"], arguments, &["--restart"]].concat();
        let text = succeeds(&machine, &disable);
        assert!(text.contains("restarted: nginx"), "{text}");
        Nginx::wait_until_it_listens();
        assert_eq!(requests_of(|| downloads(SITE)), 0, "nginx still uses the accelerator");
        assert_etc_is(&before, "after disable");
    }
    drop(nginx);

    let text = succeeds(&machine, &["enable", "openssl"]);
    assert!(
        text.contains("/etc/outboard/programs.d/_all") && text.contains("restart the services"),
        "{text}"
    );
    assert!(requests_of(another_program) > 0, "every program is enabled");
    succeeds(&machine, &["disable", "openssl"]);
    assert_eq!(requests_of(another_program), 0);
    assert_etc_is(&before, "after disable");
}

fn shows_its_processes(machine: &Machine, kind: &str) {
    let text = succeeds(machine, &["config", kind, "nginx"]);
    assert!(text.contains(PROGRAM) && text.contains("nginx") && text.contains("outboard.so"), "{text}");
    assert!(Path::new(PROGRAM).exists() && !text.contains("restart the unit"), "{text}");
    let status = succeeds(machine, &["enable", "--list"]);
    let is_enabled = |line: &str| line.starts_with("nginx") && line.contains(" enabled ");
    assert!(status.lines().any(is_enabled), "{status}");
}
