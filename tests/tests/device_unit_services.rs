//! `outboard enable --unit` for programs that outboard was not made for, in a machine that systemd
//! booted: a server in Python, and HAProxy in front of nginx.

use std::fs;

use outboard_tests::command::on_path;
use outboard_tests::lane::is_full_lane;
use outboard_tests::services::{disables, fails, in_rounds, machine, requests_of, succeeds};
use outboard_tests::sites::{downloads, site};
use outboard_tests::skip::skip;
use outboard_tests::systemd::{AddedFiles, Started, assert_unchanged, snapshot};
use serde_json::Value;

/// A server of files over TLS, by Python's ssl. It serves one connection after the other, and closes
/// it without reading the body of a request, which resets it.
const SERVER: &str = "\
import functools, http.server, ssl
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('/root/outboard-test.pem', '/root/outboard-test.key')
context.set_ciphers('HIGH:@SECLEVEL=1')
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory='/var/www/outboard')
server = http.server.HTTPServer(('127.0.0.1', 4435), handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
";

#[test]
fn a_server_in_python_is_enabled_by_its_unit() {
    let test = "a_server_in_python_is_enabled_by_its_unit";
    let Some(machine) = machine(test) else { return };
    let Some(python) = on_path("python3") else { return skip(test, "the python3 command") };
    site();
    let mut files = AddedFiles::default();
    files.add("/root/outboard-test.py", SERVER);
    files.add(
        "/etc/systemd/system/outboard-test-python.service",
        // Active when it answers.
        &format!(
            "[Service]\nExecStart={} -B /root/outboard-test.py\n\
             ExecStartPost=/bin/sh -c 'until curl -ks -o /dev/null https://127.0.0.1:4435/; do sleep 0.2; done'\n",
            python.display()
        ),
    );
    let _server = Started::start("outboard-test-python.service");
    let traffic = || downloads("https://127.0.0.1:4435/file");
    traffic();
    let before = snapshot();
    for _ in 0..if is_full_lane() { 5 } else { 1 } {
        let arguments = ["enable", "--unit", "outboard-test-python", "--force", "--restart", "--json"];
        let found: Value = serde_json::from_str(&succeeds(&machine, &arguments)).expect("JSON");
        assert!(found["processes_with_outboard"].as_u64() > Some(0), "{found:#}");
        let exchange = &found["exchanges"][0];
        assert_eq!((&exchange["address"], &exchange["protocol"]), (&"127.0.0.1:4435".into(), &"tls".into()));
        assert!(exchange["bytes"].as_u64() > Some(0), "{found:#}");
        assert!(requests_of(traffic) >= 200, "the server does not use the accelerator");
        disables(&machine, &["--unit", "outboard-test-python"]);
        assert_unchanged(&before);
        assert_eq!(requests_of(traffic), 0, "the server still uses the accelerator");
    }
    let text = fails(&machine, &["enable", "--unit", "outboard-test-other", "--force"]);
    assert!(text.contains("there is no unit outboard-test-other.service"), "{text}");
}

#[test]
fn haproxy_is_enabled_by_its_unit() {
    let test = "haproxy_is_enabled_by_its_unit";
    let Some(machine) = machine(test) else { return };
    if on_path("haproxy").is_none() {
        return skip(test, "the haproxy command");
    }
    site();
    let mut files = AddedFiles::default();
    files.add(
        "/etc/nginx/conf.d/outboard-test.conf",
        "server {\nlisten 127.0.0.1:8081;\nroot /var/www/outboard;\n}\n",
    );
    let pem = ["/root/outboard-test.pem", "/root/outboard-test.key"]
        .map(|file| fs::read_to_string(file).expect("a file"));
    files.add("/root/outboard-test-haproxy.pem", &pem.concat());
    files.add(
        "/root/outboard-test-haproxy.cfg",
        "global\nchroot /var/lib/haproxy\nuser haproxy\ngroup haproxy\n\
         defaults\nmode http\ntimeout connect 5s\ntimeout client 60s\ntimeout server 60s\n\
         frontend tls\nbind 127.0.0.1:4436 ssl crt /root/outboard-test-haproxy.pem ciphers HIGH\n\
         default_backend files\nbackend files\nserver nginx 127.0.0.1:8081\n",
    );
    let original = "[Service]\nEnvironment=CONFIG=/root/outboard-test-haproxy.cfg CFGDIR=/root/none.d\n\
         ExecStart=\nExecStart=/usr/sbin/haproxy -Ws -f /root/outboard-test-haproxy.cfg -p /run/haproxy.pid\n\
         ExecStartPre=\n";
    files.add("/etc/systemd/system/haproxy.service.d/10-outboard-test.conf", original);
    let _nginx = Started::start("nginx.service");
    let _haproxy = Started::start("haproxy.service");
    let unit = ["--unit", "haproxy", "--force"];
    in_rounds(&machine, &unit, || downloads("https://127.0.0.1:4436/file"));
}
