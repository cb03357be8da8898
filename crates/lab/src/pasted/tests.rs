use proptest::prelude::*;

use super::*;

pub(super) fn remarks(text: &str) -> String {
    let texts: Vec<String> = recognise(text).text.remarks.into_iter().map(|remark| remark.text).collect();
    texts.join("\n")
}

#[test]
fn quotation_marks_and_indentation_do_not_hide_a_file() {
    let text =
        "my box:\n> name         : cbc(aes)\n> driver       : mv-cbc-aes\n> priority     : 300\n>\nthanks\n";
    let pasted = recognise(text);
    let crypto = "name         : cbc(aes)\ndriver       : mv-cbc-aes\npriority     : 300\n\n";
    assert_eq!(pasted.files, [("proc/crypto".to_owned(), crypto.to_owned())]);
    assert_eq!(pasted.text.recognised, ["/proc/crypto, 1 driver"]);
}

#[test]
fn each_bsd_driver_is_named() {
    for (line, words) in [
        (
            "glxsb0: <AMD Geode LX Security Block (AES-128-CBC, RNG)> mem 0xefff4000-0xefff7fff irq 9 at device 1.2 on pci0",
            "Geode LX",
        ),
        ("aesni0: <AES-CBC,AES-XTS,AES-GCM,AES-ICM> on motherboard", "AES instructions"),
        ("hifn0: <Hifn 7955> mem 0xe0000000-0xe0000fff irq 11 at device 12.0 on pci0", "Hifn"),
        ("padlock0: <AES-CBC,SHA1,SHA256> on motherboard", "PadLock"),
        ("safexcel0: <SafeXcel EIP-97 crypto accelerator> mem 0x90000-0xaffff", "EIP97"),
        ("qat0: <Intel C3000 QuickAssist> mem 0xdfb40000-0xdfb7ffff at device 0.0 on pci1", "QuickAssist"),
        ("ubsec0: <Broadcom 5823> mem 0xfebf0000-0xfebfffff irq 10 at device 9.0 on pci0", "Broadcom"),
        ("Dec  4 14:45:05 pfSense kernel: link_elf: symbol AES_GCM_encrypt undefined", "amd64"),
        ("  Features2=0x8020621b<SSE3,PCLMULQDQ,SSSE3,AESNI>", "has AES instructions"),
        ("padlock0: No ACE support.", "no such unit"),
    ] {
        let pasted = recognise(line);
        assert_eq!(pasted.text.other_system.as_deref(), Some("FreeBSD"), "{line}");
        assert!(remarks(line).contains(words), "{line}: {}", remarks(line));
    }
    for other in ["eth0: <Intel PRO/1000>", "the qat0: driver", "sec: <x>", "aesni: module"] {
        assert!(recognise(other).text.recognised.is_empty(), "{other}");
    }
}

#[test]
fn messages_of_device_drivers_name_the_engine() {
    for (line, words) in [
        ("[    2.120565] omap-sham 53100000.sham: hw accel on OMAP rev 4.3", "53100000.sham"),
        (
            "[Mon Nov 23 05:00:00 2026] marvell-cesa f1090000.crypto: CESA device successfully registered",
            "Marvell CESA",
        ),
        (
            "Nov 23 05:00:00 box kernel: crypto-safexcel f2800000.crypto: probe with driver failed with error -22",
            "fault",
        ),
        ("[ 3006.2] testing speed of async ecb(aes) (ecb-aes-sa2ul) encryption", "ecb-aes-sa2ul"),
        ("alg: skcipher: cbc-aes-x encryption test failed (wrong result)", "self-test of cbc-aes-x"),
        ("[  154.971590] cryptodev: driver 1.9 loaded.", "/dev/crypto"),
    ] {
        assert!(remarks(line).contains(words), "{line}: {}", remarks(line));
    }
}

#[test]
fn engines_are_told_for_what_they_are() {
    let text = "(devcrypto) /dev/crypto engine\n [DES-CBC, AES-128-CBC,\nSHA512]\n     [ available ]\n(rdrand) Intel RDRAND engine\n \
        [RAND]\n     [ available ]\n(dynamic) Dynamic engine loading support\n     [ unavailable ]\n";
    assert_eq!(recognise(text).text.recognised, ["openssl engine -t -c, 3 engines"]);
    assert!(
        remarks(text).contains("with 3 algorithms") && remarks(text).contains("RDRAND"),
        "{}",
        remarks(text)
    );
    let dump =
        "Cipher AES-128-CBC, NID=419, /dev/crypto info: id=11, driver=virtio_crypto_aes_cbc (software)\n";
    assert!(remarks(dump).contains("though the engine calls it software"), "{}", remarks(dump));
    assert!(remarks("invalid engine \"devcrypto\"").contains("no such engine"));
}

