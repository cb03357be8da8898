//! Intel.

use crate::family::Completion::{Polled, Through};
use crate::family::{EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "ixp4xx",
        vendor: "Intel",
        kind: EngineKind::SocEngine,
        found_in: "Intel IXP425, IXP465",
        options: "CRYPTO_DEV_IXP4XX",
        openwrt: "kmod-crypto-hw-ixp4xx",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|cbc(des)|cbc(des3_ede)|ecb(des3_ede)|\
            authenc(hmac(sha1),cbc(aes))",
        needs_fallback: true,
        source: "drivers/crypto/intel/ixp4xx",
        names: "*-ixp4xx",
        modules: "ixp4xx_crypto",
        bound: "platform/ixp4xx_crypto",
        completion: Through("the network processing engine's queue manager"),
        chip: "Intel IXP4xx network processing engine",
        compatible: &["intel,ixp4xx-crypto"],
        ..Family::ROW
    },
    Family {
        id: "keembay",
        vendor: "Intel",
        kind: EngineKind::SocEngine,
        found_in: "Intel Movidius Keem Bay",
        options: "CRYPTO_DEV_KEEMBAY_OCS_AES_SM4|CRYPTO_DEV_KEEMBAY_OCS_HCU|\
            CRYPTO_DEV_KEEMBAY_OCS_ECC",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|ccm(aes)|sha224|sha256|sha384|sha512|\
            ecdh-nist-p256",
        needs_fallback: true,
        source: "drivers/crypto/intel/keembay",
        names: "*-keembay-ocs",
        modules: "keembay_ocs_aes|keembay_ocs_ecc|keembay_ocs_hcu",
        bound: "platform/keembay-ocs-aes|platform/keembay-ocs-ecc|platform/keembay-ocs-hcu",
        irqs: "keembay-ocs-*",
        chip: "Intel Keem Bay Offload Crypto Subsystem",
        compatible: &["intel,keembay-ocs-aes", "intel,keembay-ocs-ecc", "intel,keembay-ocs-hcu"],
        ..Family::ROW
    },
    Family {
        id: "qat",
        vendor: "Intel",
        kind: EngineKind::Card,
        found_in: "Atom C3000, C62x chipsets, DH895xCC cards, Xeon Scalable since the fourth \
            generation",
        options: "CRYPTO_DEV_QAT|CRYPTO_DEV_QAT_C3XXX|CRYPTO_DEV_QAT_C62X|CRYPTO_DEV_QAT_DH895xCC|\
            CRYPTO_DEV_QAT_4XXX",
        debian: "amd64|i386",
        bsd: "qat",
        algorithms: "cbc(aes)|ctr(aes)|xts(aes)|authenc(hmac(sha1),cbc(aes))|\
            authenc(hmac(sha256),cbc(aes))|rsa|dh|deflate",
        needs_fallback: true,
        limits: &[
            Limit {
                text: "older kernels register it with priority 4001, before AES instructions that \
                    are many times faster",
                source: "drivers/crypto/intel/qat/qat_common/qat_algs.c",
            },
            Limit {
                text: "Debian has the modules for C3000, C62x and DH895xCC, none for the 4xxx \
                    generation",
                source: "https://packages.debian.org/trixie/linux-image-amd64",
            },
        ],
        allocates_memory: true,
        source: "drivers/crypto/intel/qat",
        names: "qat_*|qat-*",
        modules: "intel_qat|qat_dh895xcc|qat_dh895xccvf|qat_c3xxx|qat_c3xxxvf|qat_c62x|qat_c62xvf|qat_4xxx|\
            qat_420xx|qat_6xxx",
        bound: "pci/dh895xcc|pci/dh895xccvf|pci/c3xxx|pci/c3xxxvf|pci/c6xx|pci/c6xxvf|pci/4xxx|pci/420xx|\
            pci/6xxx",
        irqs: "qat*-bundle*|qat_*:*",
        chip: "Intel QuickAssist (QAT)",
        pci: &[
            (0x8086, 0x0435),
            (0x8086, 0x0443),
            (0x8086, 0x19e2),
            (0x8086, 0x19e3),
            (0x8086, 0x37c8),
            (0x8086, 0x37c9),
            (0x8086, 0x4940),
            (0x8086, 0x4942),
            (0x8086, 0x4944),
            (0x8086, 0x4946),
            (0x8086, 0x4948),
        ],
        ..Family::ROW
    },
    Family {
        id: "iaa",
        vendor: "Intel",
        kind: EngineKind::SocEngine,
        found_in: "Xeon Scalable since the fourth generation",
        options: "CRYPTO_DEV_IAA_CRYPTO",
        debian: "amd64",
        algorithms: "deflate",
        source: "drivers/crypto/intel/iaa",
        names: "deflate-iaa*",
        modules: "iaa_crypto",
        bound: "dsa/crypto",
        completion: Polled,
        chip: "Intel In-Memory Analytics Accelerator (compression)",
        ..Family::ROW
    },
];
