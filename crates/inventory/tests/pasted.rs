//! The outputs that guides print, as people paste them: what each shows, and what it cannot show.

use std::path::Path;

use outboard_drivers::root::{Entry, FileSource, Root};
use outboard_inventory::pasted::{Pasted, recognise};
use outboard_inventory::{Status, collect_from};

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
    collect_from(&root, Some(pasted)).unwrap()
}

/// Each file, what is recognised in it, and words that the remarks have.
const EXPECTED: &[(&str, &str, &[&str])] = &[
    ("helios4-cryptodev-dmesg.txt", "messages of the Linux kernel", &["programs can open /dev/crypto"]),
    ("helios4-cryptodev-sessions.txt", "messages of the Linux kernel", &["opens sessions of /dev/crypto"]),
    (
        "helios4-interrupts.txt",
        "/proc/interrupts, 28 lines",
        &[
            "f1090000.crypto is a crypto engine and raised 64015 interrupts",
            "f1090000.crypto raised no interrupt",
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
    ("openwrt-speed-without-elapsed.txt", "openssl speed", &["repeat it with -elapsed"]),
    ("openwrt-x86-speed.txt", "openssl speed", &["outboard prove shows it"]),
    ("pfsense-alix-dmesg.txt", "FreeBSD", &["choose AES-128-CBC on both ends"]),
    ("pfsense-alix-engines.txt", "2 engines", &["is what an AMD Geode LX (glxsb) has"]),
    ("pfsense-alix-speed.txt", "openssl speed", &["repeat it with -elapsed"]),
    ("pfsense-i386-dmesg.txt", "FreeBSD", &["install the 64-bit (amd64) one"]),
    ("thinkpad-t420-speed.txt", "openssl speed, 2 rows", &["outboard prove shows it"]),
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
        assert!(!status.not_told.is_empty(), "{file}");
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
fn a_pasted_proc_crypto_is_judged_as_a_machine_is() {
    let status = status("openwrt-cesa-proc-crypto.txt");
    let [accelerator] = &status.accelerators[..] else { panic!("{:?}", status.accelerators) };
    assert_eq!(accelerator.chip, "Marvell CESA");
    assert_eq!(accelerator.drivers, ["mv-cbc-aes", "mv-sha256"]);
    assert!(status.not_told.iter().any(|missing| missing.contains("uname -a")), "{:?}", status.not_told);
}

#[test]
fn several_outputs_in_one_text_are_put_together() {
    let texts = ["openwrt-cesa-proc-crypto.txt", "helios4-interrupts.txt", "helios4-lsmod.txt"].map(|name| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted").join(name))
            .unwrap()
    });
    let pasted = recognise(&texts.join("\nand then:\n"));
    let root = Root::of_files(Path::new("text"), Box::new(Text(pasted.files.clone())));
    let status = collect_from(&root, Some(pasted)).unwrap();
    let accelerator = &status.accelerators[0];
    assert_eq!(accelerator.preferred, Some("/dev/crypto"), "{:?}", accelerator.reach);
}
