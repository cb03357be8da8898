//! Hifn.

use crate::family::{Bounds, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "hifn",
        vendor: "Hifn",
        kind: EngineKind::Card,
        found_in: "Soekris vpn1401 and vpn1411 cards",
        options: "CRYPTO_DEV_HIFN_795X",
        openwrt: "kmod-crypto-hw-hifn-795x",
        debian: "i386",
        bsd: "hifn",
        algorithms: "cbc(aes)|ecb(aes)|cbc(des)|ecb(des)|cbc(des3_ede)|ecb(des3_ede)",
        // The rings have 80 entries for sources, a request at most 17, and a length 16 bits.
        bounds: Bounds { length: 65408, requests: 4, ..Bounds::NONE },
        is_module_only: true,
        limits: &[
            Limit {
                text: "not for kernels with 64-bit DMA addresses: no amd64, no 686-pae",
                source: "drivers/crypto/Kconfig",
            },
            Limit {
                text: "its CBC ciphers return no IV, so they fail the kernel's self-tests, and are used only with \
                    cryptomgr.notests on the kernel's command line",
                source: "drivers/crypto/hifn_795x.c",
            },
            Limit {
                text: "the driver offers no hashes, so IPsec computes them on the CPU",
                source: "drivers/crypto/hifn_795x.c",
            },
        ],
        source: "drivers/crypto/hifn_795x.c",
        names: "*-hifn*",
        modules: "hifn_795x",
        bound: "pci/hifn795x",
        irqs: "hifn*",
        chip: "Hifn 7955 or 7956",
        pci: &[(0x13a3, 0x0020), (0x13a3, 0x001d)],
        ..Family::ROW
    },
    Family {
        id: "hifn-ocf",
        vendor: "Hifn",
        kind: EngineKind::Card,
        found_in: "Hifn 7751, 6500, 7811 and 7951 (Soekris vpn1201, vpn1211)",
        openwrt: "kmod-crypto-ocf-hifn7751",
        bsd: "hifn",
        algorithms: "cbc(des)|cbc(des3_ede)|hmac(md5)|hmac(sha1)",
        limits: &[Limit {
            text: "Linux' own driver is for the 7955 and 7956 only; older chips had one in OCF-Linux",
            source: "drivers/crypto/hifn_795x.c",
        }],
        source: "https://man.openbsd.org/hifn.4",
        modules: "hifn7751",
        chip: "Hifn 7751, 6500, 7811 or 7951",
        pci: &[(0x13a3, 0x0005), (0x13a3, 0x0006), (0x13a3, 0x0007), (0x13a3, 0x0012)],
        ..Family::ROW
    },
];
