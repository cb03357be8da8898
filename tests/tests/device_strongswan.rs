//! `outboard enable strongswan --restart` for Debian's charon-systemd, in a machine that systemd
//! booted: messages of IKE are computed by the accelerator; the packets of ESP are the kernel's and do
//! not pass through OpenSSL.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::kernel_users::watched;
use outboard_tests::lane::is_full_lane;
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::services::{fails, machine, requests_of, succeeds};
use outboard_tests::skip::skip;
use outboard_tests::systemd::{AddedFiles, Started, assert_unchanged, snapshot};
use outboard_tests::tuning::{Machine, set_thresholds_of};
use serde_json::Value;

const PROFILE: &str = "/etc/apparmor.d/usr.sbin.charon-systemd";
/// What an administrator adds to it.
const RULES: &str = include_str!("../../packaging/apparmor/outboard");
const PEER: &str = "unix:///root/outboard-peer.vici";

/// Runs a program, which must succeed.
#[track_caller]
fn runs(line: &str) -> String {
    let mut words = line.split_whitespace();
    let output = Command::new(words.next().expect("a program")).args(words).output().expect("the program");
    succeeded(&output, &[line])
}

/// The connection, for the end with this number.
fn connection(end: u8) -> String {
    let other = 3 - end;
    format!(
        "connections {{\n outboard-test {{\n  version = 2\n  local_addrs = 10.9.2.{end}\n  remote_addrs = 10.9.2.{other}\n  \
         proposals = aes128-sha256-x25519\n  local {{\n   auth = psk\n   id = end{end}\n  }}\n  remote {{\n   auth = psk\n   \
         id = end{other}\n  }}\n  children {{\n   data {{\n    mode = transport\n    esp_proposals = aes128gcm16\n   }}\n  \
         }}\n }}\n}}\nsecrets {{\n ike-outboard-test {{\n  id-1 = end1\n  id-2 = end2\n  secret = a test\n }}\n}}\n"
    )
}

/// The other end: a second charon in a network of its own. It is a copy, so that neither the profile
/// of AppArmor nor the unit applies to it.
struct Peer(Child);

impl Peer {
    fn start(files: &mut AddedFiles) -> Peer {
        runs("ip netns add peer");
        runs("ip link add outside type veth peer name inside netns peer");
        runs("ip address add 10.9.2.1/24 dev outside");
        runs("ip link set outside up");
        runs("ip netns exec peer ip address add 10.9.2.2/24 dev inside");
        runs("ip netns exec peer ip link set inside up");
        for (from, to) in [("charon-systemd", "outboard-charon"), ("swanctl", "outboard-swanctl")] {
            fs::copy(Path::new("/usr/sbin").join(from), Path::new("/root").join(to)).expect("a copy");
        }
        files.add(
            "/root/outboard-strongswan.conf",
            &format!(
                "charon-systemd {{\n load_modular = yes\n plugins {{\n  include /etc/strongswan.d/charon/*.conf\n  vici {{\n   \
                 socket = {PEER}\n  }}\n }}\n}}\n"
            ),
        );
        files.add("/root/outboard-swanctl.conf", &connection(2));
        let mut charon = Command::new("ip");
        charon.args(["netns", "exec", "peer", "/root/outboard-charon"]);
        // OpenSSL in software.
        charon.env("OPENSSL_CONF", "").env("STRONGSWAN_CONF", "/root/outboard-strongswan.conf");
        let peer = Peer(charon.spawn().expect("charon"));
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let mut load = Command::new("/root/outboard-swanctl");
            load.args(["--load-all", "--file", "/root/outboard-swanctl.conf", "--uri", PEER]);
            let output = load.output().expect("swanctl");
            if output.status.success() {
                return peer;
            }
            assert!(Instant::now() < deadline, "{}", status_and_output(&output));
            thread::sleep(Duration::from_millis(500));
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
        let _ = Command::new("ip").args(["netns", "delete", "peer"]).status();
    }
}

