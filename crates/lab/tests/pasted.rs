//! The outputs that guides print, as people paste them: what each shows, and what it cannot show.

use std::path::Path;

use outboard_documents::status::{Pasted, Status};
use outboard_drivers::root::{Entry, FileSource, Root};
use outboard_inventory::collect_from;
use outboard_lab::pasted::recognise;

/// The files of a text.
#[derive(Debug)]
struct Text(Vec<(String, String)>);

impl FileSource for Text {
    fn is_live(&self) -> bool {
        false
    }
    fn read(&self, relative: &str) -> std::io::Result<Vec<u8>> {
        let found = self.0.iter().find(|(path, _)| path == relative);
        found.map(|(_, text)| text.clone().into_bytes()).ok_or(std::io::ErrorKind::NotFound.into())
    }
    fn list(&self, _relative: &str) -> Vec<Entry> {
        Vec::new()
    }
    fn exists(&self, relative: &str) -> bool {
        self.0.iter().any(|(path, _)| path.starts_with(relative))
    }
    fn answered(&self, _name: &str, _text: &str) {}
}

fn read(name: &str) -> Pasted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted").join(name);
    recognise(&std::fs::read_to_string(path).unwrap())
}

fn status(name: &str) -> Status {
    let pasted = read(name);
    let root = Root::of_files(Path::new(name), Box::new(Text(pasted.files.clone())));
    collect_from(&root, Some(pasted.text)).unwrap()
}

