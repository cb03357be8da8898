use super::*;
use outboard_tests::planted::{IN_COMMANDS, Planter, fresh_seed};

fn command_line(line: &str) -> String {
    command(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).join(" ")
}

#[test]
fn programs_options_algorithms_and_sizes_are_shown() {
    for line in [
        "openssl speed -evp aes-128-cbc -bytes 16384 -seconds 3 -multi 2",
        "openssl enc -aes-256-ctr -in /dev/zero -out /dev/null -pbkdf2 -nosalt",
        "/usr/bin/openssl s_client -tls1_3 -ciphersuites TLS_AES_128_GCM_SHA256 -groups x25519:secp256r1",
        "openssl dgst -sha256 /dev/null",
        "timeout 10 dd if=/dev/zero bs=16k count=1000",
        "env LC_ALL= nice -n 19 openssl aes-128-cbc",
        "./bench --cipher=ChaCha20-Poly1305 --size 4KiB",
    ] {
        assert_eq!(command_line(line), line);
    }
}

#[test]
fn keys_and_passwords_are_not_shown() {
    let key = "00112233445566778899aabbccddeeff";
    for (line, shown) in [
        (
            "openssl enc -aes-128-cbc -K KEY -iv KEY",
            "openssl enc -aes-128-cbc -K REMOVED:32-63 -iv REMOVED:32-63",
        ),
        (
            "openssl enc --K=KEY --pass=pass:x -md sha256",
            "openssl enc --K=REMOVED:32-63 --pass=REMOVED:1-7 -md sha256",
        ),
        ("openssl mac -macopt hexkey:KEY HMAC", "openssl mac -macopt REMOVED:32-63 HMAC"),
        ("PASS=KEY openssl enc -pass env:PASS", "PASS=REMOVED:32-63 openssl enc -pass REMOVED:8-15"),
        ("curl -u me:KEY https://me:KEY@box/", "curl -u REMOVED:32-63 REMOVED:32-63"),
        ("mysql -pKEY", "mysql REMOVED:32-63"),
    ] {
        assert_eq!(command_line(&line.replace("KEY", key)), shown, "{line}");
    }
}

#[test]
fn commands_in_a_script_are_shown_as_commands() {
    for (text, shown) in [
        ("openssl enc -aes-128-cbc -K 00ff", "openssl enc -aes-128-cbc -K REMOVED:1-7"),
        (
            "A=secret1 openssl rand 4096 | cat >'my file' && echo \"$A\"",
            "A=REMOVED:1-7 openssl rand 4096 | cat > REMOVED:1-7 && echo $A",
        ),
        (
            "for i in 1 2; do openssl dgst -sha256 x; done",
            "for REMOVED:1-7 REMOVED:1-7 1 2 ; do openssl dgst -sha256 REMOVED:1-7 ; done",
        ),
        ("sh -c 'openssl enc -K \"00ff\"'", "sh -c 'openssl enc -K REMOVED:1-7'"),
        ("cat <<END\nsecret\nEND", "cat << REMOVED:8-15"),
        ("true # secret\nopenssl enc", "true\nopenssl enc"),
    ] {
        let words = ["sh".to_owned(), "-ec".to_owned(), text.to_owned()];
        let once = command(&words);
        assert_eq!(once[2], shown, "{text}");
        assert_eq!(command(&once), once);
    }
}

#[test]
fn identifiers_of_a_machine_are_removed_from_text() {
    for (line, shown) in [
        ("eth0:00:11:22:33:44:55 up", "eth0:REMOVED up"),
        ("IP:192.168.7.9,DNS:box", "IP:REMOVED,DNS:box"),
        ("IP:fe80::1:2, and 1:2:3:4:5:6:7:8.", "IP:REMOVED, and REMOVED."),
        ("peer 192.168.1.7:443, ok", "peer REMOVED:443, ok"),
        ("by https://alice:hunter7@proxy/x and http://h/", "by https://REMOVED@proxy/x and http://h/"),
        ("pkcs11:token=a;pin-value=4321", "pkcs11:token= REMOVED"),
        ("SERIALNUMBER=ABC", "SERIALNUMBER= REMOVED"),
        ("serialNumber_default = ABC", "serialNumber_default = REMOVED"),
        ("mode = 1 challengePassword = x", "mode = 1 challengePassword = REMOVED"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "id REMOVED"),
        ("pci 0000:00:01.2, 12:34:56, 14.2.0, ::", "pci 0000:00:01.2, 12:34:56, 14.2.0, ::"),
    ] {
        let once = text(line.as_bytes());
        assert_eq!(String::from_utf8_lossy(&once), shown);
        assert_eq!(text(&once), once);
    }
    assert_eq!(
        text(b"Z\xfcrich\nPIN = 1234\n\0serial: 5\0"),
        b"Z\xfcrich\nPIN = REMOVED\n\0serial: REMOVED\0"
    );
}

#[test]
fn no_planted_secret_is_in_ten_thousand_command_lines() {
    for seed in [1, fresh_seed()] {
        let mut planter = Planter::new(seed, IN_COMMANDS);
        for _ in 0..5_000 {
            planter.secrets.clear();
            let words = planter.command_line();
            let shown = command(&words);
            let all = shown.join(" ");
            for secret in &planter.secrets {
                assert!(!all.contains(secret), "seed {seed}: {secret} in {all}\nof {words:?}");
            }
            assert!(
                all.contains("openssl") && all.contains("aes-128-cbc"),
                "seed {seed}: {all}\nof {words:?}"
            );
            assert_eq!(all.contains("-bytes 16384"), words.join(" ").contains("-bytes 16384"), "{all}");
            assert_eq!(command(&shown), shown, "seed {seed}: of {words:?}");
        }
    }
}
