//! A file that services send, and the server of SSH: what several themes download.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::command::succeeded;
use crate::systemd::{AddedFiles, Started};

/// 4 MiB: 256 TLS records.
pub const FILE: &str = "/var/www/outboard/file";

/// A certificate and a file for servers.
#[track_caller]
pub fn site() {
    let folder = Path::new(FILE).parent().expect("a directory");
    fs::create_dir_all(folder).expect("a directory");
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("our own");
    let bytes: Vec<u8> = (0..4 << 20).map(|at: u32| (at ^ (at >> 9)) as u8).collect();
    fs::write(FILE, bytes).expect("a file");
    if !Path::new("/root/outboard-test.key").exists() {
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=127.0.0.1", "-keyout"]);
        openssl.args(["/root/outboard-test.key", "-out", "/root/outboard-test.pem"]);
        succeeded(&openssl.output().expect("openssl"), &["req"]);
    }
}

/// sshd with a cipher of the accelerator, and a key with which root may log in.
#[track_caller]
pub fn sshd() -> (AddedFiles, Started) {
    let (folder, key) = (Path::new("/root/.ssh"), Path::new("/root/.ssh/id_ed25519"));
    fs::create_dir_all(folder).expect("a directory");
    fs::set_permissions(folder, PermissionsExt::from_mode(0o700)).expect("our own");
    if !key.exists() {
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(key);
        succeeded(&keygen.output().expect("ssh-keygen"), &["ssh-keygen"]);
    }
    let mut files = AddedFiles::default();
    files.add("/root/.ssh/authorized_keys", &fs::read_to_string("/root/.ssh/id_ed25519.pub").expect("a key"));
    files.add(
        "/etc/ssh/sshd_config.d/outboard-test.conf",
        "Ciphers +aes128-cbc\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n",
    );
    (files, Started::start("ssh.service"))
}

/// Downloads the file with a suite of the accelerator.
#[track_caller]
pub fn downloads(url: &str) {
    let mut curl = Command::new("curl");
    curl.args(["--insecure", "--silent", "--show-error", "--tls-max", "1.2", "--ciphers", "AES128-SHA"]);
    curl.args(["--max-time", "60", "--output", "/tmp/received", url]);
    let output = curl.env("OPENSSL_CONF", "").output().expect("curl");
    succeeded(&output, &[url]);
    assert!(
        fs::read("/tmp/received").expect("a file") == fs::read(FILE).expect("a file"),
        "another file came"
    );
}
