//! `outboard enable openvpn --restart` for an OpenVPN server of Debian that systemd runs: packets
//! through its tunnel are computed by the accelerator, and all of /etc and /run is as before.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::lane::is_full_lane;
use outboard_tests::services::{machine, requests_of, succeeds};
use outboard_tests::skip::skip;
use outboard_tests::systemd::{AddedFiles, Started, assert_unchanged, snapshot};
use outboard_tests::tuning::set_thresholds;
use serde_json::Value;

const SERVER: &str = "/etc/openvpn/server/outboard-test.conf";
/// The unit hides /root from the server (ProtectHome=).
const KEYS: &str = "/etc/openvpn";
const CLIENT: &str = "/root/outboard-client.conf";

/// Runs a program, which must succeed.
#[track_caller]
fn runs(line: &str) -> String {
    let mut words = line.split_whitespace();
    let output = Command::new(words.next().expect("a program")).args(words).output().expect("the program");
    succeeded(&output, &[line])
}

/// A certificate for one end. Returns its fingerprint.
fn certificate(name: &str) -> String {
    runs(&format!(
        "openssl req -x509 -nodes -newkey rsa:2048 -subj /CN={name} -keyout {KEYS}/{name}.key -out {KEYS}/{name}.pem"
    ));
    let text = runs(&format!("openssl x509 -in {KEYS}/{name}.pem -noout -fingerprint -sha256"));
    text.trim().split_once('=').expect("a fingerprint").1.to_owned()
}

/// The client, in a network of its own that a pair of virtual Ethernet devices connects.
struct Client(Child);

impl Client {
    fn start() -> Client {
        runs("ip netns add client");
        runs("ip link add outside type veth peer name inside netns client");
        runs("ip address add 10.9.1.1/24 dev outside");
        runs("ip link set outside up");
        runs("ip netns exec client ip address add 10.9.1.2/24 dev inside");
        runs("ip netns exec client ip link set inside up");
        let mut client = Command::new("ip");
        client.args(["netns", "exec", "client", "openvpn", "--config", CLIENT, "--log", "/root/client.log"]);
        // OpenSSL in software.
        Client(client.env("OPENSSL_CONF", "").spawn().expect("openvpn"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
        let _ = Command::new("ip").args(["netns", "delete", "client"]).status();
    }
}

/// Sends packets of 1328 bytes through the tunnel and back, when it is up.
#[track_caller]
fn pings() {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let mut ping = Command::new("ip");
        ping.args([
            "netns", "exec", "client", "busybox", "ping", "-q", "-A", "-c", "20", "-s", "1300", "-W", "20",
            "10.9.0.1",
        ]);
        let output = ping.output().expect("ping");
        if output.status.success() {
            return;
        }
        let log = || std::fs::read_to_string("/root/client.log").unwrap_or_default();
        assert!(Instant::now() < deadline, "{}\n{}", status_and_output(&output), log());
    }
}

#[test]
fn openvpn_works_with_the_accelerator_and_without_it() {
    let test = "openvpn_works_with_the_accelerator_and_without_it";
    let Some(machine) = machine(test) else { return };
    if on_path("openvpn").is_none() {
        return skip(test, "the openvpn command");
    }
    let (server, client) = (certificate("server"), certificate("client"));
    let common = |name: &str, peer: &str| {
        format!(
            "dev tun0\nproto udp\nport 1194\ncert {KEYS}/{name}.pem\nkey {KEYS}/{name}.key\n\
             <peer-fingerprint>\n{peer}\n</peer-fingerprint>\ncipher AES-128-CBC\ndata-ciphers AES-128-CBC\n\
             auth SHA256\nping 2\nping-restart 10\n"
        )
    };
    let mut files = AddedFiles::default();
    let ends = "ifconfig 10.9.0.1 10.9.0.2\n";
    files.add(SERVER, &format!("{}{ends}tls-server\ndh none\n", common("server", &client)));
    let ends = "ifconfig 10.9.0.2 10.9.0.1\nremote 10.9.1.1\n";
    files.add(CLIENT, &format!("{}{ends}tls-client\n", common("client", &server)));
    machine.tuned(&["--ciphers", "AES-128-CBC"]);
    set_thresholds("512");
    let _server = Started::start("openvpn-server@outboard-test.service");
    let _client = Client::start();
    pings();
    let before = snapshot();
    for _ in 0..if is_full_lane() { 2 } else { 1 } {
        let text = succeeds(&machine, &["enable", "openvpn", "--restart", "--json"]);
        let found: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(found["units"][0], "openvpn-server@outboard-test.service", "{found:#}");
        assert!(found["processes_with_outboard"].as_u64() > Some(0), "{found:#}");
        assert!(found["notes"].to_string().contains("no request was made"), "{found:#}");
        pings();
        assert!(requests_of(pings) >= 40, "OpenVPN does not use the accelerator");
        succeeds(&machine, &["disable", "openvpn", "--restart"]);
        assert_unchanged(&before);
        pings();
        assert_eq!(requests_of(pings), 0, "OpenVPN still uses the accelerator");
    }
}
