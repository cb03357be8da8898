use crate::openssl::Configuration;
use outboard_tests::lane::is_full_lane;
use outboard_tests::planted::{IN_CONFIGURATIONS, Planter, fresh_seed};

use super::*;

fn files(all: &[(&str, &[u8])]) -> Files {
    let mut files = Files::default();
    for (path, bytes) in all {
        files.add(path, Item::File(bytes.to_vec()));
    }
    files
}

fn scrubbed(all: &[(&str, &[u8])]) -> Files {
    scrub_with(&files(all), &|_| None)
}

fn content(files: &Files, path: &str) -> String {
    match files.iter().find(|(name, _)| *name == path) {
        Some((_, Item::File(bytes))) => String::from_utf8_lossy(bytes).into_owned(),
        other => panic!("{path}: {other:?}"),
    }
}

/// What status reads of the configuration.
fn status(files: &Files) -> Configuration {
    let root = Root::of_files(Path::new("/"), Box::new(files.clone()));
    let conf = recorded_configuration(&root, &|_| None);
    conf.map_or_else(Configuration::default, |conf| {
        Configuration::of(&conf, Path::new("/etc/ssl/openssl.cnf"))
    })
}

#[test]
fn identifiers_of_a_machine_are_removed() {
    for (path, text, shown) in [
        ("proc/cpuinfo", "Serial\t\t: 00000000deadbeef\n", "Serial\t\t: REMOVED\n"),
        ("outboard/dmesg", "eth0: 00:11:22:aa:BB:cc up", "eth0: REMOVED up"),
        (
            "proc/version",
            "Linux version 6.1.0 (me@home) (gcc) #1\n",
            "Linux version 6.1.0 (REMOVED) (gcc) #1\n",
        ),
        (
            "outboard/openssl-providers",
            "Providers:\n  default\n  00112233445566778899aabbccddeeff\n    version: 3.5.4\n",
            "Providers:\n  default\n  REMOVED\n    version: 3.5.4\n",
        ),
    ] {
        assert_eq!(content(&scrubbed(&[(path, text.as_bytes())]), path), shown);
    }
}

#[test]
fn the_lines_that_status_needs_stay() {
    for (path, text) in [
        ("proc/crypto", "name         : cbc(aes)\ndriver       : mv-cbc-aes\n"),
        ("proc/interrupts", " 38:  64015  0  MPIC  51 Level  f1090000.crypto\n"),
        (
            "sys/bus/pci/devices/0000:00:01.2/modalias",
            "pci:v00001022d00002082sv00001022sd00002082bc10sc10i00\n",
        ),
        ("proc/sys/kernel/osrelease", "4.4.0.1\n"),
        ("proc/cpuinfo", "model name\t: AMD 0.0.0.0 stepping 12:34:56\n"),
        ("outboard/openssl-version", "OpenSSL 3.5.4 30 Sep 2025\nMODULESDIR: \"/usr/lib/x\"\n"),
        ("outboard/kernel-options", "CONFIG_CRYPTO_DEV_MARVELL_CESA=m\n"),
        ("etc/outboard/policy", "outboard-policy 2\n"),
    ] {
        assert_eq!(content(&scrubbed(&[(path, text.as_bytes())]), path), text);
    }
}