/// Sets up the connection and ends it. `swanctl --initiate` returns when the kernel has the keys.
#[track_caller]
fn connects(meanwhile: impl FnOnce()) {
    runs("swanctl --initiate --child data --timeout 60");
    meanwhile();
    runs("swanctl --terminate --ike outboard-test --timeout 60");
}

/// Sends packets of 1028 bytes by ESP.
#[track_caller]
fn pings() {
    runs("busybox ping -q -A -c 20 -s 1000 -W 20 10.9.2.2");
    let states = runs("ip -s xfrm state");
    assert!(states.contains("rfc4106(gcm(aes))"), "{states}");
    // One association for each direction.
    let carried = states.lines().filter_map(|line| line.trim().split_once("(bytes), ")?.0.parse().ok());
    assert_eq!(carried.filter(|bytes: &u64| *bytes >= 20 * 1000).count(), 2, "{states}");
}

/// Loads Debian's profile in enforce mode, in which it is in Ubuntu, with further rules.
#[track_caller]
fn enforce(rules: &str) {
    let text = fs::read_to_string(PROFILE).expect("Debian's profile");
    assert!(text.contains("flags=(complain,"), "{text}");
    let end = text.rfind('}').expect("the end of the profile");
    let enforced = format!("{}{rules}}}\n", &text[..end]).replace("flags=(complain,", "flags=(");
    fs::write("/root/outboard-profile", enforced).expect("a file");
    runs("apparmor_parser --replace /root/outboard-profile");
}

/// What AppArmor refused to charon.
fn refused() -> String {
    let log = runs("dmesg");
    let lines = log.lines().filter(|line| line.contains("DENIED") && line.contains("charon"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The unit in both states: enabled, and disabled with all files as before.
#[track_caller]
fn works_with_the_accelerator_and_without_it(machine: &Machine) {
    let before = snapshot();
    let text = succeeds(machine, &["enable", "strongswan", "--restart", "--force", "--json"]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["units"][0], "strongswan.service", "{found:#}");
    assert!(found["processes_with_outboard"].as_u64() > Some(0), "{found:#}");
    // Two messages of IKE_AUTH for each connection.
    let (interrupts, requests) = watched(|| requests_of(|| (0..10).for_each(|_| connects(|| ()))));
    assert!(requests >= 20, "strongSwan does not use the accelerator: {requests}\n{}", refused());
    assert!(interrupts > 0, "no interrupts for {requests} requests");
    connects(|| assert_eq!(requests_of(pings), 0, "ESP passed through OpenSSL"));
    succeeds(machine, &["disable", "strongswan", "--restart"]);
    assert_unchanged(&before);
    assert_eq!(requests_of(|| connects(|| ())), 0, "strongSwan still uses the accelerator");
}

#[test]
fn strongswan_computes_ike_with_the_accelerator_and_esp_in_the_kernel() {
    let test = "strongswan_computes_ike_with_the_accelerator_and_esp_in_the_kernel";
    let Some(machine) = machine(test) else { return };
    if on_path("charon-systemd").is_none() {
        return skip(test, "the charon-systemd command");
    }
    let mut files = AddedFiles::default();
    files.add("/etc/swanctl/conf.d/outboard-test.conf", &connection(1));
    // Messages of IKE_AUTH have 64 to 272 bytes, and a key has few of them: it gets a session at once.
    set_thresholds_of(&format!("{ACCELERATOR} 16384 0"), "64");
    let _peer = Peer::start(&mut files);
    let _charon = Started::start("strongswan.service");
    connects(pings);

    for _ in 0..if is_full_lane() { 2 } else { 1 } {
        works_with_the_accelerator_and_without_it(&machine);
    }

    enforce("");
    let before = snapshot();
    let text = fails(&machine, &["enable", "strongswan", "--restart", "--force"]);
    assert!(text.contains("step \"provider\" failed"), "{text}");
    assert!(text.contains("\"/usr/sbin/charon-systemd (enforce)\" confines it"), "{text}");
    assert!(text.contains("The change was undone"), "{text}");
    assert_unchanged(&before);
    connects(pings);
    enforce(RULES);
    works_with_the_accelerator_and_without_it(&machine);
    runs(&format!("apparmor_parser --replace {PROFILE}"));
}
