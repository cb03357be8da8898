//! Texas Instruments.

use crate::family::Completion::Through;
use crate::family::{Board, EngineKind, Family, Limit, Speed};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "omap",
        vendor: "Texas Instruments",
        kind: EngineKind::SocEngine,
        found_in: "TI AM335x, AM437x, AM57x, DRA7, OMAP3, OMAP4, OMAP5",
        options: "CRYPTO_DEV_OMAP_AES|CRYPTO_DEV_OMAP_DES|CRYPTO_DEV_OMAP_SHAM",
        openwrt: "kmod-crypto-hw-omap",
        debian: "armhf",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|rfc4106(gcm(aes))|cbc(des3_ede)|\
            ecb(des3_ede)|md5|sha1|sha224|sha256|sha384|sha512",
        needs_fallback: true,
        limits: &[Limit {
            text: "AES requests below 200 bytes, and hashes below 256, are computed in software (sysfs \
                attribute fallback)",
            source: "drivers/crypto/omap-aes.c and omap-sham.c",
        }],
        source: "drivers/crypto/omap-aes.c",
        names: "omap-*|*-omap",
        modules: "omap_aes_driver|omap_des|omap_sham",
        bound: "platform/omap-aes|platform/omap-des|platform/omap-sham",
        irqs: "*_ccint|omap-dma-engine",
        completion: Through("the EDMA or SDMA engine, besides a line of its own for hashes"),
        chip: "TI OMAP AES, DES and SHA/MD5 units",
        compatible: &[
            "ti,omap2-aes",
            "ti,omap3-aes",
            "ti,omap4-aes",
            "ti,omap4-des",
            "ti,omap2-sham",
            "ti,omap3-sham",
            "ti,omap4-sham",
            "ti,omap5-sham",
        ],
        boards: &[
            Board { words: &["ti,am33xx", "ti,am335"], name: "TI AM335x" },
            Board { words: &["ti,am43", "ti,am437"], name: "TI AM437x" },
            Board { words: &["ti,am57", "ti,dra7", "ti,dra72", "ti,dra74"], name: "TI AM57x or DRA7" },
            Board { words: &["ti,omap3", "ti,omap4", "ti,omap5"], name: "TI OMAP" },
        ],
        ..Family::ROW
    },
    Family {
        id: "sa2ul",
        speed: Some(Speed { request_us: 11.5, mb_per_s: 264.0 }),
        vendor: "Texas Instruments",
        kind: EngineKind::SocEngine,
        found_in: "TI AM65x, AM64x, AM62x, J721E, J7200, J721S2, J784S4",
        options: "CRYPTO_DEV_SA2UL",
        algorithms: "cbc(aes)|ecb(aes)|cbc(des3_ede)|ecb(des3_ede)|sha1|sha256|sha512|\
            authenc(hmac(sha1),cbc(aes))|authenc(hmac(sha256),cbc(aes))",
        needs_fallback: true,
        limits: &[
            Limit {
                text: "requests of 240 to 255 bytes and above 65535 bytes are computed in software",
                source: "drivers/crypto/sa2ul.c",
            },
            Limit {
                text: "priority 30000: the kernel prefers it to AES instructions, which are faster",
                source: "drivers/crypto/sa2ul.c",
            },
            Limit { text: "no CTR and no GCM", source: "drivers/crypto/sa2ul.c" },
        ],
        source: "drivers/crypto/sa2ul.c",
        names: "*-sa2ul",
        modules: "sa2ul",
        bound: "platform/saul-crypto",
        completion: Through("the K3 DMA (UDMA, BCDMA or PKTDMA channels)"),
        chip: "TI Security Accelerator SA2UL or SA3UL",
        compatible: &["ti,j721e-sa2ul", "ti,am654-sa2ul", "ti,am64-sa2ul", "ti,am62-sa3ul"],
        boards: &[
            Board { words: &["ti,am625", "ti,am62a", "ti,am62p", "ti,am623"], name: "TI AM62x" },
            Board { words: &["ti,am642", "ti,am64"], name: "TI AM64x" },
            Board { words: &["ti,am654", "ti,am652", "ti,am65"], name: "TI AM65x" },
            Board { words: &["ti,j721s2"], name: "TI J721S2" },
            Board { words: &["ti,j784s4", "ti,j742s2"], name: "TI J784S4" },
            Board { words: &["ti,j721e", "ti,j7200", "ti,j722s"], name: "TI J721E" },
        ],
        ..Family::ROW
    },
    Family {
        id: "dthev2",
        vendor: "Texas Instruments",
        kind: EngineKind::SocEngine,
        found_in: "TI AM62L",
        options: "CRYPTO_DEV_TI_DTHEV2",
        algorithms: "cbc(aes)|ecb(aes)|ctr(aes)|xts(aes)|gcm(aes)|ccm(aes)",
        limits: &[Limit {
            text: "in mainline since Linux 6.18",
            source: "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/\
                    drivers/crypto/ti",
        }],
        source: "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/drivers/\
            crypto/ti",
        names: "*-dthev2",
        modules: "dthev2",
        bound: "platform/dthev2",
        completion: Through("the K3 DMA"),
        chip: "TI DTHEv2",
        compatible: &["ti,am62l-dthev2"],
        boards: &[Board { words: &["ti,am62l3", "ti,am62l"], name: "TI AM62L" }],
        ..Family::ROW
    },
];