#[test]
fn a_geode_is_named_only_if_the_bsd_engine_has_no_other_cipher() {
    let engine = |list| format!("(cryptodev) BSD cryptodev engine\n [{list}]\n     [ available ]\n");
    assert!(remarks(&engine("RSA, DSA, DH, AES-128-CBC")).contains("Geode"));
    assert!(!remarks(&engine("RSA, DSA, DH, DES-EDE3-CBC, AES-128-CBC")).contains("Geode"));
}

#[test]
fn figures_divided_by_cpu_time_are_told() {
    let line = "Doing aes-128-cbc for 3s on 16 size blocks: 108107 aes-128-cbc's in 0.16s";
    assert!(remarks(line).contains("-elapsed"), "{}", remarks(line));
    let of_software = remarks("Doing aes-128-cbc for 3s on 16 size blocks: 1 aes-128-cbc's in 2.99s");
    assert!(!of_software.contains("-elapsed") && of_software.contains("outboard prove"), "{of_software}");
}

#[test]
fn other_text_is_not_recognised() {
    for text in [
        "",
        "hello\n",
        "{\"schema\": \"x\"}",
        "name: value\n",
        "Subject: test\nFrom: me\n",
        "(see above) text\n",
    ] {
        assert!(recognise(text).text.recognised.is_empty(), "{text}: {:?}", recognise(text));
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "(?s).{0,400}") {
        recognise(&text);
    }

    #[test]
    fn damaged_lines_are_survived(
        at in 0_usize..400,
        with in any::<char>(),
        line in prop::sample::select(vec![
            "glxsb0: <AMD Geode LX> mem 0x1 irq 9 on pci0",
            "[ 1.2] omap-sham 5.sham: hw",
            "alg: self-tests for x using y failed (rc=-2)",
            "(devcrypto) /dev/crypto engine\n[A]\n[ available ]",
            "Doing a for 3s on 16 size blocks: 1 a's in 0.1s",
            "           CPU0       CPU1\n 38:   64015   0   x",
            "name : a\ndriver : b\n",
            "processor\t: 0\nflags\t\t: aes\n",
            "01:00.0 Co-processor [0b40]: Intel [8086:19e2] (rev 11)",
            "none0@pci0:0:12:0: class=0x100000 vendor=0x13a3 device=0x0020",
            " 3    1 0xffffffff84120000     8138 aesni.ko",
            "AES-NI CPU Crypto: Yes (active)",
            "kmod-crypto-hw-eip93 - 6.6.73-r1",
            "kmod-cryptodev-6.12.40-r1 x {y} (z) [installed]",
            "\"kernel\": \"6.6.73\",\n\"board_name\": \"a,b\",\n\"target\": \"ramips/mt7621\"",
            "openssl_conf = a\n[a]\nengines=b\n[b]\nafalg=c\n[c]\ndefault_algorithms = ALL",
            "Providers:\n  default\n    version: 3.0.15",
            "aes-cbc        128b        88.1 MiB/s        90.4 MiB/s",
            "LUKS header information\nCipher name: aes\nCipher mode: xts-plain64",
            "[  5]   0.00-1.00   sec  35.8 MBytes   300 Mbits/sec",
            "Cipher CPU User% CPU Sys% Throughput (MB/s)\nx\nSoftware 1 2 3\nHW 1 2 3",
            "User time (seconds): 0.46\nSystem time (seconds): 5.90\nElapsed (wall clock) time (x): 0m 15.06s",
            "real\t0m1.0s\nuser\t0m1.0s\nsys\t0m1.0s",
            "a 1k 1k 1k 1k 1k\na 2k 2k 2k 2k infk",
        ]),
    ) {
        let mut text: Vec<char> = line.chars().collect();
        let at = at % text.len();
        text[at] = with;
        recognise(&text.into_iter().collect::<String>());
    }
}
