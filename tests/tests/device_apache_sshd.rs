//! `outboard enable --restart` and `disable --restart` for Debian's Apache and sshd, in a machine
//! that systemd booted.

use std::fs;
use std::process::Command;

use outboard_tests::command::succeeded;
use outboard_tests::services::{in_rounds, machine};
use outboard_tests::sites::{FILE, downloads, site, sshd};
use outboard_tests::systemd::{AddedFiles, Started};

const APACHE: &str = "https://127.0.0.1:4434/file";

fn apache() -> (AddedFiles, Started) {
    site();
    succeeded(&Command::new("a2enmod").args(["-q", "ssl"]).output().expect("a2enmod"), &["a2enmod"]);
    let mut files = AddedFiles::default();
    files.add(
        "/etc/apache2/sites-enabled/outboard-test.conf",
        "Listen 127.0.0.1:4434\n<VirtualHost 127.0.0.1:4434>\nDocumentRoot /var/www/outboard\n\
         <Directory /var/www/outboard>\nRequire all granted\n</Directory>\nSSLEngine on\nSSLCipherSuite HIGH\n\
         SSLCertificateFile /root/outboard-test.pem\nSSLCertificateKeyFile /root/outboard-test.key\n</VirtualHost>\n",
    );
    (files, Started::start("apache2.service"))
}

#[test]
fn apache_works_with_the_accelerator_and_without_it() {
    let Some(machine) = machine("apache_works_with_the_accelerator_and_without_it") else { return };
    let (_files, _apache) = apache();
    in_rounds(&machine, &["apache", "--force"], || downloads(APACHE));
}

#[test]
fn sshd_works_with_the_accelerator_and_without_it() {
    let Some(machine) = machine("sshd_works_with_the_accelerator_and_without_it") else { return };
    let (_files, _sshd) = sshd();
    site();
    in_rounds(&machine, &["sshd", "--force"], || {
        let remote = format!("root@127.0.0.1:{FILE}");
        for (from, to) in [(remote.as_str(), "/tmp/received"), ("/tmp/received", "root@127.0.0.1:/tmp/sent")]
        {
            let mut scp = Command::new("scp");
            scp.args(["-q", "-F", "none", "-c", "aes128-cbc", "-o", "BatchMode=yes"]);
            scp.args(["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", from, to]);
            succeeded(&scp.env("OPENSSL_CONF", "").output().expect("scp"), &[from, to]);
        }
        assert!(
            fs::read("/tmp/sent").expect("a file") == fs::read(FILE).expect("a file"),
            "another file came"
        );
    });
}