/// Each file, what is recognised in it, and words that the remarks have.
const EXPECTED: &[(&str, &str, &[&str])] = &[
    (
        "alix-lspci.txt",
        "lspci, 3 devices",
        &["AMD Geode LX Security Block (AES-128) is the PCI device 00:01.2"],
    ),
    (
        "c3000-lspci.txt",
        "lspci, 4 devices",
        &["QuickAssist (QAT) is the PCI device 01:00.0, and has its driver, c3xxx"],
    ),
    (
        "debian-afalg-openssl-cnf.txt",
        "an openssl.cnf, 5 sections",
        &["OpenSSL 4 has none", "AES-CBC only", "do not contain openssl_conf = default_conf"],
    ),
    (
        "helios4-cryptsetup-benchmark.txt",
        "cryptsetup benchmark, 5 ciphers",
        &["measures AF_ALG and not the disk", "aes-cbc with a key of 128 bits, 88.1 MiB/s"],
    ),
    (
        "helios4-https-downloads.txt",
        "a table of HTTPS downloads, 6 rows",
        &[
            "without hashing (cryptodev): 1.50 times the throughput of software, 0.44 times its CPU time for each byte: it wins",
            "with hashing (cryptodev): 0.81 times",
            "(AF_ALG): 1.25 times the throughput of software, 0.93 times",
        ],
    ),
    (
        "helios4-luksdump.txt",
        "cryptsetup luksDump",
        &["aes-cbc-essiv:sha256: an accelerator of cbc(aes)", "since Linux 5.10"],
    ),
    (
        "ipsec-iperf3-client.txt",
        "iperf3, 2 intervals",
        &["299 Mbit/s (37.4 MB/s); the sender was limited to 300.0M"],
    ),
    ("ipsec-iperf3-server.txt", "iperf3, 2 intervals", &["305 Mbit/s", "outboard bench ipsec"]),
    ("nas-luksdump-1.txt", "cryptsetup luksDump", &["aes-xts-plain64: only an accelerator with xts(aes)"]),
    (
        "openwrt-apk.txt",
        "a list of OpenWrt's packages, 4 packages",
        &["an engine for AF_ALG", "no package of this list is a driver"],
    ),
    (
        "openwrt-list-providers.txt",
        "openssl list -providers, 2 providers",
        &["no provider of an accelerator"],
    ),
    ("openwrt-openssl-cnf.txt", "an openssl.cnf, 3 sections", &["USE_SOFTDRIVERS", "outboard enable"]),
    (
        "openwrt-opkg.txt",
        "a list of OpenWrt's packages, 9 packages",
        &[
            "kmod-crypto-hw-eip93 is installed, the driver of Inside Secure SafeXcel EIP93",
            "engine devcrypto",
        ],
    ),
    (
        "openwrt-ubus-board.txt",
        "ubus call system board",
        &["Marvell CESA is the engine of this router's chip (OpenWrt 24.10.0, mvebu/cortexa9)"],
    ),
    (
        "pfsense-dashboard.txt",
        "pfSense's dashboard, 4 lines",
        &["aesni is not loaded", "QuickAssist is in use"],
    ),
    ("pfsense-kldstat.txt", "kldstat, 4 modules", &["the module aesni is loaded", "BSD's /dev/crypto"]),
    ("pfsense-pciconf.txt", "pciconf -lv, 2 devices", &["Hifn 7955 or 7956", "has no driver there"]),
    (
        "ti-time-v.txt",
        "time, 2 commands",
        &[
            "used 6.36 s of CPU time in 15.06 s, 5.90 of them in the kernel",
            "nearly all of it in the program: software",
            "by the clock it was 0.6 MB/s at 16 bytes and 13 MB/s at 8192 bytes",
            "faster up to 256 bytes: 6.45 times at 16",
        ],
    ),
    (
        "helios4-server-settings.txt",
        "settings of ciphers, 5 lines",
        &["outboard ciphers --service apache", "outboard ciphers --service nginx", "--service sshd"],
    ),
    ("ti-hwrng-bytes.txt", "/dev/hwrng, 1 line", &["outboard rng test"]),
    ("helios4-cryptodev-dmesg.txt", "messages of the Linux kernel", &["programs can open /dev/crypto"]),
    ("helios4-cryptodev-sessions.txt", "messages of the Linux kernel", &["opens sessions of /dev/crypto"]),
    (
        "helios4-interrupts.txt",
        "/proc/interrupts, 28 lines",
        &[
            "Marvell CESA (f1090000.crypto) has 2 engines, with 64015 and 0 interrupts since boot: 1 of them was used",
        ],
    ),
    ("helios4-lsmod.txt", "lsmod, 2 relevant modules", &["Marvell CESA", "/dev/crypto"]),
    ("openwrt-cesa-proc-crypto.txt", "/proc/crypto, 6 drivers", &[]),
    (
        "openwrt-dump-info.txt",
        "DUMP_INFO",
        &[
            "leads to Marvell CESA: mv-cbc-aes for AES-128-CBC, AES-192-CBC, AES-256-CBC",
            "mv-sha256 for SHA256",
        ],
    ),
    ("openwrt-engines.txt", "3 engines", &["engine devcrypto finds /dev/crypto, with 22", "RDRAND"]),
    (
        "openwrt-speed-without-elapsed.txt",
        "openssl speed",
        &["repeat it with -elapsed", "by the clock it was 8.0 MB/s"],
    ),
    ("openwrt-x86-speed.txt", "openssl speed", &["outboard prove shows it"]),
    ("pfsense-alix-dmesg.txt", "FreeBSD", &["compare AES-128-CBC on both ends"]),
    ("pfsense-alix-engines.txt", "2 engines", &["is what an AMD Geode LX (glxsb) has"]),
    ("pfsense-alix-speed.txt", "openssl speed", &["repeat it with -elapsed", "33 MB/s at 8192"]),
    ("pfsense-i386-dmesg.txt", "FreeBSD", &["install the 64-bit (amd64) one"]),
    (
        "thinkpad-t420-speed.txt",
        "openssl speed, 2 rows",
        &["outboard prove shows it", "slower at every size"],
    ),
    ("ti-cryptodev-lsmod.txt", "lsmod", &["/dev/crypto"]),
    ("ti-devcrypto-speed.txt", "openssl speed", &["counted 0.16 s of CPU time in 3 s"]),
    (
        "ti-omap-dmesg.txt",
        "messages of the Linux kernel",
        &["53100000.sham", "53500000.aes", "random number generator"],
    ),
    ("ti-optee-rng.txt", "rng_current", &[]),
    ("ti-rngtest.txt", "rngtest, 1000 blocks", &["as of a good source"]),
    ("ti-sa2ul-lsmod.txt", "lsmod, 1 relevant module", &["SA2UL"]),
    (
        "ti-sa2ul-tcrypt.txt",
        "messages of the Linux kernel",
        &["measures ecb-aes-sa2ul, a driver of TI Security"],
    ),
];

