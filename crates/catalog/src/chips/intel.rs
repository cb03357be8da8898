//! Intel.

use crate::family::Completion::{Polled, Through};
use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Intel IXP425, IXP465
    Family {
        id: "ixp4xx",
        names: "*-ixp4xx",
        modules: "ixp4xx_crypto",
        bound: "platform/ixp4xx_crypto",
        completion: Through("the network processing engine's queue manager"),
        chip: "Intel IXP4xx network processing engine",
        compatible: &["intel,ixp4xx-crypto"],
        ..Family::ROW
    },
    // Intel Movidius Keem Bay
    Family {
        id: "keembay",
        names: "*-keembay-ocs",
        modules: "keembay_ocs_aes|keembay_ocs_ecc|keembay_ocs_hcu",
        bound: "platform/keembay-ocs-aes|platform/keembay-ocs-ecc|platform/keembay-ocs-hcu",
        irqs: "keembay-ocs-*",
        chip: "Intel Keem Bay Offload Crypto Subsystem",
        compatible: &["intel,keembay-ocs-aes", "intel,keembay-ocs-ecc", "intel,keembay-ocs-hcu"],
        ..Family::ROW
    },
    // Atom C3000, C62x chipsets, DH895xCC cards, Xeon Scalable since the fourth generation
    Family {
        id: "qat",
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
    // Xeon Scalable since the fourth generation
    Family {
        id: "iaa",
        names: "deflate-iaa*",
        modules: "iaa_crypto",
        bound: "dsa/crypto",
        completion: Polled,
        chip: "Intel In-Memory Analytics Accelerator (compression)",
        ..Family::ROW
    },
];
