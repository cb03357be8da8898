//! Broadcom.

use crate::family::Completion::Through;
use crate::family::{BoardWithoutDriver, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "bcm-spu",
        vendor: "Broadcom",
        kind: EngineKind::SocEngine,
        found_in: "Broadcom Northstar Plus, Northstar 2, Stingray; BCM63xx gateways",
        options: "CRYPTO_DEV_BCM_SPU",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|gcm(aes)|ccm(aes)|cbc(des3_ede)|sha1|\
            sha256|sha512",
        needs_fallback: true,
        source: "drivers/crypto/bcm",
        names: "*-iproc|*-bcmspu|*bcmspu*",
        modules: "bcm_crypto_spu|bcmspu",
        bound: "platform/brcm-spu-crypto",
        completion: Through("the Broadcom mailbox (platform driver brcm-flexrm-mbox or brcm-pdc-mbox)"),
        chip: "Broadcom Secure Processing Unit",
        compatible: &["brcm,spum-crypto", "brcm,spum-nsp-crypto", "brcm,spu2-crypto", "brcm,spu2-v2-crypto"],
        ..Family::ROW
    },
    Family {
        id: "ubsec",
        vendor: "Broadcom",
        kind: EngineKind::Card,
        found_in: "BCM5801, BCM5802, BCM5805, BCM5820, BCM5821, BCM5822, BCM5823 and BCM5825; \
            Sun Crypto Accelerator 500 and 1000; Cisco PIX VAC+; Check Point VPN-1 Accelerator Card",
        bsd: "ubsec",
        algorithms: "cbc(des)|cbc(des3_ede)|hmac(md5)|hmac(sha1)",
        limits: &[
            Limit {
                text: "Linux has no driver for these cards, OpenBSD has",
                source: "https://man.openbsd.org/ubsec.4",
            },
            Limit { text: "AES needs a BCM5823 or later", source: "https://man.openbsd.org/ubsec.4" },
        ],
        source: "https://man.openbsd.org/ubsec.4",
        chip: "Broadcom BCM58xx (ubsec)",
        pci: &[
            (0x14e4, 0x5801),
            (0x14e4, 0x5802),
            (0x14e4, 0x5805),
            (0x14e4, 0x5820),
            (0x14e4, 0x5821),
            (0x14e4, 0x5822),
            (0x14e4, 0x5823),
            (0x14e4, 0x5825),
            // Sun Crypto Accelerator 500 and 1000, with a BCM5821.
            (0x108e, 0x5454),
            (0x108e, 0x5455),
        ],
        ..Family::ROW
    },
    Family {
        id: "ubsec-ssb",
        vendor: "Broadcom",
        kind: EngineKind::SocEngine,
        found_in: "BCM5365 and BCM5365P (Asus WL-500gD, WL-500gX and WL-700gE, Netgear WGT634U), \
            and other BCM47xx with an IPsec core on the SSB bus",
        openwrt: "kmod-ocf-ubsec-ssb",
        algorithms: "cbc(aes)|ctr(aes)|cbc(des)|cbc(des3_ede)|hmac(md5)|hmac(sha1)",
        limits: &[
            Limit {
                text: "out of tree, for OCF-Linux, which no current kernel has",
                source: "https://openwrt.org/docs/techref/hardware/cryptographic.hardware.accelerators",
            },
            Limit {
                text: "some boards disable strong ciphers by a pin, and only single DES is left \
                    (seen on the Netgear WGT634U)",
                source: "https://openwrt.org/docs/techref/hardware/cryptographic.hardware.accelerators",
            },
        ],
        source: "https://openwrt.org/docs/techref/hardware/cryptographic.hardware.accelerators",
        modules: "ubsec_ssb",
        chip: "Broadcom IPsec core (ubsec_ssb)",
        ..Family::ROW
    },
];

pub(super) const WITHOUT_DRIVER: &[BoardWithoutDriver] = &[
    BoardWithoutDriver {
        words: &["brcm,bcm2712"],
        name: "Broadcom BCM2712",
        remark: "this chip has no crypto engine; its CPU has AES instructions, which OpenSSL uses by itself",
    },
    BoardWithoutDriver {
        words: &["brcm,bcm2711", "brcm,bcm2837", "brcm,bcm2836", "brcm,bcm2835"],
        name: "Broadcom BCM283x or BCM2711",
        remark: "this chip has neither a crypto engine nor AES instructions: prefer \
            ChaCha20-Poly1305, which OpenSSL's NEON code computes faster than AES here",
    },
    BoardWithoutDriver {
        words: &["BCM5365", "BCM47", "brcm,bcm47"],
        name: "Broadcom BCM47xx or BCM5365",
        remark: "some of these chips have an IPsec core (BCM5365, BCM5365P), but no current kernel has \
            a driver for it (ubsec_ssb, for OCF); the CPU has no AES instructions: prefer \
            ChaCha20-Poly1305",
    },
];
