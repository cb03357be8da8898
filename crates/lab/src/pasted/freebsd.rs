//! Messages of FreeBSD and of systems made from it, such as pfSense and OPNsense: crypto(4) and the
//! manual pages of the drivers.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

pub(super) struct CryptoDevice {
    name: &'static str,
    pub(super) is_accelerator: bool,
    pub(super) meaning: &'static str,
}

const fn device(name: &'static str, meaning: &'static str) -> CryptoDevice {
    CryptoDevice { name, is_accelerator: true, meaning }
}

const fn instructions(name: &'static str, meaning: &'static str) -> CryptoDevice {
    CryptoDevice { name, is_accelerator: false, meaning }
}

const DEVICES: &[CryptoDevice] = &[
    device(
        "glxsb",
        "the AMD Geode LX Security Block, which does AES-CBC with 128-bit keys only: compare AES-128-CBC on both ends of \
         OpenVPN and IPsec with ChaCha20-Poly1305, which needs no accelerator. On Linux its driver is geode-aes",
    ),
    device(
        "hifn",
        "a Hifn 7751 or 795x card, which does DES, 3DES, on 795x also AES-CBC, MD5 and SHA-1: compare \
         AES-CBC on both ends with ChaCha20-Poly1305, which needs no accelerator. On Linux its driver is hifn_795x, for 7955 and 7956 only",
    ),
    device(
        "safe",
        "a SafeNet 1140 or 1141 card, which does DES, 3DES, AES-CBC, MD5 and SHA-1. Linux has no driver",
    ),
    device(
        "ubsec",
        "a Broadcom 58xx or BlueSteel card, which does DES, 3DES, MD5 and SHA-1, on BCM5823 also AES-CBC. \
         Linux has no driver",
    ),
    device("safexcel", "an Inside Secure SafeXcel EIP97. On Linux its driver is crypto_safexcel"),
    device(
        "qat",
        "Intel QuickAssist, which does AES-CBC, CTR, XTS and GCM: IPsec uses it by itself. On Linux its driver is \
         intel_qat",
    ),
    device(
        "cesa",
        "a Marvell CESA, which does AES-CBC, DES, 3DES, MD5, SHA-1 and SHA-256. On Linux its driver is \
         marvell_cesa",
    ),
    device("ccp", "the AMD Cryptographic Co-processor. On Linux its driver is ccp"),
    device("ccr", "the crypto engine of a Chelsio T6 network card. On Linux its driver is chcr"),
    device("sec", "the security engine of a Freescale PowerQUICC. On Linux its driver is talitos"),
    instructions(
        "aesni",
        "the CPU's AES instructions: OpenSSL uses them without the kernel, and programs need no engine; \
         IPsec gains most with AES-GCM on both ends",
    ),
    instructions("armv8crypto", "the CPU's AES instructions: OpenSSL uses them without the kernel"),
    instructions(
        "padlock",
        "VIA PadLock, a unit of the CPU: programs reach it by instructions: with outboard's \
         provider, or OpenSSL 3's engine padlock",
    ),
    instructions("ossl", "OpenSSL's own code within the kernel: no accelerator"),
    instructions("cryptosoft", "the kernel's software: no accelerator"),
];

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let mut found = 0;
    for &line in lines {
        let message = line.text.split_once(" kernel: ").map_or(line.text, |(_, message)| message);
        if let Some((device, rest)) = device_of(message) {
            found += 1;
            let name = device.name;
            let is_absent = ["No ACE support", "No AESNI support", "No AES or SHA support", "no AES support"];
            if is_absent.iter().any(|words| rest.contains(words)) {
                pasted.remark(line, format!("{name}: this CPU has no such unit ({})", rest.trim()));
            } else if device.is_accelerator {
                pasted.shows(line, format!("{name} is {}", device.meaning));
            } else {
                pasted.remark(line, format!("{name} is {}", device.meaning));
            }
        } else if message.contains("link_elf: symbol AES_GCM_encrypt undefined") {
            found += 1;
            pasted.remark(
                line,
                "the aesni module does not load on a 32-bit (i386) system: install the 64-bit (amd64) one on the same \
                 hardware",
            );
        } else if let Some(features) = features_of(message) {
            found += 1;
            let has_aes = features.split(',').any(|feature| feature == "AESNI");
            pasted.remark(
                line,
                match has_aes {
                    true => "the CPU has AES instructions (AESNI), which OpenSSL uses by itself",
                    false => "the CPU has no AES instructions",
                },
            );
        } else if message.starts_with("FreeBSD ") && message.contains("-RELEASE") {
            found += 1;
        }
    }
    if found > 0 {
        pasted.text.other_system = Some("FreeBSD".into());
        pasted.recognise("messages of the FreeBSD kernel", found, "relevant line");
    }
}

pub(super) fn device_named(name: &str) -> Option<&'static CryptoDevice> {
    DEVICES.iter().find(|device| device.name == name)
}

/// `glxsb0: <AMD Geode LX Security Block …> mem …`, `padlock0: No ACE support.`
fn device_of(message: &str) -> Option<(&'static CryptoDevice, &str)> {
    let (unit, rest) = message.split_once(": ").or_else(|| message.split_once(" mem "))?;
    let name = unit.trim_end_matches(|c: char| c.is_ascii_digit());
    if name.len() == unit.len() {
        return None;
    }
    let is_description = rest.starts_with('<') || rest.starts_with("No ") || rest.starts_with("no ");
    let device = device_named(name)?;
    (is_description || message.contains(" on pci")).then_some((device, rest))
}

/// The names in `Features2=0x77fafbff<SSE3,PCLMULQDQ,…>`.
fn features_of(message: &str) -> Option<&str> {
    let (_, names) = message.strip_prefix("Features2=0x")?.split_once('<')?;
    names.strip_suffix('>')
}