#[test]
fn of_a_configuration_the_keys_that_status_reads_are_kept_at_their_lines() {
    let text = b"# \xfcber hunter2\nopenssl_conf = main\nlocalityName_default = Z\xfcrich\n\n[ main ] # x\nproviders = list\n\
        engines = engines\nrandom = sources\n[list]\nfips = fips_sect\npkcs11 = p11\n[fips_sect]\nactivate = 1\n\
        [p11]\nactivate = 4321\npkcs11-module-token-pin = 1234\nPIN_VALUE = 77\n[engines]\ndevcrypto = dc\n\
        [dc]\nDIGESTS = ALL\n[sources]\nseed = JITTER\n[req]\noutput_password = hunter2\n\
        subjectAltName = IP:192.168.7.9";
    let files = [("etc/ssl/openssl.cnf", &text[..])];
    let after = scrubbed(&files);
    assert_eq!(
        content(&after, "etc/ssl/openssl.cnf"),
        "\ndefault::openssl_conf = main\n# REMOVED:16-31\n\n# REMOVED:8-15\nmain::providers = list\n\
        main::engines = engines\nmain::random = sources\n# REMOVED:1-7\nlist::fips = fips_sect\nlist::pkcs11 = p11\n\
        # REMOVED:8-15\nfips_sect::activate = 1\n# REMOVED:1-7\np11::activate = REMOVED:1-7\n# REMOVED:16-31\n\
        # REMOVED:8-15\n# REMOVED:8-15\nengines::devcrypto = dc\n# REMOVED:1-7\ndc::DIGESTS = ALL\n\
        # REMOVED:8-15\nsources::seed = JITTER\n# REMOVED:1-7\n# REMOVED:16-31\n# REMOVED:16-31\n"
    );
    let (before, after) = (status(&super::tests::files(&files)), status(&after));
    assert_eq!(before, after);
    assert_eq!(after.digests[0].line, 21);
}

#[test]
fn files_that_are_named_otherwise_are_read_as_configurations_too() {
    let all: [(&str, &[u8]); 4] = [
        ("outboard/openssl-conf", b"/etc/outboard/nginx.service.cnf"),
        (
            "etc/outboard/nginx.service.cnf",
            b"openssl_conf = m\nengines = e\n.include /home/0123456789abcdef0123/my.cnf\n.include = ./x.cnf\n",
        ),
        ("home/0123456789abcdef0123/my.cnf", b"[m]\nengines = e\n[e]\nafalg = a\nkey = 00ff\n"),
        ("etc/ssl/openssl.cnf", b"password = hunter2\n"),
    ];
    let after = scrubbed(&all);
    let paths: Vec<&str> = after.iter().map(|(path, _)| path).collect();
    let expected = [
        "etc/outboard/nginx.service.cnf",
        "etc/ssl/openssl.cnf",
        "home/REMOVED-1/my.cnf",
        "outboard/openssl-conf",
    ];
    assert_eq!(paths, expected);
    assert_eq!(status(&files(&all)), status(&after));
    assert_eq!(status(&after).engines.unwrap().file, "/home/REMOVED/my.cnf");
    assert!(after.iter().all(|(path, item)| path != "etc/ssl/openssl.cnf" || *item == Item::Name));
}

#[test]
fn a_configuration_of_the_kernel_is_left_out() {
    let text = b"CONFIG_CMDLINE=\"password=x\"\n";
    for path in ["proc/config.gz", "boot/config-6.1", "lib/modules/6.1/config", "usr/lib/modules/6.1/config"]
    {
        assert!(scrubbed(&[(path, text)]).iter().all(|(_, item)| *item == Item::Name), "{path}");
    }
}

#[test]
fn no_planted_secret_is_in_thousands_of_configurations_and_status_is_the_same() {
    let mut named = 0;
    let of_each_seed = if is_full_lane() { 5_000 } else { 1_000 };
    for seed in [1, fresh_seed()] {
        let mut planter = Planter::new(seed, IN_CONFIGURATIONS);
        for _ in 0..of_each_seed {
            planter.secrets.clear();
            let planted = planter.configuration("/etc");
            let before =
                files(&[("etc/ssl/openssl.cnf", &planted.text), (&planted.included.0, &planted.included.1)]);
            let after = scrub_with(&before, &|_| None);
            let shown: String = after
                .iter()
                .map(|(path, item)| match item {
                    Item::File(bytes) => format!("{path}\n{}\n", String::from_utf8_lossy(bytes)),
                    _ => format!("{path}\n"),
                })
                .collect();
            let (was, is) = (status(&before), status(&after));
            assert_eq!(was, is, "seed {seed}: {shown}\nof {before:?}");
            let shown = format!("{shown}{was:?}");
            for secret in &planter.secrets {
                assert!(!shown.contains(secret), "seed {seed}: {secret} in {shown}");
            }
            named += usize::from(!was.digests.is_empty() && was.engines.is_some() && was.providers.is_some());
        }
    }
    assert!(named > of_each_seed, "only {named} configurations had something to show");
}
