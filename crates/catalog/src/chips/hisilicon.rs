//! HiSilicon.

use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "hisi-sec",
        vendor: "HiSilicon",
        kind: EngineKind::SocEngine,
        found_in: "Kunpeng 916, 920 and later",
        options: "CRYPTO_DEV_HISI_SEC|CRYPTO_DEV_HISI_SEC2",
        acpi: &["HISI02C1"],
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|gcm(aes)|ccm(aes)",
        needs_fallback: true,
        source: "drivers/crypto/hisilicon",
        names: "hisi_sec_*",
        modules: "hisi_sec|hisi_sec2",
        bound: "platform/hisi_sec_platform_driver|pci/hisi_sec2",
        irqs: "hisi_sec*",
        chip: "HiSilicon SEC",
        compatible: &["hisilicon,hip06-sec", "hisilicon,hip07-sec"],
        pci: &[(0x19e5, 0xa255), (0x19e5, 0xa256)],
        ..Family::ROW
    },
    Family {
        id: "hisi-hpre",
        vendor: "HiSilicon",
        kind: EngineKind::SocEngine,
        found_in: "Kunpeng 920 and later",
        options: "CRYPTO_DEV_HISI_HPRE",
        algorithms: "rsa|dh|ecdh-nist-p256|curve25519",
        needs_fallback: true,
        source: "drivers/crypto/hisilicon/hpre",
        names: "hpre-*",
        modules: "hisi_hpre",
        bound: "pci/hisi_hpre",
        irqs: "hisi_hpre*",
        chip: "HiSilicon HPRE (public-key engine)",
        pci: &[(0x19e5, 0xa258), (0x19e5, 0xa259)],
        ..Family::ROW
    },
    Family {
        id: "hisi-zip",
        vendor: "HiSilicon",
        kind: EngineKind::SocEngine,
        found_in: "Kunpeng 920 and later",
        options: "CRYPTO_DEV_HISI_ZIP",
        algorithms: "deflate",
        source: "drivers/crypto/hisilicon/zip",
        names: "hisi-*-acomp",
        modules: "hisi_zip",
        bound: "pci/hisi_zip",
        irqs: "hisi_zip*",
        chip: "HiSilicon ZIP (compression)",
        pci: &[(0x19e5, 0xa250), (0x19e5, 0xa251)],
        ..Family::ROW
    },
];