#[test]
fn every_output_of_the_guides_is_recognised() {
    for (file, recognised, remarks) in EXPECTED {
        let status = status(file);
        let pasted = status.pasted.unwrap();
        let all = pasted.recognised.join("; ");
        assert!(all.contains(recognised), "{file}: {all}");
        let texts: Vec<&str> = pasted.remarks.iter().map(|remark| remark.text.as_str()).collect();
        for words in *remarks {
            assert!(texts.iter().any(|text| text.contains(words)), "{file}: {words}: {texts:#?}");
        }
        assert!(!status.missing.is_empty(), "{file}");
    }
}

#[test]
fn no_pasted_output_is_forgotten() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted");
    for entry in std::fs::read_dir(path).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(EXPECTED.iter().any(|(file, ..)| *file == name), "{name}");
    }
}

#[test]
fn the_name_of_a_device_keeps_its_spelling() {
    let verdict = status("helios4-interrupts.txt").verdict.unwrap();
    assert!(verdict.text.starts_with("Marvell CESA (f1090000.crypto) has 2 engines"), "{}", verdict.text);
    let verdict = status("openwrt-opkg.txt").verdict.unwrap();
    assert!(verdict.text.starts_with("kmod-crypto-hw-eip93 is installed"), "{}", verdict.text);
}

#[test]
fn a_pasted_configuration_and_list_are_judged_as_those_of_a_machine() {
    let configured = status("openwrt-openssl-cnf.txt");
    assert_eq!(configured.openssl.engines.unwrap().names, ["devcrypto"]);
    assert_eq!(configured.openssl.digests[0].line, 12);
    let listed = status("openwrt-list-providers.txt");
    assert_eq!(listed.openssl.version.as_deref(), Some("3.0.15"));
    assert_eq!(listed.openssl.providers, ["default", "legacy"]);
    assert_eq!(status("openwrt-opkg.txt").kernel.release.as_deref(), Some("6.6.73"));
}

#[test]
fn a_pasted_proc_crypto_is_judged_as_a_machine_is() {
    let status = status("openwrt-cesa-proc-crypto.txt");
    let [accelerator] = &status.accelerators[..] else { panic!("{:?}", status.accelerators) };
    assert_eq!(accelerator.chip, "Marvell CESA");
    assert_eq!(accelerator.drivers, ["mv-cbc-aes", "mv-sha256"]);
    assert!(status.missing.iter().any(|missing| missing.contains("uname -a")), "{:?}", status.missing);
}

#[test]
fn several_outputs_in_one_text_are_put_together() {
    let texts = ["openwrt-cesa-proc-crypto.txt", "helios4-interrupts.txt", "helios4-lsmod.txt"].map(|name| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted").join(name))
            .unwrap()
    });
    let pasted = recognise(&texts.join("\nand then:\n"));
    let root = Root::of_files(Path::new("text"), Box::new(Text(pasted.files.clone())));
    let status = collect_from(&root, Some(pasted.text)).unwrap();
    let accelerator = &status.accelerators[0];
    assert_eq!(accelerator.preferred.as_deref(), Some("/dev/crypto"), "{:?}", accelerator.reach);
}

#[test]
fn a_failing_generator_shows_in_the_output_of_rngtest() {
    for (failures, is_failing) in [(1, false), (900, true)] {
        let text = format!("rngtest: FIPS 140-2 successes: 999\nrngtest: FIPS 140-2 failures: {failures}\n");
        let root = Root::of_files(Path::new("text"), Box::new(Text(Vec::new())));
        let status = collect_from(&root, Some(recognise(&text).text)).unwrap();
        let found = status.problems.iter().any(|problem| problem.id == "hwrng-failing");
        assert_eq!(found, is_failing, "{failures}");
    }
}
