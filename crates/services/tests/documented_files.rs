//! The files that `outboard enable` writes, byte for byte: those of each service in service-files.txt,
//! and those of nginx in docs/service-files.md.

use outboard_services::enable::{Inputs, Tree, plan};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

const FILES: &str = include_str!("service-files.txt");
const DOCUMENT: &str = include_str!("../../../docs/service-files.md");

/// Title, arguments of `outboard enable`, name, whether that is a unit.
const SERVICES: [(&str, &str, &str, bool); 9] = [
    ("nginx", "nginx", "nginx", false),
    ("Apache", "apache", "apache", false),
    ("OpenSSH, server", "sshd", "sshd", false),
    ("OpenSSH, client, and sshfs", "ssh", "ssh", false),
    ("OpenVPN", "openvpn", "openvpn", false),
    ("strongSwan", "strongswan", "strongswan", false),
    ("HAProxy", "--unit haproxy", "haproxy", true),
    ("A server in Python", "--unit my-server", "my-server", true),
    ("curl, and every other program", "openssl", "openssl", false),
];

/// The units of Debian 13, as far as `enable` reads them, and one of an administrator.
const SYSTEM: [(&str, &str); 10] = [
    ("etc/group", "outboard:x:990:\n"),
    ("etc/ssl/openssl.cnf", "openssl_conf = openssl_init\n[openssl_init]\n"),
    ("usr/bin/ssh", ""),
    ("usr/lib/systemd/system/apache2.service", "[Service]\nPrivateTmp=true\n"),
    ("usr/lib/systemd/system/haproxy.service", "[Service]\nType=notify\n"),
    ("usr/lib/systemd/system/nginx.service", "[Service]\nType=forking\n"),
    (
        "usr/lib/systemd/system/openvpn-server@.service",
        "[Service]\nDeviceAllow=/dev/null rw\nDeviceAllow=/dev/net/tun rw\n",
    ),
    ("usr/lib/systemd/system/ssh.service", "[Service]\nType=notify\n"),
    ("usr/lib/systemd/system/strongswan.service", "[Service]\nType=notify\n"),
    ("etc/systemd/system/my-server.service", "[Service]\nExecStart=/usr/bin/python3 server.py\n"),
];

#[test]
fn the_files_of_each_service_are_as_recorded_and_those_of_nginx_as_documented() {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in SYSTEM {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let inputs = Inputs {
        openssl_cnf: Some("/etc/ssl/openssl.cnf".into()),
        module: "/usr/local/lib/outboard/outboard.so".into(),
        programs: Vec::new(),
        units: BTreeMap::new(),
    };
    let mut text = String::new();
    let mut shown = BTreeSet::new();
    for (title, arguments, name, is_unit) in SERVICES {
        write!(text, "\n## {title}\n\n    outboard enable {arguments}\n").unwrap();
        for file in plan(&Tree::at(root.path()), name, is_unit, &inputs).unwrap().files {
            if !shown.insert(file.path.clone()) {
                continue;
            }
            write!(text, "\n`{}`\n\n", file.path.display()).unwrap();
            for line in file.text.lines() {
                let indent = if line.is_empty() { "" } else { "    " };
                writeln!(text, "{indent}{line}").unwrap();
            }
        }
    }
    let nginx = text.split_once("\n## Apache").expect("Apache after nginx").0;
    assert!(DOCUMENT.ends_with(nginx), "docs/service-files.md does not end with what is written:\n{nginx}");
    if FILES != text {
        let new = std::env::temp_dir().join("service-files.txt");
        fs::write(&new, text).unwrap();
        panic!("service-files.txt differs from what is written: copy {} there", new.display());
    }
}
