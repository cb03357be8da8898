//! `outboard enable --unit` for programs that outboard was not made for, in a machine that systemd
//! booted: HAProxy in front of nginx.

use std::fs;

use outboard_tests::command::on_path;
use outboard_tests::services::{in_rounds, machine};
use outboard_tests::sites::{downloads, site};
use outboard_tests::skip::skip;
use outboard_tests::systemd::{AddedFiles, Started};

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
