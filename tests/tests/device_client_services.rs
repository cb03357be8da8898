//! `outboard enable` for clients, in a machine that systemd booted: curl by `openssl`, and sshfs by
//! `ssh`.

use std::fs;
use std::process::Command;

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::machine::ACCELERATOR;
use outboard_tests::services::{machine, requests_of, succeeds};
use outboard_tests::sites::{FILE, site, sshd};
use outboard_tests::skip::skip;
use outboard_tests::systemd::{AddedFiles, Started, assert_unchanged, snapshot};

#[test]
fn curl_uses_the_accelerator_in_a_login_shell_of_an_enabled_system() {
    let test = "curl_uses_the_accelerator_in_a_login_shell_of_an_enabled_system";
    let Some(machine) = machine(test) else { return };
    site();
    let mut files = AddedFiles::default();
    files.add(
        "/etc/nginx/conf.d/outboard-test.conf",
        "server {\nlisten 127.0.0.1:4433 ssl;\nroot /var/www/outboard;\nssl_ciphers HIGH;\n\
         ssl_certificate /root/outboard-test.pem;\nssl_certificate_key /root/outboard-test.key;\n}\n",
    );
    let _nginx = Started::start("nginx.service");
    let received = || {
        let script = "curl --insecure --silent --show-error --tls-max 1.2 --ciphers AES128-SHA \
                      --max-time 60 --output /tmp/received https://127.0.0.1:4433/file";
        let mut shell = Command::new("sh");
        let output = shell.args(["-lc", script]).env_remove("OPENSSL_CONF").output().expect("sh");
        assert!(output.status.success(), "{}", status_and_output(&output));
        assert!(
            fs::read("/tmp/received").expect("a file") == fs::read(FILE).expect("a file"),
            "another file came"
        );
    };
    received();
    let before = snapshot();
    succeeds(&machine, &["enable", "openssl", "--force"]);
    assert!(requests_of(received) >= 200, "curl does not use {ACCELERATOR}");
    succeeds(&machine, &["disable", "openssl"]);
    assert_unchanged(&before);
    assert_eq!(requests_of(received), 0, "curl still uses {ACCELERATOR}");
}

#[test]
fn sshfs_reads_and_writes_with_the_accelerator() {
    let test = "sshfs_reads_and_writes_with_the_accelerator";
    let Some(machine) = machine(test) else { return };
    if on_path("sshfs").is_none() {
        return skip(test, "the sshfs command");
    }
    let (_files, _sshd) = sshd();
    site();
    fs::create_dir_all("/tmp/mounted").expect("a directory");
    let copied = || {
        // A shell finds the ssh that outboard adds in /usr/local/bin.
        let script = format!(
            "sshfs -o ssh_command='ssh -F none',Ciphers=aes128-cbc,BatchMode=yes,StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null \
             root@127.0.0.1:/var/www/outboard /tmp/mounted; cp /tmp/mounted/file /tmp/received; \
             cp /tmp/received /tmp/mounted/copy; umount /tmp/mounted; cmp {FILE} /tmp/received; cmp {FILE} /var/www/outboard/copy"
        );
        let mut shell = Command::new("sh");
        shell.args(["-ec", &script]).env_remove("OPENSSL_CONF");
        shell.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        succeeded(&shell.output().expect("sh"), &["sshfs"]);
    };
    copied();
    let before = snapshot();
    succeeds(&machine, &["enable", "ssh", "--force"]);
    assert!(requests_of(copied) >= 200, "sshfs does not use {ACCELERATOR}");
    succeeds(&machine, &["disable", "ssh"]);
    assert_unchanged(&before);
    assert_eq!(requests_of(copied), 0, "sshfs still uses {ACCELERATOR}");
}
